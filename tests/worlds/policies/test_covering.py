"""Covering numbers: nets that exist are no larger, and volumes allow no smaller ones."""

from __future__ import annotations

import math

import pytest

from repro.worlds.policies.covering import log_covering_ball, log_covering_table


@pytest.mark.parametrize(
    ("num_features", "radius", "net_radius", "expected"),
    [
        pytest.param(1, 1.0, 2.0, math.log(2), id="1 + 2/2"),
        pytest.param(3, 1.0, 0.5, 3 * math.log(5), id="d = 3, 1 + 4"),
        pytest.param(2, 4.5, 1.0, 2 * math.log(10), id="radius 4.5"),
        pytest.param(4, 1.0, 1e-15, 4 * math.log(2e15), id="tiny net"),
    ],
)
def test_ball_by_hand(num_features, radius, net_radius, expected):
    assert log_covering_ball(num_features, radius, net_radius) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("num_states", "reward_bound", "net_radius", "expected"),
    [
        pytest.param(1, 3.0, 1.0, math.log(4), id="one state"),
        pytest.param(8, 2.0, 0.5, 8 * math.log(5), id="eight states"),
    ],
)
def test_table_by_hand(num_states, reward_bound, net_radius, expected):
    assert log_covering_table(num_states, reward_bound, net_radius) == pytest.approx(expected)


@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.5, 7.0, 1e6 + 0.5])
def test_intervals_are_covered_by_as_many_points(ratio):
    """[−B, B] needs ⌈B/τ⌉ points; the bound may not be below that number."""
    needed = math.log(math.ceil(ratio))
    assert needed <= log_covering_table(1, ratio, 1.0) <= needed + math.log(2) + 1e-12
    assert needed <= log_covering_ball(1, ratio, 1.0) <= needed + math.log(3) + 1e-12


@pytest.mark.parametrize("num_features", [1, 4, 32])
def test_ball_is_above_the_volume_bound(num_features):
    """τ-balls that cover a ball of radius R number at least (R/τ)^d."""
    volume = num_features * math.log(1.5 / 1e-3)
    bound = log_covering_ball(num_features, 1.5, 1e-3)
    assert volume < bound < volume + num_features * math.log(2.01)
