"""One interface for reward classes: linear and finite learners against the definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from repro.p1.pokl.finite import (
    FiniteRewards,
    RandomFinite,
    random_finite_class,
    two_rewards,
)
from repro.p1.pokl.instances import two_rewards_world
from repro.p1.pokl.linear import LeadingFeatures, LinearClass
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.policies.covering import log_covering_ball

CHOICE = LinearChoice(
    kind="linear", num_states=2, num_actions=3, num_features=2, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=0,
)  # fmt: skip


def small_run(**more) -> OnlineRun:
    """A small run, some of whose fields are others."""
    usual: dict[str, Any] = {
        "instance": CHOICE,
        "epsilon": 1.0,
        "horizon": 100,
        "failure_prob": 0.05,
        "net_radius": 1e-6,
        "ridge": 1.0,
        "grid_ratio": 2.0,
        "gamma": 30.0,
    }
    return OnlineRun(**{**usual, **more})


WORLD, RUNS = small_run().linear, Runs([small_run()], 3)
CELLS = torch.tensor([[0, 3, 5], [1, 1, 4], [2, -1, 0], [5, 5, 5]])
LABELS = torch.tensor([[1.0, -1, 1], [1, 1, -1], [-1, 1, 1], [1, -1, -1]], dtype=torch.float64)


def classes():
    return {"linear": LinearClass(WORLD), "finite": random_finite_class(WORLD, 5, seed=1)}


def fed_by_pairs(rewards):
    learner = rewards.learner(RUNS)
    for cell, label in zip(CELLS, LABELS, strict=True):
        one = torch.nn.functional.one_hot(cell + 1, 7)[:, 1:].double()
        learner.observe(one, one * label[:, None])
    return learner


def fed_by_block(rewards):
    learner = rewards.learner(RUNS)
    pairs = torch.zeros(3, 6, dtype=torch.float64)
    sums = torch.zeros_like(pairs)
    for cell, label in zip(CELLS, LABELS, strict=True):
        for run in range(3):
            if cell[run] >= 0:
                pairs[run, cell[run]] += 1
                sums[run, cell[run]] += label[run]
    learner.observe(pairs, sums)
    return learner


@pytest.mark.parametrize("kind", ["linear", "finite"])
def test_pairs_one_by_one_and_as_a_block_leave_the_same_state(kind):
    one, other = fed_by_pairs(classes()[kind]), fed_by_block(classes()[kind])
    policy = WORLD.reference.expand(3, -1, -1)
    torch.testing.assert_close(one.pairs, other.pairs)
    torch.testing.assert_close(one.label_sum, other.label_sum)
    torch.testing.assert_close(one.reward(), other.reward(), rtol=0, atol=2e-3)
    torch.testing.assert_close(one.uncertainty(policy), other.uncertainty(policy))


def ratio_of_definition(first, second, pairs, policy, ridge):
    """Definition 3.5's ratio for one couple of rewards (S, A), by loops."""
    gap = (first - second).numpy()
    weight = ridge
    for cell, count in enumerate(pairs.numpy()):
        state, (a, b) = cell // 3, [(0, 1), (0, 2), (1, 2)][cell % 3]
        weight += count * (gap[state, a] - gap[state, b]) ** 2
    mean = (policy.numpy() * gap).sum(axis=1, keepdims=True)
    return np.abs(gap - mean) / math.sqrt(weight)


def test_finite_uncertainty_is_the_supremum_of_the_definition():
    rewards = classes()["finite"]
    learner, policy = fed_by_pairs(rewards), WORLD.reference
    found = learner.uncertainty(policy.expand(3, -1, -1))
    for run in range(3):
        table = [
            ratio_of_definition(a, b, learner.pairs[run], policy, 1.0)
            for a in rewards.rewards
            for b in rewards.rewards
        ]
        np.testing.assert_allclose(found[run].numpy(), np.max(table, axis=0), rtol=1e-12)


def test_linear_uncertainty_is_reached_on_the_sphere_and_never_exceeded():
    """sup over the ball of Definition 3.5's ratio, against 20 000 random members."""
    learner = fed_by_pairs(LinearClass(WORLD))
    found = learner.uncertainty(WORLD.reference.expand(3, -1, -1))[0].numpy()
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 2000)
    sphere = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    inside = sphere * rng.random((2000, 1))
    best = {}
    for name, thetas in (("sphere", sphere), ("inside", inside)):
        members = torch.from_numpy(thetas) @ WORLD.features.flatten(0, 1).T
        members = members.reshape(-1, 2, 3)
        best[name] = np.max(
            [ratio_of_definition(m, -m, learner.pairs[0], WORLD.reference, 1.0) for m in members],
            axis=0,
        )
    np.testing.assert_allclose(best["sphere"], found, rtol=1e-4)
    assert (best["inside"] <= found * (1 + 1e-9)).all()


def test_the_confidence_set_leaves_only_the_truth_at_last():
    rewards = random_finite_class(WORLD, 5, seed=1)
    learner = rewards.learner(RUNS)
    pairs = torch.full((3, 6), 1e6, dtype=torch.float64)
    truth = RUNS.label_scale[0] * torch.tanh(WORLD.reward_diff / 2)
    learner.observe(pairs, pairs * truth)
    assert learner.best.tolist() == [0, 0, 0]
    assert not learner.uncertainty(WORLD.reference.expand(3, -1, -1)).any()
    assert float(learner.distance()[:, 1:].min()) > 900


def test_two_rewards_is_realizable_and_within_its_bound():
    rewards = two_rewards(two_rewards_world(2.0, 0.1))
    assert isinstance(rewards, FiniteRewards)
    truth = rewards.world.reward - rewards.world.reward.min()
    torch.testing.assert_close(rewards.rewards[0], truth)
    assert float(rewards.rewards.max()) == 2.0
    assert float(rewards.rewards.min()) == 0.0


def test_believed_budget_defaults_to_the_true_one():
    batch = Runs([small_run(), small_run(epsilon=2.0, ridge=4.0, played_kl_weight=1.0)], 2)
    assert len(batch) == 4
    torch.testing.assert_close(batch.label_scale, batch.believed_signal)
    assert batch.ridge.tolist() == [1, 1, 4, 4]
    assert batch.played_kl_weight.tolist() == [0.5, 0.5, 1, 1]


def test_sizes_of_classes():
    assert LinearClass(WORLD).log_size(0.1) == log_covering_ball(2, 1.0, 0.1)
    assert RandomFinite(5, 1)(WORLD).log_size(0.1) == math.log(5)
    assert LeadingFeatures(1)(WORLD).log_size(0.1) == log_covering_ball(2, 1.0, 0.1)
