"""P2 Theorem 5.2 against an adversary who sees past labels (own result).

The paper's Huber adversary draws its labels independently (Definition 2.3).  Here every label of a
pair is replaced with probability α by one that may depend on everything before it: past labels,
past reports, all coins.  h is the mean of a clean label, κ = 1 (CTL) or c(ε) (LTC).

Statement (``own.adaptive_adversary``, docs/explanations/adaptive_adversary.md).  For all n, ε, α, h
and every such adversary the debiased mean has

    √E[(c·z̄ − h)²] ≤ c/√n + α(κ + |h|).

For h = 0 the best adversary pushes away from 0 whenever the sum is not 0, for every loss that grows
with |c·z̄|; then (ακ)² + (c² − (ακ)²)/n ≤ E[(c·z̄)²] ≤ (ακ)² + 2(c² − (ακ)²)/n, the left side what
the best adversary who sees nothing reaches.  So seeing the past costs a factor √2 at most, on noise
and not on α; the largest factor is 1.166 as n → ∞, at α = .71·c/(κ√n).

Testable: the error under the best adversary, found by backward induction, against its exact value,
in both orders; the bounds over α and n; the gain at its largest, and that it falls like 1/n.

What would refute it: an adversary with a larger error, which backward induction would have found.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Number, Whole
from repro.core.check import Check, Quantity, Theorem, at_both_ends, largest_of, named, of_world
from repro.core.claims import Inequality, Ratio, Slope
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import on_arrays, released
from repro.worlds.instances.labelled import PrivateLabels

LARGEST_GAIN = 1.166
"""max over a of √(E[max_{t ≤ 1} (W_t + at)²]/(1 + a²)), at a = .71."""

MOST_LABELS = 4000
"""Backward induction takes n² steps, and its best labels n² numbers."""

PUSHES = np.geomspace(0.05, 20, 25)
"""Values of √n·p that are searched, where p < 1/2."""

# The best adversary, by backward induction over the sum of the reports so far --------------------


@dataclass(frozen=True)
class ReportsOfOnePair:
    """n reports of one pair of responses, one after another.

    Attributes:
        n_pairs: n.
        clean_mean: h in (−1, 1), the mean of a label ±1.
        cost: c(ε) ≥ 1; a report has mean h/c without corruption.
        reach: κ, by how much a bad label moves the debiased mean: 1 under CTL, c(ε) under LTC.
        corruption: α in [0, 1/2).
    """

    n_pairs: int
    clean_mean: float
    cost: float
    reach: float
    corruption: float

    def report_mean(self, bad: float) -> float:
        """E[z] where the adversary's labels have mean ``bad``."""
        kept = (1 - self.corruption) * self.clean_mean
        return (kept + self.corruption * self.reach * bad) / self.cost

    def error(self, total: np.ndarray) -> np.ndarray:
        """c·z̄ − h of sums of reports."""
        return self.cost * total / self.n_pairs - self.clean_mean

    @property
    def bound(self) -> float:
        """c/√n + α(κ + |h|), no less than the root mean squared error against any adversary."""
        return self.cost / math.sqrt(self.n_pairs) + self.bias

    @property
    def bias(self) -> float:
        """α(κ + |h|), the largest mean error."""
        return self.corruption * (self.reach + abs(self.clean_mean))


Adversary = Callable[[ReportsOfOnePair], np.ndarray]
"""What its labels' means are: (n, 2n + 1), at [k, s + k] after k reports with the sum s."""


@lru_cache(maxsize=16)
def sees_the_past(reports: ReportsOfOnePair) -> np.ndarray:
    """The largest mean squared error of all that see everything before their label."""
    best = np.zeros((reports.n_pairs, 2 * reports.n_pairs + 1))
    for k, rises, _ in _induction(reports):
        best[k, : 2 * k + 1] = np.where(rises, 1.0, -1.0)
    return best


def sees_nothing(reports: ReportsOfOnePair) -> np.ndarray:
    """The largest mean squared error of all that fix their labels beforehand: one side always."""
    side = -1.0 if reports.clean_mean > 0 else 1.0
    return np.full((reports.n_pairs, 2 * reports.n_pairs + 1), side)


def idle_adversary(reports: ReportsOfOnePair) -> np.ndarray:
    """Puts back labels of the mean that it takes."""
    return np.full((reports.n_pairs, 2 * reports.n_pairs + 1), reports.clean_mean / reports.reach)


@lru_cache(maxsize=4096)
def largest_squared_error(reports: ReportsOfOnePair) -> float:
    """E[(c·z̄ − h)²] against the best adversary that sees the past."""
    *_, (_, _, value) = _induction(reports)
    return float(value[0])


