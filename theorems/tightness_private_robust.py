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

What would refute a check: an exponent outside its margin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
import torch

from repro.base.notation import privacy_cost
from repro.base.schema import Pairs
from repro.core.check import (
    Assumed,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    measured_alone,
    of_world,
)
from repro.core.claims import Ratio, Slope
from repro.labels.corruption.debiasing import Reading, ReadingOf, debiased
from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts
from repro.worlds.instances.labelled import HuberLabels

MEAN = 0.01
"""h at which the debiased mean is tried: small, so that α(c + h) is all but c·α."""


# The world ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanOfReports(HuberLabels):
    """The mean of a private corrupted label.

    Attributes:
        n_pairs: n.
        reading: how the debiased mean, believing in ε, reads reports.
    """

    n_pairs: Pairs
    reading: ReadingOf = debiased


# The bounds --------------------------------------------------------------------------------------


def claimed_floor(world: MeanOfReports) -> float:
    """The claimed bound for n → ∞."""
    return mean_floor(privacy_cost(world.epsilon), world.corruption, world.order)


def claimed_bias(world: MeanOfReports) -> float:
    """The claimed error of the debiased mean for n → ∞."""
    reach = 1.0 if world.order is Order.CTL else privacy_cost(world.epsilon)
    return world.corruption * (reach + MEAN)


def observed_mean(mean: np.ndarray, reports: HuberReports) -> np.ndarray:
    """E[z] of a ±1 report whose Huber adversary pulls it towards 0 as far as that goes.

    Args:
        mean: of the clean label, in [0, 1], any shape.
        reports: how a report comes about.
    """
    return np.maximum(0.0, reports.mean(np.asarray(mean, dtype=np.float64)))


def mean_floor(epsilon_cost: float, corruption: float, order: Order) -> float:
    """Largest g for which clean means g and −g can give one and the same observed law.

    Args:
        epsilon_cost: c(ε).
        corruption: α in [0, 1/2).
        order: of corruption and privacy.
    """
    reach = 1.0 if order is Order.CTL else epsilon_cost
    return min(1.0, reach * corruption / (1 - corruption))


def overlap(n_pairs: int, observed: np.ndarray | float) -> np.ndarray:
    """1 − TV of n labels of mean ±observed: twice the least probability of a wrong sign."""
    win = (1 + np.asarray(observed)) / 2
    below = scipy.stats.binom.cdf(math.ceil(n_pairs / 2) - 1, n_pairs, win)
    tie = scipy.stats.binom.pmf(n_pairs // 2, n_pairs, win) if n_pairs % 2 == 0 else 0.0
    return 2 * below + tie


@lru_cache(maxsize=1024)
def two_point_bound(n_pairs: int, reports: HuberReports) -> float:
    """sup over g of the least worst-case E|ĥ − h| over h = ±g: every estimator errs that much.

    By Le Cam, for given g it is at least g·(1 − TV), exactly, with equal prior weights.

    Args:
        n_pairs: n.
        reports: how a report comes about.
    """

    def bound(log_gap: Any) -> Any:
        gap = np.exp(log_gap)
        return gap * overlap(n_pairs, observed_mean(gap, reports))

    ladder = np.linspace(math.log(1e-9), 0.0, 200)
    best = int(np.argmax(bound(ladder)))
    around = (ladder[max(0, best - 1)], ladder[min(len(ladder) - 1, best + 1)])
    optimum: Any = scipy.optimize.minimize_scalar(
        lambda x: -float(bound(x)), bounds=around, method="bounded", options={"xatol": 1e-9}
    )
    return max(float(bound(optimum.x)), float(bound(ladder[best])))


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def bound(world: MeanOfReports) -> float:
    """The two-point bound."""
    return two_point_bound(world.n_pairs, world.reports)


def one_label(world: MeanOfReports) -> float:
    """Wrong: the bound of a single label at a tiny budget."""
    return two_point_bound(1, HuberReports(1e-6))


def raw_labels(world: MeanOfReports) -> float:
    """Wrong: labels are not randomized."""
    return bound(replace(world, epsilon=math.inf))


def no_adversary(world: MeanOfReports) -> float:
    """Wrong: nobody corrupts."""
    return bound(replace(world, corruption=0.0))


def swapped_order(world: MeanOfReports) -> float:
    """Wrong: the adversary on the other side of the randomizer."""
    return bound(replace(world, order=world.order.swapped))


def debiased_mean(world: MeanOfReports, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) |ĥ − h| of the debiased mean at h = MEAN."""
    report = float(world.reports.mean(np.array(MEAN)))
    wins = rng.binomial(world.n_pairs, (1 + report) / 2, (replicates, 1)).astype(np.float64)
    pairs = torch.full((replicates, 1), float(world.n_pairs), dtype=torch.float64)
    counts = LabelCounts(pairs, torch.from_numpy(wins))
    fitted = 2 * world.reading(world.epsilon)(counts)[:, 0] - 1
    truth = torch.tensor(MEAN, dtype=torch.float64)
    return (world.estimate(fitted, truth) - truth).abs().numpy()


def half_debiased(world: MeanOfReports, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the root of the factor."""
    return debiased_mean(replace(world, reading=root_of_cost), rng, replicates)


def no_data(world: MeanOfReports, rng: np.random.Generator, replicates: int) -> float:
    """Wrong: the error of who has no labels."""
    return one_label(world)


def root_of_cost(epsilon: float) -> Reading:
    """Reads ±1 reports as √c times their mean."""
    scale = math.sqrt(privacy_cost(epsilon))
    return Reading(scale, 0.5 - 0.5 / scale)


# The claims --------------------------------------------------------------------------------------

LOWER = Quantity("exact lower bound of E|ĥ − h|", of_world, evidence="exact")
FLOOR = Quantity("exact lower bound / claimed", of_world, evidence="exact", over=claimed_floor)
ATTAINED = Quantity("E|ĥ − h| of the debiased mean", measured_alone)
BIAS = Quantity("error of the debiased mean / claimed", measured_alone, over=claimed_bias)
OF_ALL = dict.fromkeys(("estimate", "algorithm"), "a bound for all estimators: none is run")


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Any, wrong: Any, **more: Any
) -> Check:
    """One check; what bounds every estimator needs none."""
    more |= {"blind": OF_ALL} if right is bound else {}
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


