"""Two steps of P1's Lemma B.1, Remark 4.4 and the S of Theorem 4.5, each as left over right side.

Eq. (15) ends with σ′(B)·(x−y)² for (σ(x) − σ(y))², step (b) of (18) with a²/4 for (a+b)²/8.
"""

from __future__ import annotations

import math

from repro.base.notation import epsilon_minus_one, privacy_cost
from repro.preferences.label_information import inverse_information
from repro.study.row import method

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