def oblivious_squared_error(reports: ReportsOfOnePair) -> float:
    """E[(c·z̄ − h)²] against ``sees_nothing``: its bias and the variance of a report."""
    side = -1.0 if reports.clean_mean > 0 else 1.0
    mean = reports.report_mean(side)
    variance = reports.cost**2 * (1 - mean**2) / reports.n_pairs
    return (reports.cost * mean - reports.clean_mean) ** 2 + variance


def simulated_errors(
    win_prob: np.ndarray, reports: ReportsOfOnePair, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) debiased means of reports drawn one after another.

    Args:
        win_prob: (n, 2n + 1) P(z = +1) at [k, s + k].
        reports: what they are debiased for.
        rng: the block's stream.
        replicates: R.
    """
    total = np.zeros(replicates, dtype=np.int64)
    for k, row in enumerate(win_prob):
        total += 2 * (rng.random(replicates) < row[total + k]) - 1
    return reports.cost * total / reports.n_pairs


def _induction(reports: ReportsOfOnePair) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """From k = n − 1 down to 0: at sums −k..k, whether +1 is the better label, and the value."""
    n = reports.n_pairs
    value = reports.error(np.arange(-n, n + 1)) ** 2
    high, low = ((1 + reports.report_mean(side)) / 2 for side in (1.0, -1.0))
    for k in range(n - 1, -1, -1):
        up, down = value[2:], value[:-2]
        rises = up >= down
        value = down + np.where(rises, high, low) * (up - down)
        yield k, rises, value


# The world: reports that arrive one after another ------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SequentialLabels(PrivateLabels):
    """Labels of one pair, one after another, some of which an adversary replaces.

    Attributes:
        n_pairs: n.
        clean_mean: h in (−1, 1).
        corruption: α.
        order: of corruption and privacy.
        adversary: who replaces labels, or reports.
    """

    n_pairs: Annotated[Whole, Field(ge=1, le=MOST_LABELS)]
    clean_mean: Annotated[Number, Field(gt=-1, lt=1)]
    corruption: Corruption
    order: Order = Order.CTL
    adversary: Adversary = sees_the_past
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "adversary": {
            "sees_the_past": sees_the_past,
            "sees_nothing": sees_nothing,
            "idle": idle_adversary,
        }
    }

    def more_labels(self, other: PrivateLabels) -> float:
        """Bounds and law are for every n: nothing is scaled."""
        return 1.0

    @property
    def reports(self) -> ReportsOfOnePair:
        """What the learner is told of the reports."""
        cost = privacy_cost(self.epsilon)
        reach = 1.0 if self.order is Order.CTL else cost
        return ReportsOfOnePair(self.n_pairs, self.clean_mean, cost, reach, self.corruption)

    @property
    def win_prob(self) -> np.ndarray:
        """P(z = +1) under the adversary in force, stage by stage."""
        bad = (1 + self.adversary(self.reports)) / 2
        clean = on_arrays(self.labels, np.array((1 + self.clean_mean) / 2))
        if self.order is Order.CTL:
            mixed = self._mixed(clean, bad)
            return released(self.channel, mixed, self.epsilon)
        return self._mixed(released(self.channel, clean, self.epsilon), bad)

    def _mixed(self, kept: np.ndarray, put: np.ndarray) -> np.ndarray:
        return (1 - self.corruption) * kept + self.corruption * put


def supremum(world: SequentialLabels) -> float:
    """The largest mean squared error of all adversaries who see the past."""
    return largest_squared_error(world.reports)


# Algorithms: the debiased mean under an adversary, and closed forms ------------------------------


def best(world: SequentialLabels, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) squared errors of the debiased mean under the adversary in force."""
    fitted = simulated_errors(world.win_prob, world.reports, rng, replicates)
    truth = np.array(world.clean_mean)
    return (on_arrays(world.estimate, fitted, truth) - truth) ** 2


