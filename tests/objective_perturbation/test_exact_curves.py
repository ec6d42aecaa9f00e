"""Three exact curves δ(ε) against mpmath's quadrature in 30 digits, to 1e-6."""

import mpmath as mp
import numpy as np
import pytest

from repro.objective_perturbation.calibration import Calibration, tied_otherwise
from repro.objective_perturbation.one_dimension import LogisticRecords
from repro.objective_perturbation.with_covariance import WithGaussian
from repro.privacy.gaussian import gaussian_delta

MADE, RADIUS = Calibration(8.0, 3.0), 2.0
"""Six common records have slope 1.5; one has 2 or −1."""


def noise_of(slope):
    """b(θ) of the record, its six common ones and the ridge."""

    def b(theta):
        common = 6 * mp.mpf(1.5) / (1 + mp.exp(1.5 * theta))
        return mp.mpf(slope) / (1 + mp.exp(slope * theta)) + common - MADE.ridge * theta

    return b


def density_of(slope):
    b = noise_of(slope)
    return lambda theta: mp.npdf(b(theta), 0, MADE.sigma) * -mp.diff(b, theta)


def curve_of_estimate(epsilon, one, other, inner=None):
    """δ(ε) of θ̂; with ``inner`` of what is released besides, at ε less the loss of θ̂."""
    p, q = density_of(one), density_of(other)

    def loss(theta):
        return mp.log(p(theta)) - mp.log(q(theta))

    def tail(slope, side):
        return mp.ncdf(-side * noise_of(slope)(mp.mpf(-side * RADIUS)) / MADE.sigma)

    atoms = [(tail(one, side), tail(other, side)) for side in (1, -1)]
    inner = inner or (lambda left: max(0, -mp.expm1(min(0, left))))
    ends = (-mp.mpf(RADIUS), mp.mpf(RADIUS))
    total = sum(a * inner(epsilon - mp.log(a / c)) for a, c in atoms)
    grid = np.linspace(-RADIUS, RADIUS, 81)
    signs = [loss(mp.mpf(x)) > epsilon for x in grid]
    cuts = [
        mp.findroot(lambda x: loss(x) - epsilon, (mp.mpf(a), mp.mpf(b)), solver="anderson")
        for a, b, s, t in zip(grid, grid[1:], signs, signs[1:], strict=False)
        if s != t
    ]
    return total + mp.quad(lambda x: p(x) * inner(epsilon - loss(x)), sorted([*ends, *cuts]))


def gaussian_curve(shift, epsilon):
    kink = epsilon / shift + mp.mpf(shift) / 2
    return mp.quad(
        lambda z: mp.npdf(z - shift) - mp.exp(epsilon) * mp.npdf(z), [kink, kink + 2, kink + 12]
    )


@pytest.mark.parametrize(("shift", "epsilon"), [(0.2, 1.0), (1.5, 0.1)])
def test_the_gaussian_shift(shift, epsilon):
    with mp.workdps(30):
        wanted = float(gaussian_curve(mp.mpf(shift), mp.mpf(epsilon)))
    assert float(gaussian_delta(shift, epsilon)) == pytest.approx(wanted, rel=1e-6)


@pytest.fixture(scope="module")
def pair():
    shared = LogisticRecords(1.5, count=6.0)
    return tied_otherwise(
        MADE, RADIUS, (LogisticRecords(2.0), shared), (LogisticRecords(-1.0), shared)
    )


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_the_perturbed_objective(pair, epsilon):
    with mp.workdps(20):
        wanted = max(curve_of_estimate(epsilon, *ends) for ends in ((2, -1), (-1, 2)))
    assert pair.exact_delta(epsilon) == pytest.approx(float(wanted), rel=1e-6)


def test_the_estimate_with_the_covariance(pair):
    shift, epsilon = mp.mpf("0.3"), 0.4

    def inner(left):
        first = mp.ncdf(shift / 2 - left / shift)
        return first - mp.exp(left) * mp.ncdf(-shift / 2 - left / shift)

    with mp.workdps(20):
        wanted = max(curve_of_estimate(epsilon, *ends, inner) for ends in ((2, -1), (-1, 2)))
    assert WithGaussian(pair, 0.3).exact_delta(epsilon) == pytest.approx(float(wanted), rel=1e-6)