CHECKS = [
    check("n_pairs", "n_pairs", Slope("no corruption: bound {rate}", -0.5), LOWER, bound,
          [one_label]),
    check("privacy_cost", "privacy_cost", Slope("no corruption: bound {rate}", 1), LOWER, bound,
          [raw_labels]),
    check("corruption_ctl", "corruption", Slope("CTL, n large: bound {rate}", 1), LOWER, bound,
          [no_adversary]),
    check("corruption_ltc", "corruption", Slope("LTC, n large: bound {rate}", 1), LOWER, bound,
          [no_adversary]),
    check("privacy_cost_ctl", "privacy_cost", Ratio("CTL, n large: bound = α/(1−α), any ε"), FLOOR,
          bound, [swapped_order, no_adversary]),
    check("privacy_cost_ltc", "privacy_cost", Ratio("LTC, n large: bound = c(ε)·α/(1−α)"), FLOOR,
          bound, [swapped_order, no_adversary]),
    check("attained_n_pairs", "n_pairs", Slope("no corruption: error {rate}", -0.5), ATTAINED,
          debiased_mean, [no_data]),
    check("attained_ctl", "privacy_cost", Ratio("CTL, n large: error = α(1+h), any ε"), BIAS,
          debiased_mean, [half_debiased]),
    check("attained_ltc", "privacy_cost", Ratio("LTC, n large: error = α(c(ε)+h)"), BIAS,
          debiased_mean, [half_debiased]),
]  # fmt: skip


def one_law(world: MeanOfReports) -> Iterator[Assumed]:
    """α < 1/2, a floor below 1, and two worlds ±g at the floor with one law of observed labels."""
    floor = claimed_floor(world)
    same = float(observed_mean(np.array(floor), world.reports)) < 1e-12
    holds = same and floor < 1 and world.corruption < 0.5
    yield "one law for ±g at the floor", holds, f"g = {floor:.3g}"


THEOREM = Theorem(
    title="P2 section 5, P4 appendix C: privacy and corruption cost at least this",
    settles=["p2.sec_5", "p4.app_c"],
    checks=CHECKS,
    worlds={"mean": MeanOfReports},
    assumes=at_both_ends(one_law),
)
