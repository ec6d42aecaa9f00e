"""The hypercube of P1's lower bound, formula by formula, and the world of a large difference."""

from __future__ import annotations

import math

import pytest
import torch

from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world, large_difference_world
from repro.worlds.policies.gibbs import gibbs_policy

BETA, COVERAGE, TILT, STATES = 32.0, 16.0, 1.3, 5
GAP = TILT / BETA  # a of the proof
SHIFT = math.log(COVERAGE - 1) / BETA  # b of the proof
SIGNS = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0], dtype=torch.float64)  # v of the proof


@pytest.fixture
def cube() -> TwoArmWorld:
    return hypercube_world(STATES, COVERAGE, 1 / BETA, 2.0, TILT)


def test_step_1_reference_and_states(cube):
    """d₀ uniform, π_ref(−1|s) = 1/C and π_ref(+1|s) = 1 − 1/C."""
    torch.testing.assert_close(cube.state_prob, torch.full((5,), 0.2, dtype=torch.float64))
    expected = torch.tensor([[1 / 16, 15 / 16]] * STATES, dtype=torch.float64)
    torch.testing.assert_close(cube.policies, expected)


def test_step_1_rewards(cube):
    """r(s, −1) − r(s, +1) = (B/2 + v_s·a) − (B/2 − b), within (0, B) as a, b < B/2."""
    torch.testing.assert_close(cube.reward_diff, SHIFT + SIGNS * GAP)
    assert max(GAP, SHIFT) < cube.reward_bound / 2
    assert float(cube.reward_diff.abs().max()) < cube.reward_bound


def test_step_1_optimal_policy(cube):
    """π*(−1|s) = exp(β(b+v_s·a))/(exp(β(b+v_s·a)) + C − 1), as printed."""
    power = torch.exp(BETA * (SHIFT + SIGNS * GAP))
    torch.testing.assert_close(cube.optimal_policy[:, 0], power / (power + COVERAGE - 1))
    torch.testing.assert_close(cube.optimal_policy[:, 1], (COVERAGE - 1) / (power + COVERAGE - 1))


def test_step_2_density_ratio(cube):
    """π*/π_ref is C·e^{βva}/(1+e^{βva}) and C/(C−1)/(1+e^{βva}): never above C."""
    ratio = cube.optimal_policy / cube.policies
    power = torch.exp(BETA * SIGNS * GAP)
    torch.testing.assert_close(ratio[:, 0], COVERAGE * power / (1 + power))
    torch.testing.assert_close(ratio[:, 1], COVERAGE / (COVERAGE - 1) / (1 + power))
    assert float(ratio.max()) <= COVERAGE


@pytest.mark.parametrize("coverage", [2.5, 16.0, 1024.0])
@pytest.mark.parametrize("tilt", [1e-3, 1.0, 30.0])
def test_density_ratio_never_exceeds_the_coverage(coverage, tilt):
    cube = hypercube_world(2, coverage, 0.1, 9.0, tilt)
    ratio = float((cube.optimal_policy / cube.policies).max())
    assert ratio <= coverage * (1 + 1e-12)
    if tilt == 30.0:
        assert ratio == pytest.approx(coverage)


def test_pairs_of_different_responses(cube):
    """Two independent draws differ with probability 2·(1/C)·(1 − 1/C)."""
    expected = torch.full((5,), 0.2 * 2 * 15 / 256, dtype=torch.float64)
    torch.testing.assert_close(cube.cell_prob, expected)
    assert float(cube.cell_prob.sum()) < 1


def test_optimal_policy_is_the_gibbs_policy(cube):
    reward = torch.stack([cube.reward_diff, torch.zeros_like(cube.reward_diff)], dim=-1)
    expected = gibbs_policy(cube.policies, reward, cube.kl_weight)
    torch.testing.assert_close(cube.optimal_policy, expected)


def test_large_difference_by_hand():
    world = large_difference_world(4.0, 0.5, 4.0)
    assert world.reward_diff.tolist() == [3.5]
    assert world.policies.tolist() == [[0.5, 0.5]]
    assert world.cell_prob.tolist() == [0.5]
    assert float(world.optimal_policy[0, 0]) == pytest.approx(1 / (1 + math.exp(-3.5 / 4)))
    assert float(world.optimal_policy.sum()) == pytest.approx(1)
    assert world.reward_bound == 4.0


def test_under_a_uniform_reference_rewards_are_the_same(cube):
    even = cube.under_uniform_reference()
    assert even.policies.tolist() == [[0.5, 0.5]] * STATES
    assert even.cell_prob.tolist() == pytest.approx([0.2 / 2] * STATES)
    assert torch.equal(even.reward_diff, cube.reward_diff)
