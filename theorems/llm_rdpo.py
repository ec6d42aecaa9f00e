"""P4 Appendix D, Tables 1 and 2: DPO and rDPO of language models on private, corrupted labels.

P4 (arXiv 2505.15694) fine-tunes GPT2-large on finance_preference (1,697 pairs by GPT-4o, not
published), trains DPO and rDPO on labels behind randomized response and, in Table 2, behind a mask
process of corruption, and has a 70B model judge the answers:

    Table 1   win rate of rDPO above that of DPO at ε = .1 and .5
    Table 2   win rate of rDPO under CTL above that under LTC at α = .1, ε = 1 and .5

Here by default a tiny random GPT-2 on generated pairs (``repro.preferences.financial_pairs``, a
substitute with a planted reward), all of it on a CPU; ``theorem/llm_model@theorem.model``,
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

The rows about win rates and rankings say by how much at least a method is better (.03 over a coin
for "beats", .01 for "above"); they meet the same seeds, so that a policy is trained once for all.
`margin` compares rDPO's mean margin on held-out pairs with that of DPO on the clean labels, which
the unbiased loss has on average; DPO on private labels falls short by c(ε).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from repro.base.schema import Corruption, Positive
from repro.corruption.orders import Order
from repro.llm.cases import ReleaseCase, ReleaseExperiment, ReleaseProbes, Work, seeds
from repro.llm.release_study import Longest, Seed, Trained, above_length, first_steps, reached
from repro.study.case import Point
from repro.study.claims import Ratio
from repro.study.row import Method, Need, Row

RDPO, DPO = Method("rdpo", Trained("rdpo")), Method("dpo", Trained("dpo"))
FLIPPED = Method("label_flipped", Trained("rdpo", sign=-1))
LONGER = Method("longer_is_better", Longest())
CTL_WINS, LTC_WINS = Method("rdpo", 1), Method("orders_swapped", -1)
"""Sign of the difference."""
ADAMW, SGD = Method("adamw", 1e-3), Method("sgd", 1.0)
"""An optimizer, and its step size over that of plain steps."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RdpoCase(ReleaseCase):
    """Also α of Table 2, the order whose win rate is the larger, and the size of first steps."""

    corruption: float
    small_steps: float
    order: Order = Order.CTL


def over_dpo(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Table 1: win rates less that of DPO on the same labels."""
    labels = case.released(case.coins(rng))
    seed = Seed.of(case.study, rng)
    dpo = DPO.run.reached(seed, case.epsilon, labels).win_rate
    return {m.name: m.run.reached(seed, case.believed, labels).win_rate - dpo for m in case.methods}


def between_orders(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Table 2: rDPO's win rate under one order less that under the other, from the same coins."""
    coins = case.coins(rng)
    seed = Seed.of(case.study, rng)
    first, second = (
        RDPO.run.reached(seed, case.believed, case.masked(coins, order, case.corruption)).win_rate
        for order in (case.order, case.order.swapped)
    )
    return {m.name: m.run * (first - second) for m in case.methods}


def over_clean(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margins of first steps on private labels over that of DPO on the clean ones."""
    coins = case.coins(rng)
    seed, steps = Seed.of(case.study, rng), first_steps(case.study, case.small_steps)
    clean = case.study.splits.train.labels
    against = DPO.run.reached(seed, case.epsilon, clean, steps).margin
    labels = case.released(coins)
    return {
        m.name: m.run.reached(seed, case.believed, labels, steps).margin / against
        for m in case.methods
    }


def over_dpo_by_optimizer(case: RdpoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margin of rDPO's first steps over that of DPO's, for each optimizer."""
    labels = case.released(case.coins(rng))
    seed, found = Seed.of(case.study, rng), {}
    for optimizer in case.methods:
        steps = first_steps(case.study, case.small_steps * optimizer.run, optimizer.name)
        margins = (m.run.reached(seed, case.epsilon, labels, steps).margin for m in (RDPO, DPO))
        found[optimizer.name] = next(margins) / next(margins)
    return found


WIN_RATE = seeds("win rate against SFT", partial(reached, "win_rate"))
AT_EQUAL_LENGTH = seeds("win rate against SFT at equal length", partial(reached, "at_equal_length"))
OVER_DPO = seeds("win rate − win rate of DPO", over_dpo)
BETWEEN_ORDERS = seeds("win rate under CTL − under LTC", between_orders)
RANKING = seeds("implicit ranking accuracy − that of longer-is-better", above_length)
MARGIN = seeds("margin / margin of DPO on clean labels", over_clean)
BY_OPTIMIZER = seeds("margin of rDPO / margin of DPO", over_dpo_by_optimizer)
AT_LEAST = partial(Ratio, tolerance=0.0, direction="at_least")
BEATS, ABOVE = 0.53, 0.01
"""Smallest win rate and smallest difference that are claimed."""
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
        Row("win_rate", "epsilon", AT_LEAST("rDPO beats SFT by .03", BEATS), WIN_RATE, RDPO,
            (FLIPPED, LONGER), given=Work(), needs=LABELS, settles=TABLE_1, draws="answers"),
        Row("win_rate_at_equal_length", "epsilon",
            AT_LEAST("rDPO beats SFT by .03, not by length", BEATS), AT_EQUAL_LENGTH, RDPO,
            (FLIPPED, LONGER), given=Work(), needs=LABELS, settles=TABLE_1, draws="answers"),
        Row("table_1", "epsilon", AT_LEAST("Table 1: rDPO's win rate is DPO's and .025", 0.025),
            OVER_DPO, RDPO, (FLIPPED, LONGER), given=Work(3), needs=(*LABELS, Need.DEBIASING),
            settles=TABLE_1, draws="answers"),
        Row("table_2", "epsilon", AT_LEAST("Table 2: CTL's win rate is LTC's and .01", ABOVE),
            BETWEEN_ORDERS, CTL_WINS, (LTC_WINS,), given=Work(),
            needs=(*LABELS, Need.ORDER), settles=TABLE_2, draws="answers"),
        Row("ranking", "epsilon",
            AT_LEAST("rDPO ranks held-out pairs better than length does", ABOVE), RANKING, RDPO,
            (FLIPPED,), given=Work(), needs=LABELS, settles=TABLE_1, draws="answers"),
        Row("margin", "epsilon", Ratio("rDPO's margin is that of clean labels", 1.0, 0.15), MARGIN,
            RDPO, (DPO, FLIPPED), given=Work(4), needs=(*LABELS, Need.DEBIASING), settles=TABLE_1,
            draws="first steps"),
        Row("same_under_adamw", "epsilon",
            Ratio("small AdamW steps of rDPO are those of DPO", 1.0, 0.1), BY_OPTIMIZER, ADAMW,
            (SGD,), given=Work(4), settles=("own.same_under_adamw",), draws="first steps"),
    )  # fmt: skip

    def case(self, point: Point) -> RdpoCase:
        return RdpoCase(
            methods=point.methods, epsilon=point.epsilon, study=self.study,
            corruption=self.config.corruption, small_steps=self.config.small_steps,
        )  # fmt: skip
