"""The bound on shifts that turn: its limits, noises that turn as far as they can, and its parts."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.gradients import Records, Tilt
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound, log_volume, turned
from repro.p3.objective_perturbation.records import RankedFeatures
from repro.p3.objective_perturbation.turning import lens_width, turn, turning_bound
from tests.at_each import at_each

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


def rankings_of_three(rng):
    """Two random rankings in the plane."""
    features = rng.standard_normal((2, 3, 2))
    features /= np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1)
    return [RankedFeatures(tuple(map(tuple, of))) for of in features]


def test_gradients_of_two_rankings_turn_no_faster():
    """θ − θ′ lies in the ball with diameter [0, −s·n], n the direction of b − b′."""
    rng, most = np.random.default_rng(0), 0.0
    for _ in range(600):
        one, other = rankings_of_three(rng)
        theta, moved = rng.standard_normal((2, 2)) * rng.uniform(0, 2)
        apart, farthest = float(np.linalg.norm(moved)), 10.0
        limit = float(turn(2.0, np.array(apart), farthest))
        inside = rng.standard_normal(2)
        inside *= rng.uniform() / np.linalg.norm(inside)
        end = theta - moved / 2 + apart / 2 * inside
        at = [one.derivatives(x)[0] - other.derivatives(x)[0] for x in (theta, end)]
        along = float((at[1] - at[0]) @ moved) / apart
        assert along <= limit
        most = max(most, along / limit)
        single = np.linalg.norm(one.derivatives(theta)[0] - one.derivatives(end)[0])
        assert single <= 4 * np.tanh(np.linalg.norm(end - theta) / 2) + 1e-12
    assert most > 0.3


@at_each("moved", [0.5, 1.7, 3.0, 6.0])
@at_each("angle", [0.0, 0.5, 1.0, math.pi / 2])
def test_the_width_of_the_lens(moved, angle):
    """The ball with diameter [0, h·r], cut by that of radius 2h·tanh(r/2): by its boundary."""
    h, turned_by = 2.0, np.linspace(0, 2 * math.pi, 200_001)
    ball = (
        h * moved / 2 * (np.stack([np.cos(turned_by), np.sin(turned_by)], 1) + np.array([1.0, 0.0]))
    )
    single = 2 * h * math.tanh(moved / 2)
    cap = single * np.stack([np.cos(turned_by), np.sin(turned_by)], 1)
    kept = [ball[np.linalg.norm(ball, axis=1) <= single]]
    kept.append(cap[np.linalg.norm(cap - [h * moved / 2, 0], axis=1) <= h * moved / 2])
    across = np.concatenate(kept) @ [math.cos(angle), math.sin(angle)]
    wanted = float(lens_width(h, np.array([moved]), np.array([angle]))[0])
    assert np.ptp(across) == pytest.approx(wanted, rel=1e-4)


def test_the_table_of_turns_lies_above_every_move_and_little_above_the_largest():
    rng, h = np.random.default_rng(2), 2.0
    for apart, farthest in ((0.3, 10.0), (2.0, 10.0), (5.0, 10.0), (5.0, 3.0), (1e4, 2.0)):
        moved = np.concatenate([[min(apart, farthest)], rng.uniform(0, min(apart, farthest), 4000)])
        angle = np.arccos(np.minimum(moved / apart, 1)) * np.append(1.0, rng.uniform(0.9, 1, 4000))
        found = lens_width(h, moved, angle).max()
        limit = float(turn(h, np.array([apart]), farthest)[0])
        assert 0.95 * limit <= found <= limit


TILT = Tilt(0.15, 1.03 * SHIFT * SIGMA)


@pytest.mark.parametrize("span", [2, 3, 4])
def test_volume_counted_where_it_happens_costs_less(span):
    """With D_λ near D, c = ε and a tilt are better than D and c = ε − κ."""
    made, ridge = replace(records(span), tilt=TILT), 80.0
    epsilon = LEFT + log_volume(made, ridge)
    whole = turning_bound(made, SIGMA, ridge, LEFT)
    tilted = turning_bound(made, SIGMA, ridge, epsilon, TILT)
    assert float(gaussian_delta(TILT.distance / SIGMA, epsilon)) < tilted < whole
    assert hockey_stick_bound(made, SIGMA, ridge, epsilon) == pytest.approx(tilted)
    assert hockey_stick_bound(replace(made, tilt=None), SIGMA, ridge, epsilon) > tilted


def test_without_weight_the_volume_is_counted_everywhere():
    """λ = 0 leaves a shift D and h/A on top of its loss: at most what c = ε − h/A gives."""
    made, ridge = records(3), 80.0
    flat = Tilt(0.0, made.distance)
    found = turning_bound(made, SIGMA, ridge, LEFT + made.hessian / ridge, flat)
    assert found == pytest.approx(turning_bound(made, SIGMA, ridge, LEFT), rel=0.03)


def test_a_record_that_trades_distance_for_volume_as_it_can():
    """Loss t/A + ⟨g, u⟩ + ‖u‖²/2, ‖u‖ = (D_λ − λt)/σ in a fixed direction, the best t for a g."""
    made, ridge = replace(records(2), tilt=TILT), 80.0
    epsilon, (g, step) = LEFT + 0.02, np.linspace(-9, 9, 20_001, retstep=True)
    length = (TILT.distance - TILT.weight * np.linspace(0, made.hessian, 41)[:, None]) / SIGMA
    volume = (TILT.distance - length * SIGMA) / TILT.weight / ridge
    loss = (volume + g * length + length**2 / 2).max(0)
    exact = float((stats.norm.pdf(g) * np.maximum(0, -np.expm1(epsilon - loss))).sum() * step)
    assert gaussian_delta(TILT.distance / SIGMA, epsilon) <= exact * (1 + 1e-9)
    assert exact <= turning_bound(made, SIGMA, ridge, epsilon, TILT)


def test_it_only_counts_where_records_ask_for_it():
    made = records(4)
    free = replace(made, radius=None)
    left = 0.5 - log_volume(made, 80.0)
    assert hockey_stick_bound(free, SIGMA, 80.0, 0.5) == pytest.approx(turned(SHIFT, left, 4))
    assert hockey_stick_bound(made, SIGMA, 80.0, 0.5) == pytest.approx(
        turning_bound(made, SIGMA, 80.0, left)
    )
    assert turning_bound(made, SIGMA, 80.0, left) < 0.5 * turned(SHIFT, left, 4)
