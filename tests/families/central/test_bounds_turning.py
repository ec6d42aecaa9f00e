"""The bound on shifts that turn: its limits, noises that turn as far as they can, and its parts."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from repro.families.central.bounds_gradients import Records
from repro.families.central.bounds_hockey_stick import hockey_stick_bound, log_volume, turned
from repro.families.central.bounds_turning import turn, turning_bound
from repro.families.central.mechanisms_gaussian import gaussian_delta
from repro.families.central.mechanisms_records import RankedFeatures

SIGMA, LEFT = 40.0, 0.475
SHIFT = 0.1


def records(span, hessian=2.0, radius=1.0):
    return Records(SHIFT * SIGMA, span, ((50.0, 1),), 0.0, hessian, 2, radius)


@pytest.mark.parametrize("span", [1, 2, 3, 6])
def test_a_shift_that_cannot_turn_is_gaussian(span):
    wanted = float(gaussian_delta(SHIFT, LEFT))
    found = turning_bound(records(span), SIGMA, 1e12, LEFT)
    assert wanted < found < 1.15 * wanted


@pytest.mark.parametrize("span", [1, 2, 3, 6])
def test_a_shift_that_turns_freely_points_wherever_the_noise_does(span):
    wanted = turned(SHIFT, LEFT, span)
    found = turning_bound(records(span, hessian=1e3, radius=50.0), SIGMA, 1.0, LEFT)
    assert wanted < found < 1.15 * wanted


@pytest.mark.parametrize("ridge", [20.0, 60.0, 200.0])
@pytest.mark.parametrize("span", [2, 4])
def test_a_noise_that_turns_the_shift_as_fast_as_it_can(ridge, span):
    """u(g) = the point of the ball next to λg: it is λ-Lipschitz and points to g.

    Hessian and ridge so large that tanh does not count.
    """
    made = records(span, hessian=2e3, radius=50.0)
    slope, ridge = 2.0 / ridge, 1e3 * ridge

    def excess(r):
        u = min(slope * r, SHIFT)
        return stats.chi.pdf(r, span) * max(0.0, -math.expm1(LEFT - r * u - u**2 / 2))

    exact = integrate.quad(excess, 0, 20, points=[SHIFT / slope], epsabs=0, limit=400)[0]
    assert exact <= turning_bound(made, SIGMA, ridge, LEFT)


def test_a_half_plane_field_with_two_records_in_it():
    """Two directions 2H apart that the shift takes on either side, joined at the largest slope."""
    made, ridge = records(2, radius=50.0), 100.0
    slope, g = made.hessian / ridge, np.linspace(-12, 12, 1201)
    x, y = np.meshgrid(g, g)
    aside = np.clip(slope * y, -SHIFT * 0.6, SHIFT * 0.6)
    along = np.sqrt(SHIFT**2 - (SHIFT * 0.6) ** 2)
    loss = x * along + y * aside + (along**2 + aside**2) / 2
    weight = np.exp(-(x**2 + y**2) / 2) * (g[1] - g[0]) ** 2 / (2 * math.pi)
    exact = float((weight * np.maximum(0, -np.expm1(LEFT - loss))).sum())
    assert gaussian_delta(along / 1, LEFT) < exact <= turning_bound(made, SIGMA, ridge, LEFT)


def test_gradients_of_two_rankings_turn_no_faster():
    rng = np.random.default_rng(0)
    for _ in range(300):
        features = rng.standard_normal((2, 3, 2))
        features /= np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1)
        theta = rng.standard_normal((2, 2)) * rng.uniform(0, 2)
        one, other = (RankedFeatures(tuple(map(tuple, of))) for of in features)
        moved = [one.derivatives(at)[0] - other.derivatives(at)[0] for at in theta]
        apart = np.linalg.norm(theta[0] - theta[1])
        assert np.linalg.norm(moved[0] - moved[1]) <= turn(2.0, apart)
        single = np.linalg.norm(one.derivatives(theta[0])[0] - one.derivatives(theta[1])[0])
        assert single <= 4 * np.tanh(apart / 2)


def test_how_far_two_points_of_the_lens_are():
    """Pδ and Qδ for 0 ≤ P, Q ≤ h lie in a ball through 0, and are at most 2h·tanh(s/2) long."""
    rng, h = np.random.default_rng(1), 2.0
    for s in (0.5, 3.0, 6.0):
        centre = np.array([h * s / 2, 0.0])
        points = rng.uniform(-h * s, h * s, (400_000, 2))
        inside = np.linalg.norm(points - centre, axis=1) <= h * s / 2
        kept = points[inside & (np.linalg.norm(points, axis=1) <= 2 * h * math.tanh(s / 2))]
        widest = np.ptp(kept[:, 1])
        assert 0.95 * turn(h, s) <= widest <= turn(h, s)


def test_it_only_counts_where_records_ask_for_it():
    made = records(4)
    free = replace(made, radius=None)
    left = 0.5 - log_volume(made, 80.0)
    assert hockey_stick_bound(free, SIGMA, 80.0, 0.5) == pytest.approx(turned(SHIFT, left, 4))
    assert hockey_stick_bound(made, SIGMA, 80.0, 0.5) == pytest.approx(
        turning_bound(made, SIGMA, 80.0, left)
    )
    assert turning_bound(made, SIGMA, 80.0, left) < 0.5 * turned(SHIFT, left, 4)
