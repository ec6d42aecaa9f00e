"""P2 section 5 and P4 appendix C: the costs of privacy and corruption are tight.

Claims (P2 after Theorems 5.2 and 5.3; P4, Appendix C), by "existing lower bounds for simpler
problems" that neither paper states: up to constants no learner avoids

    c(ε)/√n + α  under CTL,      c(ε)/√n + c(ε)·α  under LTC.

The simpler problem is one context whose label has mean h: a learner of rewards or policies can
estimate h, so what bounds estimates of h bounds it.  Here the bound is computed, not cited: for
h = ±g with a Huber adversary who pulls both laws together, every estimator errs by at least
g·(1 − TV) in the worst case (Le Cam), TV between n private corrupted labels exactly, the
supremum over g taken numerically.  While the two laws coincide, g ≤ α/(1−α) under CTL and
c·α/(1−α) under LTC, no number of labels helps.

Measured: the exponents of that bound in n, c(ε) and α, its floor for n → ∞ as a number, with the
orders swapped or raw labels as controls; and the error of the debiased mean at a small h > 0,
pulled down, whose number is the same up to the h: the bounds match.  A strong adversary may do all
that a Huber one does, up to the fluctuation of α·n, so P4's floors are bounded below too.  Not
covered: the factors κ and 1/(γξ) in front, and the √α of P4's Theorem 5.4, which P4 does not call
tight.

What would refute a row: an exponent outside its margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.base.schema import Share
from repro.corruption.debiasing import Reading, ReadingOf, debiased
from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order
from repro.families.robust.bounds_two_point import mean_floor, observed_mean, two_point_bound
from repro.preferences.label_counts import LabelCounts
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.label_cases import HuberCase
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, method, per_method

MEAN = 0.01
"""h at which the debiased mean is tried: small, so that α(c + h) is all but c·α."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanCase(HuberCase):
    """The mean of a private corrupted label.

    Attributes:
        corruption: α of the Huber adversary.
        floor: the claimed bound for n → ∞.
        bias: the claimed error of the debiased mean for n → ∞.
        reading: how the debiased mean, believing in ε, reads reports.
        estimate: (estimate, h) → what is returned.
    """

    floor: float
    bias: float
    reading: ReadingOf = debiased
    estimate: Estimate = as_fitted


@dataclass(frozen=True)
class Setup:
    """Whether anybody corrupts, and on which side of the randomizer."""

    order: Order = Order.CTL
    corrupted: bool = True


CLEAN, CTL, LTC = Setup(corrupted=False), Setup(), Setup(Order.LTC)


@method
def bound(case: MeanCase) -> float:
    """The two-point bound."""
    return two_point_bound(case.n_pairs, case.reports)


@method
def one_label(case: MeanCase) -> float:
    """Wrong: the bound of a single label at a tiny budget."""
    return two_point_bound(1, HuberReports(1e-6))


@method
def raw_labels(case: MeanCase) -> float:
    """Wrong: labels are not randomized."""
    return two_point_bound(case.n_pairs, replace(case.reports, epsilon=math.inf))


@method
def no_adversary(case: MeanCase) -> float:
    """Wrong: nobody corrupts."""
    return two_point_bound(case.n_pairs, replace(case.reports, corruption=0.0))


@method
def swapped_order(case: MeanCase) -> float:
    """Wrong: the adversary on the other side of the randomizer."""
    return two_point_bound(case.n_pairs, replace(case.reports, order=case.order.swapped))


@method
def debiased_mean(case: MeanCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) |ĥ − h| of the debiased mean at h = MEAN."""
    report = float(case.reports.mean(np.array(MEAN)))
    wins = rng.binomial(case.n_pairs, (1 + report) / 2, (replicates, 1)).astype(np.float64)
    pairs = torch.full((replicates, 1), float(case.n_pairs), dtype=torch.float64)
    counts = LabelCounts(pairs, torch.from_numpy(wins))
    fitted = 2 * case.reading(case.epsilon)(counts)[:, 0] - 1
    truth = torch.tensor(MEAN, dtype=torch.float64)
    return (case.estimate(fitted, truth) - truth).abs().numpy()


@method
def half_debiased(case: MeanCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the root of the factor."""
    return debiased_mean.run(replace(case, reading=root_of_cost), rng, replicates)


@method
def no_data(case: MeanCase, rng: np.random.Generator, replicates: int) -> float:
    """Wrong: the error of who has no labels."""
    return one_label.run(case)


def root_of_cost(epsilon: float) -> Reading:
    """Reads ±1 reports as √c times their mean."""
    scale = math.sqrt(privacy_cost(epsilon))
    return Reading(scale, 0.5 - 0.5 / scale)


