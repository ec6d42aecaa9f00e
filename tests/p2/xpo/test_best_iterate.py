"""What small rewards do to the best iterate, which Theorems 4.8 and 5.3 are about."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import draws_on, geometric_times
from repro.p2.xpo.runs import Update
from repro.p2.xpo.simulator import average_gap, log_objective, square_objective
from repro.p2.xpo.small_rewards import OneReward
from repro.p2.xpo.worst_reward import batch_of

EPSILON = 1.0
TILT = 2.0
"""Log odds of the better response under π*_β, β = R/2."""


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
