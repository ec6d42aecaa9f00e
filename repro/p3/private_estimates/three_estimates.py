"""Three private estimates of a reward from the same labelled pairs.

Objective perturbation, output perturbation and noisy gradient descent, each with the noise that
makes it (ε, δ)-private and the ridge or number of steps that suits the world best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Count, FiniteEpsilon, Pairs, Positive, Probability, Share
from repro.labels.preferences.label_counts import draw_label_counts
from repro.labels.preferences.label_law import (
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    fair_coins,
    the_truth,
)
from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE, CentralNoise
from repro.p3.curator.axis_minimiser import AxisCounts
from repro.p3.curator.axis_world import AxisWorld, even_world, multi_scale_world
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.private_estimates.linearised_errors import (
    MechanismBudget,
    Spectrum,
    spectrum,
    tuned_objective,
    tuned_output,
)
from repro.p3.private_estimates.noisy_descent import NoisyDescent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation
from repro.p3.private_estimates.sampled_descent import SampledDescent, noisy_batches

LENGTH = 2.0
"""The largest ‖x‖ of a pair, 2L with L = 1."""
PairLength = Annotated[Positive, Field(le=LENGTH)]
NO_RIDGE = 1e-9
"""Ridge of the estimate without privacy, over n: to rounding none."""


def kept_steps(steps: int) -> int:
    """How many of the last steps descent returns the mean of."""
    return math.ceil(steps / 2)


@dataclass(frozen=True, kw_only=True)
class PrivateEstimate:
    """A curator's estimate from n labelled pairs along coordinate axes, with L = 1.

    Attributes:
        epsilon, dp_delta: (ε, δ), what is asked of every mechanism.
        reward_bound: B.
        n_pairs: n.
        axes: whether pairs cover all axes evenly, or axis k with a share ∝ 4^(−k).
        num_features: d.
        theta_share: ‖θ*‖/B.
        adjacency: what neighbours are.
        pair_length: ‖x‖ of every pair, at most 2.
        labels: true win probabilities → the law that labels are drawn from.
        noise: what is really added.
        estimate: (fitted, truth) → what the mechanism returns.
    """

    epsilon: FiniteEpsilon
    dp_delta: Probability
    reward_bound: Positive
    n_pairs: Pairs
    axes: Literal["even", "scales"]
    num_features: Count
    theta_share: Share
    adjacency: Adjacency = REPLACE
    pair_length: PairLength = LENGTH
    labels: LabelLaw = bradley_terry
    noise: CentralNoise = GAUSSIAN
    estimate: Estimate = as_fitted
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "labels": {"bradley_terry": bradley_terry, "fair_coins": fair_coins},
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE},
        "estimate": {"as_fitted": as_fitted, "the_truth": the_truth},
    }

    def more_labels(self, other: PrivateEstimate) -> float:
        """How many times as many labels another budget needs."""
        return (privacy_cost(other.epsilon) / privacy_cost(self.epsilon)) ** 2

    @cached_property
    def truth(self) -> AxisWorld:
        """θ*, and where pairs are compared."""
        world_of = {"even": even_world, "scales": multi_scale_world}[self.axes]
        return world_of(self.num_features, self.pair_length, self.theta_share * self.reward_bound)

    @property
    def budget(self) -> MechanismBudget:
        """What is asked of every mechanism."""
        return MechanismBudget(self.epsilon, self.dp_delta, self.reward_bound, self.adjacency)

    @cached_property
    def spectrum(self) -> Spectrum:
        """What labels can tell."""
        return spectrum(self.truth, self.n_pairs)

    @cached_property
    def for_objective(self) -> Calibration:
        """Noise and tuned ridge of objective perturbation."""
        return tuned_objective(self.budget, self.spectrum)

    @cached_property
    def for_output(self) -> OutputPerturbation:
        """Noise and tuned ridge of output perturbation."""
        return tuned_output(self.budget, self.spectrum)

    @property
    def largest(self) -> float:
        """Curvature of the summed loss at 0 along its steepest axis."""
        return float(self.n_pairs * self.spectrum.weight.max() / 4)

    def draw(self, rng: np.random.Generator, replicates: int) -> CuratorsData:
        """R datasets, and the stream of their curators' noise."""
        counts = draw_label_counts(
            rng, self.truth.data_prob, self.truth.reward_diff, self.n_pairs, float("inf"),
            replicates, self.labels,
        )  # fmt: skip
        wins = np.asarray(counts.wins.numpy(), dtype=float)
        pairs = np.broadcast_to(counts.pairs.numpy(), wins.shape)
        return CuratorsData(self, AxisCounts(pairs, wins, self.truth.length), rng)

    def returned(self, fitted: np.ndarray) -> np.ndarray:
        """(R, d) what the mechanism returns of what it has fitted."""
        return self.estimate(torch.from_numpy(fitted), self.truth.theta).numpy()

    def length(self, vector: np.ndarray) -> np.ndarray:
        """(R,) norm in Σ: root mean square of a reward difference."""
        return np.sqrt(vector**2 @ self.spectrum.weight)


