"""DP-SGD: noise that is rounded the safe way, what a step tells, and the code's own steps."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.privacy_accountant import NeighboringRelation

from repro.labels.privacy.adjacency import ADD_REMOVE, ADJACENCIES, REPLACE, Adjacency
from repro.labels.privacy.audit import audit
from repro.labels.privacy.gaussian import exact_shift
from repro.labels.privacy.mechanism import Guarantee, Mechanism
from repro.p3.curator.axis_minimiser import AxisCounts
from repro.p3.objective_perturbation.gradients import LONGEST, one_pair
from repro.p3.private_estimates.sampled_descent import (
    OneStep,
    SampledDescent,
    noisy_batches,
    sampled_descent,
)

RELATION = {
    REPLACE: NeighboringRelation.REPLACE_ONE,
    ADD_REMOVE: NeighboringRelation.ADD_OR_REMOVE_ONE,
}


@pytest.mark.some(1)
@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(("epsilon", "dp_delta", "steps"), [(0.3, 1e-6, 1), (1.0, 1e-5, 100)])
def test_the_noise_is_enough_by_the_accountant_and_nearly_the_least(
    epsilon, dp_delta, steps, adjacency
):
    made = sampled_descent(epsilon, dp_delta, 1.0, adjacency, steps, 0.1)
    multiplier = made.std / one_pair(1.0).distance
    assert f"{multiplier:.4g}" == f"{multiplier:.12g}"

    def delta(noise):
        accountant = PLDAccountant(RELATION[adjacency])
        batch = dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(noise))
        accountant.compose(batch, steps)
        return accountant.get_delta(epsilon)

    assert delta(multiplier / (1 + 1e-6)) <= dp_delta
    assert delta(multiplier / 1.005) > dp_delta


def test_many_small_steps_are_a_gaussian_mechanism():
    """Noise over q is √T times what one Gaussian of that distance asks for, 2C where replaced."""
    made = sampled_descent(0.3, 1e-6, 1.0, REPLACE, 100, 0.1)
    limit = math.sqrt(100) * 2 * one_pair(1.0).distance / exact_shift(0.3, 1e-6)
    assert made.std / 0.1 == pytest.approx(limit, rel=0.01)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "step",
    [
        OneStep(0.1, (0.7, 0.0), None),
        OneStep(0.1, (0.7, 0.0), (-0.7, 0.0)),
        OneStep(0.3, (0.4, 0.9), (0.4, -0.9)),
        OneStep(0.3, (1.0, 0.0), (-0.3, 0.0)),
    ],
    ids=str,
)
def test_what_one_step_tells_is_an_integral_over_the_plane(step):
    axis = np.linspace(-8, 8, 2001)
    x, y = np.meshgrid(axis, axis)
    plain = np.exp(-(x**2 + y**2) / 2) / (2 * math.pi)

    def density(at):
        if at is None:
            return plain
        far = np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / 2) / (2 * math.pi)
        return (1 - step.share) * plain + step.share * far

    def excess(one, other):
        gained = np.maximum(density(one) - math.exp(0.05) * density(other), 0.0)
        return gained.sum() * (axis[1] - axis[0]) ** 2

    wanted = max(excess(step.one, step.other), excess(step.other, step.one))
    assert step.exact_delta(0.05) == pytest.approx(wanted, rel=1e-3)


def test_gradients_that_are_nearer_than_none_are_refused():
    with pytest.raises(ValueError, match="nearer than 0"):
        OneStep(0.1, (1.0, 0.0), (0.5, 0.0)).exact_delta(0.1)


@pytest.mark.slow
def test_no_gradients_tell_more_than_opposite_ones():
    """Kahane's inequality: random gradients of norm at most 1, in both directions."""
    rng, worst = np.random.default_rng(0), OneStep(0.2, (1.0, 0.0), (-1.0, 0.0))
    for epsilon in (0.05, 0.3):
        largest, found = worst.exact_delta(epsilon), []
        while len(found) < 100:
            angle, norms = rng.uniform(0, 2 * math.pi, 2), rng.uniform(0, 1, 2) ** 0.25
            one, other = (
                (norm * math.cos(a), norm * math.sin(a))
                for norm, a in zip(norms, angle, strict=True)
            )
            if np.dot(one, other) <= min(np.dot(one, one), np.dot(other, other)):
                found.append(OneStep(0.2, one, other).exact_delta(epsilon))
        assert 0.5 * largest < max(found) <= largest * (1 + 1e-9)


