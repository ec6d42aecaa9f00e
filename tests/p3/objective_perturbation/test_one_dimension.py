from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from repro.labels.privacy.gaussian import GaussianShift, gaussian_delta
from repro.labels.privacy.mechanism import worst
from repro.p3.objective_perturbation.calibration import (
    Calibration,
    curvature,
    kifer,
    printed,
    printed_constant,
    tied_otherwise,
)
from repro.p3.objective_perturbation.one_dimension import (
    LogisticRecords,
    ObjectivePerturbation,
    Perturbed,
    Ranking,
    _nodes,
)
from repro.p3.objective_perturbation.with_covariance import WithGaussian

RECORDS = (LogisticRecords(2.0, count=3), LogisticRecords(-1.2), Ranking((0.5, -1.0, 0.8)))
DATA = Perturbed(RECORDS, ridge=0.7, sigma=4.0, radius=2.0)


def loss(records, theta):
    """Sum of the records' losses, written out."""
    total = 0.0
    for one in records:
        if isinstance(one, LogisticRecords):
            total += one.count * math.log1p(math.exp(-one.slope * theta))
        else:
            for j in range(len(one.features)):
                left = [math.exp(theta * x) for x in one.features[j:]]
                total -= one.count * math.log(left[0] / sum(left))
    return total


@pytest.mark.parametrize("theta", [-1.5, 0.0, 0.9])
def test_gradients_and_hessians_are_those_of_the_loss(theta):
    h = 1e-4
    at = np.array([theta])
    for record in RECORDS:
        up, middle, down = (loss((record,), theta + s * h) for s in (1, 0, -1))
        assert record.gradient(at)[0] == pytest.approx((up - down) / (2 * h), abs=1e-6)
        assert record.derivatives(at)[1][0] == pytest.approx(
            (up - 2 * middle + down) / h**2, abs=1e-5
        )


def test_the_release_minimises_the_perturbed_loss():
    for standard in (-3.0, -0.4, 0.0, 0.7, 3.0):

        def objective(theta, standard=standard):
            return loss(RECORDS, theta) + 0.35 * theta**2 + 4.0 * standard * theta

        wanted = optimize.minimize_scalar(
            objective, bounds=(-2, 2), method="bounded", options={"xatol": 1e-9}
        ).x
        assert DATA.solve(np.array([standard]))[0] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("sigma", [0.05, 4.0, 300.0])
def test_every_noise_is_solved_for(sigma):
    """Also where the noise is far out in its tails, and where the losses are sharply bent."""
    records = (LogisticRecords(60.0, count=5), *RECORDS)
    data = Perturbed(records, ridge=1e-3, sigma=sigma, radius=2.0)
    standard = np.linspace(data.ends[1], data.ends[0], 2001)[1:-1]
    theta = data.solve(standard)
    noise, slope = data.noise_and_slope(theta)
    off = (noise - sigma * standard) / slope
    assert np.abs(off).max() < 5e-13


def test_density_and_atoms_sum_to_one():
    inside = integrate.quad(
        lambda t: math.exp(DATA.log_density(np.array([t]))[0]) / math.sqrt(2 * math.pi), -2, 2
    )[0]
    assert inside + DATA.atoms.sum() == pytest.approx(1)
    pair = ObjectivePerturbation(DATA, DATA)
    assert pair.mass(0).sum() == pytest.approx(1, abs=1e-6)
    assert pair.exact_delta(0.0) == pytest.approx(0, abs=1e-9)


def test_runs_follow_the_density():
    drawn = DATA.solve(np.random.default_rng(1).standard_normal(200_000))
    assert [(drawn == -2).mean(), (drawn == 2).mean()] == pytest.approx(DATA.atoms, abs=0.005)
    share = integrate.quad(
        lambda t: math.exp(DATA.log_density(np.array([t]))[0]) / math.sqrt(2 * math.pi), 0, 1
    )[0]
    assert ((drawn > 0) & (drawn < 1)).mean() == pytest.approx(share, abs=0.005)


def test_delta_by_direct_integration():
    other = Perturbed((LogisticRecords(2.0), *RECORDS), 0.7, 4.0, 2.0)
    grid = np.linspace(-2, 2, 400_001)
    p, q = (np.exp(side.log_density(grid)) / math.sqrt(2 * math.pi) for side in (DATA, other))
    for epsilon in (0.0, 0.1, 0.4):
        wanted = max(
            np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0), grid)
            + np.maximum(x - math.exp(epsilon) * y, 0).sum()
            for a, b, x, y in (
                (p, q, DATA.atoms, other.atoms),
                (q, p, other.atoms, DATA.atoms),
            )
        )
        found = ObjectivePerturbation(DATA, other).exact_delta(epsilon)
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-8)


