"""The steps of docs/explanations/corrected_theorem_5_2.md, at random and worst cases."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy import integrate
from scipy.stats import norm

from repro.base.notation import label_signal
from repro.labels.preferences.label_information import (
    inverse_information,
    inverse_slope,
    one_less_affinity,
    sigmoid,
)
from repro.p1.pokl.bonus import (
    repaired_net_weight,
    repaired_weight,
    ridge_of,
)
from repro.p1.pokl.repaired import (
    TAIL,
    eluder_sum,
    estimate_over_floor,
    needed_radius,
    regret_bound,
    regret_floor,
)


def test_one_round_costs_at_most_half_of_beta_times_the_squared_error():
    """(c): e ≥ 0 → J(π*) − J(π²) ≤ (β/2)·E_π²[e²]; near equality for small e of mean 0 shift."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(20_000):
        size = int(rng.integers(2, 6))
        policy = rng.dirichlet(np.ones(size) * 10 ** rng.uniform(-1, 1)) + 1e-12
        policy /= policy.sum()
        beta = 10 ** rng.uniform(-1, 1)
        error = 10 ** rng.uniform(-2, 1) * rng.random(size) ** rng.integers(1, 5)
        tilted = policy * np.exp(beta * (error - error.max()))
        tilted /= tilted.sum()
        cost = (tilted * np.log(tilted / policy)).sum() / beta
        if cost < 1e-9:
            continue  # rounding
        worst = max(worst, cost / (beta / 2 * (tilted * error**2).sum()))
    assert 0.9 < worst <= 1 + 1e-6


def test_a_shunned_error_breaks_the_step():
    """Without e ≥ 0, as under a cap below the error, the same step fails."""
    policy, error, beta = np.array([0.5, 0.5]), np.array([-3.0, 0.0]), 2.0
    tilted = policy * np.exp(beta * error)
    tilted /= tilted.sum()
    cost = (tilted * np.log(tilted / policy)).sum() / beta
    assert cost > beta / 2 * (tilted * error**2).sum()


def test_exponential_of_a_bounded_variable():
    """(e): e^−x ≤ 1 − (1−1/e)x on [0, 1], a chord of a convex function; TAIL is its inverse."""
    x = sympy.symbols("x", real=True)
    chord = 1 - (1 - sympy.exp(-1)) * x
    assert sympy.simplify(chord.subs(x, 0) - 1) == 0
    assert sympy.simplify(chord.subs(x, 1) - sympy.exp(-1)) == 0
    assert sympy.diff(sympy.exp(-x), x, 2).is_positive
    assert pytest.approx(1 / (1 - math.exp(-1))) == TAIL
    assert 2 * TAIL < 3.17