def exactly(case: MeanCase, m: Any, rng: np.random.Generator, replicates: int) -> float:
    """One method, without sampling."""
    return m.run(case)


def sampled(case: MeanCase, m: Any, rng: np.random.Generator, replicates: int) -> Any:
    """(R,) of one method."""
    return m.run(case, rng, replicates)


def over_floor(case: MeanCase, m: Any, rng: np.random.Generator, replicates: int) -> float:
    """The bound in units of what is claimed for n → ∞."""
    return m.run(case) / case.floor


def over_bias(case: MeanCase, m: Any, rng: np.random.Generator, replicates: int) -> Any:
    """(R,) errors in units of what is claimed for n → ∞."""
    return m.run(case, rng, replicates) / case.bias


LOWER = Measure("exact lower bound of E|ĥ − h|", per_method(exactly), Evidence.EXACT)
FLOOR = Measure("exact lower bound / claimed", per_method(over_floor), Evidence.EXACT)
ATTAINED = Measure("E|ĥ − h| of the debiased mean", per_method(sampled), Evidence.MEASURED)
BIAS = Measure("error of the debiased mean / claimed", per_method(over_bias), Evidence.MEASURED)

ATTACKED = (Need.LABELS, Need.ADVERSARY)
ORDERED = (*ATTACKED, Need.ORDER)
ESTIMATED = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING)


class TightnessProbes(Probes):
    """Numbers of the experiment; ``corruption`` where it is not swept."""

    corruption: Share


class TightnessPrivateRobust(Experiment[MeanCase]):
    """Lower bounds for the mean of a private corrupted label, and their attainment."""

    title = "P2 section 5, P4 appendix C: privacy and corruption cost at least this"
    settles = ("p2.sec_5", "p4.app_c")
    config_type = TightnessProbes
    config: TightnessProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "no corruption: bound {rate}"), LOWER, bound,
            (one_label,), given=CLEAN, needs=(Need.LABELS,)),
        Row("privacy_cost", "privacy_cost", Slope(1, "no corruption: bound {rate}"), LOWER, bound,
            (raw_labels,), given=CLEAN, needs=(Need.LABELS, Need.PRIVACY)),
        Row("corruption_ctl", "corruption", Slope(1, "CTL, n large: bound {rate}"), LOWER, bound,
            (no_adversary,), given=CTL, needs=ATTACKED),
        Row("corruption_ltc", "corruption", Slope(1, "LTC, n large: bound {rate}"), LOWER, bound,
            (no_adversary,), given=LTC, needs=ATTACKED),
        Row("privacy_cost_ctl", "privacy_cost", Ratio("CTL, n large: bound = α/(1−α), any ε"),
            FLOOR, bound, (swapped_order, no_adversary), given=CTL, needs=ORDERED),
        Row("privacy_cost_ltc", "privacy_cost", Ratio("LTC, n large: bound = c(ε)·α/(1−α)"),
            FLOOR, bound, (swapped_order, no_adversary), given=LTC,
            needs=(*ORDERED, Need.PRIVACY)),
        Row("attained_n_pairs", "n_pairs", Slope(-0.5, "no corruption: error {rate}"), ATTAINED,
            debiased_mean, (no_data,), given=CLEAN, needs=ESTIMATED),
        Row("attained_ctl", "privacy_cost", Ratio("CTL, n large: error = α(1+h), any ε"), BIAS,
            debiased_mean, (half_debiased,), given=CTL,
            needs=(*ESTIMATED, Need.ADVERSARY, Need.ORDER)),
        Row("attained_ltc", "privacy_cost", Ratio("LTC, n large: error = α(c(ε)+h)"), BIAS,
            debiased_mean, (half_debiased,), given=LTC,
            needs=(*ESTIMATED, Need.ADVERSARY, Need.ORDER)),
    )  # fmt: skip

    def case(self, point: Point) -> MeanCase:
        setup = point.row.given
        share = point.swept("corruption", self.config.corruption) if setup.corrupted else 0.0
        cost = privacy_cost(point.epsilon)
        reach = 1.0 if setup.order is Order.CTL else cost
        return MeanCase(
            methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon, corruption=share,
            order=setup.order, floor=mean_floor(cost, share, setup.order),
            bias=share * (reach + MEAN),
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2, floors below 1, and two laws that coincide at the floor."""
        return tuple(_floor(place, case) for _, place, case in self.ends(MeanCase))


def _floor(place: str, case: MeanCase) -> AssumptionResult:
    """Two worlds ±g at the floor give one law of the observed labels."""
    floor = case.floor
    same = float(observed_mean(np.array(floor), case.reports)) < 1e-12
    holds = same and floor < 1 and case.corruption < 0.5
    return AssumptionResult(f"{place}: one law for ±g at the floor", holds, f"g = {floor:.3g}")
