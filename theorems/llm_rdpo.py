"""P4 Appendix D, Tables 1 and 2: DPO and rDPO of language models on private, corrupted labels.

P4 (arXiv 2505.15694) fine-tunes GPT2-large on finance_preference (1,697 pairs by GPT-4o, not
published), trains DPO and rDPO on labels behind randomized response and, in Table 2, behind a mask
process of corruption, and has a 70B model judge the answers:

    Table 1   win rate of rDPO above that of DPO at ε = .1 and .5
    Table 2   win rate of rDPO under CTL above that under LTC at α = .1, ε = 1 and .5

Here by default a tiny random GPT-2 on generated pairs (``repro.llm.financial_pairs``, a substitute
with a planted reward), so that the whole of it runs on a CPU; ``theorem/llm_model@theorem.model``,
``llm_data`` and ``llm_procedure`` name real ones (docs/howto/language_models.md).  A replicate is
one seed: labels privatised anew, policies trained, answers judged.  Labels of a simulation come
from the core's seeded channel; real releases are made by ``python -m repro.privatize``.

Differences from the paper, each a setting:

* `variant`: the paper fine-tunes on the chosen responses, that is, on the private labels in the
  clear.  ``repaired`` fine-tunes on both responses; ``as_published`` on the chosen ones.
* the judge is the planted reward, or a reward fitted to pairs of its own, in both orders; the
  trivial longest-of-4 policy stands beside every win rate, as a control.
* plain gradient steps.  At a reward difference of 0 the derivative of rDPO's loss is that of DPO
  times c(ε), whatever the label.  AdamW does not feel the scale of a loss, so that the paper's
  2e2 steps of 1e-6 give DPO and rDPO the same policy to first order: row `same_under_adamw`, an
  own statement.  What Table 1 finds between them under AdamW is not an effect of debiasing at
  first order; with plain steps the effect is there (`table_1`).

Every claim is a difference or rate inside an interval (claimed ± tolerance: [0.01, 0.99] for
"above", [0.53, 0.99] for "beats"), supported only if the whole confidence interval lies inside:
wide ones are inconclusive.
`margin` compares rDPO's mean margin on held-out pairs with that of DPO on the clean labels, which
the unbiased loss has on average; DPO on private labels falls short by c(ε).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from repro.base.schema import Corruption, Positive
from repro.corruption.orders import Order
from repro.llm.cases import ReleaseCase, ReleaseExperiment, ReleaseProbes, Work, seeds
from repro.llm.cost import cost, in_words
from repro.llm.private_labels import masked_labels
from repro.llm.release_study import Seed
from repro.llm.settings import Training
from repro.study.case import Point
from repro.study.claims import Ratio
from repro.study.row import Method, Need, Row

ABOVE = "above by at least .01"
RESPONSES = 8
"""Responses drawn to each prompt for one seed, at most."""


@dataclass(frozen=True)
class Trained:
    """A policy trained with a loss of ``repro.llm.release_study.LOSSES``."""

    loss: str

    def policy(self, seed: Seed, epsilon: float, labels: Tensor) -> Any:
        return seed.policy(self.loss, epsilon, labels)

    def responses(self, seed: Seed, epsilon: float, labels: Tensor) -> list[str]:
        return seed.responses(self.policy(seed, epsilon, labels))

    def accuracy(self, seed: Seed, epsilon: float, labels: Tensor) -> float:
        return seed.accuracy(self.policy(seed, epsilon, labels))


@dataclass(frozen=True)
class Longest:
    """The trivial policy: the longest of a few responses of the fine-tuned model."""

    def responses(self, seed: Seed, epsilon: float, labels: Tensor) -> list[str]:
        return seed.longest()


@dataclass(frozen=True)
class Above:
    """The win rate under one order over that under another."""

    first: Order
    second: Order

    def between(self, won: Mapping[Order, float], seed: Seed) -> float:
        return won[self.first] - won[self.second]


RDPO, DPO, FLIPPED = (Method(name, Trained(name)) for name in ("rdpo", "dpo", "sign_flipped"))
LONGER = Method("longer_is_better", Longest())
CTL_WINS = Method("rdpo", Above(Order.CTL, Order.LTC))
LTC_WINS = Method("orders_swapped", Above(Order.LTC, Order.CTL))
ADAMW = Method("adamw", 1e-3)
"""An optimizer, and its step size over that of plain steps."""
SGD = Method("sgd", 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class RdpoCase(ReleaseCase):
    """Also α of Table 2 and the step size of the rows about first steps."""

    corruption: float
    small_steps: float

    def seed(self, rng: np.random.Generator, training: Training | None = None) -> Seed:
        return Seed.of(self.pipeline.study, rng, self.pipeline.folder, training)

    def small(self, optimizer: Method[float]) -> Training:
        """Steps so small that the reward differences stay near 0."""
        rate = self.small_steps * optimizer.run
        changes = {"optimizer": optimizer.name, "learning_rate": rate, "max_grad_norm": None}
        return self.pipeline.procedure.preference.model_copy(update=changes)


def win_rates(controlled: bool) -> Callable[[RdpoCase, np.random.Generator], dict[str, float]]:
    """Against the fine-tuned model, at equal length or not."""

    def rates(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
        labels = case.released(rng)
        seed = case.seed(rng)
        texts = {m.name: m.run.responses(seed, case.epsilon, labels) for m in case.methods}
        return {name: seed.win_rate(some, controlled) for name, some in texts.items()}

    return rates


def over_dpo(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Table 1: win rates less that of DPO on the same labels."""
    labels = case.released(rng)
    seed = case.seed(rng)
    won = {
        m.name: seed.win_rate(m.run.responses(seed, case.epsilon, labels))
        for m in (*case.methods, DPO)
    }
    return {m.name: won[m.name] - won[DPO.name] for m in case.methods}


