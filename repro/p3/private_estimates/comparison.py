"""Errors of private mechanisms on two worlds, side by side, at one budget, n and d."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.private_estimates.linearised_errors import (
    CLEARLY,
    TYPICAL,
    MechanismBudget,
    Spectrum,
    guessed_spectrum,
    tuned_objective,
    tuned_output,
)
from repro.p3.private_estimates.noisy_descent import NoisyDescent, noisy_descent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation
from repro.p3.private_estimates.three_estimates import LENGTH, CuratorsData, PrivateEstimate

THETA_SHARE = 0.9
"""‖θ*‖/B."""
STEPS = (1, 3, 10, 30, 100, 300)
"""Numbers of steps that descent is tried with."""
MULTIPLES, LEAST_BOUND, MOST_BOUND = (0.25, 0.5, 1.0, 2.0, 4.0), 0.01, 20.0
"""Of the B that was asked for, which are compared; the bounds that the commands take."""
OBJECTIVE, OUTPUT, DESCENT = "objective perturbation", "output perturbation", "gradient descent"
EVEN, SCALES = "even", "thin"
"""Worlds: pairs cover all directions alike, or each direction a quarter as often as the one before.

In both every pair lies along one direction, and θ* has entries of one size.
"""


@dataclass(frozen=True)
class MechanismComparison:
    """All mechanisms on one world.

    Attributes:
        errors: by mechanism, root mean squared errors of reward differences, labels included.
        without_privacy: that of maximum likelihood on the ball.
        of_zero: that of θ = 0, for which no label is read.
        objective: noise and ridge of objective perturbation.
        output: noise and ridge of output perturbation.
        descent: noise and steps of gradient descent.
        largest: curvature of the summed loss at 0 along its steepest axis; a step of descent has
            the length 1/largest.
    """

    errors: Mapping[str, float]
    without_privacy: float
    of_zero: float
    objective: Calibration
    output: OutputPerturbation
    descent: NoisyDescent
    largest: float

    @property
    def least(self) -> float:
        """The smallest error of a private mechanism."""
        return min(self.errors.values())

    @property
    def learns(self) -> bool:
        """Whether some mechanism is clearly better than knowing nothing."""
        return self.least < CLEARLY * self.of_zero

    def over_least(self, name: str) -> float:
        """Error of a mechanism over the smallest."""
        return self.errors[name] / self.least


def compared(
    given: MechanismBudget, n_pairs: int, num_features: int, replicates: int, seed: int,
    pair_length: float = LENGTH,
) -> dict[str, MechanismComparison]:  # fmt: skip
    """By world: every mechanism on the same datasets.

    Args:
        given: ε, δ, B and what neighbours are.
        n_pairs: n.
        num_features: d.
        replicates: datasets.
        seed: of the simulation.
        pair_length: ‖x‖ of every pair.
    """
    worlds = _worlds(given, n_pairs, num_features, THETA_SHARE, pair_length)
    return {name: _on(world, replicates, seed) for name, world in worlds.items()}


def errors_by_bound(
    given: MechanismBudget, n_pairs: int, num_features: int, replicates: int, seed: int
) -> dict[float, dict[str, float]]:
    """By B and world: the error of objective perturbation on one truth, where ‖x‖ = ``TYPICAL``.

    The ridge is the one that ``repro private_reward`` takes at this B.  No B knows the truth.

    Args:
        given, n_pairs, num_features, replicates, seed: as of ``compared``.
    """
    length = THETA_SHARE * given.reward_bound
    errors: dict[float, dict[str, float]] = {}
    for bound in (given.reward_bound * multiple for multiple in MULTIPLES):
        if not LEAST_BOUND <= bound <= MOST_BOUND:
            continue
        budget = replace(given, reward_bound=bound)
        asked = budget, n_pairs, num_features, replicates, seed
        errors[bound] = errors_at_bound(*asked, length / bound)
    return errors


def errors_at_bound(
    given: MechanismBudget,
    n_pairs: int,
    num_features: int,
    replicates: int,
    seed: int,
    theta_share: float = THETA_SHARE,
) -> dict[str, float]:
    """By world with ‖x‖ = ``TYPICAL``: the error with the ridge of ``repro private_reward``.

    Args:
        given, n_pairs, num_features, replicates, seed: as of ``compared``.
        theta_share: ‖θ*‖/B.
    """
    noise = tuned_objective(given, guessed_spectrum(given.reward_bound, n_pairs, num_features))
    return {
        name: _error_of_objective(world, noise, replicates, seed)
        for name, world in _worlds(given, n_pairs, num_features, theta_share, TYPICAL).items()
    }


def _error_of_objective(
    world: PrivateEstimate, noise: Calibration, replicates: int, seed: int
) -> float:
    fitted = world.draw(np.random.default_rng(seed), replicates).objective(noise)
    return _rms(world.spectrum, fitted - world.truth.theta.numpy())


def _worlds(
    given: MechanismBudget, n_pairs: int, num_features: int, theta_share: float, pair_length: float
) -> dict[str, PrivateEstimate]:
    even = PrivateEstimate(
        epsilon=given.epsilon, dp_delta=given.dp_delta, reward_bound=given.reward_bound,
        adjacency=given.adjacency, n_pairs=n_pairs, axes="even", num_features=num_features,
        theta_share=theta_share, pair_length=pair_length,
    )  # fmt: skip
    return {EVEN: even, SCALES: replace(even, axes="scales")}


def _on(world: PrivateEstimate, replicates: int, seed: int) -> MechanismComparison:
    data, given = world.draw(np.random.default_rng(seed), replicates), world.budget
    theta, linearised = world.truth.theta.numpy(), world.spectrum.against_truth()
    objective, output = tuned_objective(given, linearised), tuned_output(given, linearised)
    descent, error = _descent(data, theta)
    errors = {
        OBJECTIVE: _rms(linearised, data.objective(objective) - theta),
        OUTPUT: _rms(linearised, data.output(output) - theta),
        DESCENT: error,
    }
    plain, zero = _rms(linearised, data.without_privacy - theta), _rms(linearised, theta[None])
    return MechanismComparison(errors, plain, zero, objective, output, descent, world.largest)


def _descent(data: CuratorsData, theta: np.ndarray) -> tuple[NoisyDescent, float]:
    """Descent with the number of steps that does best on these very datasets, and its error."""
    world = data.world
    given = world.epsilon, world.dp_delta, world.budget.records(len(theta))
    tried = [noisy_descent(*given, steps) for steps in STEPS]
    errors = [_rms(world.spectrum, data.descent(descent) - theta) for descent in tried]
    best = int(np.argmin(errors))
    return tried[best], errors[best]


def _rms(linearised: Spectrum, error: np.ndarray) -> float:
    return math.sqrt(float((error**2 @ linearised.weight).mean()))


NEARLY = 1.1
"""Objective perturbation is advised where no other is better by more than this."""


def over_least_at_worst(comparisons: Mapping[str, MechanismComparison]) -> dict[str, float]:
    """By mechanism, its error over the least of all, on the world where that is largest."""
    return {
        name: max(comparison.over_least(name) for comparison in comparisons.values())
        for name in (OBJECTIVE, OUTPUT, DESCENT)
    }


def advised(comparisons: Mapping[str, MechanismComparison]) -> str:
    """The mechanism whose error over the best one's is smallest on its worse world.

    Objective perturbation where that is at most 1.1: it needs no number of steps.
    """
    worse = over_least_at_worst(comparisons)
    return OBJECTIVE if worse[OBJECTIVE] <= NEARLY else min(worse, key=worse.__getitem__)
