"""Two steps of P1's Lemma B.1, Remark 4.4 and the S of Theorem 4.5, each as left over right side.

Eq. (15) ends with σ′(B)·(x−y)² for (σ(x) − σ(y))², step (b) of (18) with a²/4 for (a+b)²/8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.base.notation import epsilon_minus_one, privacy_cost
from repro.preferences.label_information import (
    inverse_information,
    inverse_slope,
    sigmoid_difference,
)
from repro.study.row import method


@dataclass(frozen=True)
class SlopeCase:
    """Two differences in [−B, B], some near one end, where σ is flattest."""

    reward_bound: float
    first: float
    second: float

    @property
    def squared_slope(self) -> float:
        """((σ(x) − σ(y))/(x − y))²."""
        step = self.first - self.second
        return (sigmoid_difference(self.first, self.second) / step) ** 2


def slope_case(reward_bound: float, rng: np.random.Generator) -> SlopeCase:
    """Half of the cases at the end of the interval."""
    first = reward_bound if rng.random() < 0.5 else rng.uniform(-reward_bound, reward_bound)
    step = 2 * reward_bound * 10 ** rng.uniform(-4, 0)
    second = first - step if first - step >= -reward_bound else first + step
    return SlopeCase(reward_bound, first, float(np.clip(second, -reward_bound, reward_bound)))


@method
def last_line_of_15(case: SlopeCase) -> float:
    """σ′(B) ≤ ((σ(x) − σ(y))/(x − y))², as the last line of (15) needs."""
    return 1 / (inverse_slope(case.reward_bound) * case.squared_slope)


@method
def squared_slope(case: SlopeCase) -> float:
    """σ′(B)² in its place."""
    return last_line_of_15.run(case) / inverse_slope(case.reward_bound)


@method
def squared_slope_ten_percent(case: SlopeCase) -> float:
    """Wrong: 1.1·σ′(B)²."""
    return 1.1 * squared_slope.run(case)


@dataclass(frozen=True)
class NetCase:
    """A difference of rewards a = Δ* − Δ_r and what the net adds, |b| ≤ 2τ."""

    apart: float
    added: float
    radius: float


def net_case(radius: float, rng: np.random.Generator) -> NetCase:
    """a over τ from far below to far above; half of the nets are worst, b = −2τ."""
    added = -2 * radius if rng.random() < 0.5 else rng.uniform(-2, 2) * radius
    return NetCase(radius * 10 ** rng.uniform(-2, 4), added, radius)


@method
def step_b_of_18(case: NetCase) -> float:
    """a²/4 − τ² ≤ (a+b)²/8, as step (b) of (18) has it (over its common factor)."""
    return case.apart**2 / 4 / ((case.apart + case.added) ** 2 / 8 + case.radius**2)


@method
def by_halves(case: NetCase) -> float:
    """a²/16 − τ²/2 ≤ (a+b)²/8, by (a+b)² ≥ a²/2 − b²."""
    return case.apart**2 / 16 / ((case.apart + case.added) ** 2 / 8 + case.radius**2 / 2)


@method
def by_halves_tenth_more(case: NetCase) -> float:
    """Wrong: 1.1·a²/16."""
    return 1.1 * by_halves.run(case)


LARGEST_RATIO = (math.e + 1) ** 2 / 4
"""The two rates of P1's abstract and Theorem 4.2 differ by at most so much for ε ≤ 1: 3.46."""


@method
def two_rates(epsilon: float) -> float:
    """(2α−1)⁻² ≤ (e+1)²·(e^ε−1)⁻², and 4·(e^ε−1)⁻² ≤ (2α−1)⁻², as one ratio."""
    between = (privacy_cost(epsilon) * epsilon_minus_one(epsilon)) ** 2
    return max(between / (4 * LARGEST_RATIO), 4 / between)


@method
def two_rates_at_twice(epsilon: float) -> float:
    """Wrong: the same constant for twice the budget."""
    return two_rates.run(2 * epsilon)


BOUND, BUDGET = 0.1, 0.1
"""B and ε of the class with one parameter; any would do."""


@method
def of_one_parameter(log_size: float) -> float:
    """Theorem 4.5's bound at S = log N(τ) over the mean gap of the MLE, for one state.

    The proof's bound is βa²/32·exp(−n·KL) with n·KL ≤ 1, a² = SC/((e^ε−1)²n).  One state with two
    responses is a class of one parameter, N(τ) about B/τ, on which the private MLE has
    E SubOpt ≤ β·C·W/(n+1) for every n (docs/explanations/corrected_theorem_4_2.md, Theorem 5).
    """
    lower = log_size / (32 * math.e * epsilon_minus_one(BUDGET) ** 2)
    return lower / inverse_information(BOUND, BUDGET)


@method
def of_the_hypercube(log_size: float) -> float:
    """The same where log N = S·log 2 counts states: the MLE pays for each of them."""
    return of_one_parameter.run(log_size) / log_size


@method
def gap_over_literal(log_size: float) -> float:
    """The MLE's gap over the literal bound of one parameter: below 1, the bound is none."""
    return 1 / of_one_parameter.run(log_size)


@method
def gap_over_states(log_size: float) -> float:
    """Wrong: the same claim of the hypercube, where the bound stands."""
    return 1 / of_the_hypercube.run(log_size)
