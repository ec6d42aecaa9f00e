"""Rare needles, against policies and labels that are written out, and bounds by hand."""

import math

import numpy as np
import pytest

from theorems import rare_needles
from theorems.rare_needles import (
    LargeReward,
    NeedlesByReward,
    RewardLadder,
    average_gaps,
    lower,
    told_the_needle,
    upper,
)

FEW = NeedlesByReward(
    epsilon=1.0, num_actions=3, horizon=60, grid_ratio=1.0001,
    ladder=RewardLadder(low=0.2, high=1.0, rungs=3),
)  # fmt: skip
COST = 1 / math.tanh(0.5)


def label_by_label(reward: float, weight: float, rng: np.random.Generator) -> float:
    """Average gap of one run in which the policy is chosen anew after every label.

    Args:
        reward: Δ.
        weight: W/β; π_ref of a needle is 1e-60.
    """
    rare = 1e-60
    beta = reward / (2 * -math.log(rare))
    log_z = math.log1p(1 / rare)
    right, score, total = rng.integers(3), np.zeros(4), 0.0
    mean = math.tanh(reward / 2)
    score[:3] = -weight * beta * log_z
    for _ in range(FEW.horizon):
        chosen = 3 if score[3] <= score[:3].min() else int(score[:3].argmin())
        total += reward * (0.0 if chosen == right else 0.5 if chosen == 3 else 1.0)
        if chosen == 3:
            continue  # two draws of the safe response
        win = 1 / (1 + math.exp(-reward)) if chosen == right else 0.5
        y = 1 if rng.random() < win else -1
        z = y if rng.random() < 1 / (1 + math.exp(-1.0)) else -y
        score[chosen] += (mean - COST * z) ** 2 - (COST * z) ** 2
    return total / FEW.horizon


def test_runs_of_single_labels_have_the_same_gaps():
    rng, runs = np.random.default_rng(2), 1500
    fast = average_gaps(FEW, rng, 4000, optimism=1.0)
    for reward, gaps in zip(FEW.rewards, fast, strict=True):
        weight = 2 * COST * math.sqrt(FEW.horizon / 3)
        slow = [label_by_label(reward, weight, rng) for _ in range(runs)]
        error = math.sqrt(np.var(slow) / runs + gaps.var() / len(gaps))
        assert abs(np.mean(slow) - gaps.mean()) < 4 * error


@pytest.mark.parametrize("policy", [0, 1, 2, 3])
def test_gaps_are_0_half_and_1_in_the_limit(policy):
    """J_β of every policy with π_ref of a needle 1e-200, needle 0 the better one."""
    log_rare, reward = -200 * math.log(10), 0.7
    beta = reward / (2 * -log_rare)
    log_ref = np.array([log_rare] * 3 + [0.0])

    def value(logits: np.ndarray) -> float:
        log_prob = logits - np.logaddexp.reduce(logits)
        prob = np.exp(log_prob)
        return prob[0] * reward - beta * float(prob @ (log_prob - log_ref))

    tilts = np.zeros(4)
    best = value(log_ref + np.array([-2 * log_rare, 0, 0, 0]))
    if policy < 3:
        tilts[policy] = -2 * log_rare
    found = best - value(log_ref + tilts)
    assert found == pytest.approx(reward * [0, 1, 1, 0.5][policy], abs=1e-9)


def test_the_bounds_by_hand():
    world = NeedlesByReward(
        epsilon=1.0, num_actions=9, horizon=10**6, grid_ratio=1.5,
        ladder=RewardLadder(low=0.01, high=1.0, rungs=3),
    )  # fmt: skip
    new = 10 * math.log(1 + 1e5) / (1e6 * math.log(2))
    slope = 4 * math.cosh(0.25) ** 2 * 1.5
    noise = COST**2 * math.log(200)
    root = math.sqrt(8 * noise * new / ((1 - math.exp(-0.5)) / 4))
    assert upper(world, 0.5) == pytest.approx(slope / 4 * root + 2 * slope * 1e-5)
    assert lower(world) == pytest.approx(0.11 * COST * 3e-3 / 10)


def test_who_knows_the_needle_has_no_gap():
    world = LargeReward(epsilon=4.0, num_actions=8, horizon=1000, grid_ratio=1.5, reward_bound=6)
    assert (told_the_needle(world, np.random.default_rng(0), 5) == 0).all()


def test_without_a_better_needle_the_bounds_are_left(turned):
    def wrong(right, world, difference):
        return 0.5

    found = turned("burn_in_bounds", rare_needles, "_win_prob", wrong)
    assert found == ("supported", "contradicted")
