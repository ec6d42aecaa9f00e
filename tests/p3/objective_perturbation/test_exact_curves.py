"""Three exact curves δ(ε) against mpmath's quadrature in 30 digits, to 1e-6."""

import mpmath as mp
import numpy as np
import pytest

from repro.labels.privacy.adjacency import ADJACENCIES
from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration, tied_otherwise
from repro.p3.objective_perturbation.line_neighbours import Neighbours
from repro.p3.objective_perturbation.neighbour_search import TwoDatasets, World, mirrored
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.one_dimension import LogisticRecords
from repro.p3.objective_perturbation.with_covariance import OnBallWithGaussian, WithGaussian

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


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_the_estimate_with_the_covariance_on_a_line_by_another_quadrature(adjacency):
    rng, place = np.random.default_rng(0), World(300, 1.0, 1, adjacency)
    for _ in range(8):
        made = Calibration(float(rng.uniform(1, 8)), float(rng.uniform(0.5, 5)))
        found = TwoDatasets(
            (1.0,), (float(2 * rng.random()),), (float(rng.random()),), (1.0, -0.5), (0.0, 0.0)
        )
        common, one, other = (
            tuple(LogisticRecords(record.x[0], record.count) for record in records)
            for records in (found.common(place), *found.last(place))
        )
        wanted = WithGaussian(Neighbours(common, one, other).released(made, 1.0), 0.4)
        both = OnBallWithGaussian(OnBallNeighbours(*found.datasets(place, made)), 0.4)
        assert both.exact_delta(0.5) == pytest.approx(wanted.exact_delta(0.5), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3])
def test_the_estimate_with_the_covariance_agrees_with_its_own_runs(d):
    place = World(50, 1.0, d)
    ends = mirrored(place, 0.8).datasets(place, Calibration(3.0, 2.0))
    both, epsilon = OnBallWithGaussian(OnBallNeighbours(*ends), 0.6), 0.3
    found = []
    for neighbour, sign in ((False, 1), (True, -1)):
        odds = sign * both.scores(np.random.default_rng(1), neighbour, 4_000)
        found.append(np.maximum(-np.expm1(epsilon + odds), 0.0))
    wanted = max(one.mean() for one in found)
    assert both.exact_delta(epsilon) == pytest.approx(wanted, abs=4 * found[0].std() / 4_000**0.5)
