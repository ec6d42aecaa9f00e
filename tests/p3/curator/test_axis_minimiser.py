"""The separable minimiser against the general one, inside the ball and on its sphere."""

import numpy as np
import pytest
import torch

from repro.p3.curator.axis_minimiser import AxisCounts
from repro.p3.curator.axis_world import even_world, multi_scale_world, trapped_world
from repro.p3.curator.choice_sets import ChoiceSetWorld
from repro.p3.curator.minimiser import minimise_in_ball

WORLDS = (even_world(6, 2.0, 0.9), multi_scale_world(9, 2.0, 0.9))
AXIS = trapped_world(5, 2.0, 0.9, 0.2)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("ridge", "std"), [(20.0, 11.0), (1e-6, 0.0), (20.0, 3000.0)])
def test_it_is_the_minimiser_of_the_general_solver(world, ridge, std):
    rng, n = np.random.default_rng(0), 1000
    loss, _ = world.draw(rng, n, 30)
    wins = (loss.win_share * n).numpy()
    counts = AxisCounts(np.broadcast_to((loss.share * n).numpy(), wins.shape), wins, world.length)
    linear = std * rng.standard_normal(wins.shape)
    found = counts.minimiser(ridge, linear, 1.0)
    wanted = minimise_in_ball(loss, ridge / 2 / n, torch.from_numpy(linear) / n, 1.0).numpy()
    assert found == pytest.approx(wanted, abs=1e-9)
    assert np.linalg.norm(found, axis=1).max() <= 1 + 1e-12


@pytest.mark.parametrize("num_ranked", [2, 4, 5])
@pytest.mark.parametrize("std", [0.0, 0.02, 3.0])
def test_rankings_of_alternating_responses(num_ranked, std):
    rng, world = np.random.default_rng(0), ChoiceSetWorld(AXIS, num_ranked)
    loss, _ = world.draw(rng, 100_000, 20)
    linear = std * torch.from_numpy(rng.standard_normal((20, 6)))
    found, wanted = loss.minimiser(1e-3, linear, 1.0), minimise_in_ball(loss, 1e-3, linear, 1.0)
    torch.testing.assert_close(found, wanted, atol=1e-9, rtol=0)


def test_one_dataset_for_all_noises():
    world = multi_scale_world(4, 2.0, 0.9)
    linear = torch.from_numpy(np.random.default_rng(0).standard_normal((9, 4)))
    loss = world.expected_loss()
    wanted = minimise_in_ball(loss, 1e-4, 0.1 * linear, 1.0)
    torch.testing.assert_close(loss.minimiser(1e-4, 0.1 * linear, 1.0), wanted, atol=1e-9, rtol=0)
