"""Many rarely seen bad responses: the instance by hand."""

from __future__ import annotations

import math

import pytest
import torch

from repro.worlds.instances.arms import bad_arms_world
from repro.worlds.instances.assumptions import linear_concentrability, policy_concentrability
from repro.worlds.instances.linear import LinearWorld


def world(coverage: float = 1000.0) -> LinearWorld:
    return bad_arms_world(coverage, 10, 0.5, 2.5, 0.0625)


def test_shapes_and_probabilities():
    w = world()
    assert w.features.shape == (1, 12, 11)
    assert w.cell_prob.shape == (66,)
    assert w.reference[0].tolist() == pytest.approx([0.495, 0.495] + [0.001] * 10)
    assert float(w.reference.sum()) == pytest.approx(1)
    assert w.state_prob.tolist() == [1.0]


def test_rewards_by_hand():
    """The two good responses are equal, every bad one is worse by 0.5."""
    w = world()
    assert w.reward[0].tolist() == [0.0, 0.0] + [-0.5] * 10
    assert float(w.theta.norm()) == pytest.approx(0.5 * math.sqrt(10))
    assert float(w.theta.norm()) < w.radius


def test_class_stays_inside_the_bound():
    """‖e_i − e_j‖ = √2, so differences of the class are within √2·radius."""
    w = world()
    assert float(w.feature_diff.norm(dim=1).max()) * w.radius == pytest.approx(w.reward_bound)
    assert float(w.reward_diff.abs().max()) <= w.reward_bound


def test_optimal_policy_by_hand():
    """A bad response keeps the share e^{−8}·0.001 to 0.495 of a good one."""
    policy = world().optimal_policy[0]
    assert float(policy[0]) == float(policy[1])
    odds = float(policy[2] / policy[0])
    assert odds == pytest.approx(math.exp(-8) * 0.001 / 0.495)


@pytest.mark.parametrize("coverage", [100.0, 1000.0, 5000.0])
def test_concentrability_stays_while_the_density_ratio_grows(coverage):
    """D²(a) = 1/π_ref(a) − 1 on a table, weighted by π*: about 1, whatever 1/π_ref."""
    w = world(coverage)
    distance = linear_concentrability(w)
    torch.testing.assert_close(distance, 1 / w.reference - 1)
    assert float(distance.max()) == pytest.approx(coverage - 1)
    single = policy_concentrability(distance, w.optimal_policy, w.state_prob)
    assert single == pytest.approx(1, abs=0.25)