def between_orders(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Table 2: rDPO's win rate under one order less that under the other."""
    orders, labels = (Order.CTL, Order.LTC), case.pipeline.labels
    released = {o: masked_labels(rng, labels, o, case.epsilon, case.corruption) for o in orders}
    seed = case.seed(rng)
    won = {
        order: seed.win_rate(RDPO.run.responses(seed, case.epsilon, some))
        for order, some in released.items()
    }
    return {m.name: m.run.between(won, seed) for m in case.methods}


def above_length(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Ranking accuracy over that of length."""
    labels = case.released(rng)
    seed, longer = case.seed(rng), case.pipeline.study.longer_accuracy()
    return {m.name: m.run.accuracy(seed, case.epsilon, labels) - longer for m in case.methods}


def over_clean(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margins on private labels over that of DPO on the clean ones."""
    clean, labels = case.pipeline.labels, case.released(rng)
    seed = case.seed(rng, case.small(SGD))
    against = seed.margin(DPO.run.policy(seed, case.epsilon, clean))
    return {
        m.name: seed.margin(m.run.policy(seed, case.epsilon, labels)) / against
        for m in case.methods
    }


def over_dpo_by_optimizer(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margin of rDPO over that of DPO, for each optimizer."""
    labels = case.released(rng)
    found = {}
    for optimizer in case.methods:
        seed = case.seed(rng, case.small(optimizer))
        margins = [seed.margin(m.run.policy(seed, case.epsilon, labels)) for m in (RDPO, DPO)]
        found[optimizer.name] = margins[0] / margins[1]
    return found


WIN_RATE = seeds("win rate against SFT", win_rates(controlled=False))
AT_EQUAL_LENGTH = seeds("win rate against SFT at equal length", win_rates(controlled=True))
OVER_DPO = seeds("win rate − win rate of DPO", over_dpo)
BETWEEN_ORDERS = seeds("win rate under CTL − under LTC", between_orders)
RANKING = seeds("implicit ranking accuracy − that of longer-is-better", above_length)
MARGIN = seeds("margin / margin of DPO on clean labels", over_clean)
BY_OPTIMIZER = seeds("margin of rDPO / margin of DPO", over_dpo_by_optimizer)
BEATS, HIGHER = (0.76, 0.23), (0.5, 0.49)
"""Value and tolerance: the intervals [.53, .99] and [.01, .99]."""
LABELS = (Need.LABELS,)
TABLE_1, TABLE_2 = ("p4.tab_1",), ("p4.tab_2",)


class LlmRdpoProbes(ReleaseProbes):
    """Numbers of the experiment; conf/theorem/llm_rdpo.yaml gives them."""

    corruption: Corruption
    small_steps: Positive


class LlmRdpo(ReleaseExperiment[RdpoCase]):
    """SFT, DPO and rDPO under randomized response, CTL and LTC."""

    title = "P4 Tables 1 and 2: DPO and rDPO of language models"
    config_type = LlmRdpoProbes
    config: LlmRdpoProbes

    rows = (
        Row("win_rate", "epsilon", Ratio("rDPO beats SFT", *BEATS), WIN_RATE, RDPO,
            (FLIPPED, LONGER), given=Work(), needs=LABELS, settles=TABLE_1),
        Row("win_rate_at_equal_length", "epsilon", Ratio("rDPO beats SFT, not by length", *BEATS),
            AT_EQUAL_LENGTH, RDPO, (FLIPPED, LONGER), given=Work(), needs=LABELS, settles=TABLE_1),
        Row("table_1", "epsilon", Ratio(f"Table 1: rDPO's win rate is DPO's or {ABOVE}", *HIGHER),
            OVER_DPO, RDPO, (FLIPPED, LONGER), given=Work(3), needs=(*LABELS, Need.DEBIASING),
            settles=TABLE_1),
        Row("table_2", "epsilon", Ratio(f"Table 2: CTL's win rate is LTC's or {ABOVE}", *HIGHER),
            BETWEEN_ORDERS, CTL_WINS, (LTC_WINS,), given=Work(),
            needs=(*LABELS, Need.ORDER), settles=TABLE_2),
        Row("ranking", "epsilon",
            Ratio("rDPO ranks held-out pairs better than length does", *HIGHER), RANKING, RDPO,
            (FLIPPED,), given=Work(), needs=LABELS, settles=TABLE_1),
        Row("margin", "epsilon", Ratio("rDPO's margin is that of clean labels", 1.0, 0.15), MARGIN,
            RDPO, (DPO, FLIPPED), given=Work(4), needs=(*LABELS, Need.DEBIASING), settles=TABLE_1),
        Row("same_under_adamw", "epsilon",
            Ratio("small AdamW steps of rDPO are those of DPO", 1.0, 0.1), BY_OPTIMIZER, ADAMW,
            (SGD,), given=Work(4), settles=("own.same_under_adamw",)),
    )  # fmt: skip

    def case(self, point: Point) -> RdpoCase:
        return RdpoCase(
            methods=point.methods, epsilon=point.epsilon, pipeline=self.pipeline,
            corruption=self.config.corruption, small_steps=self.config.small_steps,
        )  # fmt: skip

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """Memory and GPU-hours of all checks."""
        points = self.points(replicates)
        policies = sum(points[trial.row.name] * trial.row.given.policies for trial in self.trials)
        one = self.config
        responses = RESPONSES * sum(points.values())
        found = cost(one.model, one.data, one.procedure, policies, responses)
        return in_words(found, one.model, policies)
