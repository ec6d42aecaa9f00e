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

`linear_term` holds whatever the labels are.  Wrong versions take private labels as clean
(``…_no_debias``) or read every label as its opposite.  Smallest effects as in llm_rdpo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Positive
from repro.llm.cases import ReleaseCase, ReleaseExperiment, ReleaseProbes, Work, seeds
from repro.llm.procedures import ChipoProcedure
from repro.llm.release_study import Longest, Seed, Trained, above_length, first_steps, reached
from repro.study.case import Point
from repro.study.claims import Ratio
from repro.study.row import Method, Need, Row

PRIVATE, SQUARE, DPO = (Method(name, Trained(name)) for name in ("private", "square", "dpo"))
PRIVATE_NO_DEBIAS, SQUARE_NO_DEBIAS = (
    Method(f"{name}_no_debias", Trained(name, debiased=False)) for name in ("private", "square")
)
PRIVATE_FLIPPED, SQUARE_FLIPPED = (
    Method("label_flipped", Trained(name, sign=-1)) for name in ("private", "square")
)
LONGER = Method("longer_is_better", Longest())


@dataclass(frozen=True, eq=False, kw_only=True)
class ChipoCase(ReleaseCase):
    """Also the size of first steps."""

    small_steps: float


def over_dpo(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
    """Margins of first steps on clean labels, over that of DPO."""
    clean = case.released(case.coins(rng), math.inf)
    seed, steps = Seed.of(case.study, rng), first_steps(case.study, case.small_steps)
    margin = {
        m.name: m.run.reached(seed, math.inf, clean, steps).margin for m in (*case.methods, DPO)
    }
    return {m.name: margin[m.name] / margin[DPO.name] for m in case.methods}


def over_clean(scaled: bool):
    """Margins of first steps on private labels over that on clean ones, times c(ε)² or not."""

    def margins(case: ChipoCase, rng: np.random.Generator) -> dict[str, float]:
        coins, clean = case.coins(rng), case.study.splits.train.labels
        seed, steps = Seed.of(case.study, rng), first_steps(case.study, case.small_steps)
        scale = privacy_cost(case.epsilon) ** 2 if scaled else 1.0
        against = case.methods[0].run.reached(seed, math.inf, clean, steps).margin
        labels = case.released(coins)
        return {
            m.name: scale * m.run.reached(seed, case.believed, labels, steps).margin / against
            for m in case.methods
        }

    return margins


WIN_RATE = seeds("win rate against SFT", partial(reached, "win_rate"))
RANKING = seeds("implicit ranking accuracy − that of longer-is-better", above_length)
OVER_DPO = seeds("margin / margin of DPO", over_dpo)
SCALED_MARGIN = seeds("c(ε)²·margin / margin of clean labels", over_clean(scaled=True))
MARGIN = seeds("margin / margin of clean labels", over_clean(scaled=False))
AT_LEAST = partial(Ratio, tolerance=0.0, direction="at_least")
BEATS, ABOVE, NEAR = 0.53, 0.01, (1.0, 0.2)
"""Smallest win rate and difference that are claimed; value and tolerance of first steps."""
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
        Row("win_rate_private", "epsilon", AT_LEAST("PrivχPO beats SFT by .03", BEATS), WIN_RATE,
            PRIVATE, (PRIVATE_FLIPPED, LONGER), given=Work(), needs=LABELS, draws="answers"),
        Row("win_rate_square", "epsilon", AT_LEAST("SquareχPO beats SFT by .03", BEATS), WIN_RATE,
            SQUARE, (SQUARE_FLIPPED, LONGER), given=Work(), needs=LABELS, draws="answers"),
        Row("ranking_private", "epsilon",
            AT_LEAST("PrivχPO ranks held-out pairs better than length does", ABOVE), RANKING,
            PRIVATE, (PRIVATE_FLIPPED,), given=Work(), needs=LABELS, draws="answers"),
        Row("ranking_square", "epsilon",
            AT_LEAST("SquareχPO ranks held-out pairs better than length does", ABOVE), RANKING,
            SQUARE, (SQUARE_FLIPPED,), given=Work(), needs=LABELS, draws="answers"),
        Row("linear_term", "epsilon", Ratio("φ' = 2: χPO starts twice as fast as DPO", 2.0, 0.2),
            OVER_DPO, PRIVATE, (SQUARE,), given=Work(3), draws="first steps"),
        Row("first_private", "epsilon", Ratio("PrivχPO starts 1/c² as fast", *NEAR), SCALED_MARGIN,
            PRIVATE, (PRIVATE_NO_DEBIAS, PRIVATE_FLIPPED), given=Work(4), needs=DEBIASED,
            draws="first steps"),
        Row("first_square", "epsilon",
            Ratio("SquareχPO starts as fast as on clean labels", *NEAR), MARGIN, SQUARE,
            (SQUARE_NO_DEBIAS, SQUARE_FLIPPED), given=Work(4), needs=DEBIASED,
            draws="first steps"),
    )  # fmt: skip

    def case(self, point: Point) -> ChipoCase:
        return ChipoCase(
            methods=point.methods, epsilon=point.epsilon, study=self.study,
            small_steps=self.config.small_steps,
        )  # fmt: skip
