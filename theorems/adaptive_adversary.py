"""P2 Theorem 5.2 against an adversary who sees past labels (ours).

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

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Probability
from repro.corruption.orders import Order
from repro.families.chipo.past_labels import (
    Adversary,
    Cell,
    idle_adversary,
    largest_squared_error,
    oblivious_squared_error,
    sees_nothing,
    sees_the_past,
    simulated_errors,
)
from repro.preferences.label_law import Estimate, as_fitted, on_arrays
from repro.study.case import Point
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Experiment
from repro.study.label_cases import LabelCase
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, method, per_method

LARGEST_GAIN = 1.166
"""max over a of √(E[max_{t ≤ 1} (W_t + at)²]/(1 + a²)), at a = .71."""

MOST_LABELS = 4000
"""Backward induction takes n² steps, and its best labels n² numbers."""

PUSHES = np.geomspace(0.05, 20, 25)
"""Values of √n·p that are searched, where p < 1/2."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SequentialCase(LabelCase):
    """Reports of one pair, one after another.

    Attributes:
        clean_mean: h.
        corruption: α.
        assumed_order: the order of corruption and privacy that the exact value is for.
        adversary: who replaces them.
        order: of corruption and privacy in force.
        estimate: (fitted, truth) → what the estimator returns.
    """

    clean_mean: float
    corruption: float
    assumed_order: Order = Order.CTL
    adversary: Adversary = sees_the_past
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)
    order: Order = Order.CTL
    estimate: Estimate = as_fitted

    def cell(self, order: Order) -> Cell:
        """What is printed, in an order of corruption and privacy."""
        cost = privacy_cost(self.epsilon)
        reach = 1.0 if order is Order.CTL else cost
        return Cell(self.n_pairs, self.clean_mean, cost, reach, self.corruption)

    def win_prob(self, bad: np.ndarray) -> np.ndarray:
        """P(z = +1) where the adversary's labels have the means ``bad``, stage by stage."""
        clean = on_arrays(self.labels, np.array((1 + self.clean_mean) / 2))
        if self.order is Order.CTL:
            mixed = self._mixed(clean, (1 + bad) / 2)
            return on_arrays(lambda prob: self.channel(prob, self.epsilon), mixed)
        released = on_arrays(lambda prob: self.channel(prob, self.epsilon), clean)
        return self._mixed(released, (1 + bad) / 2)

    def _mixed(self, kept: np.ndarray, put: np.ndarray) -> np.ndarray:
        return (1 - self.corruption) * kept + self.corruption * put


def squared_errors(
    case: SequentialCase, chosen: Method, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) squared errors under an adversary over the largest mean squared error of all."""
    adversary, truth = chosen.run(case), np.array(case.clean_mean)
    win_prob = case.win_prob(adversary(case.cell(case.order)))
    fitted = simulated_errors(win_prob, case.cell(case.order), rng, replicates)
    error = on_arrays(case.estimate, fitted, truth) - truth
    return error**2 / largest_squared_error(case.cell(case.assumed_order))


@method
def best(case: SequentialCase) -> Adversary:
    """The one in force."""
    return case.adversary


@method
def forgetful(case: SequentialCase) -> Adversary:
    """Wrong: it does not look at past labels."""
    return sees_nothing


def computed(case: SequentialCase, chosen: Method, rng: np.random.Generator, _: int) -> float:
    """What a method makes of the printed setting."""
    return chosen.run(case.cell(case.assumed_order))


def pushed(cell: Cell) -> list[Cell]:
    """The same at h = 0, and α such that √n·p goes through ``PUSHES``."""
    shares = PUSHES / math.sqrt(cell.n_pairs) * cell.cost / cell.reach
    return [replace(cell, clean_mean=0.0, corruption=float(a)) for a in shares if a < 0.5]


@method
def minkowski(cell: Cell) -> float:
    """Root mean squared error over c/√n + α(κ + |h|)."""
    return math.sqrt(largest_squared_error(cell)) / cell.bound


@method
def without_noise(cell: Cell) -> float:
    """Wrong: over α(κ + |h|) alone."""
    return math.sqrt(largest_squared_error(cell)) / cell.bias


def over_noise_times(factor: float) -> Method:
    """Mean squared error over (ακ)² + factor·(c² − (ακ)²)/n, the largest over α."""

    def largest(cell: Cell) -> float:
        return max(largest_squared_error(one) / _bias_and_noise(one, factor)
                   for one in pushed(cell))  # fmt: skip

    return Method(f"noise_times_{factor:g}", largest)


def _bias_and_noise(cell: Cell, factor: float) -> float:
    bias = (cell.corruption * cell.reach) ** 2
    return bias + factor * (cell.cost**2 - bias) / cell.n_pairs


def gain(cell: Cell) -> float:
    """Root mean squared error over that under the best adversary who sees nothing."""
    return math.sqrt(largest_squared_error(cell) / oblivious_squared_error(cell))


def gain_over(limit: float) -> Method:
    """The largest gain over a limit."""
    return Method(f"gain_over_{limit:g}",
                  lambda cell: max(gain(one) for one in pushed(cell)) / limit)  # fmt: skip


@method
def excess(cell: Cell) -> float:
    """gain − 1."""
    return gain(replace(cell, clean_mean=0.0)) - 1


@method
def excess_at_few_labels(cell: Cell) -> float:
    """Wrong: α shrinks like 1/√n."""
    share = 0.7 / math.sqrt(cell.n_pairs) * cell.cost / cell.reach
    return gain(replace(cell, clean_mean=0.0, corruption=share)) - 1


LAW = Measure("squared error / its exact supremum", per_method(squared_errors), Evidence.MEASURED)
COMPUTED = Measure("left side / right side", per_method(computed), Evidence.COMPUTED)
EXCESS = Measure("excess gain of seeing the past", per_method(computed), Evidence.COMPUTED)
NEEDS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)


class AdaptiveAdversaryProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        clean_mean: h in (0, 1), where a row does not set it to 0.
        corruption: α where it is not swept.
    """

    clean_mean: Probability
    corruption: Corruption


