from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from repro.labels.privacy.gaussian import (
    GaussianShift,
    classical_shift,
    exact_shift,
    gaussian_delta,
)
from tests.at_each import at_each


@at_each("shift", [0.1, 1.0, 3.0])
@at_each("epsilon", [-1.0, 0.0, 0.3, 2.0])
def test_delta_is_the_hockey_stick_integral(shift, epsilon):
    def excess(x):
        p, q = stats.norm.pdf(x, shift), stats.norm.pdf(x)
        return max(p - math.exp(epsilon) * q, 0)

    kink = epsilon / shift + shift / 2
    found = sum(
        integrate.quad(excess, *ends, limit=200)[0] for ends in ((-12, kink), (kink, 12 + shift))
    )
    assert float(gaussian_delta(shift, epsilon)) == pytest.approx(found, rel=1e-6, abs=1e-12)


def test_delta_agrees_with_dp_accounting():
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    loss = mechanism.GaussianPrivacyLoss(standard_deviation=2.0)
    for epsilon in (0.1, 1.0, 3.0):
        wanted = loss.get_delta_for_epsilon(epsilon)
        assert float(gaussian_delta(0.5, epsilon)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (1.0, 1e-3), (0.05, 5e-10)])
def test_calibrations(epsilon, delta):
    shift = exact_shift(epsilon, delta)
    assert float(gaussian_delta(shift, epsilon)) == pytest.approx(delta, rel=1e-6)
    assert GaussianShift(shift).exact_epsilon(delta) == pytest.approx(epsilon, rel=1e-6)
    assert classical_shift(epsilon, delta) < shift
    assert float(gaussian_delta(1.2 * shift, epsilon)) > 1.5 * delta
    assert GaussianShift(2 * shift).exact_epsilon(delta) > 2 * epsilon


def test_no_delta_needed_is_epsilon_zero():
    assert GaussianShift(0.1).exact_epsilon(0.5) == 0.0


def test_runs_have_the_stated_distributions():
    mechanism = GaussianShift(0.7, dimension=4)
    rng = np.random.default_rng(0)
    one, other = (mechanism.scores(rng, side, 200_000) for side in (False, True))
    assert one.mean() == pytest.approx(0, abs=0.01)
    assert other.mean() == pytest.approx(0.7, abs=0.01)
    assert one.std() == pytest.approx(1, abs=0.01)


def test_the_textbook_calibration_by_hand():
    """2·log(1.25/δ) = 4 at δ = 1.25·e⁻²."""
    assert classical_shift(0.6, 1.25 * math.exp(-2)) == pytest.approx(0.3)


def test_a_shift_is_as_large_in_many_dimensions():
    wide = GaussianShift(0.7, dimension=5)
    assert wide.exact_delta(0.3) == GaussianShift(0.7).exact_delta(0.3)
    near, far = (wide.scores(np.random.default_rng(1), other, 4000) for other in (False, True))
    assert (far - near) == pytest.approx(np.full(4000, 0.7))
    assert near.std() == pytest.approx(1, rel=0.05)
