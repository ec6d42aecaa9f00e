"""Lemmas 1 to 3 of docs/explanations/corrected_theorem_4_2.md: algebra by sympy, worst cases."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from repro.base.notation import flip_prob, keep_prob, label_signal
from repro.labels.preferences import label_information as label
from tools.draw_crossover import crossover, two_term

EPSILONS = st.floats(-2, 1.3).map(lambda x: 10**x) | st.just(math.inf)
BOUNDS = st.floats(1e-3, 15)


def fisher(x, epsilon):
    """Information of one private label, from its definition."""
    slope = label_signal(epsilon) * special.expit(x) * special.expit(-x)
    win, loss = (flip_prob(epsilon) + label_signal(epsilon) * special.expit(y) for y in (x, -x))
    return slope**2 / (win * loss)


@given(EPSILONS, st.floats(-15, 15))
def test_the_inverse_information(epsilon, x):
    assert label.inverse_information(x, epsilon) == pytest.approx(1 / fisher(x, epsilon), rel=1e-9)


def test_lemma_1_by_algebra():
    u, alpha = sympy.symbols("u alpha", positive=True)
    s = 2 * alpha - 1
    p, slope = 1 - alpha + s * u, u * (1 - u)
    inverse = p * (1 - p) / (s * slope) ** 2
    claimed = 1 / slope + alpha * (1 - alpha) / s**2 / slope**2
    assert sympy.simplify(inverse - claimed) == 0
    e = sympy.symbols("e", positive=True)
    kappa = (alpha * (1 - alpha) / s**2).subs(alpha, e / (1 + e))
    assert sympy.simplify(kappa - e / (e - 1) ** 2) == 0


@given(EPSILONS, BOUNDS)
def test_the_two_terms_within_their_constants(epsilon, bound):
    ratio = label.inverse_information(bound, epsilon) / two_term(bound, epsilon)
    assert ratio * (1 + 1e-12) >= 1
    assert ratio <= (1 + math.exp(-bound)) ** 4 * (1 + 1e-12) <= label.TWO_TERM_CONSTANT


def test_both_constants_are_attained():
    far = label.inverse_information(25, 1.0) / two_term(25, 1.0)
    near = label.inverse_information(1e-6, 1e-4) / two_term(1e-6, 1e-4)
    assert (far, near) == pytest.approx((1, 16), rel=1e-4)


@given(EPSILONS, st.floats(-12, 12), st.floats(-1, 1))
def test_the_inverse_information_changes_by_at_most_a_factor_e_squared_a_unit(epsilon, x, step):
    change = math.log(
        label.inverse_information(x + step, epsilon) / label.inverse_information(x, epsilon)
    )
    assert abs(change) <= 2 * abs(step) + 1e-9


def test_lemma_2_by_algebra():
    """The two closed forms of its proof, and the chain of inequalities that ends it."""
    h, m = sympy.symbols("h m", real=True)
    x, y = m + h, m - h
    sigma = lambda t: 1 / (1 + sympy.exp(-t))  # noqa: E731 - as the page writes it
    d = sympy.cosh(m) + sympy.cosh(h)

    def same(left, right):
        return sympy.simplify((left - right).rewrite(sympy.exp)) == 0

    assert same(sigma(x) - sigma(y), sympy.sinh(h) / d)
    assert same(sigma(x) + sigma(y), 1 + sympy.sinh(m) / d)
    four_v = 1 + 2 * sympy.cosh(m) * sympy.cosh(h) + sympy.cosh(h) ** 2
    assert same(d**2 - sympy.sinh(m) ** 2, four_v)
    c, k = sympy.symbols("c k", positive=True)
    quotient = (1 + 2 * c * k + k**2) / (2 + 2 * c * k)
    assert sympy.simplify(quotient - 1 - (k**2 - 1) / (2 + 2 * c * k)) == 0
    assert sympy.simplify(quotient.subs(c, 1) - (1 + k) / 2) == 0
    assert same(sympy.cosh(h / 2) ** 2, (1 + sympy.cosh(h)) / 2)


def test_the_first_step_of_lemma_2_by_algebra():
    p, q = sympy.symbols("p q", positive=True)
    mean = (p + q) / 2
    assert sympy.simplify(1 / (p + q) + 1 / (2 - p - q) - 1 / (2 * mean * (1 - mean))) == 0


@given(EPSILONS, BOUNDS, st.floats(-1, 1), st.floats(-1, 1))
def test_lemma_2(epsilon, bound, first, second):
    """In roots: squares of differences below 1e-154 have no relative precision."""
    x, y = bound * first, bound * second
    assume(x == y or abs(x - y) > 1e-300)
    factor = math.sqrt(8 * label.inverse_information(bound, epsilon))
    assert abs(x - y) <= factor * label.hellinger_distance(x, y, epsilon) * (1 + 1e-9)


def test_the_smallest_differences_keep_their_distance():
    near = label.hellinger_distance(2.5e-158, 0.0, 1.0)
    assert near / label.hellinger_distance(2.5e-8, 0.0, 1.0) == pytest.approx(1e-150, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0, math.inf])
def test_no_constant_below_eight(epsilon):
    less = label.one_less_affinity(6.0, 6.0 - 1e-5, epsilon)
    assert 1e-10 / (label.inverse_information(6.0, epsilon) * less) == pytest.approx(8, rel=1e-4)


@given(EPSILONS, st.floats(-8, 8), st.floats(-8, 8))
def test_the_affinity_by_its_definition(epsilon, x, y):
    laws = [
        flip_prob(epsilon) + label_signal(epsilon) * special.expit(np.array([z, -z]))
        for z in (x, y)
    ]
    affinity = float(np.sqrt(laws[0] * laws[1]).sum())
    assert label.one_less_affinity(x, y, epsilon) == pytest.approx(1 - affinity, abs=1e-12)


def test_lemma_3_by_algebra():
    u, a, f = sympy.symbols("u a f", positive=True)
    s = a**2 - f**2  # a = √α, f = √(1−α), so that a² + f² = 1
    slope = s * u * (1 - u) / (f**2 + s * u)
    steepest = f / (a + f)
    assert sympy.simplify(sympy.diff(slope, u).subs(u, steepest)) == 0
    assert sympy.simplify(slope.subs(u, steepest) - (a - f) / (a + f)) == 0


@given(EPSILONS)
def test_the_steepest_place_of_the_private_log_likelihood(epsilon):
    x = np.linspace(-40, 40, 4001)
    clean = special.expit(x)
    slopes = (
        label_signal(epsilon)
        * clean
        * special.expit(-x)
        / (flip_prob(epsilon) + label_signal(epsilon) * clean)
    )
    assert slopes.max() <= label.log_likelihood_slope(epsilon) * (1 + 1e-9)
    assert slopes.max() >= 0.999 * label.log_likelihood_slope(epsilon)


@pytest.mark.parametrize("epsilon", [2.0, 4.0, 12.0])
def test_at_the_crossover_both_terms_are_equal(epsilon):
    bound = crossover(epsilon)
    assert label.privacy_excess(epsilon) * math.exp(bound) == pytest.approx(1)
    assert bound == pytest.approx(2 * math.log(2 * math.sinh(epsilon / 2)))
    assert abs(bound - epsilon) < 3 * math.exp(-epsilon)


def test_the_printed_factor_is_right_above_the_crossover_and_too_small_below():
    ratios = [
        label.inverse_information(12, e) / label.printed_factor(12, e) for e in (0.1, 1, 12, 16)
    ]
    assert ratios[0] > ratios[1] > 1e4
    assert ratios[2] < 2.1
    assert ratios[3] < 1.1


def test_the_excess_is_that_of_randomized_response():
    assert label.privacy_excess(2.0) == pytest.approx(math.exp(2) / math.expm1(2) ** 2)
    assert label.privacy_excess(2.0) == pytest.approx(
        keep_prob(2.0) * flip_prob(2.0) / label_signal(2.0) ** 2
    )
