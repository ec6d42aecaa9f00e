"""P2 Theorems 5.2, 5.3 and P4 Theorem 5.7: their costs of privacy and corruption are tight.

Claims (P2 after Theorems 5.2 and 5.3; P4 after Theorem 6.1), by "existing lower bounds for simpler
problems" that neither paper states: up to constants no learner avoids

    c(ε)/√n + α  under CTL,      c(ε)/√n + c(ε)·α  under LTC.

The simpler problem is one context whose label has mean h: a learner of rewards or policies can
estimate h, so what bounds estimates of h bounds it.  Here the bound is computed, not cited: for
h = ±g with a Huber adversary who pulls both laws together, every estimator errs by at least
g·(1 − TV) in the worst case (Le Cam), TV between n private corrupted labels exactly, the
supremum over g taken numerically.  While the two laws coincide, g ≤ α/(1−α) under CTL and
c·α/(1−α) under LTC, no number of labels helps.

Measured: the exponents of that bound in n, c(ε) and α, with the orders swapped or raw labels as
controls; and the same exponents of the debiased mean's error (at h = 0, pushed up), so that the
bounds match.  A strong adversary may do all that a Huber one does, up to the fluctuation of α·n, so
P4's floors are bounded below too.  Not covered: the factors κ and 1/(γξ) in front, and the √α of
P4's Theorem 5.4, which P4 does not call tight.

What would refute a row: an exponent outside its margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.base.schema import Share
from repro.families.robust.bounds_two_point import (
    debiased_mean_error,
    mean_floor,
    observed_mean,
    two_point_bound,
)
from repro.study.case import Case, Point
from repro.study.claims import Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, method, per_method


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanCase(Case):
    """The mean of a private corrupted label.

    Attributes:
        corruption: α of the Huber adversary.
        order: ``ctl`` or ``ltc``.
    """

    corruption: float
    order: str


@dataclass(frozen=True)
class Setup:
    """Whether anybody corrupts, and on which side of the randomizer."""

    order: str = "ctl"
    corrupted: bool = True


CLEAN, CTL, LTC = Setup(corrupted=False), Setup(), Setup("ltc")
OTHER = {"ctl": "ltc", "ltc": "ctl"}


def bound_at(name: str, **changes) -> Method:
    """The two-point bound with some of the case's numbers replaced."""

    def run(case: MeanCase) -> float:
        given = {"n_pairs": case.n_pairs, "epsilon": case.epsilon, "share": case.corruption}
        one = given | changes
        return two_point_bound(one["n_pairs"], one["epsilon"], one["share"], case.order)

    return Method(name, run)


BOUND = bound_at("bound")
NO_LABELS = bound_at("no_labels", n_pairs=1, epsilon=1e-6, share=0.0)
RAW_LABELS = bound_at("raw_labels", epsilon=math.inf)
NO_ADVERSARY = bound_at("no_adversary", share=0.0)


@method
def swapped_order(case: MeanCase) -> float:
    """Wrong: the adversary on the other side of the randomizer."""
    return two_point_bound(case.n_pairs, case.epsilon, case.corruption, OTHER[case.order])


def error(case: MeanCase, rng: np.random.Generator, replicates: int, **assumed) -> np.ndarray:
    """(R,) |ĥ − h| of the debiased mean."""
    given = (case.n_pairs, case.epsilon, case.corruption, case.order)
    return debiased_mean_error(rng, *given, replicates, **assumed)