def test_affinity_is_lost_no_faster_than_a_thirty_second():
    """1 − ρ(x, y) ≤ (x−y)²/32, for the net of Theorem 2; near equality at 0 without privacy."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(5000):
        first, step = rng.normal() * 4, rng.normal() * 10 ** rng.uniform(-3, 0.5)
        epsilon = math.inf if rng.random() < 0.3 else 10 ** rng.uniform(-1, 1.2)
        lost = one_less_affinity(first, first + step, epsilon)
        worst = max(worst, 32 * lost / step**2)
    assert worst <= 1 + 1e-9
    assert 32 * one_less_affinity(-5e-4, 5e-4, math.inf) / 1e-6 == pytest.approx(1, abs=1e-5)


def test_weights_are_those_of_the_theorem_and_have_no_horizon():
    for bound in (0.1, 1.0, 6.0, 12.0):
        for epsilon in (0.1, 1.0, math.inf):
            w, logs = inverse_information(bound, epsilon), math.log(16 / 0.05)
            found = {repaired_weight(bound, epsilon, math.log(16), t, 0.05) for t in (1, 10**9)}
            (weight,) = found
            assert weight**2 == pytest.approx(4 * bound**2 + 8 * w * logs)
            assert weight**2 <= (4 + 8 * logs) * w
            net = repaired_net_weight(bound, epsilon, math.log(16), 1, 0.05)
            assert net**2 == pytest.approx(4 * bound**2 + (math.sqrt(8 * w * (logs + 1)) + 2) ** 2)
            assert ridge_of(bound) <= 4 * w


def test_without_privacy_the_squared_weight_grows_like_e_to_the_b():
    weights = [repaired_weight(b, math.inf, 0.0, 1, 0.05) ** 2 for b in (20.0, 21.0)]
    assert math.log(weights[1] / weights[0]) == pytest.approx(1, abs=1e-4)
    weights = [repaired_weight(b, 1.0, 0.0, 1, 0.05) ** 2 for b in (20.0, 21.0)]
    assert math.log(weights[1] / weights[0]) == pytest.approx(2, abs=1e-4)


@pytest.mark.parametrize(("states", "horizon"), [(1, 1), (1, 1000), (3, 1000), (7, 20)])
def test_eluder_sum_of_tables_is_above_every_order(states, horizon):
    rng = np.random.default_rng(2)
    orders = [rng.integers(states, size=horizon) for _ in range(20)]
    orders.append(np.arange(horizon) % states)
    for order in orders:
        seen = np.zeros(states)
        total = 0.0
        for state in order:
            total += 1 / (1 + seen[state])
            seen[state] += 1
        assert total <= eluder_sum(states, horizon)


def test_the_bound_adds_up():
    found = regret_bound(10.0, 2.0, 0.5, 7.0, 0.05)
    wanted = 2 * (4 / 8) + 2 * 2 * 100 * math.e / (math.e - 1) * (7 + math.log(20))
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_the_floor_is_the_integral_of_van_trees(epsilon):
    states, difference, kl_weight, horizon = 3, 4.0, 1.5, 1e6
    spread = 0.1
    lowest = inverse_information(difference - spread, epsilon)
    prior, beta = (math.pi / spread) ** 2, 1 / kl_weight
    rate = lambda t: 1 / (t / (states * lowest) + prior)  # noqa: E731
    curvature = sigmoid(beta * spread) * (1 - sigmoid(beta * spread))
    cut = [0, 1e2, 1e4, horizon]
    area = sum(integrate.quad(rate, a, b)[0] for a, b in pairwise(cut))
    found = regret_floor(states, difference, kl_weight, epsilon, np.array([horizon]))[0]
    assert found == pytest.approx(beta / 2 * curvature * area, rel=1e-6)
    summed = beta / 2 * curvature * rate(np.arange(10_000.0)).sum()
    assert regret_floor(states, difference, kl_weight, epsilon, np.array([1e4]))[0] <= summed


def test_floor_and_estimate_are_within_a_factor_of_3_2():
    """The table of section 3: 0.0787 below, 0.25 for the estimate, in units of β·S·W(B)·log T."""
    for epsilon in (0.1, 1.0, 4.0, 16.0, math.inf):
        for bound in (1.0, 4.0, 8.0, 12.0):
            for kl_weight in (0.2, 1.0, 5.0):
                assert 1 < estimate_over_floor(bound, epsilon, kl_weight) <= 0.25 / 0.0787


def test_needed_radius_is_the_chance_that_one_of_n_wins():
    radius = needed_radius(math.log(50), math.log(20))
    each = norm.sf(math.sqrt(radius) / 2)
    assert 1 - (1 - each) ** 50 == pytest.approx(0.05, rel=1e-3)
    assert radius < 8 * (math.log(50) + math.log(20))
    assert needed_radius(math.log(50), 600.0) / (8 * (math.log(50) + 600)) > 0.99


@pytest.mark.parametrize("epsilon", [0.5, 1.0, math.inf])
def test_cap_of_one_by_its_own_algorithm(epsilon):
    """Theorem 4: after one misleading label the odds of a telling pair are below 2e^−β(B−1)."""
    bound, beta = 2.0, 12.0
    exploit = sigmoid(-beta * bound)
    explore = sigmoid(beta * (1 - bound))
    assert exploit + explore <= 2 * math.exp(-beta * (bound - 1))
    optimal = sigmoid(beta * bound)
    kl = explore * math.log(explore / optimal) + (1 - explore) * (
        math.log1p(-explore) - math.log1p(-optimal)
    )
    assert kl / beta >= bound / 2
    misleading = (1 - label_signal(epsilon)) / 2 + label_signal(epsilon) * sigmoid(-bound)
    assert misleading / 4 > 0.02


def test_information_lies_above_the_ridge():
    for bound in np.linspace(0.01, 12, 50):
        assert inverse_slope(bound) >= 4 + bound**2
