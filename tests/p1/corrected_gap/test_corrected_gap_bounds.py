"""The theorems of docs/explanations/corrected_theorem_4_2.md: constants, and exact cases."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from repro.base.notation import flip_prob, label_signal
from repro.labels.preferences.label_information import inverse_information, printed_factor
from repro.p1.corrected_gap import bounds as bound
from repro.p1.corrected_gap.steps import ChoiceOfTwo, TwoRewards
from tests.at_each import at_each
from theorems.objective_decomposition import (
    gap_over_squared_error,
    random_reward_pairs,
)


def test_the_error_of_a_finite_class():
    expected = 4 * inverse_information(3.0, 1.0) * 5 / 1e4
    assert bound.squared_error(3.0, 1.0, 5.0, 1e4, 0.0) == pytest.approx(expected)


def test_a_net_costs_its_radius_in_likelihood_and_in_rewards():
    spread = inverse_information(3.0, 1.0)
    expected = (math.sqrt(8 * spread * (5 / 1e4 + 1e-3 * math.tanh(0.25))) + 2e-3) ** 2 / 2
    assert bound.squared_error(3.0, 1.0, 5.0, 1e4, 1e-3) == pytest.approx(expected)


def test_the_prior_of_van_trees():
    """cos²(πt/2) on [−1, 1] is a density with Fisher information π²."""
    t = sympy.symbols("t", real=True)
    density = sympy.cos(sympy.pi * t / 2) ** 2
    score = sympy.diff(density, t) ** 2 / density
    assert sympy.integrate(density, (t, -1, 1)) == 1
    assert sympy.integrate(sympy.simplify(score), (t, -1, 1)) == sympy.pi**2


def test_the_constant_at_large_n():
    slope = 1 / (4 * math.cosh(0.25) ** 2)
    assert bound.AT_LARGE_N <= slope / (2 * (math.exp(0.2) + 0.1)) < bound.AT_LARGE_N + 1e-4
    assert math.exp(0.2) / bound.AT_LARGE_N <= bound.CONSTANTS_APART


@given(
    st.floats(0.01, 3).map(lambda x: 10**x), st.floats(-1, 1.3), st.floats(0.1, 12),
    st.floats(0, 3),
)  # fmt: skip
def test_at_large_n_the_simple_form_lies_below_the_general_one(coverage, log_epsilon, base, times):
    cell = bound.hypercube_cell(3, 1 + coverage, base / math.log1p(coverage), 10**log_epsilon)
    n_pairs = 10**times * cell.large(base)
    assert cell.lower_at_large_n(base, n_pairs) <= cell.lower(base, cell.tilt, n_pairs)


def test_the_share_of_telling_pairs():
    assert bound.hypercube_cell(5, 4.0, 1.0, 1.0).share == pytest.approx(2 * 0.25 * 0.75 / 5)


@given(st.integers(0, 400), st.floats(0.001, 1))
def test_the_mean_of_one_over_m_plus_one(n_pairs, share):
    sizes = np.arange(n_pairs + 1)
    mean = stats.binom.pmf(sizes, n_pairs, share) @ (1 / (sizes + 1))
    assert mean <= 1 / ((n_pairs + 1) * share) * (1 + 1e-9)


def test_a_pessimistic_gap_is_at_most_half_the_squared_error():
    """The integral of the proof of Theorem 3: β/2, not β."""
    pairs = random_reward_pairs(np.random.default_rng(0), 4000, 3)
    shares = gap_over_squared_error(pairs, -pairs.error.abs(), under_optimum=True)
    assert 0.45 < float(shares.max()) <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize("reward_bound", [8.0, 12.0, 16.0])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_the_printed_bonus_fails_as_theorem_4_says(reward_bound, scale):
    """Exact chance of a mistake of either kind, given half of n pairs that tell."""
    epsilon, log_term, n_pairs = 1.0, math.log(2 / 0.05), 10**13
    bonus = math.sqrt(scale * printed_factor(reward_bound, epsilon) * (log_term + 1) / n_pairs)
    ends = (reward_bound, reward_bound - 2.1 * bonus)
    chances = [
        ChoiceOfTwo(TwoRewards(reward_bound, epsilon, *pair), n_pairs // 2).mistake_prob
        for pair in (ends, ends[::-1])
    ]
    root = 6 * scale * (log_term + 1) * math.cosh(epsilon / 2) ** 2 * math.exp(-reward_bound)
    assert max(chances) >= 0.5 - 0.5 * math.sqrt(root)


@given(st.floats(0.1, 5), st.floats(0, 1), st.floats(0, 1))
def test_every_private_report_is_a_randomised_response_passed_on(epsilon, share, other):
    """A binary report with P(1|1) = w₁, P(1|0) = w₀, both odds within e^ε."""
    keep, flip, signal = 1 - flip_prob(epsilon), flip_prob(epsilon), label_signal(epsilon)
    w0 = share
    low = max(w0 * flip / keep, 1 - (1 - w0) * keep / flip)
    high = min(w0 * keep / flip, 1 - (1 - w0) * flip / keep)
    w1 = low + other * (high - low)
    q1, q0 = (keep * w1 - flip * w0) / signal, (keep * w0 - flip * w1) / signal
    assert min(q0, q1) >= -1e-9
    assert max(q0, q1) <= 1 + 1e-9
    assert keep * q1 + flip * q0 == pytest.approx(w1, abs=1e-9)
    assert keep * q0 + flip * q1 == pytest.approx(w0, abs=1e-9)


@given(
    st.floats(0.1, 20), st.floats(0, 1), st.floats(-1, 1), st.floats(0.31, 6), st.integers(0, 99)
)
def test_three_responses_lose_what_theorem_7_says(beta, share, where, log_coverage, seed):
    """Loss and coverage at any policy, with 3C = e^(βm), the least m that the theorem allows."""
    coverage, tilt = max(2.0, math.exp(log_coverage)), share / (2 * beta)
    mean, theta = math.log(3 * coverage) / beta, where * tilt
    reference = np.array([0.5 / coverage, 0.5 / coverage, 1 - 1 / coverage])
    rewards = np.array([mean + theta / 2, mean - theta / 2, 0.0])
    optimal = reference * np.exp(beta * rewards)
    optimal /= optimal.sum()
    assert (optimal / reference).max() <= 1.25 * coverage
    rng = np.random.default_rng(seed)
    policy = rng.dirichlet(10.0 ** rng.uniform(-1, 2, 3)) * (1 - 3e-9) + 1e-9
    odds = math.log(policy[0] / policy[1]) / beta
    slope = 1 / (4 * math.cosh(beta * tilt / 2) ** 2)
    least = beta / 4 * slope * (min(max(odds, -tilt), tilt) - theta) ** 2
    assert least <= policy @ np.log(policy / optimal) / beta + 1e-12


@at_each("epsilon", [0.1, 1.0, math.inf])
@at_each("beta", [2.0, 8.0])
@at_each("reward_bound", [1.0, 4.0, 12.0])
def test_theorem_7_at_large_n(epsilon, beta, reward_bound):
    """Its constant and its n, from the general form, at C = W(B)/W(0) or the least C = 2."""
    spread = inverse_information(reward_bound, epsilon)
    level = inverse_information(0.0, epsilon)
    coverage, tilt, states = max(2.0, spread / level), min(0.1, 1 / (2 * beta)), 3
    assert 3 * coverage <= math.exp(beta * (reward_bound - tilt / 2))
    n_pairs = 20 * math.pi**2 * coverage * states * spread / tilt**2
    far = inverse_information(reward_bound - tilt, epsilon)
    told = n_pairs / (2 * coverage * states) * (1 / (coverage * level) + 1 / far)
    slope = 1 / (4 * math.cosh(beta * tilt / 2) ** 2)
    general = beta / 4 * slope / (told + (math.pi / tilt) ** 2)
    assert general >= 0.0506 * beta * states * coverage * spread / n_pairs


@given(st.floats(-3, 1.6).map(lambda x: 10**x), st.floats(0, 30))
def test_the_printed_factor_is_right_up_to_b_0(epsilon, reward_bound):
    """max{1, e^(B−B₀)} ≤ W/printed ≤ 4 + 16·e^(B−B₀), B₀ = 2·log(2·cosh(ε/2))."""
    over = math.exp(reward_bound) / (2 * math.cosh(epsilon / 2)) ** 2
    ratio = inverse_information(reward_bound, epsilon) / printed_factor(reward_bound, epsilon)
    assert max(1.0, over) * (1 - 1e-9) <= ratio <= (4 + 16 * over) * (1 + 1e-9)