@method
def half_debiased(case: MeanCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the root of the factor."""
    return error(case, rng, replicates, assumed_signal=math.sqrt(math.tanh(case.epsilon / 2)))


DEBIASED_MEAN = Method("debiased_mean", error)
NO_DATA = Method("no_labels", lambda case, rng, replicates: NO_LABELS.run(case))
LOWER = Measure(
    "exact lower bound of E|ĥ − h|",
    per_method(lambda case, m, rng, replicates: m.run(case)),
    Evidence.EXACT,
)
ATTAINED = Measure(
    "E|ĥ − h| of the debiased mean",
    per_method(lambda case, m, rng, replicates: m.run(case, rng, replicates)),
    Evidence.MEASURED,
)
PRIVATE, ATTACKED = (Need.LABELS, Need.PRIVACY), (Need.LABELS, Need.ADVERSARY)


class TightnessProbes(Probes):
    """Numbers of the experiment; ``corruption`` where it is not swept."""

    corruption: Share


class TightnessPrivateRobust(Experiment[MeanCase]):
    """Lower bounds for the mean of a private corrupted label, and their attainment."""

    title = "P2 Thms 5.2, 5.3, P4 Thm 5.7: privacy and corruption cost at least this"
    settles = ("p2.thm_5_2", "p2.thm_5_3", "p4.thm_5_7")
    config_type = TightnessProbes
    config: TightnessProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "no corruption: bound {rate}"), LOWER, BOUND,
            (NO_LABELS,), given=CLEAN, needs=(Need.LABELS,)),
        Row("privacy_cost", "privacy_cost", Slope(1, "no corruption: bound {rate}"), LOWER, BOUND,
            (RAW_LABELS,), given=CLEAN, needs=PRIVATE),
        Row("corruption_ctl", "corruption", Slope(1, "CTL, n large: bound {rate}"), LOWER, BOUND,
            (NO_ADVERSARY,), given=CTL, needs=ATTACKED),
        Row("corruption_ltc", "corruption", Slope(1, "LTC, n large: bound {rate}"), LOWER, BOUND,
            (NO_ADVERSARY,), given=LTC, needs=ATTACKED),
        Row("privacy_cost_ctl", "privacy_cost", Slope(0, "CTL, n large: bound {rate}"), LOWER,
            BOUND, (swapped_order,), given=CTL, needs=(*ATTACKED, Need.ORDER)),
        Row("privacy_cost_ltc", "privacy_cost", Slope(1, "LTC, n large: bound {rate}"), LOWER,
            BOUND, (swapped_order,), given=LTC, needs=(*ATTACKED, Need.ORDER)),
        Row("attained_n_pairs", "n_pairs", Slope(-0.5, "no corruption: error {rate}"), ATTAINED,
            DEBIASED_MEAN, (NO_DATA,), given=CLEAN, needs=PRIVATE),
        Row("attained_ctl", "privacy_cost", Slope(0, "CTL, n large: error {rate}"), ATTAINED,
            DEBIASED_MEAN, (half_debiased,), given=CTL, needs=(*ATTACKED, Need.DEBIASING)),
        Row("attained_ltc", "privacy_cost", Slope(1, "LTC, n large: error {rate}"), ATTAINED,
            DEBIASED_MEAN, (half_debiased,), given=LTC, needs=(*ATTACKED, Need.DEBIASING)),
    )  # fmt: skip

    def case(self, point: Point) -> MeanCase:
        setup = point.row.given
        share = point.swept("corruption", self.config.corruption)
        return MeanCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon,
            corruption=share if setup.corrupted else 0.0, order=setup.order,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2, floors below 1, and two laws that coincide at the floor."""
        return tuple(
            _floor(f"{trial.row.name} at {value:g}", case)
            for trial in self.trials
            for value, case in (
                (trial.grid[0], trial.cases[0]),
                (trial.grid[-1], trial.cases[-1]),
            )
        )


def _floor(place: str, case: MeanCase) -> AssumptionResult:
    """Two worlds ±g at the floor give one law of the observed labels."""
    epsilon, corruption, order = case.epsilon, case.corruption, case.order
    floor = mean_floor(epsilon, corruption, order)
    same = observed_mean(floor, epsilon, corruption, order) < 1e-12
    holds = same and floor < 1 and corruption < 0.5
    return AssumptionResult(f"{place}: one law for ±g at the floor", holds, f"g = {floor:.3g}")
