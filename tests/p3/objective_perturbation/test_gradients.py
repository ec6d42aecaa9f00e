"""Every constant of the theorem against random records, in one, two and five dimensions."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from repro.p3.objective_perturbation.gradients import (
    LONGEST,
    arc,
    gradient_distance,
    pairs,
    rankings,
    reach,
)
from repro.p3.objective_perturbation.records import Pair, RankedFeatures


def in_ball(rng, size, dimension, radius):
    """On the sphere half of the time."""
    x = rng.standard_normal((size, dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return radius * x * np.where(rng.random(size) < 0.5, 1, rng.random(size))[:, None]


@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("bound", [0.3, 1.0, 4.0])
def test_gradients_of_two_pairs_differ_by_no_more(dimension, bound):
    rng = np.random.default_rng(0)
    limit = pairs(bound, dimension).distance
    for theta in in_ball(rng, 100, dimension, bound):
        x = in_ball(rng, 60, dimension, LONGEST)
        gradients = np.array([Pair(tuple(one)).gradient(theta) for one in x])
        apart = np.linalg.norm(gradients[:, None] - gradients, axis=-1)
        assert apart.max() <= limit


@pytest.mark.parametrize("bound", [0.5, 1.0, 3.0, 5.0])
def test_the_mirrored_record_attains_the_distance_in_the_plane(bound):
    angle = np.linspace(0, math.pi / 2, 4001)
    attained = 4 * np.sin(angle) / (1 + np.exp(-2 * bound * np.cos(angle)))
    assert attained.max() <= gradient_distance(bound, 1, 2) <= 1.015 * attained.max()


def test_without_a_ball_it_is_four():
    assert gradient_distance(math.inf, 1, 2) == 4.0
    assert pairs(math.inf, 3).sector == 0.0
    assert gradient_distance(60.0, 1, 2) == pytest.approx(4.0)


@pytest.mark.some(2)
@pytest.mark.parametrize("dimension", [1, 2, 4])
@pytest.mark.parametrize("bound", [0.5, 2.0])
def test_rankings_differ_by_no_more_and_curve_by_no_more(dimension, bound):
    rng = np.random.default_rng(1)
    limits = rankings(3, bound, dimension)
    for theta in in_ball(rng, 60, dimension, bound):
        records = [
            RankedFeatures(tuple(map(tuple, in_ball(rng, 3, dimension, 1)))) for _ in range(40)
        ]
        gradients = np.array([one.derivatives(theta)[0] for one in records])
        assert np.linalg.norm(gradients[:, None] - gradients, axis=-1).max() <= limits.distance
        hessians = np.array([one.derivatives(theta)[1] for one in records])
        assert np.einsum("kii->k", hessians).max() <= limits.hessian
        assert np.linalg.matrix_rank(hessians[0], tol=1e-9) <= limits.rank


def test_a_stage_lies_in_the_hull_of_pairs_with_more_weight():
    """Lemma 5, by the hull's radial function in the plane."""
    rng = np.random.default_rng(2)
    angle = np.linspace(-math.pi, math.pi, 2001)
    for k in (0.5, 3.0):
        hull = ConvexHull(reach(angle, k, 2)[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1))
        theta = np.array([k / LONGEST, 0.0])
        for _ in range(300):
            y = in_ball(rng, 2, 2, LONGEST)
            weight = np.exp(y @ theta)
            stage = weight @ y / (1 + weight.sum())
            assert (hull.equations[:, :2] @ stage + hull.equations[:, 2]).max() <= 1e-5


def test_points_of_pairs_and_of_rankings():
    """(1 + z)² for K = 2; (1 + 2z)²(1 + z)² for K = 3, where B = ∞ makes all lengths R."""
    assert rankings(2, 30.0, 2).points == ((2.0, 2), (4.0, 1))
    assert rankings(3, 30.0, 9).points == ((2.0, 6), (4.0, 13), (6.0, 12), (8.0, 4))
    assert [rankings(3, 1.0, d).span for d in (1, 3, 9)] == [1, 3, 4]


@pytest.mark.parametrize("ratio", [1.1, 1.45, 1.8])
def test_the_arc_holds_every_point_of_a_rhombus_that_far(ratio):
    rng = np.random.default_rng(3)
    opening, p, q = rng.uniform(0, math.pi, 200_000), *rng.random((2, 200_000))
    along, across = (p + q) * np.cos(opening / 2), (p - q) * np.sin(opening / 2)
    far = np.hypot(along, across) >= ratio
    found = np.abs(np.arctan2(across, along))[far].max()
    assert 0.8 * arc(ratio) <= found <= arc(ratio)