class AdaptiveAdversary(Experiment[SequentialCase]):
    """The exact optimum over all adversaries who see the past, and its simulation."""

    title = "Huber corruption by an adversary who sees past labels"
    settles = ("own.adaptive_adversary",)
    config_type = AdaptiveAdversaryProbes
    config: AdaptiveAdversaryProbes

    rows = (
        Row("law_ctl", "corruption", Ratio("CTL: squared error → that of backward induction"),
            LAW, best, (forgetful,), on="one pair", given=Order.CTL, needs=NEEDS),
        Row("law_ltc", "corruption", Ratio("LTC: squared error → that of backward induction"),
            LAW, best, (forgetful,), on="one pair", given=Order.LTC, needs=NEEDS),
        Row("bound_ctl", "corruption", Inequality("CTL: error ≤ c(ε)/√n + α(1 + |h|)"), COMPUTED,
            minkowski, (without_noise,), on="one pair", given=Order.CTL),
        Row("bound_ltc", "corruption", Inequality("LTC: error ≤ c(ε)/√n + α(c(ε) + |h|)"),
            COMPUTED, minkowski, (without_noise,), on="one pair", given=Order.LTC),
        Row("twice_the_noise", "n_pairs",
            Inequality("h = 0: squared error ≤ (ακ)² + 2(c² − (ακ)²)/n"), COMPUTED,
            over_noise_times(2), (over_noise_times(1.5),), on="one pair", given=Order.LTC),
        Row("gain", "n_pairs", Inequality("h = 0: error ≤ 1.166 · that under who sees nothing"),
            COMPUTED, gain_over(LARGEST_GAIN), (gain_over(0.95 * LARGEST_GAIN),), on="one pair",
            given=Order.LTC),
        Row("gain_vanishes", "n_pairs", Slope(-1, "h = 0, α fixed: gain − 1 {rate}"), EXCESS,
            excess, (excess_at_few_labels,), on="one pair", given=Order.LTC),
    )  # fmt: skip

    def case(self, point: Point) -> SequentialCase:
        """The pair of one grid point.

        Raises:
            BadInput: more labels than backward induction can take.
        """
        if point.n_pairs > MOST_LABELS:
            raise BadInput("n_pairs", point.n_pairs, f"allowed: at most {MOST_LABELS}")
        return SequentialCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            clean_mean=self.config.clean_mean,
            corruption=point.swept("corruption", self.config.corruption),
            assumed_order=point.row.given, order=point.row.given,
        )  # fmt: skip

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """Bounds and law are for every n: nothing is scaled."""
        return 1.0

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """h, and α where it is not swept."""
        return self.config.model_dump(include={"clean_mean", "corruption"})

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2 and |h| < 1 at both ends of every sweep."""
        return tuple(
            AssumptionResult(
                f"{where}: α < 1/2, |h| < 1",
                case.corruption < 0.5 and abs(case.clean_mean) < 1,
                f"α = {case.corruption:g}, h = {case.clean_mean:g}",
            )
            for _, where, case in self.ends(SequentialCase)
        )
