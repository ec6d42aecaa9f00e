"""P1's scalar lemmas: accurate ratios, searches for counterexamples, and symbolic proofs."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from theorems.p1_scalar_lemmas import (
    binomial_excess,
    inverse_constant,
    inverse_slope,
    largest_root,
    lattice_crossing,
    log_likelihood_slope,
    sigmoid,
    sigmoid_difference,
    walk_crossing,
)

BOUND = st.floats(1e-3, 12)
SHARE = st.floats(-1, 1)
KEEP = st.floats(0.5001, 1 - 1e-9)


@pytest.mark.parametrize(("x", "y"), [(1.0, -2.0), (9.0, 9.001), (-9.0, -9.0001), (0.0, 1e-9)])
def test_ratios_against_fifty_digits(x, y):
    with mpmath.workdps(50):

        def value(t):
            return 1 / (1 + mpmath.exp(-mpmath.mpf(t)))

        def log_likelihood(t):
            return mpmath.log(mpmath.mpf("0.8") * value(t) + mpmath.mpf("0.2") * (1 - value(t)))

        difference = value(x) - value(y)
        slope = abs((log_likelihood(x) - log_likelihood(y)) / (mpmath.mpf(x) - mpmath.mpf(y)))
        inverse = abs((mpmath.mpf(x) - mpmath.mpf(y)) / (2 * mpmath.mpf("0.6") * difference))
    assert sigmoid_difference(x, y) == pytest.approx(float(difference), rel=1e-12)
    assert log_likelihood_slope(x, y, 0.8) == pytest.approx(float(slope), rel=1e-10)
    assert inverse_slope(x, y, 0.8) == pytest.approx(float(inverse), rel=1e-10)


@given(BOUND, SHARE, SHARE, KEEP)
@settings(max_examples=500, deadline=None)
def test_no_counterexample_to_a_2_and_a_8(bound, first, second, keep):
    assume(abs(first - second) > 1e-6)
    x, y = bound * first, bound * second
    assert log_likelihood_slope(x, y, keep) <= sigmoid(bound) * (1 + 1e-8)
    assert inverse_slope(x, y, keep) <= inverse_constant(bound, keep) * (1 + 1e-8)


@given(st.floats(0, 1e6), st.floats(0, 1e3), st.floats(0, 1))
@settings(max_examples=500, deadline=None)
def test_no_counterexample_to_a_4(a, b, share):
    x = share * largest_root(a, b)
    assert x**2 <= (b**2 + 2 * a) * (1 + 1e-12)


def test_the_largest_root_solves_the_premise_with_equality():
    x = largest_root(2.0, 3.0)
    assert x**2 == pytest.approx(2 + 3 * x)


def test_a_2_symbolically():
    """(1 − σ) − f′ = (1 − α)(1 − σ)/(1 − α + (2α − 1)σ), and every factor is nonnegative."""
    s, alpha, x = sympy.symbols("s alpha x", positive=True)
    sigma = 1 / (1 + sympy.exp(-x))
    derivative = sympy.diff(sympy.log(alpha * sigma + (1 - alpha) * (1 - sigma)), x)
    in_sigma = (2 * alpha - 1) * s * (1 - s) / (1 - alpha + (2 * alpha - 1) * s)
    assert sympy.simplify(derivative - in_sigma.subs(s, sigma)) == 0
    rest = (1 - s) - in_sigma - (1 - alpha) * (1 - s) / (1 - alpha + (2 * alpha - 1) * s)
    assert sympy.simplify(rest) == 0


def test_a_4_symbolically():
    """b² + 2a − x² = (b² + 2a − b√(b² + 4a))/2, and (b² + 2a)² − b²(b² + 4a) = 4a² ≥ 0."""
    a, b = sympy.symbols("a b", nonnegative=True)
    x = (b + sympy.sqrt(b**2 + 4 * a)) / 2
    slack = b**2 + 2 * a - x**2
    assert sympy.simplify(slack - (b**2 + 2 * a - b * sympy.sqrt(b**2 + 4 * a)) / 2) == 0
    assert sympy.expand((b**2 + 2 * a) ** 2 - b**2 * (b**2 + 4 * a)) == 4 * a**2


def test_a_8_symbolically():
    """1/σ′ = e^x + 2 + e^−x, whose derivative 2·sinh x has the sign of x: largest at ±B."""
    x = sympy.symbols("x", real=True)
    inverse = 1 / sympy.diff(1 / (1 + sympy.exp(-x)), x)
    assert sympy.simplify(inverse - (sympy.exp(x) + 2 + sympy.exp(-x))) == 0
    assert sympy.simplify(sympy.diff(inverse, x) - 2 * sympy.sinh(x)) == 0


@pytest.mark.parametrize(("steps", "boundary"), [(6, 1.5), (7, 2.0), (9, 0.3), (10, 4.0)])
def test_walk_crossing_by_enumeration(steps, boundary):
    crossed = sum(
        max(np.cumsum(path)) > boundary for path in itertools.product((-1, 1), repeat=steps)
    )
    assert walk_crossing(steps, boundary) == pytest.approx(crossed / 2**steps)


def test_walk_crossing_far_in_the_tail_of_many_steps():
    found = walk_crossing(10**8, 6.7 * 10**4)
    assert found == pytest.approx(2 * stats.norm.sf(6.7), rel=1e-2)


def test_binomial_excess_by_hand():
    assert binomial_excess(2, 0.5, 0.5) == pytest.approx(0.25)
    assert binomial_excess(2, 0.5, 0.0) == pytest.approx(0.25)
    assert binomial_excess(2, 0.5, -0.5) == pytest.approx(0.75)


def test_lattice_crossing_of_one_step_by_hand():
    """From 1 to u or 1/u, mean kept: P(up) = 1/(1 + u)."""
    steps = np.ones(20, dtype=int)
    assert lattice_crossing(steps, steps, math.log(3), 1, 1) == pytest.approx(0.25)
    two_rounds = 0.25 + 0.75 * 0  # after u^-1 the level is two steps away
    assert lattice_crossing(steps, steps, math.log(3), 1, 2) == pytest.approx(two_rounds)


def test_lattice_crossing_tends_to_ville_bound():
    steps = np.ones(300, dtype=int)
    assert lattice_crossing(steps, steps, 0.5, 6, 2000) == pytest.approx(math.exp(-3), rel=1e-6)


def test_lattice_crossing_by_simulation():
    rng = np.random.default_rng(0)
    up, down = rng.integers(1, 4, (2, 40))
    exact = lattice_crossing(up, down, 0.3, 4, 25)
    hits = 0
    for _ in range(4000):
        place = 36
        for _ in range(25):
            if place in (0, 40):
                break
            to_up, to_down = min(place + up[place], 40), max(place - down[place], 0)
            rise, fall = math.expm1((to_up - place) * 0.3), -math.expm1((to_down - place) * 0.3)
            place = to_up if rng.random() < fall / (rise + fall) else to_down
        hits += place == 40
    assert hits / 4000 == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))
