"""One-feature log-linear policies, and the case that contradicts P4's Proposition 4.6."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.p4.linear_rlhf.worlds_line import ALL, LogLinearLine, random_line

B = math.log(8) / 2


def tight(kl_weight: float = 0.5) -> LogLinearLine:
    """One response against 8 copies of its opposite, θ* = B, θ_sft = −B."""
    features, copies = np.array([[1.0, -1.0]]), np.array([[1.0, 8.0]])
    return LogLinearLine(features, copies, np.ones(1), B, -B, B, kl_weight)


def test_policies_by_hand():
    line = tight()
    assert line.policy(B)[0] == pytest.approx([0.5, 0.5])
    assert line.policy(-B)[0] == pytest.approx([1 / 65, 64 / 65])
    assert line.span == pytest.approx(4 * 0.5 * B)
    assert line.true_parameter == pytest.approx(0.5 * 2 * B)
    assert line.pair_variance(B) == pytest.approx(2.0)
    assert line.gap(B) == line.variation(B) == line.divergence(B) == 0


def test_the_printed_bound_fails_at_finite_n():
    """n = 1e8 pairs, λ = (d/n)·ln(n/δ): |gap| exceeds √(3/2)·√κ_Π·B·Γ by 15 %, δ = 0.05."""
    line, n = tight(), 10**8
    rng = np.random.default_rng(0)
    first, second = line.policy(-B)[0]
    informative = rng.binomial(n, 2 * first * second)
    metric = 4 * informative / n + 1 / n * math.log(n / 0.05)
    estimate = line.true_parameter * (1 - 1e-3)
    width = abs(estimate - line.true_parameter) * math.sqrt(metric)
    parameter = estimate / line.kl_weight + line.reference
    bound = math.sqrt(1.5 * line.condition_number(ALL)) * B * width
    assert abs(line.gap(parameter)) / bound == pytest.approx(2 / math.sqrt(3), abs=0.01)
    assert abs(line.gap(parameter)) <= 2 * bound


def test_divergence_is_the_textbook_one():
    line = tight()
    best, other = line.policy(B), line.policy(0.3)
    assert line.divergence(0.3) == pytest.approx((best * np.log(best / other)).sum())


@pytest.mark.parametrize("seed", range(10))
def test_random_lines_lie_in_the_class(seed):
    line = random_line(np.random.default_rng(seed), 2, 1.0)
    assert np.abs(line.features).max() <= 1
    assert max(abs(line.optimum), abs(line.reference)) <= 1
    assert line.policy(0.3).sum(axis=1) == pytest.approx(np.ones(len(line.state_prob)))
    rounding = 1 - 1e-9
    assert line.condition_number(3.0) >= rounding * line.condition_number(1.0) >= rounding**2


def test_variances_of_several_parameters_are_those_of_each():
    line = random_line(np.random.default_rng(3), 3, 1.5)
    thetas = np.linspace(-4, 4, 9)
    assert line.pair_variances(thetas) == pytest.approx([line.pair_variance(t) for t in thetas])
