"""The gap of the private MLE in probability: exact (1−δ)-quantiles on one state, and their bound.

Given m telling pairs at the difference Δ the number of wins is binomial, so the law of |Δ̂ − Δ| is a
sum of two tails.  Theorem 5b of docs/explanations/corrected_theorem_4_2.md: with probability at
least 1−δ, (Δ̂ − Δ)² ≤ 4·W(B, ε)·log(2/δ)/m, and SubOpt ≤ β·W·log(2/δ)/(2m).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, betaincc, chdtri

from repro.labels.preferences.label_information import inverse_information, sigmoid
from repro.labels.preferences.label_process import AS_STATED, LabelProcess

HALVINGS = 60


@dataclass(frozen=True)
class PairsAtDelta:
    """m pairs at one difference, and how surely the error is to be bounded.

    Attributes:
        reward_bound: B.
        epsilon: in (0, inf].
        difference: Δ in [−B, B].
        pairs: m ≥ 1.
        log_inverse_delta: log(1/δ).
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    difference: float
    pairs: int
    log_inverse_delta: float
    process: LabelProcess = AS_STATED

    def chance_beyond(self, error: float) -> float:
        """P(|Δ̂ − Δ| > error), Δ̂ cut at ±B."""
        # the tails of scipy.stats.binom, which takes fifteen times as long to look at its arguments
        chance, pairs, prob = 0.0, self.pairs, self._win_prob
        if self.difference - error > -self.reward_bound:
            most = math.ceil(pairs * self._fits(self.difference - error)) - 1
            chance += float(betaincc(most + 1, pairs - most, prob)) if most >= 0 else 0.0
        if self.difference + error < self.reward_bound:
            fewest = math.floor(pairs * self._fits(self.difference + error))
            chance += float(betainc(fewest + 1, pairs - fewest, prob)) if fewest < pairs else 0.0
        return chance

    @cached_property
    def quantile(self) -> float:
        """The error of what is returned for the estimate that is as far off as ``_fitted``."""
        fitted = self.difference + np.array([-1.0, 1.0]) * self._fitted
        returned = self.process.returned(fitted, np.full(2, self.difference))
        return float(np.abs(returned - self.difference).max())

    @cached_property
    def _fitted(self) -> float:
        """The least error that is exceeded with probability at most δ, by bisection."""
        low, high, delta = 0.0, 2 * self.reward_bound, math.exp(-self.log_inverse_delta)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self.chance_beyond(middle) > delta:
                low = middle
            else:
                high = middle
        return high

    @cached_property
    def _win_prob(self) -> float:
        """P(z = +1) of the labels that there are."""
        return self.process.win_prob(self.difference, self.epsilon)

    @cached_property
    def _believed(self) -> tuple[float, float]:
        """P(z = +1) after a sure loss and after a sure win, as the MLE believes."""
        return AS_STATED.ends(self.epsilon)

    def _fits(self, difference: float) -> float:
        """The share of wins at which the MLE, which believes in the labels, is that difference."""
        lost, won = self._believed
        return lost + (won - lost) * sigmoid(difference)


def any_pairs(
    log_inverse_delta: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> PairsAtDelta:
    """Any B, ε, Δ and m, one pair included."""
    bound = 10 ** rng.uniform(-1, 1.08)
    epsilon = math.inf if rng.random() < 0.2 else 10 ** rng.uniform(-1, 1.2)
    difference = rng.uniform(-1, 1) * bound
    pairs = int(10 ** rng.uniform(0, 9))
    return PairsAtDelta(bound, epsilon, difference, pairs, log_inverse_delta, process)


def many_pairs(
    log_inverse_delta: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> PairsAtDelta:
    """B − Δ = 1/2 and enough pairs for the normal law, far within the bound."""
    bound = rng.uniform(1, 8)
    epsilon = math.inf if rng.random() < 0.2 else 10 ** rng.uniform(-0.5, 1.2)
    difference = bound - 0.5
    pairs = int(1e5 * inverse_information(difference, epsilon) * (1 + log_inverse_delta))
    return PairsAtDelta(bound, epsilon, difference, pairs, log_inverse_delta, process)


def within_bound(case: PairsAtDelta) -> float:
    """The quantile's square over 4·W(B)·log(2/δ)/m."""
    spread = 4 * inverse_information(case.reward_bound, case.epsilon) / case.pairs
    return case.quantile**2 / (spread * (math.log(2) + case.log_inverse_delta))


def third_of_the_bound(case: PairsAtDelta) -> float:
    """Wrong: a third of it; the normal law leaves a half at most."""
    return 3 * within_bound(case)


def over_normal(case: PairsAtDelta) -> float:
    """The quantile's square over W(Δ)·χ²₁'s quantile/m."""
    spread = inverse_information(case.difference, case.epsilon) / case.pairs
    exact = float(chdtri(1, math.exp(-case.log_inverse_delta)))
    return case.quantile**2 / (spread * exact)


def over_the_mean(case: PairsAtDelta) -> float:
    """Wrong: over W(Δ)/m, the mean, whatever δ is."""
    return case.quantile**2 * case.pairs / inverse_information(case.difference, case.epsilon)
