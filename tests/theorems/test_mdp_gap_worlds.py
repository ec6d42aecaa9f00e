"""Occupancies, backward induction and trajectory pairs against enumeration by hand."""

from itertools import product

import pytest
import torch

from repro.p3.curator.axis_world import multi_scale_world, trapped_world
from theorems.mdp_gap import two_stage_mdp

MDP = two_stage_mdp(trapped_world(2, 2.0, 0.8, 0.25), later_share=0.5, tilt=0.4)


def features_by_paths(mdp, policy):
    """Σ_h E φ by walking every path of a two-layer MDP."""
    total = torch.zeros(mdp.num_features).double()
    states = len(mdp.start)
    for s, t in product(range(states), range(2)):
        a, b = int(policy[s]), int(policy[states + t])
        p = mdp.start[s] * mdp.transitions[0][s, a, t]
        total += p * (mdp.features[0][s, a] + mdp.features[1][t, b])
    return total


def test_expected_features_by_paths():
    table = MDP.policies
    chosen = (torch.arange(32)[:, None] >> torch.arange(5)) % 2 == 1
    for row in range(32):
        by_hand = features_by_paths(MDP, chosen[row]) - features_by_paths(MDP, chosen[0])
        torch.testing.assert_close(table.features[row], by_hand)


def test_backward_induction_finds_the_best_of_all_policies():
    generator = torch.Generator().manual_seed(1)
    theta = torch.randn(20, MDP.num_features, generator=generator, dtype=torch.float64)
    greedy = MDP.expected_features(MDP.best_choices(theta))
    chosen = (torch.arange(32)[:, None] >> torch.arange(5)) % 2 == 1
    everything = theta @ MDP.expected_features(chosen).T
    torch.testing.assert_close((theta * greedy).sum(1), everything.amax(1))


def test_gap_is_zero_at_the_optimum_alone():
    gaps = MDP.policies.gaps
    assert float(gaps.min()) == pytest.approx(0, abs=1e-15)
    assert int((gaps < 1e-12).sum()) == 1


def test_trajectory_pairs_are_all_unordered_pairs_that_differ():
    x, prob = MDP.trajectory_pairs
    assert len(x) == 2 * 28
    assert float(prob.sum()) == pytest.approx(1 - _same(), abs=1e-12)
    assert x[:, 2].abs().max() == 0
    assert x.norm(dim=1).max() <= 2 * 2


def _same():
    """Probability that both trajectories take the same steps, from any first state."""
    own = [0.7, 0.3]
    path = [0.25 * own[(a + t) % 2] for a in (0, 1) for t in (0, 1) for _ in (0, 1)]
    return sum(p * p for p in path)


def test_horizon_and_dimensions():
    mdp = two_stage_mdp(multi_scale_world(4, 2.0, 0.5), 0.2, 0.2)
    assert mdp.horizon == 2
    assert mdp.num_features == 6
    for layer in mdp.transitions:
        torch.testing.assert_close(layer.sum(-1), torch.ones(4, 2).double())
