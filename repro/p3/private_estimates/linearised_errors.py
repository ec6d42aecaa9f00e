"""Errors of private mechanisms, linearised at θ*, and ridges tuned by them.

On a world whose pairs lie along the axes coordinate k has the curvature h_k = n·ρ_k·‖x‖²·w(1 − w),
and errors are weighted by ρ_k·‖x‖², the spectrum of Σ: mean squared errors of reward differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.p3.curator.axis_world import AxisWorld
from repro.p3.objective_perturbation.calibration import Calibration, corrected
from repro.p3.objective_perturbation.gradients import Records, pairs_under
from repro.p3.private_estimates.output_perturbation import OutputPerturbation, output_perturbation
from repro.p3.private_estimates.sampled_descent import SampledDescent

RIDGES = np.geomspace(1.0, 1e9, 181)
"""Multiples of the least ridge that are tried."""
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
"""Shares of ε that the least ridge of objective perturbation may spend on the change of volume."""
LEAST_OF_OUTPUT = 1e-3
"""Least ridge that is tried for output perturbation."""
CLEARLY = 0.9
"""An error below this share of the error of θ = 0 is clearly better than knowing nothing."""
THETA_SHARE, TYPICAL = 0.5, 0.5
"""‖θ*‖/B and the root mean square of ‖x‖ of ``guessed_spectrum``; neither is read from data."""


@dataclass(frozen=True)
class MechanismBudget:
    """What is asked of every mechanism, with L = 1.

    Attributes:
        epsilon: ε.
        dp_delta: δ.
        reward_bound: LB.
        adjacency: what neighbours are.
    """

    epsilon: float
    dp_delta: float
    reward_bound: float
    adjacency: Adjacency = REPLACE

    def records(self, dimension: int) -> Records:
        """What one record can do in so many dimensions."""
        return pairs_under(self.adjacency, self.reward_bound, dimension)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One world at one n.

    Attributes:
        weight: (d,) of the squared error of each coordinate.
        curvature: (d,) h_k of the loss summed over records.
        theta: (d,) θ*.
        scatter: (d,) variance of the summed gradient from one draw of the labels to the next: 0
            for errors against θ̂, the curvature for errors against θ*.
    """

    weight: np.ndarray
    curvature: np.ndarray
    theta: np.ndarray
    scatter: np.ndarray

    def against_truth(self) -> Spectrum:
        """The same where errors are those against θ*."""
        return Spectrum(self.weight, self.curvature, self.theta, self.curvature)

    def gradient_noise(self, std: float, ridge: float) -> float:
        """Mean squared error from noise on the summed gradient, and from a ridge."""
        moved = (std**2 + self.scatter + (ridge * self.theta) ** 2) / (self.curvature + ridge) ** 2
        return float((self.weight * moved).sum())

    def over_zero(self, std: float, ridge: float) -> float:
        """Root of ``gradient_noise`` over the error of θ = 0."""
        return math.sqrt(self.gradient_noise(std, ridge) / float(self.weight @ self.theta**2))

    def output_noise(self, std: float, ridge: float) -> float:
        """Mean squared error from noise on the minimiser, and from a ridge."""
        moved = (self.scatter + (ridge * self.theta) ** 2) / (self.curvature + ridge) ** 2
        return float((self.weight * (std**2 + moved)).sum())

    def batch_noise(self, descent: SampledDescent, step: float, kept: int) -> float:
        """Mean squared error of the mean of the last steps on batches, once they have settled.

        A step multiplies the error by ρ = 1 − step·h and adds the noise of the batch, that of its
        sampling included; steps j apart correlate by ρ^j.

        Args:
            descent: steps, batches and noise.
            step: η, per unit of the gradient summed over all records.
            kept: of how many steps the mean is taken.
        """
        decay = 1 - step * self.curvature
        # Labels of coordinate k are drawn, so that squared gradients add up to its curvature.
        sampled = (1 - descent.share) / descent.share * self.curvature + (
            descent.std / descent.share
        ) ** 2
        apart = np.arange(1, kept)
        together = kept + 2 * ((kept - apart) * decay[:, None] ** apart).sum(1)
        moved = step**2 * sampled / (1 - decay**2) * together / kept**2
        return float((self.weight * (moved + self.scatter / self.curvature**2)).sum())


def guessed_spectrum(reward_bound: float, n_pairs: float, num_features: int) -> Spectrum:
    """The public guess that ``repro private_reward`` tunes its ridge for."""
    weight = np.full(num_features, TYPICAL**2 / num_features)
    theta = np.full(num_features, THETA_SHARE * reward_bound / math.sqrt(num_features))
    win = float(expit(TYPICAL * THETA_SHARE * reward_bound / math.sqrt(num_features)))
    return Spectrum(weight, n_pairs * weight * win * (1 - win), theta, np.zeros(num_features))


def spectrum(world: AxisWorld, n_pairs: float) -> Spectrum:
    """What the labels of a world can tell, for errors against θ̂."""
    share, win = world.data_prob.numpy(), world.win_prob.numpy()
    weight = world.length**2 * share
    theta = world.theta.numpy()
    return Spectrum(weight, n_pairs * weight * win * (1 - win), theta, np.zeros_like(theta))


def tuned_objective(given: MechanismBudget, linearised: Spectrum) -> Calibration:
    """Objective perturbation with the share of ε and the ridge that suit the spectrum best.

    A share of ε is spent on the least ridge; a larger ridge stays private with the same noise.
    """
    records, tried = given.records(len(linearised.theta)), []
    for share in SHARES:
        calibration = corrected(given.epsilon, given.dp_delta, records, share)
        errors = [
            linearised.gradient_noise(calibration.sigma, calibration.ridge * times)
            for times in RIDGES
        ]
        best = int(np.argmin(errors))
        tried.append(
            (errors[best], Calibration(calibration.sigma, calibration.ridge * float(RIDGES[best])))
        )
    return min(tried, key=lambda trial: trial[0])[1]


def tuned_output(given: MechanismBudget, linearised: Spectrum) -> OutputPerturbation:
    """Output perturbation with the ridge that suits the spectrum best."""
    records = given.records(len(linearised.theta))
    at_unit_ridge = output_perturbation(given.epsilon, given.dp_delta, records, ridge=1.0)
    ridges = LEAST_OF_OUTPUT * RIDGES
    errors = [linearised.output_noise(at_unit_ridge.std / ridge, ridge) for ridge in ridges]
    best = float(ridges[int(np.argmin(errors))])
    return OutputPerturbation(best, at_unit_ridge.std / best)
