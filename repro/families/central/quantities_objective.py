"""P3's Lemma A.11 on datasets whose label shares are their law's, and the steps of its proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from torch import Tensor

from repro.families.central import bounds_objective as bounds
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import (
    norm_in,
    printed_perturbation,
    private_covariance,
)
from repro.families.central.algorithms_release import CentralData, with_noise
from repro.families.central.cases import LearningCase, learnt
from repro.families.central.worlds_axis import AxisWorld
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.study.case import Case
from repro.study.row import Evidence, Measure, method, per_method

QUADRATIC_CURVATURE = 10.0
"""γ > 2 of the quadratic on which Lemma A.6 as printed fails."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorCase(LearningCase):
    """Release of θ̃ and Σ̃ from one dataset; b, w and G are the only randomness.

    Attributes:
        stated_log_inverse_delta: log(1/δ) of a curator who ignores the one in force.
    """

    world: AxisWorld
    stated_log_inverse_delta: float

    def draw(self, rng: np.random.Generator, replicates: int) -> CentralData:
        """R releases' noise on the dataset of exact label shares."""
        loss = self.world.expected_loss(self.labels)
        return with_noise(rng, loss, loss.covariance, self.n_pairs, replicates, self.noise)

    def error(
        self,
        data: CentralData,
        *,
        noise_factor: float = 1.0,
        optimizer_tol: float | None = None,
        text_ridge: bool = False,
        ridge_features: int | None = None,
    ) -> Tensor:
        """(R,) ‖θ_MLE − θ̃‖ in Σ̃ + λI; the keywords are what a wrong version gets wrong.

        Args:
            data: of ``draw``.
            noise_factor: on the scale of b.
            optimizer_tol: β, n^(−power) unless given.
            text_ridge: λ of the main text in the norm.
            ridge_features: d in α and λ, the world's unless given.
        """
        n_pairs, d = self.n_pairs, ridge_features or self.world.num_features
        tol = float(n_pairs) ** -self.optimizer_tol_power
        tol = tol if optimizer_tol is None else optimizer_tol
        numbers = printed_perturbation(self.budget, n_pairs, d, tol)
        numbers = replace(numbers, noise_std=numbers.noise_std * noise_factor)
        truth = self.world.learnable_theta
        error = self.estimate(data.theta(numbers), truth) - truth
        std = self.budget.covariance_std(n_pairs)
        covariance = private_covariance(data.covariance, data.spread, std)
        ridge = self.budget.text_ridge if text_ridge else self.budget.confidence_ridge
        return norm_in(covariance, ridge(n_pairs, d), error)

    def believing(self, **changes: float) -> ErrorCase:
        """The same case for a curator who believes in another budget."""
        return replace(self, budget=replace(self.budget, **changes))


ERROR = learnt("‖θ_MLE − θ̃‖ in Σ̃ + λI")


@method
def private_mle(case: ErrorCase, data: CentralData) -> Tensor:
    """Algorithm 1, in the norm with λ of the appendix."""
    return case.error(data)


@method
def text_ridge(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong: the norm with λ of the main text."""
    return case.error(data, text_ridge=True)


@method
def loose_solver(case: ErrorCase, data: CentralData) -> Tensor:
    """β = 1/(2n), which Algorithm 1 admits."""
    return case.error(data, optimizer_tol=0.5 / case.n_pairs)


@method
def root_n_noise(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong: b is √n times too large."""
    return case.error(data, noise_factor=math.sqrt(case.n_pairs))


@method
def noise_without_epsilon(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of ε: b has the scale of ε = 1."""
    return case.error(data, noise_factor=case.budget.epsilon)


@method
def budget_ignored(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of ε: all constants are those of ε = 1."""
    return case.believing(epsilon=1.0).error(data)


@method
def delta_ignored(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of δ: all constants are those of one δ."""
    return case.believing(log_inverse_delta=case.stated_log_inverse_delta).error(data)


@method
def ridge_of_one_feature(case: ErrorCase, data: CentralData) -> Tensor:
    """Wrong for a sweep of d: α and λ of a single feature."""
    return case.error(data, ridge_features=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class StepCase(Case):
    """One step of the proof.

    Attributes:
        budget: the curator's constants.
        num_features: d.
        noise: what b really is.
    """

    budget: CentralBudget
    num_features: int
    noise: CentralNoise = GAUSSIAN


def _ratios(case: StepCase, m, rng: np.random.Generator, replicates: int):
    return m.run(case, rng, replicates).numpy()


CLOSED = Measure("left side / right side", per_method(_ratios), Evidence.COMPUTED)
STEP_FAILS = Measure("(13) fails [frequency]", per_method(_ratios), Evidence.MEASURED)


@method
def ridge_step(case: StepCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """(12) with B²."""
    return bounds.ridge_step(case.budget, float(case.n_pairs), printed=False)


@method
def ridge_step_printed(case: StepCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """(12) as printed, with B."""
    return bounds.ridge_step(case.budget, float(case.n_pairs), printed=True)


@method
def noise_step(case: StepCase, rng: np.random.Generator, replicates: int, printed=False) -> Tensor:
    """(13) with γ in the denominator."""
    n_pairs, d, noise = float(case.n_pairs), case.num_features, case.noise
    return bounds.noise_step(rng, replicates, case.budget, n_pairs, d, printed, noise)


@method
def noise_step_printed(case: StepCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """(13) as printed, with γ in the numerator."""
    return noise_step.run(case, rng, replicates, printed=True)


@method
def output_step(case: StepCase, rng: np.random.Generator, replicates: int, printed=False) -> Tensor:
    """The inequality before (14), with the root of the largest eigenvalue."""
    ridge = case.budget.confidence_ridge(float(case.n_pairs), 1)
    return bounds.output_step(rng, replicates, case.budget, ridge, printed)


@method
def output_step_printed(case: StepCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """The inequality before (14) as printed, without the root."""
    return output_step.run(case, rng, replicates, printed=True)
