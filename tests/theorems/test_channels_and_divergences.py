"""Channels and divergences end to end, and what happens when a factor is left out."""

import numpy as np
import pytest
import sympy

from repro.p1.binary_channels.steps import plans


@pytest.mark.parametrize(
    ("check", "slope"),
    [("rate_n", -1), ("rate_cost", 2), ("flat_n", -2 / 3), ("flat_cost", 4 / 3),
     ("flat_kl_weight", -1 / 3), ("sharp_n", -1.5), ("coverage_kl", 1),
     ("coverage_alpha_3_2", 0.5), ("coverage_chi_squared", 0), ("coverage_alpha_3", -1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.04)


def test_steps_are_near_equality(smoke, by_name):
    names = ("best_channel", "hellinger", "no_coverage")
    assert min(by_name(smoke)[name].outcome.numbers["max_ratio"] for name in names) > 0.95


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
