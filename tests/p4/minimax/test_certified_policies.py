"""The largest margin that an attack can turn, by hand where its certificate is a line."""

import math

import numpy as np
import pytest

from repro.p4.label_cells.pairs import random_pair_world
from repro.p4.minimax.certified_policies import _crossing, at_margin, largest_margin

WORLD = random_pair_world(4, 3, 1.5, seed=2)


@pytest.mark.parametrize(
    ("estimated", "margin"),
    [([-3, -1, 1, 2], 2.5), ([-1, 1, -1, 3], 3.25), ([0, 1, 2, 3], 1.0), ([-4, -3, -2, -1], 4.0)],
)
def test_an_estimated_margin_turns_after_the_last_that_is_wrong(estimated, margin):
    found = _crossing(np.array([1.0, 2.0, 3.0, 4.0]), np.array(estimated, dtype=float))
    assert found == pytest.approx(margin)


def test_an_attack_that_turns_no_margin_has_no_crossing():
    assert math.isnan(_crossing(np.array([1.0, 2.0]), np.array([0.5, 1.0])))


def test_a_margin_is_the_first_cells_and_leaves_cells_and_class_alone():
    moved = at_margin(WORLD, 0.7)
    assert float(moved.reward_diff[0]) == pytest.approx(0.7)
    assert (moved.cell_prob is WORLD.cell_prob, moved.radius) == (True, WORLD.radius)


@pytest.mark.parametrize(
    ("height", "slope", "margin"), [(1.0, -0.5, 2 / 3), (1.0, 0.5, 2.0), (2.0, -9.0, 0.2)]
)
def test_the_largest_margin_is_where_a_falling_certificate_meets_it(height, slope, margin):
    found = largest_margin(WORLD, lambda world: height + slope * float(world.reward_diff[0]))
    assert found == pytest.approx(margin, abs=1e-6)
    assert found >= margin


@pytest.mark.parametrize(
    "certified",
    [lambda margin: math.inf, lambda margin: 1 + margin,
     lambda margin: math.nan if 1.5 < margin < 2 else 1.0],
)  # fmt: skip
def test_without_a_certificate_on_the_way_there_is_none(certified):
    assert largest_margin(WORLD, lambda world: certified(float(world.reward_diff[0]))) is None
