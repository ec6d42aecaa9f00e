"""The distance of whole rankings against random rankings, their derivatives and pairs."""

from itertools import product

import numpy as np
import pytest

from repro.p3.objective_perturbation.gradients import gradient_distance, rankings
from repro.p3.objective_perturbation.ranking_distance import (
    COARSE,
    FINE,
    STEEPEST,
    angles_for,
    bend,
    distances_at,
    farthest_ranking,
    gradients_on_grid,
    joint_distances,
    joint_rankings,
    support,
)
from repro.p3.objective_perturbation.records import RankedFeatures


def joint_distance(ranked, reward_bound, planar=True):
    """Upper bound of ‖∇ℓ_z(θ) − ∇ℓ_z′(θ)‖ over two rankings and ‖θ‖ ≤ LB; ``planar``: any d."""
    return joint_distances(ranked, reward_bound, planar, 0.0)[0]


def test_distances_of_rankings_of_three():
    assert 4.6 < joint_distance(3, 1.0) < 4.67
    assert 3.69 < joint_distance(3, 0.5, planar=False) < 3.74


def gradient(angles, size):
    features = tuple((float(np.cos(one)), float(np.sin(one))) for one in angles)
    return RankedFeatures(features).derivatives(np.array([size, 0.0]))[0]


def test_the_grid_holds_gradients_of_rankings():
    across = gradients_on_grid(3, 0.7, 8)
    assert across.shape == (5, 8, 8)
    for last, second, first in ((0, 3, 5), (4, 1, 2)):
        wanted = gradient(np.array([first, second, last]) * np.pi / 4, 0.7)
        assert across[last, second, first] == pytest.approx(wanted[1])


@pytest.mark.some(4)
@pytest.mark.parametrize(("ranked", "size"), [(2, 1.0), (3, 0.5), (3, 3.0), (4, 1.0)])
@pytest.mark.parametrize("way", [0.0, 0.6, np.pi / 2, 2.5])
def test_support_is_that_of_all_rankings_on_a_grid_and_little_more(ranked, size, way):
    count = {2: 400, 3: 90, 4: 24}[ranked]
    angles = 2 * np.pi * np.arange(count) / count
    best = -np.inf
    for some in product(angles, repeat=ranked - 2) if ranked < 4 else ():
        ends = np.stack(np.meshgrid(angles, angles, indexing="ij"), -1).reshape(-1, 2)
        rest = np.broadcast_to(some, (len(ends), ranked - 2))
        best = max(best, components(np.concatenate([ends, rest], 1), size, way).max())
    if ranked == 4:
        rng = np.random.default_rng(0)
        best = components(rng.uniform(0, 2 * np.pi, (200_000, 4)), size, way).max()
    found = support(ranked, size, way, FINE)
    assert best <= found <= support(ranked, size, way, COARSE)
    assert found - best < (0.02 if ranked < 4 else 0.4) * ranked


def components(angles, size, way):
    """(R,) of the gradients of rankings by their angles (R, K), best first."""
    total, value = np.exp(size * np.cos(angles)), np.cos(angles - way)
    left = np.flip(np.cumsum(np.flip(total, 1), 1), 1)
    mean = np.flip(np.cumsum(np.flip(total * value, 1), 1), 1) / left
    return (mean - value)[:, :-1].sum(1)


@pytest.mark.slow
def test_pairs_are_rankings_of_two():
    assert joint_distance(2, 1.0) == pytest.approx(gradient_distance(1.0, 1, 2), rel=0.015)
    assert joint_distance(2, 1.0) > gradient_distance(1.0, 1, 2) - 0.02
    assert joint_distance(2, 5.0, planar=False) == pytest.approx(
        gradient_distance(5.0, 1, 1), rel=0.015
    )


@pytest.mark.some(1)
@pytest.mark.parametrize(("ranked", "bound"), [(3, 0.5), (3, 1.0), (4, 0.5)])
def test_no_two_random_rankings_are_farther_apart(ranked, bound):
    rng, limit = np.random.default_rng(0), joint_distance(ranked, bound)
    angles = farthest_ranking(ranked, bound)
    best = 2 * abs(gradient(angles, bound)[1])
    assert 0.975 * limit < best < limit < rankings(ranked, bound, 2).distance
    for _ in range(2000):
        one, other = rng.uniform(-np.pi, np.pi, (2, ranked)) * 0.1 + np.outer((1, -1), angles)
        size = bound * rng.uniform(0.8, 1)
        assert np.linalg.norm(gradient(one, size) - gradient(other, size)) <= limit


