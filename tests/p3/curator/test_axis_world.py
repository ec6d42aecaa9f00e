"""Worlds along coordinate axes: masses, bounds and the gap by hand."""

import pytest
import torch

from repro.p3.curator.axis_world import (
    even_world,
    half_null_world,
    half_seen_world,
    hardest_even_world,
    multi_scale_world,
    trapped_world,
)


def test_multi_scale_masses_fall_by_four_and_two():
    world = multi_scale_world(6, length=2.0, radius=0.9)
    assert float(world.data_prob.sum()) == pytest.approx(1)
    assert float(world.test_prob.sum()) == pytest.approx(1)
    torch.testing.assert_close(world.data_prob[1:], world.data_prob[:-1] / 4)
    torch.testing.assert_close(world.test_prob[1:-1], world.test_prob[:-2] / 2)
    assert float(world.test_prob[-1]) == pytest.approx(float(world.test_prob[-2]))
    assert float(world.theta.norm()) == pytest.approx(0.9)


def test_gap_counts_the_test_mass_of_wrong_choices():
    world = multi_scale_world(3, length=2.0, radius=3**0.5)
    right = world.theta > 0
    wrong_first = right.clone()
    wrong_first[0] = ~right[0]
    gaps = world.gap(torch.stack([right, wrong_first, ~right]))
    torch.testing.assert_close(gaps, torch.tensor([0.0, 2 * 0.5, 2.0]).double())


def test_half_null_has_no_data_in_its_second_half():
    world = half_null_world(8, 2.0, 0.5)
    assert world.data_prob[4:].abs().sum() == 0
    assert world.theta[4:].abs().sum() == 0
    assert float(world.theta.norm()) == pytest.approx(0.5)


def test_half_seen_has_the_same_data_and_a_truth_on_all_coordinates():
    world = half_seen_world(8, 2.0, 0.5)
    torch.testing.assert_close(world.data_prob, half_null_world(8, 2.0, 0.5).data_prob)
    torch.testing.assert_close(world.theta, torch.full((8,), 0.5 / 8**0.5).double())


def test_even_world_and_label_probability():
    world = even_world(4, 2.0, 1.0)
    torch.testing.assert_close(
        world.win_prob, torch.sigmoid(torch.ones(4)).double(), atol=1e-7, rtol=0
    )
    torch.testing.assert_close(world.feature_diff, 2 * torch.eye(4).double())
    assert world.num_features == 4


def test_the_trap_has_test_mass_no_data_and_a_worse_response():
    world = trapped_world(3, length=2.0, radius=0.8, trap_prob=0.25)
    assert world.data_prob[-1] == 0
    assert world.test_prob[-1] == 0.25
    assert float(world.test_prob.sum()) == pytest.approx(1)
    assert world.theta[-1] < 0 < world.theta[:-1].min()
    assert float(world.theta.norm()) == pytest.approx(0.8)


def test_policy_table_by_hand():
    table = trapped_world(1, length=2.0, radius=2**0.5, trap_prob=0.25).policies
    torch.testing.assert_close(
        table.features, torch.tensor([[0, 0], [1.5, 0], [0, 0.5], [1.5, 0.5]]).double()
    )
    torch.testing.assert_close(table.gaps, torch.tensor([1.5, 0.0, 2.0, 0.5]).double())


def test_hardest_difference_maximises_expected_loss():
    from scipy.stats import norm

    world = hardest_even_world(4, length=2.0, n_pairs=1e6)
    error = (4 / (1e6 / 4 * 4)) ** 0.5
    cost = [t * norm.cdf(-t) for t in (0.74, 0.7518, 0.76)]
    assert cost[1] == max(cost)
    torch.testing.assert_close(world.theta.abs(), torch.full((4,), 0.7518 * error).double())
