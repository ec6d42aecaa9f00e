"""The distance of whole rankings against random rankings, their derivatives and pairs."""

import numpy as np
import pytest

from repro.families.central.bounds_gradients import gradient_distance, rankings
from repro.families.central.bounds_ranking_distance import (
    bend,
    farthest_ranking,
    gradients_on_grid,
    joint_distance,
    joint_rankings,
)
from repro.families.central.mechanisms_records import RankedFeatures


def gradient(angles, size):
    features = tuple((float(np.cos(one)), float(np.sin(one))) for one in angles)
    return RankedFeatures(features).gradient(np.array([size, 0.0]))


def test_the_grid_holds_gradients_of_rankings():
    along, across = gradients_on_grid(3, 0.7, 8)
    assert along.shape == (5, 8, 8)
    for last, second, first in ((0, 3, 5), (4, 1, 2)):
        wanted = gradient(np.array([first, second, last]) * np.pi / 4, 0.7)
        assert [along[last, second, first], across[last, second, first]] == pytest.approx(wanted)


def test_pairs_are_rankings_of_two():
    assert joint_distance(2, 1.0) == pytest.approx(gradient_distance(1.0, 1, 2), rel=0.04)
    assert joint_distance(2, 1.0) > gradient_distance(1.0, 1, 2) - 0.02


@pytest.mark.parametrize("bound", [0.5, 1.0])
def test_no_two_random_rankings_are_farther_apart(bound):
    rng, limit = np.random.default_rng(0), joint_distance(3, bound)
    angles = farthest_ranking(3, bound)
    best = 2 * abs(gradient(angles, bound)[1])
    assert 0.96 * limit < best < limit < rankings(3, bound, 2).distance
    for _ in range(2000):
        one, other = rng.uniform(-np.pi, np.pi, (2, 3)) * 0.1 + np.outer((1, -1), angles)
        size = bound * rng.uniform(0.8, 1)
        assert np.linalg.norm(gradient(one, size) - gradient(other, size)) <= limit


def test_features_in_the_ball_of_more_dimensions_are_no_farther():
    rng, limit, theta = np.random.default_rng(1), joint_distance(3, 1.0), np.eye(4)[0]
    for _ in range(500):
        features = rng.standard_normal((2, 3, 4))
        features /= np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1)
        one, other = (RankedFeatures(tuple(map(tuple, x))).gradient(theta) for x in features)
        assert np.linalg.norm(one - other) <= limit


@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
def test_second_derivatives_are_bounded(size):
    rng, step = np.random.default_rng(2), 1e-4
    for _ in range(200):
        angles, turn = rng.uniform(-np.pi, np.pi, 3), rng.uniform(0, np.pi)
        way = np.array([np.cos(turn), np.sin(turn)])
        move = rng.standard_normal(3)
        move *= step / np.linalg.norm(move)
        values = [gradient(angles + k * move, size) @ way for k in (-1, 0, 1)]
        assert abs(values[0] - 2 * values[1] + values[2]) / step**2 <= bend(3, size)


def test_only_the_distance_differs():
    joint, apart = joint_rankings(3, 0.5, 2), rankings(3, 0.5, 2)
    assert joint.distance < 0.8 * apart.distance
    assert (joint.span, joint.points, joint.hessian) == (apart.span, apart.points, apart.hessian)
