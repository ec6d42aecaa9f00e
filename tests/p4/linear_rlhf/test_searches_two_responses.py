"""Worlds of two responses against their closed forms and against brute force."""

import numpy as np
import pytest
from scipy.special import expit

from tests.p4.linear_rlhf.searches_two_responses import TwoResponses, climbed


def line(bound: float, reference: float) -> TwoResponses:
    """One state, φ = ±1, θ* = B."""
    return TwoResponses(np.array([[2.0]]), np.ones(1), np.array([bound]), np.array([reference]))


@pytest.mark.parametrize("bound", [0.05, 0.2, 0.383, 0.385, 1.0])
def test_the_printed_bound_is_missed_below_b_3838(bound):
    slope = expit(2 * bound) * expit(-2 * bound)
    found = line(bound, -bound).over_printed(bound)
    assert found == pytest.approx(8 * slope / 3**0.5, rel=1e-9)
    assert (found > 1) == (bound < 0.3838)


def over_printed_at(bound: float, estimate: float | np.ndarray) -> np.ndarray:
    """The same world with θ_sft = −B and any θ̂′: κ_Π·Σ_sft = 2, √κ_Π·Γ = √2·β|B − θ̂′|."""
    gap = 4 * bound * np.abs(expit(2 * bound) - expit(2 * np.asarray(estimate)))
    return gap / (3**0.5 * bound * np.abs(bound - estimate))


@pytest.mark.parametrize(
    ("bound", "worst"), [(0.1, 1.1518), (0.5, 1.0886), (0.815, 1.0001), (0.816, 0.9998)]
)
def test_errors_that_are_not_small_miss_it_by_more(bound, worst):
    found = over_printed_at(bound, np.linspace(-3 * bound, 0.999 * bound, 40_001)).max()
    assert found == pytest.approx(worst, abs=1e-4)
    assert found > line(bound, -bound).over_printed(bound)


@pytest.mark.parametrize("bound", [0.1, 0.6, 0.6918, 0.692])
def test_the_even_policy_misses_it_below_b_6918(bound):
    found = float(over_printed_at(bound, 0.0))
    assert found == pytest.approx(2 * np.tanh(bound) / (3**0.5 * bound), rel=1e-12)
    assert (found > 1) == (bound < 0.69189)


def test_without_a_bound_on_the_reference_it_is_missed_by_any_factor():
    assert line(0.1, -2.0).over_printed(0.1) > 10


def test_small_errors_do_what_the_derivative_says():
    rng = np.random.default_rng(0)
    world = climbed(rng, 3, 2, 0.5)
    apart = world.optimum - world.reference
    pull = np.linalg.solve(
        world.covariance(world.reference), world.covariance(world.optimum) @ apart
    )
    moved = world.optimum + 1e-6 * pull
    change = expit(world.differences @ world.optimum) - expit(world.differences @ moved)
    gap = abs(world.state_prob @ (change * (world.differences @ apart)))
    error = 1e-6 * np.sqrt(pull @ world.covariance(world.reference) @ pull)
    assert gap / error == pytest.approx(world.gap_per_error(), rel=1e-4)


@pytest.mark.parametrize("features", [1, 2, 3])
def test_the_even_policy_has_the_largest_covariance(features):
    rng = np.random.default_rng(features)
    for _ in range(200):
        u = rng.standard_normal((features + 1, features))
        prob, theta = rng.dirichlet(np.ones(features + 1)), 3 * rng.standard_normal(features)
        world = TwoResponses(u, prob, theta, theta)
        off = world.covariance(0 * theta) - world.covariance(theta)
        assert np.linalg.eigvalsh(off)[0] >= -1e-12


def test_a_search_finds_violations_and_never_one_of_the_theorem():
    rng = np.random.default_rng(1)
    worlds = [climbed(rng, int(rng.integers(1, 4)), 1, 0.1) for _ in range(4)]
    assert max(world.over_printed(0.1) for world in worlds) > 1.1
    assert max(world.over_own() for world in worlds) <= 1
