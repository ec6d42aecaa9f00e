import mpmath
import numpy as np
import pytest

from repro.release.reward.minimiser import (
    CHUNK,
    PerturbedLogistic,
    length,
    minimised,
    rounding,
    without_noise,
)
from tests.at_each import at_each


def problem(seed, radius, count=600, d=5, ridge=3.0, size=8.0):
    rng = np.random.default_rng(seed)
    pairs = rng.standard_normal((count, d))
    pairs = (2 * pairs / np.maximum(2, np.linalg.norm(pairs, axis=1, keepdims=True))).astype("f4")
    return PerturbedLogistic(pairs, ridge, size * rng.standard_normal(d), radius)


def real_gradient(loss, theta):
    """With 200 bits."""
    with mpmath.workprec(200):
        theta = [mpmath.mpf(one) for one in theta.tolist()]
        total = [
            loss.ridge * t + mpmath.mpf(b) for t, b in zip(theta, loss.noise.tolist(), strict=True)
        ]
        for row in loss.pairs.astype(float).tolist():
            margin = mpmath.fsum(x * t for x, t in zip(row, theta, strict=True))
            weight = 1 / (1 + mpmath.exp(margin))
            total = [one - weight * x for one, x in zip(total, row, strict=True)]
        return total


@pytest.mark.parametrize("radius", [0.3, 20.0])
def test_doubles_lose_no_more_of_the_gradient_than_is_paid_for(radius):
    loss = problem(1, radius, count=CHUNK + 300)
    theta = np.full(5, radius / 4)
    wanted = real_gradient(loss, theta)
    with mpmath.workprec(200):
        off = [
            float(mpmath.mpf(g) - w)
            for g, w in zip(loss.gradient(theta).tolist(), wanted, strict=True)
        ]
    paid = rounding(len(loss.pairs), 5, radius) + 2.0**-50 * (length(loss.noise) + 3 * radius)
    assert 0 < length(np.array(off)) <= paid


@at_each("radius", [0.05, 0.3, 1.0, 20.0])
@at_each("seed", range(4))
def test_the_answer_satisfies_the_optimality_condition_of_the_real_objective(seed, radius):
    """The bound of the distance, once more with 200 bits and by another argument.

    At the minimiser θ̂ every point of the ball has ⟨∇F(θ̂), θ − θ̂⟩ ≥ 0, so
    A‖θ − θ̂‖² ≤ ⟨∇F(θ), θ − θ̂⟩ ≤ ⟨∇F(θ), θ⟩ + B‖∇F(θ)‖.
    """
    loss = problem(seed, radius)
    theta = minimised(loss, 1e-5 * radius)
    assert length(theta) <= radius
    gradient = np.array([float(one) for one in real_gradient(loss, theta)])
    gap = float(gradient @ theta) + radius * length(gradient)
    assert max(gap, 0.0) / loss.ridge <= (2e-3 * radius) ** 2


@pytest.mark.parametrize("radius", [0.3, 20.0])
def test_the_proved_distance_is_at_least_the_true_one(radius):
    loss = problem(3, radius)
    best = minimised(loss, 1e-6 * radius)
    rng = np.random.default_rng(0)
    for size in (1e-5, 1e-3, 0.1):
        step = rng.standard_normal(5)
        theta = best + radius * size * step / length(step)
        theta *= min(1.0, radius * (1 - 1e-15) / length(theta))
        off = length(theta - best)
        assert loss.distance(theta, loss.gradient(theta)) >= off - 1e-6 * radius


def test_a_point_outside_of_the_ball_is_never_near():
    loss = problem(3, 0.3)
    assert loss.distance(np.full(5, 0.3), np.zeros(5)) == float("inf")


def test_where_the_gradient_vanishes_the_rounding_of_every_pair_is_still_paid_for():
    """Each of 5000 pairs may add 2·CHUNK·2⁻⁵³ or more; ‖b‖ = 50 and A‖θ‖ = 3/2 add 8·2⁻⁵³ of it."""
    loss = PerturbedLogistic(np.zeros((5000, 2), "f4"), 3.0, np.array([30.0, 40.0]), 1.0)
    unit = loss.distance(np.array([0.3, 0.4]), np.zeros(2)) / 2.0**-53
    assert 1 <= unit / (2 / 3.0 * (2 * 5000 * CHUNK + 8 * (50 + 1.5))) <= 1.05


def test_more_than_a_chunk_is_added_up_like_one():
    loss = problem(0, 1.0, count=3 * CHUNK + 5)
    theta = np.full(5, 0.1)
    x = loss.pairs.astype(float)
    plain = -(x / (1 + np.exp(x @ theta))[:, None]).sum(0) + 3 * theta + loss.noise
    np.testing.assert_allclose(loss.gradient(theta), plain, rtol=1e-12)


def test_a_solver_that_does_not_get_there_says_so():
    with pytest.raises(ArithmeticError, match="near enough"):
        minimised(problem(0, 1.0), 0.0)


def test_the_fit_without_noise_has_no_slope_left_inside_the_ball_and_ends_on_a_small_one():
    pairs = problem(0, 1.0).pairs.astype(float)
    theta = without_noise(pairs, reward_bound=20.0)
    slope = theta - (pairs / (1 + np.exp(pairs @ theta))[:, None]).sum(0)
    assert 0.1 < length(theta) < 20
    np.testing.assert_allclose(slope, 0, atol=0.05)
    assert length(without_noise(pairs, reward_bound=0.1)) == pytest.approx(0.1)
