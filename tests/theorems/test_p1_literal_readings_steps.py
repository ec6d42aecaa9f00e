"""The literal readings by algebra: where printed steps fail; the corrected ones are sharp."""

import math
from dataclasses import replace

import pytest
import sympy

from repro.base.notation import epsilon_minus_one, privacy_cost
from repro.core.proofs import iv
from theorems import p1_literal_readings as step
from theorems.p1_literal_readings import PureBudget, TableLabels


def test_by_halves_is_a_square():
    """(a+b)²/8 + b²/8 − a²/16 = (a + 2b)²/16 ≥ 0, and b² ≤ 4τ²."""
    a, b = sympy.symbols("a b", real=True)
    left = (a + b) ** 2 / 8 + b**2 / 8 - a**2 / 16
    assert sympy.expand(left - (a + 2 * b) ** 2 / 16) == 0


def test_the_printed_step_of_18_fails_by_a_factor_of_three_at_most():
    """With τ = 1, three times its right side less its left is (a + 3b)² + 6(4 − b²), over 8."""
    a, b = sympy.symbols("a b", real=True)
    beyond = 3 * ((a + b) ** 2 / 8 + 1) - a**2 / 4
    assert sympy.expand(8 * beyond - (a + 3 * b) ** 2 - 6 * (4 - b**2)) == 0
    printed = step.step_b_of_18(step.Net(net_radius=0.1))
    assert float(printed.ratio(iv.mpf(6), iv.mpf(-2)).mid) == pytest.approx(3)


def test_the_two_rates_part_by_the_square_of_e_to_the_epsilon_plus_one():
    for epsilon in (1e-6, 0.1, 0.7, 1.0, 3.0):
        between = (privacy_cost(epsilon) * epsilon_minus_one(epsilon)) ** 2
        assert between == pytest.approx((math.exp(epsilon) + 1) ** 2)
    assert step.two_rates(PureBudget(epsilon=1.0)) == pytest.approx(1)
    assert step.two_rates(PureBudget(epsilon=1.01)) > 1
    assert pytest.approx(3.456, abs=1e-3) == step.LARGEST_RATIO


def test_one_parameter_breaks_the_literal_theorem_from_some_net_on():
    """Theorem 4.5 at S = log N(τ) passes the MLE's upper bound; with S states it never does."""

    def above(world):
        literal, upper = step.literal(world)[1], step.by_states(world)[1]
        return literal / upper

    given = {"epsilon": 0.1, "n_pairs": 10**11, "coverage": 4.0, "kl_weight": 0.05}
    one = TableLabels(num_states=1, log_size=10.0, reward_bound=0.1, **given)
    ratios = [above(replace(one, log_size=size)) for size in (10.0, 1e5)]
    assert ratios[0] < 1 < ratios[-1]
    assert ratios[-1] / ratios[0] == pytest.approx(1e4)
    low, high = step.by_states(replace(one, num_states=50))
    assert low < high / 8
    assert low == pytest.approx(50 * step.by_states(one)[0])
