"""P1's decomposition of the objective, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
import torch

from repro.worlds.policies.gibbs import gibbs_policy
from theorems import objective_decomposition
from theorems.objective_decomposition import (
    RewardPairs,
    gap_over_squared_error,
    objective,
    objective_of_reward,
    random_reward_pairs,
)


def test_an_error_in_units_of_reward_turns_the_verdict(turned):
    def wrong(right, best, error, prob, weight):
        return right(best, error * weight[:, None, None], prob, weight)

    found = turned("pessimistic_gap", objective_decomposition, "gibbs_suboptimality", wrong)
    assert found == ("supported", "contradicted")


def some_pairs(actions: int = 3) -> RewardPairs:
    return random_reward_pairs(np.random.default_rng(0), 50, actions)


def test_the_objective_by_definition():
    one = RewardPairs(*(torch.tensor(x, dtype=torch.float64) for x in (
        [1.0], [[[0.25, 0.75]]], [[[1.0, 0.0]]], [[[0.0, 0.0]]], [2.0], [[0.0]])))  # fmt: skip
    policy = torch.tensor([[[0.5, 0.5]]], dtype=torch.float64)
    kl = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert float(objective(one, policy)) == pytest.approx(0.5 - 2 * kl)


def test_ratios_are_gaps_of_the_objective_over_squared_errors():
    pairs = some_pairs()
    weight = pairs.kl_weight[:, None, None]
    best = gibbs_policy(pairs.reference, pairs.reward, weight)
    gap = objective(pairs, best) - objective_of_reward(pairs, pairs.reward + pairs.error)
    squared = (best * pairs.error.square()).sum(-1) @ pairs.state_prob
    found = gap_over_squared_error(pairs, pairs.error, under_optimum=True)
    large = gap > 1e-6
    torch.testing.assert_close(
        found[large], (gap * pairs.kl_weight / squared)[large], rtol=1e-6, atol=1e-9
    )


def test_the_optimum_beats_other_gibbs_policies():
    pairs = some_pairs()
    best = objective_of_reward(pairs, pairs.reward)
    assert (objective_of_reward(pairs, pairs.reward + pairs.error) <= best + 1e-12).all()


def test_random_instances_are_proper_and_reach_both_regimes():
    pairs = random_reward_pairs(np.random.default_rng(1), 400, 5)
    torch.testing.assert_close(pairs.reference.sum(-1), torch.ones(400, 3, dtype=torch.float64))
    size = pairs.error.abs().flatten(1).amax(1) / pairs.kl_weight
    assert float(size.min()) < 0.05
    assert float(size.max()) > 10
    alone = (pairs.error != 0).sum(-1) == 1
    assert 100 < int(alone.all(-1).sum()) < 300
