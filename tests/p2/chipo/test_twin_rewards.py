"""The constants of docs/explanations/reward_range.md, and the two worlds of its Theorem 3."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from repro.p2.chipo.twin_rewards import TwinRewards
from repro.p2.xpo.small_rewards import corrected_factor, printed_factor
from tests.at_each import at_each
from theorems.p2_scalar_lemmas import inverse_slope, largest_mean_value

FAR = np.linspace(2, 30, 200)


def test_lemma_1_step_by_step():
    value, reward = sympy.symbols("V R", positive=True)
    h = (value - reward) / 2
    exact = (value - reward) / (1 / (1 + sympy.exp(-value)) - 1 / (1 + sympy.exp(-reward)))
    stated = 4 * sympy.cosh(reward / 2) ** 2 * (h * sympy.coth(h) + h * sympy.tanh(reward / 2))
    assert sympy.simplify((exact - stated).rewrite(sympy.exp)) == 0
    at = np.linspace(1e-3, 40, 10_000)
    assert np.all(at / np.tanh(at) <= 1 + at)


@at_each("reward", [1e-3, 0.3, 1.0, 5.0])
@at_each("times", [0.2, 1.0, 1.5, 10.0])
def test_no_pair_of_numbers_beats_lemma_1(reward, times):
    rng, value = np.random.default_rng(0), times * reward
    x, y = rng.uniform(-value, value, 20_000), rng.uniform(-reward, reward, 20_000)
    largest = float(inverse_slope(x, y).max())
    known = 4 * math.cosh(reward / 2) ** 2
    least = largest_mean_value(reward, value) if value > reward else known
    assert largest <= least * (1 + 1e-9)
    assert least <= known * (1 + max(0.0, value - reward)) * (1 + 1e-12)


def test_the_printed_lemma_needs_rewards_of_one():
    small = 0.01
    assert 8 * printed_factor(small, small) < 0.17 < 4 <= 4 * corrected_factor(small, small)


def test_the_constants_of_theorem_2():
    least_sum = -math.log(4 / ((1 + math.exp(-2)) * (1 + math.exp(2)))) / 2
    assert least_sum == pytest.approx(math.log(math.cosh(1)), rel=1e-12)
    assert abs(math.log(2 / (1 + math.exp(2)))) / 2 < 0.72
    share = np.linspace(1e-6, 1 - 1e-6, 9999)
    best = 1 / (1 + math.exp(-2))

    def kl(p, q):
        return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))

    assert (kl(share, best) + kl(share, 1 - best)).min() >= 2 * math.log(math.cosh(1)) - 1e-12
    m = np.linspace(1e-6, math.tanh(0.5), 1000)
    assert np.all(2 * m * np.arctanh(m) <= 2 * m**2 / (1 - m**2))
    divergence = 0.5 / (1 - math.tanh(0.5) ** 2)
    assert divergence <= 0.636
    assert 0.5 * math.log(math.cosh(1)) * (1 - math.sqrt(divergence / 2)) >= 0.09


def test_the_constants_of_theorem_3():
    scaled = np.array(
        [TwinRewards(epsilon=1.0, reward_bound=r).difference * math.exp(r) for r in FAR]
    )
    assert scaled.min() >= 2.21
    assert scaled.max() <= 3.44
    assert 4 + 8 * math.tanh(0.5) ** 2 / 2.21**2 <= 4.35
    assert 0.25 / (math.sqrt(8.7) * 3.44) >= 0.024


@pytest.mark.parametrize("epsilon", [0.04, 1.0, 3.7])
def test_the_worlds_of_theorem_3_stay_alike(epsilon):
    for reward in (2.0, 4.0, 7.0):
        world = TwinRewards(epsilon=epsilon, reward_bound=reward)
        n, cost = world.labels_in_all, world.cost
        assert world.cell_prob.sum() < 1
        assert world.difference == pytest.approx(np.diff(world.means[::-1, 0])[0], rel=1e-9)
        # J is the sum of two divergences of at most a half
        assert world.divergence <= 1
        floor = 0.024 * math.sqrt(1 - cost**-2) * math.exp(reward)
        assert floor * math.sqrt(world.coverage / (n + 1)) * cost <= 0.25
