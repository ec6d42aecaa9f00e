"""The joint bound against sampling, quadrature and what the plane's neighbours reveal."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from repro.labels.privacy.gaussian import exact_shift, gaussian_delta
from repro.p3.objective_perturbation.calibration import corrected
from repro.p3.objective_perturbation.gradients import pairs
from repro.p3.objective_perturbation.joint_release import _arc, joint_bound, jointly_certified


@pytest.mark.parametrize(("turning", "fixed", "left"), [(0.8, 0.5, 1.0), (1.5, 0.01, 2.0)])
def test_the_arc_is_the_mean_over_draws(turning, fixed, left):
    rng = np.random.default_rng(0)
    r = np.sqrt(-2 * np.log(rng.random(400_000)))
    loss = turning * r + fixed * rng.standard_normal(400_000) + (turning**2 + fixed**2) / 2
    drawn = np.maximum(0, -np.expm1(np.minimum(0, left - loss)))
    error = 5 * drawn.std() / math.sqrt(len(drawn))
    assert _arc(turning, fixed, left) == pytest.approx(drawn.mean(), abs=error)


@pytest.mark.parametrize(("turning", "fixed", "left"), [(0.12, 0.09, 0.9), (0.01, 0.02, 0.09)])
def test_the_arc_of_small_shifts_by_adaptive_quadrature(turning, fixed, left):
    """E over g of what r adds: both tails by hand."""
    both = turning**2 + fixed**2

    def given(g):
        start = left - both / 2 - fixed * g

        def excess(r):
            return r * math.exp(-(r**2) / 2) * -math.expm1(min(0.0, start - turning * r))

        low = max(0.0, start / turning)
        return integrate.quad(excess, low, low + 12, epsabs=0, epsrel=1e-9)[0] * stats.norm.pdf(g)

    peak = (left - both / 2) * fixed / both
    wanted = integrate.quad(given, peak - 8, peak + 8, epsabs=0, epsrel=1e-7, limit=200)[0]
    assert _arc(turning, fixed, left) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("bound", [0.5, 3.0])
def test_it_saves_noise_and_no_bound_of_the_pair_is_below_either_alone(bound):
    records, epsilon, delta = pairs(bound, 2), 1.0, 1e-6
    made, shift = jointly_certified(epsilon, delta, records, 0.5)
    assert joint_bound(records, made.sigma, made.ridge, shift, epsilon) == pytest.approx(delta)
    assert corrected(epsilon / 2, delta / 2, records).sigma > 1.3 * made.sigma
    assert shift > 1.3 * exact_shift(epsilon / 2, delta / 2)
    both = math.hypot(records.distance / made.sigma, shift)
    assert float(gaussian_delta(both, epsilon)) < delta


def test_a_ridge_that_spends_all_of_epsilon_certifies_nothing():
    assert joint_bound(pairs(1.0, 2), 100.0, 0.1, 0.1, 1.0) == 1.0
