"""Proofs of P1's scalar lemmas: algebra, and the ratios against the lemmas' own."""

import numpy as np
import pytest
import sympy
from mpmath import iv

from repro.families.offline_kl import proofs_scalar
from repro.families.offline_kl.bounds_corrected import (
    CONSTANTS_APART,
    LARGEST_TILT,
    hypercube_cell,
)
from repro.families.offline_kl.searches_channels import plans
from repro.preferences.label_information import (
    inverse_information,
    inverse_slope,
    log_likelihood_slope,
    privacy_excess,
)
from repro.study.proofs import decided
from tools.draw_crossover import two_term

RIGHT = ("two_term_above", "two_term_below",
         "log_likelihood", "constants_apart", "no_coverage")  # fmt: skip
CAUGHT = {
    "two_term_above_ten_percent": 0.01,
    "two_term_below_ten_percent": 12, "log_likelihood_ten_percent": 1,
    "constants_apart_ten_percent": 12, "no_coverage_ten_percent": 1,
}  # fmt: skip


def value(name, at, *point):
    claimed = getattr(proofs_scalar, name).run(at)
    return float(claimed.ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("at", [0.01, 0.5, 4.0])
def test_the_whole_box_is_proved(name, at):
    assert 0 < decided(getattr(proofs_scalar, name).run(at)) <= 1 + 1e-9


@pytest.mark.parametrize(("name", "at"), CAUGHT.items())
def test_every_wrong_version_has_a_counterexample(name, at):
    assert decided(getattr(proofs_scalar, name).run(at)) > 1 + 1e-3


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
def test_the_two_terms_at_every_budget(epsilon):
    bound = 2.0
    second = two_term(bound, epsilon) / np.exp(bound) - 1
    share, exact = second / (1 + second), inverse_information(bound, epsilon)
    ratio = exact / two_term(bound, epsilon)
    assert value("two_term_above", bound, share) == pytest.approx(ratio / 16)
    assert value("two_term_below", bound, share) == pytest.approx(1 / ratio)


@pytest.mark.parametrize("difference", [-3.0, 0.0, 2.0])
def test_the_slope_of_a_report(difference):
    epsilon = 1.5
    signal, flip = np.tanh(epsilon / 2), 1 / (1 + np.exp(epsilon))
    log_prob = lambda x: np.log(flip + signal / (1 + np.exp(-x)))  # noqa: E731
    slope = (log_prob(difference + 1e-6) - log_prob(difference - 1e-6)) / 2e-6
    found = value("log_likelihood", epsilon, np.exp(difference / 2))
    assert found == pytest.approx(slope / log_likelihood_slope(epsilon), rel=1e-6)


@pytest.mark.parametrize("coverage", [2.05, 16.0, 1e4])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 16.0])
def test_upper_over_lower_bound_by_what_b_leaves(coverage, epsilon):
    """b = B − a for a = min{1/10, 1/(2β)} and β = log(C−1)/b."""
    bound, odds = 6.0, np.log(coverage - 1)
    base = max(bound - LARGEST_TILT, bound / (1 + 0.5 / odds))
    cell = hypercube_cell(3, coverage, base / odds, epsilon)
    assert base + cell.tilt == pytest.approx(bound)
    n_pairs = 1e6 * cell.large(base)
    ratio = cell.upper(bound, n_pairs) / cell.lower_at_large_n(base, n_pairs) / CONSTANTS_APART
    scaled = privacy_excess(epsilon) * inverse_slope(base)
    assert value("constants_apart", bound, cell.tilt, scaled / (1 + scaled)) == pytest.approx(ratio)


def test_the_gap_without_coverage_near_its_bound():
    """Random plans: at most the variance over 2λm, and nearly all of it for some."""
    rng = np.random.default_rng(0)
    shares = []
    for one in (plans(0.3, rng) for _ in range(300)):
        error = one.estimated - one.reward
        spread = (one.reference * (error - (one.reference * error).sum()).square()).sum()
        shares.append(one.gap * 2 * one.kl_weight * one.chi_share / float(spread))
    assert 0.95 < max(shares) <= 1 + 1e-9


def test_the_gap_of_a_response_is_a_square_and_a_divergence_short_of_its_bound():
    """f = m·w²/2 + (1 − m)(w·log w − w): h = h′²/(2m) − (h′ + m(w* − w))²/(2m) − R."""
    w, best, c, m = sympy.symbols("w w_star c m", positive=True)
    f = lambda x: m * x**2 / 2 + (1 - m) * (x * sympy.log(x) - x)  # noqa: E731
    rest = lambda x: f(x) - m * x**2 / 2  # noqa: E731
    slope = lambda of, x: sympy.diff(of(x), x)  # noqa: E731
    h = lambda x: f(x) - f(best) - (slope(f, best) + c) * (x - best)  # noqa: E731
    divergence = rest(best) - rest(w) - slope(rest, w) * (best - w)
    square = (slope(h, w) + m * (best - w)) ** 2
    claimed = (slope(h, w) ** 2 - square) / (2 * m) - divergence
    assert sympy.simplify(sympy.expand(h(w) - claimed)) == 0
    assert sympy.simplify(sympy.diff(rest(w), w, 2) - (1 - m) / w) == 0  # convex, as m ≤ 1


def test_rearrangements_symbolically():
    a, b, v, q = sympy.symbols("a b v q", positive=True)
    halves = 2 * (a + b) ** 2 + 8 - (a**2 + (a + 2 * b) ** 2 + 2 * (4 - b**2))
    assert sympy.expand(halves) == 0
    sigma = v / (1 + v)
    slope = (1 - 2 * q) * sigma * (1 - sigma) / (q + (1 - 2 * q) * sigma)
    root = sympy.sqrt(q * (1 - q))
    off = q / v + (1 - q) * v - 2 * root
    assert sympy.simplify(slope - (1 - 2 * q) / (1 + 2 * root + off)) == 0
