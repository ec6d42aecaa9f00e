"""P2 Algorithms 1 and 3 on a language model: PrivχPO and SquareχPO.

P2 (Improved bounds for private and robust alignment) has no experiment on language models and no
library has these trainers; here are both, in the pipeline of llm_rdpo: a fine-tuned model, labels
behind randomized response, one policy for each objective, a judge with a planted reward.

`win_rate_private`, `win_rate_square`, `ranking_private` and `ranking_square` ask whether they work
at all.  Beside them stand three facts that hold for any model at the first, small, plain gradient
steps from π_ref, where u = 1 and Δ = 0, and are exact there:

    `linear_term`    φ'(1)·1 = 2: without privacy χPO starts out twice as fast as DPO
    `first_private`  the derivative of the mixture loss is that of the log loss over c(ε), and a
                     private label has a mean over c(ε): the margin is that of clean labels over c²
    `first_square`   the derivative of the square loss is c(ε)·z: the margin is that of clean labels

So with the same step size PrivχPO, a maximum likelihood, needs about c² times the steps to come as
far, where SquareχPO's steps are unbiased and noisier.  Neither is an error of the paper, whose
algorithms are minimisers; it is what a trainer should know before it copies a learning rate.

Wrong versions take private labels as clean (``…_no_debias``) or read every label as its opposite.
Intervals as in llm_rdpo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.base.schema import Positive
from repro.llm.cases import ReleaseCase, ReleaseExperiment, ReleaseProbes, Work, seeds
from repro.llm.cost import cost, in_words
from repro.llm.objectives import objective
from repro.llm.release_study import Seed
from repro.llm.settings import ChipoProcedure, Training
from repro.study.case import Point
from repro.study.claims import Ratio
from repro.study.row import Method, Need, Row

RESPONSES = 8
"""Responses drawn to each prompt for one seed, at most."""


@dataclass(frozen=True)
class Trained:
    """A policy trained with an objective, on labels as they come or turned round."""

    objective: str
    sign: int = 1

    def policy(self, case: ChipoCase, seed: Seed, epsilon: float, labels: Tensor) -> Any:
        one = objective(self.objective, case.pipeline.procedure, epsilon)
        return seed.trained(self.objective, one, epsilon, self.sign * labels)

    def responses(self, case: ChipoCase, seed: Seed, labels: Tensor) -> list[str]:
        return seed.responses(self.policy(case, seed, case.epsilon, labels))

    def accuracy(self, case: ChipoCase, seed: Seed, labels: Tensor) -> float:
        return seed.accuracy(self.policy(case, seed, case.epsilon, labels))


@dataclass(frozen=True)
class Longest:
    """The trivial policy: the longest of a few responses of the fine-tuned model."""

    def responses(self, case: ChipoCase, seed: Seed, labels: Tensor) -> list[str]:
        return seed.longest()


def trained(name: str) -> Method[Trained]:
    return Method(name, Trained(name))


def flipped(method: Method[Trained]) -> Method[Trained]:
    """The same objective on labels turned round."""
    return Method("label_flipped", Trained(method.run.objective, sign=-1))


PRIVATE, SQUARE, DPO = trained("private"), trained("square"), trained("dpo")
LONGER = Method("longer_is_better", Longest())


@dataclass(frozen=True, eq=False, kw_only=True)
class ChipoCase(ReleaseCase):
    """Also the step size of the rows about first steps."""

    small_steps: float

    def seed(self, rng: np.random.Generator, training: Training | None = None) -> Seed:
        return Seed.of(self.pipeline.study, rng, self.pipeline.folder, training)

    @property
    def small(self) -> Training:
        """Plain steps so small that the policy stays near the reference."""
        return self.pipeline.procedure.preference.model_copy(
            update={"optimizer": "sgd", "learning_rate": self.small_steps, "max_grad_norm": None}
        )


def win_rates(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
    """Against the fine-tuned model."""
    labels = case.released(rng)
    seed = case.seed(rng)
    texts = {m.name: m.run.responses(case, seed, labels) for m in case.methods}
    return {name: seed.win_rate(some) for name, some in texts.items()}


def above_length(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
    """Ranking accuracy over that of length."""
    labels = case.released(rng)
    seed, longer = case.seed(rng), case.pipeline.study.longer_accuracy()
    return {m.name: m.run.accuracy(case, seed, labels) - longer for m in case.methods}


def over_dpo(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margins of first steps on clean labels, over that of DPO."""
    clean, infinite = case.pipeline.labels, float("inf")
    seed = case.seed(rng, case.small)
    margin = {
        m.name: seed.margin(m.run.policy(case, seed, infinite, clean)) for m in (*case.methods, DPO)
    }
    return {m.name: margin[m.name] / margin[DPO.name] for m in case.methods}


