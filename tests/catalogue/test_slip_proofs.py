"""Slips that a line of algebra settles."""

import numpy as np
import sympy
from scipy.special import rel_entr

from tests.at_each import at_each


def test_halving_delta_costs_at_most_a_factor_two():
    """log(2N/δ) ≤ 2·log(N/δ) once N/δ ≥ 2: exp of the difference is (N/δ)²/(2N/δ) = N/(2δ) ≥ 1."""
    ratio = sympy.symbols("x", positive=True)
    difference = 2 * sympy.log(ratio) - sympy.log(2 * ratio)
    assert sympy.simplify(sympy.exp(difference) - ratio / 2) == 0
    assert sympy.solve_univariate_inequality(ratio / 2 >= 1, ratio, relational=False).contains(2)
    below_two = sympy.Rational(19, 10)
    assert float(difference.subs(ratio, below_two)) < 0


def test_halving_delta_costs_p4_at_most_a_factor_two():
    """d + ln(2/δ) ≤ 2·(d + ln(1/δ)) for d ≥ 1 and δ ≤ 1, as ln 2 ≤ 1; in λ, ln(2n/δ) as above."""
    dimension, log = sympy.symbols("d l", nonnegative=True)
    left_over = sympy.expand(2 * (dimension + log) - (dimension + log + sympy.log(2)))
    assert left_over == dimension + log - sympy.log(2)
    assert left_over.subs({dimension: 1, log: 0}) > 0
    assert left_over.subs({dimension: 0, log: 0}) < 0


@at_each("seed", range(20))
def test_the_gap_with_and_without_the_penalty(seed):
    """J_β(π) = J(π) − β·KL(π‖π_ref): a gap of either objective is one of the other and a KL.

    π*_β maximises J_β, so it has at least the J_β of every comparator; and a comparator that
    maximises J has at least the J of π*_β.
    """
    rng = np.random.default_rng([20261126, seed])
    beta = rng.exponential()
    reward, reference, learnt = (
        3 * rng.random(5),
        rng.dirichlet(np.ones(5)),
        rng.dirichlet(np.ones(5)),
    )
    tilted = reference * np.exp(reward / beta)
    optimum, greedy = tilted / tilted.sum(), np.eye(5)[reward.argmax()]

    def price(policy):
        return beta * rel_entr(policy, reference).sum()

    def regularised(policy):
        return policy @ reward - price(policy)

    with_penalty = regularised(optimum) - regularised(learnt)
    for comparator in (greedy, optimum, *rng.dirichlet(np.ones(5), 10)):
        gap = (comparator - learnt) @ reward
        assert gap <= with_penalty + price(comparator) + 1e-12
    assert with_penalty <= (greedy - learnt) @ reward + price(learnt) + 1e-12
    # neither holds without its price: one of the two gaps is 0 here, the other is not
    assert (greedy - optimum) @ reward > 0
    assert regularised(optimum) - regularised(greedy) > 0
