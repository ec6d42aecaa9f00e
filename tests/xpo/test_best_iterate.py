"""What small rewards do to the best iterate, which Theorems 4.8 and 5.3 are about."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from repro.preferences.block_draws import draws_on, geometric_times
from repro.xpo.runs import Update
from repro.xpo.simulator import average_gap, log_objective, square_objective
from repro.xpo.small_rewards import OneReward, printed_factor
from repro.xpo.worst_reward import batch_of

EPSILON, FAILURE_PROB = 1.0, 0.05
TILT = 2.0
"""Log odds of the better response under π*_β, β = R/2."""
OF_REFERENCE = math.log(math.cosh(TILT / 2)) / TILT
OF_WRONG = math.tanh(TILT / 2)
"""KL-regularised gaps over R of π_ref and of the wrong policy, in one state."""


def gaps_on_the_rows_world(
    update: Update, multiple: float, grid_ratio: float, runs: int
) -> tuple[np.ndarray, np.ndarray]:
    """(runs,) gaps over R of the best and the average iterate, R = 1e-3, T = (3c/R)²."""
    world = OneReward(epsilon=EPSILON, steps=3.0, inverse_reward_bound=1e3, grid_ratio=grid_ratio)
    (reward,) = world.rewards
    played = []

    def recorded(score: torch.Tensor, gap: torch.Tensor) -> torch.Tensor:
        played.append(score.argmin(dim=1))
        return score

    average = average_gap(
        world.policies(), batch_of(world, update, reward, multiple, runs), update.objective,
        geometric_times(world.rounds, grid_ratio, max(1, int(0.01 * math.sqrt(world.rounds)))),
        draws_on("cpu", np.random.default_rng(0)), estimate=recorded,
    )  # fmt: skip
    gaps = world.policies().divergence().flatten()[torch.stack(played)] / TILT
    return gaps.amin(dim=0).numpy(), average.numpy() / reward


@pytest.mark.parametrize(
    ("objective", "multiple"),
    [(square_objective, 1), (square_objective, 0.25), (log_objective, 0.25)],
)
def test_on_the_rows_world_the_best_iterate_is_exact_in_nearly_every_run(objective, multiple):
    """So rows small_rewards_printed speak of the average iterate, not of the printed output.

    The more often policies change, the more iterates there are: with γ of the rows (multiple 1)
    Algorithm 4 meets π*_β in 2, 14, 24 and 29 of 30 runs at the ratios 1.5, 1.1, 1.01 and 1.001,
    where Theorem 5.3 has a policy for every round.
    """
    best, average = gaps_on_the_rows_world(Update(objective), multiple, grid_ratio=1.01, runs=30)
    assert (best < 1e-12).sum() >= 20
    assert best.max() < 0.04
    assert average.mean() > 0.1


def least_gaps(
    states: int, reward: float, multiple: float, square: bool, rng: np.random.Generator, runs: int
) -> np.ndarray:
    """(runs,) least gap over R of π_ref and all iterates, T = S·c²/R², every sign a policy.

    Π holds a policy for every choice of a response in every state, with log odds ±2, so that an
    update splits into one per state; policies change at times in the ratio 1.02.
    """
    cost = privacy_cost(EPSILON)
    horizon, mean = round(states * cost**2 / reward**2), math.tanh(reward / 2) / cost
    gamma = multiple * reward / 2 * cost / math.sqrt(horizon)
    pull = 4 * mean * cost**2 if square else 2 * cost**2 * math.atanh(mean)
    shape = runs, states
    drawn, label_sum = np.zeros(shape), np.zeros(shape)
    least, times = np.full(runs, OF_REFERENCE), geometric_times(horizon, 1.02, 1)
    prob = np.full(shape, 0.5)
    for before, now in pairwise(times):
        rounds = rng.multinomial(now - before, np.full(states, 1 / states), size=runs)
        first = rng.binomial(rounds, 0.5)
        pairs = rng.binomial(rounds - first, prob) + rng.binomial(first, 1 - prob)
        label_sum += 2 * rng.binomial(pairs, (1 + mean) / 2) - pairs
        drawn += 2 * first - rounds
        score = 2 * gamma * drawn - pull * label_sum
        right = np.where(score == 0, rng.random(shape) < 0.5, score < 0)
        prob = 1 / (1 + np.exp(np.where(right, -TILT, TILT)))
        least = np.minimum(least, OF_WRONG * (1 - right.mean(axis=1)))
    return least


def printed_over_reward(states: int, reward: float) -> float:
    """Bound of Theorem 4.8 over R with constant 1: V = β·|log 2σ(−2)|, C_cov = 2σ(2)."""
    cost = privacy_cost(EPSILON)
    horizon = states * cost**2 / reward**2
    value = reward / TILT * -math.log(2 / (1 + math.exp(TILT)))
    logs = states * math.log(2) + math.log(horizon / FAILURE_PROB)
    coverage = 2 / (1 + math.exp(-TILT))
    rate = cost * math.sqrt(coverage * logs / horizon) * math.log(horizon)
    return rate * printed_factor(value, reward) / reward


@pytest.mark.parametrize("square", [False, True])
def test_with_many_states_the_best_iterate_too_lies_above_the_printed_bound(square):
    rng, found = np.random.default_rng(1), {}
    for reward in (1e-3, 2e-4):
        least = [least_gaps(64, reward, m, square, rng, 30) for m in (0, 0.01, 0.1, 1, 10, 100)]
        found[reward] = np.stack(least) / printed_over_reward(64, reward)
    assert found[1e-3].min() > 2  # in every run, for every γ
    assert (found[1e-3].mean(axis=1) > 4).all()
    assert (found[2e-4].mean(axis=1) > 18).all()