@dataclass(frozen=True, eq=False)
class CuratorsData:
    """R datasets, and the stream of their curators' noise.

    Attributes:
        world: which they are of.
        counts: labels.
        rng: the block's stream.
    """

    world: PrivateEstimate
    counts: AxisCounts
    rng: np.random.Generator

    def normal(self, std: float) -> np.ndarray:
        """(R, d) noise of a standard deviation, times what the noise really is."""
        shape = self.counts.wins.shape
        return self.world.noise.multiple * std * self.rng.standard_normal(shape)

    def fitted(self, ridge: float, linear: np.ndarray | None = None) -> np.ndarray:
        """(R, d) minimisers on the ball under a ridge and a linear term."""
        zero = np.zeros_like(self.counts.wins)
        return self.counts.minimiser(
            ridge, zero if linear is None else linear, self.world.reward_bound
        )

    @cached_property
    def without_privacy(self) -> np.ndarray:
        """(R, d) θ̂, maximum likelihood on the ball."""
        return self.fitted(NO_RIDGE * self.world.n_pairs)

    def objective(self, calibration: Calibration) -> np.ndarray:
        """(R, d) minimisers of the perturbed objective."""
        return self.fitted(calibration.ridge, self.normal(calibration.sigma))

    def output(self, perturbation: OutputPerturbation) -> np.ndarray:
        """(R, d) minimisers under a ridge, with noise."""
        return self.fitted(perturbation.ridge) + self.normal(perturbation.std)

    def descent(self, mechanism: NoisyDescent) -> np.ndarray:
        """(R, d) mean of the last half of the steps, begun at 0.

        A step has the length 1/curvature of the summed loss at 0 along its steepest axis.
        """
        theta, radius = np.zeros_like(self.counts.wins), self.world.reward_bound
        total, kept = np.zeros_like(theta), kept_steps(mechanism.steps)
        for step in range(mechanism.steps):
            slope = self.counts.gradient(theta) + self.normal(mechanism.std)
            theta = theta - slope / self.world.largest
            norm = np.linalg.norm(theta, axis=1, keepdims=True)
            # Back onto the ball; the guard is for θ = 0, which stays where it is.
            theta = theta * np.minimum(1.0, radius / np.maximum(norm, 1e-300))
            if step >= mechanism.steps - kept:
                total += theta / kept
        return total

    def batches(self, descent: SampledDescent) -> np.ndarray:
        """(R, d) mean of the last half of the steps on batches, begun at 0, steps as long."""
        total, kept = np.zeros_like(self.counts.wins), kept_steps(descent.steps)
        given = 1 / self.world.largest, self.world.reward_bound, self.world.noise.multiple
        steps = enumerate(noisy_batches(self.counts, descent, *given, self.rng))
        for step, (_, _, theta) in steps:
            if step >= descent.steps - kept:
                total += theta / kept
        return total
