"""The bound against its integrals, against neighbours, and the noise it asks for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from repro.labels.privacy.gaussian import exact_shift, gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration, corrected, tied_otherwise
from repro.p3.objective_perturbation.gradients import pairs, rankings
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound, log_volume, turned
from repro.p3.objective_perturbation.one_dimension import LogisticRecords
from tests.at_each import at_each


@pytest.mark.parametrize("span", [1, 2, 4])
@pytest.mark.parametrize(("shift", "left"), [(0.5, 0.2), (0.1, 0.45), (2.0, 5.0)])
def test_a_turned_shift_is_its_integral(span, shift, left):
    def excess(r):
        return stats.chi.pdf(r, span) * max(0, 1 - math.exp(left - shift**2 / 2 - shift * r))

    kink = left / shift - shift / 2
    wanted = integrate.quad(excess, kink, kink + 12, epsabs=0)[0]
    assert turned(shift, left, span) == pytest.approx(wanted, rel=1e-6)
    if span == 1:
        assert turned(shift, left, 1) == pytest.approx(2 * gaussian_delta(shift, left))


def test_a_union_of_half_planes_over_an_arc():
    """P(some ω within α has ⟨g, ω⟩ > t) = Φ(−t) + (α/π)·e^(−t²/2)."""
    g = np.random.default_rng(0).standard_normal((400_000, 2))
    for half_angle, t in ((0.3, 1.0), (0.12, 2.0)):
        angle = np.arctan2(g[:, 1], g[:, 0])
        beyond = np.maximum(np.abs(angle) - half_angle, 0)
        share = (np.hypot(*g.T) * np.cos(np.minimum(beyond, math.pi / 2)) > t).mean()
        wanted = stats.norm.sf(t) + half_angle / math.pi * math.exp(-(t**2) / 2)
        assert share == pytest.approx(wanted, rel=0.02)


def test_the_two_bounds_and_where_there_is_none():
    records = replace(pairs(1.0, 2), points=((2.0, 3),), sector=0.0, distance=2.0)
    left = 0.5 - log_volume(records, 40.0)
    assert log_volume(records, 40.0) == pytest.approx(math.log(1 + 1 / 40))
    points = 3 * float(gaussian_delta(0.1, left))
    assert hockey_stick_bound(records, 20.0, 40.0, 0.5) == pytest.approx(points)
    many = replace(records, points=((2.0, 10**6),))
    assert hockey_stick_bound(many, 20.0, 40.0, 0.5) == pytest.approx(turned(0.1, left, 2))
    assert hockey_stick_bound(records, 1.0, 40.0, 0.5) == 1.0
    assert log_volume(rankings(3, 1.0, 2), 40.0) == pytest.approx(2 * math.log(1 + 2 / 80))


@pytest.mark.parametrize("radius", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("ridge", [3.0, 30.0])
def test_the_bound_lies_above_pairs_of_neighbours_on_a_line(radius, ridge):
    calibration, records = Calibration(8.0, ridge), pairs(radius, 1)
    rng = np.random.default_rng(3)
    for _ in range(4):
        shared = tuple(LogisticRecords(x, count=3) for x in rng.uniform(-2, 2, 2))
        one, other = (LogisticRecords(x) for x in rng.uniform(-2, 2, 2))
        for pair in (((one, *shared), (other, *shared)), ((), (LogisticRecords(2.0),))):
            for epsilon in (0.3, 1.0):
                bound = hockey_stick_bound(records, 8.0, ridge, epsilon)
                exact = tied_otherwise(calibration, radius, *pair).exact_delta(epsilon)
                assert exact <= bound * (1 + 1e-6) + 1e-12


def test_the_bound_without_its_jacobian_term_is_no_bound():
    exact = tied_otherwise(Calibration(50.0, 0.05), 3.0, (), (LogisticRecords(2.0),)).exact_delta(
        0.5
    )
    assert exact > hockey_stick_bound(pairs(3.0, 1), 50.0, 0.05, 0.5, jacobian=False)


@at_each("dp_delta", [1e-3, 1e-6, 1e-30])
@at_each("bound", [0.5, 2.0, 5.0, math.inf])
def test_the_noise_is_within_a_tenth_of_what_the_plane_needs(dp_delta, bound):
    """No σ below D·(exact shift)⁻¹ is private for all n: many records make it a Gaussian shift."""
    records = pairs(bound, 2)
    found = corrected(0.5, dp_delta, records)
    assert found.ridge == pytest.approx(1 / math.expm1(0.025))
    assert hockey_stick_bound(records, found.sigma, found.ridge, 0.5) <= dp_delta
    assert hockey_stick_bound(records, found.sigma * (1 - 1e-9), found.ridge, 0.5) > dp_delta * 0.99
    assert 1.04 < found.sigma * exact_shift(0.5, dp_delta) / records.distance < 1.09


def test_rankings_pay_for_their_rank_and_span():
    made = [corrected(0.5, 1e-6, rankings(3, 1.0, d)) for d in (1, 2, 4)]
    assert made[0].sigma < made[1].sigma < made[2].sigma
    assert made[0].ridge == pytest.approx(1 / math.expm1(0.0125))


def test_where_the_printed_noise_fails():
    """log δ(ε/2)/(δ/2) of the mirrored record as n → ∞, under σ² = 40·log(1/δ)/ε², ε = 0.999."""

    def excess(bound, dp_delta):
        sigma = math.sqrt(40 * math.log(1 / dp_delta)) / 0.999
        angle = np.linspace(0, math.pi / 2, 2001)
        distance = (4 * np.sin(angle) / (1 + np.exp(-2 * bound * np.cos(angle)))).max()
        return float(gaussian_delta(distance / sigma, 0.4995)) / (dp_delta / 2)

    assert excess(1.0, 1e-12) < 1 < excess(1.0, 1e-20)
    assert excess(1.0, 1e-30) > 1000
    assert excess(2.0, 1e-3) < 1 < excess(3.0, 1e-3)
    assert excess(1.0, 1e-6) < 1 < excess(1.5, 1e-6)
    assert max(excess(0.5, delta) for delta in (1e-3, 1e-6, 1e-30, 1e-100)) < 1