def test_a_flip_under_a_strong_ridge_is_a_gaussian_shift():
    pair = tied_otherwise(
        Calibration(10.0, 100.0), 5.0, (LogisticRecords(2.0),), (LogisticRecords(-2.0),)
    )
    for epsilon in (0.1, 0.3, 0.7):
        wanted = float(gaussian_delta(0.2, epsilon))
        assert pair.exact_delta(epsilon) == pytest.approx(wanted, rel=1e-4)


def test_printed_numbers_by_hand():
    assert curvature(1.0) == pytest.approx(1 / (2 + math.e**2 + math.e**-2))
    assert printed_constant(1, 0.05) == pytest.approx(
        16 * (2 + math.sqrt(2 * math.log(20))) / math.sqrt(math.log(20))
    )
    found = printed(0.5, 1e-6, 0.1, 1, 0.05)
    assert found.sigma**2 == pytest.approx(40 * math.log(1e6) / 0.25)
    size = math.sqrt(math.log(1e6) * math.log(20))
    assert found.ridge == pytest.approx(4 * printed_constant(1, 0.05) * 0.1 * size / 0.5)
    cited = kifer(0.5, 1e-6)
    assert cited.sigma**2 == pytest.approx(4 * (8 * math.log(2e6) + 2) / 0.25)
    assert cited.ridge == 4.0


def test_the_printed_ridge_fails_for_large_bounds_and_not_for_small():
    def excess(bound):
        calibration = printed(1.0, 1e-6, curvature(bound), 1, 0.05)
        pairs = [((), (LogisticRecords(2.0),)), ((LogisticRecords(2.0),), (LogisticRecords(-2.0),))]
        worst_pair = worst([tied_otherwise(calibration, bound, *p) for p in pairs], 0.5)
        return worst_pair.exact_delta(0.5) / 5e-7

    assert excess(1.0) < 1
    assert excess(5.0) > 1e4


def test_composition_with_a_gaussian_against_one_larger_shift():
    pair = tied_otherwise(
        Calibration(10.0, 100.0), 5.0, (LogisticRecords(2.0),), (LogisticRecords(-2.0),)
    )
    joint = WithGaussian(pair, 0.15)
    for epsilon in (0.2, 0.6):
        wanted = GaussianShift(0.25).exact_delta(epsilon)
        assert joint.exact_delta(epsilon) == pytest.approx(wanted, rel=1e-3)
    rng = np.random.default_rng(0)
    one, other = (joint.scores(rng, side, 100_000) for side in (False, True))
    assert other.mean() - one.mean() == pytest.approx(0.25**2, abs=0.005)
    assert stats.kstest((one - one.mean()) / one.std(), "norm").statistic < 0.01


def test_composition_agrees_with_dp_accounting():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    joint = WithGaussian(
        tied_otherwise(
            Calibration(10.0, 100.0), 5.0, (LogisticRecords(2.0),), (LogisticRecords(-2.0),)
        ),
        0.15,
    )
    losses = [
        pld.from_gaussian_mechanism(1 / shift, value_discretization_interval=1e-4)
        for shift in (0.2, 0.15)
    ]
    wanted = losses[0].compose(losses[1]).get_delta_for_epsilon(0.6)
    assert joint.exact_delta(0.6) == pytest.approx(wanted, rel=2e-2)


@pytest.mark.parametrize(("bound", "refuted"), [(2.0, False), (5.0, True)])
def test_one_interval_refutes_the_lemma_whatever_little_noise_is_added(bound, refuted):
    """P(|θ̂| ≤ r) by hand: no quadrature, and blind to output noise w far smaller than r."""
    epsilon, delta, r = 1.0, 1e-6, bound / 2
    calibration = printed(epsilon, delta, curvature(bound), 1, 0.05)

    def inside(slope, reach):
        def b(theta):
            gradient = -slope / (1 + math.exp(slope * theta))
            return -gradient - calibration.ridge * theta

        ends = [stats.norm.cdf(b(theta) / calibration.sigma) for theta in (-reach, reach)]
        return ends[0] - ends[1]

    tied, moved = inside(0.0, 1.001 * r), inside(2.0, 0.999 * r)
    assert (moved - math.exp(epsilon / 2) * tied > 1000 * delta / 2) == refuted


def test_curvature_and_constant_by_hand():
    """Away from 1, where a factor and its inverse agree."""
    assert curvature(0.5) == pytest.approx(1 / (2 + math.e + 1 / math.e))
    eta = math.exp(-2)
    assert printed_constant(4, eta) == pytest.approx(16 * (4 + 2) / math.sqrt(8))