@pytest.mark.parametrize("bound", [0.5, 2.0])
def test_no_two_rankings_on_a_line_are_farther_apart(bound):
    features = np.array(list(product(np.linspace(-1, 1, 41), repeat=3)))
    best = 0.0
    for size in np.linspace(0, bound, 9):
        total = np.exp(size * features)
        left = np.flip(np.cumsum(np.flip(total, 1), 1), 1)
        mean = np.flip(np.cumsum(np.flip(total * features, 1), 1), 1) / left
        found = (mean - features)[:, :-1].sum(1)
        best = max(best, np.ptp(found))
    assert best <= joint_distance(3, bound, planar=False) < 1.02 * best


def test_features_in_the_ball_of_more_dimensions_are_no_farther():
    rng, limit, theta = np.random.default_rng(1), joint_distance(3, 1.0), np.eye(4)[0]
    for _ in range(500):
        features = rng.standard_normal((2, 3, 4))
        features /= np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1)
        one, other = (RankedFeatures(tuple(map(tuple, x))).derivatives(theta)[0] for x in features)
        assert np.linalg.norm(one - other) <= limit


@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
def test_second_derivatives_by_one_angle_are_bounded(size):
    rng, step = np.random.default_rng(2), 1e-4
    for _ in range(200):
        angles, way, moved = rng.uniform(-np.pi, np.pi, 3), rng.uniform(0, np.pi), rng.integers(3)
        move = step * np.eye(3)[moved]
        values = [components((angles + k * move)[None], size, way)[0] for k in (-1, 0, 1)]
        stages = min(moved + 1, 2)
        allowed = stages * bend(size) + (moved < 2)
        assert abs(values[0] - 2 * values[1] + values[2]) / step**2 <= allowed
    assert angles_for(3, size, 0.01)[1] <= 0.02


def test_the_steepest_turn_of_a_mean():
    p = np.linspace(0, 1, 100_001)
    assert 2 * (p * (1 - p) * (1 - 2 * p)).max() == pytest.approx(STEEPEST, rel=1e-6)


def test_a_coarser_search_bounds_a_finer_one():
    fine, coarse = (distances_at(4, 0.7, mesh, 0.2) for mesh in (FINE, COARSE))
    assert (fine < coarse).all()


@pytest.mark.slow
@pytest.mark.parametrize("bound", [1.0, 3.0])
def test_no_two_random_rankings_are_farther_apart_and_more_curved(bound):
    """‖v‖ + λ·tr ∇²ℓ_z ≤ D_λ, in the plane and in d = 4, near the farthest and anywhere."""
    rng, weight = np.random.default_rng(3), 0.2
    plain, limit = joint_distances(3, bound, True, weight)
    assert plain < limit < plain + weight * 4
    angles, best = np.array(farthest_ranking(3, bound)), 0.0
    for draw in range(2000):
        if draw % 2:
            turned = np.outer((1, -1), angles) + rng.normal(0, 0.2, (2, 3))
            features = np.stack([np.cos(turned), np.sin(turned)], -1)
        else:
            features = rng.standard_normal((2, 3, 4))
            features /= np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1)
        theta = bound * rng.uniform(0.8, 1) * np.eye(features.shape[-1])[0]
        one, other = (RankedFeatures(tuple(map(tuple, x))).derivatives(theta) for x in features)
        found = np.linalg.norm(one[0] - other[0]) + weight * np.trace(one[1])
        best = max(best, found)
        assert found <= limit
    assert best > 0.9 * limit


@pytest.mark.slow
def test_curvature_counts_only_where_it_gains():
    near, far, line = (
        joint_rankings(3, 1.0, 2),
        joint_rankings(3, 2.5, 2),
        joint_rankings(3, 3.0, 1),
    )
    assert (near.tilt, line.tilt) == (None, None)
    assert far.tilt is not None
    assert far.distance < far.tilt.distance < far.distance + far.tilt.weight * far.hessian


def test_only_the_distance_and_the_radius_differ():
    joint, apart = joint_rankings(3, 0.5, 2), rankings(3, 0.5, 2)
    assert joint.distance < 0.8 * apart.distance
    assert (joint.span, joint.points, joint.hessian) == (apart.span, apart.points, apart.hessian)
    assert (joint.radius, apart.radius) == (0.5, None)