def over_clean(scaled: bool):
    """Margins of first steps on private labels over that on clean ones, times c(ε)² or not."""

    def margins(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
        labels, clean = case.released(rng), case.pipeline.labels
        seed = case.seed(rng, case.small)
        scale = privacy_cost(case.epsilon) ** 2 if scaled else 1.0
        right = case.methods[0].run.policy(case, seed, float("inf"), clean)
        against = seed.margin(right)
        return {
            m.name: scale * seed.margin(m.run.policy(case, seed, case.epsilon, labels)) / against
            for m in case.methods
        }

    return margins


WIN_RATE = seeds("win rate against SFT", win_rates)
RANKING = seeds("implicit ranking accuracy − that of longer-is-better", above_length)
OVER_DPO = seeds("margin / margin of DPO", over_dpo)
SCALED_MARGIN = seeds("c(ε)²·margin / margin of clean labels", over_clean(scaled=True))
MARGIN = seeds("margin / margin of clean labels", over_clean(scaled=False))
BEATS, ABOVE, NEAR = (0.76, 0.23), (0.5, 0.49), (1.0, 0.2)
"""Value and tolerance: the intervals [.53, .99], [.01, .99] and [.8, 1.2]."""
LABELS, DEBIASED = (Need.LABELS,), (Need.LABELS, Need.DEBIASING)


class LlmChipoProbes(ReleaseProbes):
    """Numbers of the experiment; conf/theorem/llm_chipo.yaml gives them."""

    small_steps: Positive
    procedure: ChipoProcedure


class LlmChipo(ReleaseExperiment[ChipoCase]):
    """χPO with the mixture likelihood and with the square loss."""

    title = "P2 Algorithms 1 and 3 on language models"
    settles = ("own.chipo_of_language_models",)
    config_type = LlmChipoProbes
    config: LlmChipoProbes

    rows = (
        Row("win_rate_private", "epsilon", Ratio("PrivχPO beats SFT", *BEATS), WIN_RATE, PRIVATE,
            (flipped(PRIVATE), LONGER), given=Work(), needs=LABELS),
        Row("win_rate_square", "epsilon", Ratio("SquareχPO beats SFT", *BEATS), WIN_RATE, SQUARE,
            (flipped(SQUARE), LONGER), given=Work(), needs=LABELS),
        Row("ranking_private", "epsilon",
            Ratio("PrivχPO ranks held-out pairs better than length does", *ABOVE), RANKING, PRIVATE,
            (flipped(PRIVATE),), given=Work(), needs=LABELS),
        Row("ranking_square", "epsilon",
            Ratio("SquareχPO ranks held-out pairs better than length does", *ABOVE), RANKING,
            SQUARE, (flipped(SQUARE),), given=Work(), needs=LABELS),
        Row("linear_term", "epsilon", Ratio("φ' = 2: χPO starts twice as fast as DPO", 2.0, 0.2),
            OVER_DPO, PRIVATE, (SQUARE,), given=Work(3), needs=LABELS),
        Row("first_private", "epsilon", Ratio("PrivχPO starts 1/c² as fast", *NEAR), SCALED_MARGIN,
            PRIVATE, (trained("private_no_debias"), flipped(PRIVATE)), given=Work(4),
            needs=DEBIASED),
        Row("first_square", "epsilon",
            Ratio("SquareχPO starts as fast as on clean labels", *NEAR), MARGIN, SQUARE,
            (trained("square_no_debias"), flipped(SQUARE)), given=Work(4), needs=DEBIASED),
    )  # fmt: skip

    def case(self, point: Point) -> ChipoCase:
        return ChipoCase(
            methods=point.methods, epsilon=point.epsilon, pipeline=self.pipeline,
            small_steps=self.config.small_steps,
        )  # fmt: skip

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """Memory and GPU-hours of all checks."""
        points = self.points(replicates)
        policies = sum(points[trial.row.name] * trial.row.given.policies for trial in self.trials)
        one = self.config
        responses = RESPONSES * sum(points.values())
        found = cost(one.model, one.data, one.procedure, policies, responses)
        return in_words(found, one.model, policies)