@pytest.mark.parametrize("power", [0, 1, 2])
def test_quadrature_has_the_moments_of_the_noise_between_the_atoms(power):
    mass, nodes = ObjectivePerturbation(DATA, DATA).mass(1), _nodes(DATA)
    wanted = integrate.quad(
        lambda z: z**power * stats.norm.pdf(z), DATA.ends[1], DATA.ends[0], epsabs=1e-13
    )[0]
    found = (mass[:-2] * (DATA.noise_at(nodes) / DATA.sigma) ** power).sum()
    assert found == pytest.approx(wanted, abs=1e-12)
    assert mass[-2:] == pytest.approx(DATA.atoms)


@pytest.mark.parametrize("ridge", [1e3, 1e10, 1e15])
def test_any_ridge_leaves_a_flip_the_shift_that_it_is(ridge):
    """Releases differ by 1e-14 of the ball here."""
    pair = tied_otherwise(
        Calibration(10.0, ridge), 2.0, (LogisticRecords(2.0),), (LogisticRecords(-2.0),)
    )
    assert pair.exact_delta(0.5) == pytest.approx(float(gaussian_delta(0.2, 0.5)), rel=1e-4)
    assert pair.mass(0).sum() == pytest.approx(1, abs=1e-12)
    drawn = pair.scores(np.random.default_rng(0), False, 20_000)
    assert drawn.std() == pytest.approx(0.2, rel=0.03)


def test_releases_next_to_an_atom_are_inverted_as_well():
    theta = np.array([-2 + 1e-5, -2 + 5e-5, 2 - 5e-5, 2 - 1e-5])
    standard = DATA.noise_at(theta) / DATA.sigma
    assert DATA.solve(standard) == pytest.approx(theta, abs=2e-8)
    assert list(DATA.solve(np.array(DATA.ends))) == [-2.0, 2.0]


def test_a_ranking_far_out_does_not_overflow():
    ranking, far = Ranking((0.8, 0.5, -1.0)), np.array([1000.0, -1000.0])
    assert ranking.gradient(far) == pytest.approx([0, -1.8 - 1.5], abs=1e-12)
    assert ranking.derivatives(far)[1] == pytest.approx([0, 0], abs=1e-12)


def narrow(slope, sigma=0.01):
    """So little noise that no release reaches an end."""
    return Perturbed((LogisticRecords(slope),), ridge=1.0, sigma=sigma, radius=2.0)


def test_the_log_ratio_inside_and_at_the_atoms():
    other = Perturbed((LogisticRecords(2.0), *RECORDS), 0.7, 4.0, 2.0)
    pair = ObjectivePerturbation(DATA, other)
    inside = np.array([-1.9, 0.3])
    at = pair.log_ratio(np.array([-2.0, *inside, 2.0]))
    assert at[1:3] == pytest.approx(other.log_density(inside) - DATA.log_density(inside))
    assert at[[0, 3]] == pytest.approx(np.log(other.atoms / DATA.atoms))


def test_atoms_without_mass():
    """The ratio is cut at ±1000 where one side has none, and 0 where neither has."""
    one, other = narrow(0.3), DATA
    ends = np.array([-2.0, 2.0])
    assert list(ObjectivePerturbation(one, other).log_ratio(ends)) == [1000.0, 1000.0]
    assert list(ObjectivePerturbation(other, one).log_ratio(ends)) == [-1000.0, -1000.0]
    neither = ObjectivePerturbation(one, narrow(0.4))
    assert list(neither.log_ratio(ends)) == [0.0, 0.0]
    assert list(neither.losses[0][-2:]) == [0.0, 0.0]


def test_a_composition_is_as_private_as_its_worse_side():
    other = Perturbed((LogisticRecords(2.0), *RECORDS), 0.7, 4.0, 2.0)
    pairs = [
        WithGaussian(ObjectivePerturbation(*sides), 0.3) for sides in ((DATA, other), (other, DATA))
    ]
    for pair in pairs:
        sides = [pair._delta(side, 0.4) for side in (0, 1)]
        assert abs(sides[0] - sides[1]) > 1e-6
        assert pair.exact_delta(0.4) == max(sides)


@pytest.mark.parametrize("neighbour", [False, True])
def test_scores_of_a_composition_are_log_likelihood_ratios(neighbour):
    other = Perturbed((LogisticRecords(2.0), *RECORDS), 0.7, 4.0, 2.0)
    pair = WithGaussian(ObjectivePerturbation(DATA, other), 0.3)
    found = pair.scores(np.random.default_rng(4), neighbour, 50)
    rng = np.random.default_rng(4)
    first = pair.estimate.scores(rng, neighbour, 50)
    second = rng.normal(0.3 * neighbour, 1.0, 50)
    wanted = first + stats.norm.logpdf(second, 0.3) - stats.norm.logpdf(second)
    assert found == pytest.approx(wanted)