def test_a_batch_holds_each_record_with_the_probability_and_noise_is_added():
    made, rng = SampledDescent(1, 0.25, 3.0), np.random.default_rng(0)
    counts = AxisCounts(np.full((20_000, 2), 40.0), np.full((20_000, 2), 10.0), 2.0)
    ((theta, slope, moved),) = noisy_batches(counts, made, 0.01, 1.0, 1.0, rng)
    assert not theta.any()
    # At θ = 0 a pair's gradient is ±1; 30 losses and 10 wins along each axis.
    assert slope.mean() == pytest.approx(0.25 * 20, abs=0.1)
    assert slope.var() == pytest.approx(0.25 * 0.75 * 40 + 9, rel=0.03)
    inside = np.linalg.norm(0.01 / 0.25 * slope, axis=1) < 1
    assert moved[inside] == pytest.approx(-0.01 / 0.25 * slope[inside])
    assert np.linalg.norm(moved, axis=1).max() <= 1 + 1e-12


@dataclass(frozen=True)
class Transcript(Mechanism):
    """All steps on a dataset of one losing pair, and on one of none or of one winning pair.

    The steps are those of ``noisy_batches``; an attacker adds up their log likelihood ratios.

    Attributes:
        made: steps, batches and noise.
        reward_bound: LB.
        adjacency: what neighbours are.
    """

    made: SampledDescent
    reward_bound: float
    adjacency: Adjacency

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        there = self.adjacency == REPLACE or not neighbour
        pairs = np.full((count, 1), float(there))
        wins = pairs * neighbour
        given = AxisCounts(pairs, wins, LONGEST), self.made, self.reward_bound / self.made.std
        total, ones = np.zeros(count), np.ones((count, 1))
        for theta, slope, _ in noisy_batches(*given, self.reward_bound, 1.0, rng):
            lost, won = (
                AxisCounts(ones, win * ones, LONGEST).gradient(theta)[:, 0] for win in (0, 1)
            )
            total -= self._log_odds(slope[:, 0], lost)
            if self.adjacency == REPLACE:
                total += self._log_odds(slope[:, 0], won)
        return total

    def _log_odds(self, slope: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """log of the mixture's density over that of no record."""
        gained = (slope * gradient - gradient**2 / 2) / self.made.std**2
        if self.made.share == 1:
            return gained
        return np.logaddexp(math.log1p(-self.made.share), math.log(self.made.share) + gained)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_an_attacker_of_all_steps_weighs_them_rightly(adjacency):
    """E[e^(log odds)] under the first dataset is 1."""
    seen = Transcript(SampledDescent(5, 0.3, 2.0), 0.5, adjacency)
    odds = np.exp(seen.scores(np.random.default_rng(1), False, 200_000))
    assert odds.mean() == pytest.approx(1.0, abs=5 * odds.std() / math.sqrt(len(odds)))


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_all_steps_of_the_code_tell_no_more_than_is_claimed(adjacency):
    """At LB = 0.05, ε = 1, δ = 1e-3; half of the noise, and batches that hold everybody, do."""
    made = sampled_descent(1.0, 1e-3, 0.05, adjacency, 10, 0.1)
    wrong = made.weakened(2.0), replace(made, share=1.0)
    claim, rng = Guarantee(1.0, 1e-3), np.random.default_rng(0)
    found = [
        audit(Transcript(one, 0.05, adjacency), claim, rng, 200_000).lower_bound
        for one in (made, *wrong)
    ]
    assert 0.4 < found[0] <= 1.0
    assert min(found[1:]) > 1.0
