"""Online Newton steps end to end."""

import pytest

from theorems import online_newton as own


def test_the_bound_has_the_measured_share_of_a_block(swept_of):
    world = swept_of()["bound"].sweep.worlds[-1]
    found = own.largest_share(world, replicates=2)
    assert 1 - 1 / world.grid_ratio - 0.01 < found <= own.LARGEST_SHARE


def test_the_least_slope_costs_more_the_larger_the_bound(swept_of):
    small, wide = (swept_of()[name].sweep.worlds[0] for name in ("horizon", "constant_wide"))
    assert own.limit(small) < 1.1 * own.limit_of_own_slope(small)
    assert own.limit(wide) > 10 * own.limit_of_own_slope(wide)


@pytest.mark.parametrize("name", ["frozen_matrix", "cautious_steps", "naive_labels"])
def test_mistakes_keep_the_world_and_change_the_learner(swept_of, name):
    world = swept_of()["horizon"].sweep.worlds[0]
    changed = getattr(own, name)(world)
    assert changed.instance == world.instance
    assert (changed.rewards, changed.believed_epsilon) != (world.rewards, world.believed_epsilon)


def test_a_horizon_and_a_budget_reach_the_worlds(swept_of):
    world = swept_of(horizon=1000, epsilon=0.5)["own_slope"].sweep.worlds[0]
    assert world.horizon == 1000