def forgetful(world: SequentialLabels, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: an adversary who does not look at past labels."""
    return best(replace(world, adversary=sees_nothing), rng, replicates)


def minkowski(world: SequentialLabels) -> float:
    """Root mean squared error over c/√n + α(κ + |h|)."""
    return math.sqrt(supremum(world)) / world.reports.bound


def without_noise(world: SequentialLabels) -> float:
    """Wrong: the bound α(κ + |h|), without the noise of labels."""
    return math.sqrt(supremum(world)) / world.reports.bias


def pushed(reports: ReportsOfOnePair) -> list[ReportsOfOnePair]:
    """The same at h = 0, and α such that √n·p goes through ``PUSHES``."""
    shares = PUSHES / math.sqrt(reports.n_pairs) * reports.cost / reports.reach
    return [replace(reports, clean_mean=0.0, corruption=float(a)) for a in shares if a < 0.5]


@largest_of
def over_noise(world: SequentialLabels, factor: float) -> Iterable[float]:
    """Mean squared error over (ακ)² + factor·(c² − (ακ)²)/n, the largest over α."""
    return (
        largest_squared_error(report) / _bias_and_noise(report, factor)
        for report in pushed(world.reports)
    )


def _bias_and_noise(reports: ReportsOfOnePair, factor: float) -> float:
    bias = (reports.corruption * reports.reach) ** 2
    return bias + factor * (reports.cost**2 - bias) / reports.n_pairs


def gain(reports: ReportsOfOnePair) -> float:
    """Root mean squared error over that under the best adversary who sees nothing."""
    return math.sqrt(largest_squared_error(reports) / oblivious_squared_error(reports))


@largest_of
def largest_gain(world: SequentialLabels, limit: float) -> Iterable[float]:
    """The largest gain over a limit."""
    return (gain(report) / limit for report in pushed(world.reports))


def excess(world: SequentialLabels) -> float:
    """gain − 1 at h = 0."""
    return gain(replace(world.reports, clean_mean=0.0)) - 1


def excess_at_few_labels(world: SequentialLabels) -> float:
    """Wrong: α shrinks like 1/√n."""
    reports = world.reports
    share = 0.7 / math.sqrt(reports.n_pairs) * reports.cost / reports.reach
    return gain(replace(reports, clean_mean=0.0, corruption=share)) - 1


noise_times_2 = named("noise_times_2", over_noise, factor=2)
noise_times_1_5 = named(
    "noise_times_1.5", over_noise, "the noise counted 1.5 times, not twice", factor=1.5
)
"""Wrong: 1.5 times the noise."""
gain_over_all = named("gain_over_1.166", largest_gain, limit=LARGEST_GAIN)
gain_over_less = named(
    "gain_over_1.1077",
    largest_gain,
    "a gain of at most 1.1077, not 1.166",
    limit=0.95 * LARGEST_GAIN,
)
"""Wrong: 5 % less."""

# The claims --------------------------------------------------------------------------------------

LAW = Quantity("squared error / its exact supremum", over=supremum)
COMPUTED = Quantity("left side / right side", of_world, evidence="computed")
EXCESS = Quantity("excess gain of seeing the past", of_world, evidence="computed")


def inside(world: SequentialLabels):
    """α < 1/2 and |h| < 1."""
    holds = world.corruption < 0.5 and abs(world.clean_mean) < 1
    yield "α < 1/2, |h| < 1", holds, f"α = {world.corruption:g}, h = {world.clean_mean:g}"


THEOREM = Theorem(
    title="Huber corruption by an adversary who sees past labels",
    settles=["own.adaptive_adversary"],
    checks=[
        Check(name="law_ctl", axis="corruption",
              claim=Ratio("CTL: squared error → that of backward induction"), quantity=LAW,
              right=best, wrong=[forgetful]),
        Check(name="law_ltc", axis="corruption",
              claim=Ratio("LTC: squared error → that of backward induction"), quantity=LAW,
              right=best, wrong=[forgetful]),
        Check(name="bound_ctl", axis="corruption",
              claim=Inequality("CTL: error ≤ c(ε)/√n + α(1 + |h|)"), quantity=COMPUTED,
              right=minkowski, wrong=[without_noise]),
        Check(name="bound_ltc", axis="corruption",
              claim=Inequality("LTC: error ≤ c(ε)/√n + α(c(ε) + |h|)"), quantity=COMPUTED,
              right=minkowski, wrong=[without_noise]),
        Check(name="twice_the_noise", axis="n_pairs",
              claim=Inequality("h = 0: squared error ≤ (ακ)² + 2(c² − (ακ)²)/n"),
              quantity=COMPUTED, right=noise_times_2, wrong=[noise_times_1_5]),
        Check(name="gain", axis="n_pairs",
              claim=Inequality("h = 0: error ≤ 1.166 · that under who sees nothing"),
              quantity=COMPUTED, right=gain_over_all, wrong=[gain_over_less]),
        Check(name="gain_vanishes", axis="n_pairs",
              claim=Slope("h = 0, α fixed: gain − 1 {rate}", -1), quantity=EXCESS,
              right=excess, wrong=[excess_at_few_labels]),
    ],
    worlds={"sequential_labels": SequentialLabels},
    assumes=at_both_ends(inside),
)  # fmt: skip
