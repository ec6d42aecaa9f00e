"""Learning from a trusted curator: worlds stage by stage, and what is released of their datasets.

A curator adds noise to the objective whose minimiser θ̃ is released (P3, Algorithm 1) and to the
covariance of the feature differences (Algorithm 2); policies are chosen from the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Protocol, Self

import numpy as np
import torch
from pydantic import AfterValidator, StrictBool
from torch import Tensor

from repro.base.schema import Epsilon, Finite, Pairs, Positive, Probability, Share
from repro.core.check import Assumed, Quantity
from repro.labels.preferences.label_law import (
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    fair_coins,
    the_truth,
)
from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE, CentralNoise
from repro.p3.curator.axis_choice import AxisChoice, axis_states
from repro.p3.curator.axis_world import AxisWorld
from repro.p3.curator.budget import CentralBudget
from repro.p3.curator.certified_budget import PrivateBudget
from repro.p3.curator.policy_table import PolicyTable
from repro.p3.curator.reward_and_covariance import (
    Loss,
    Perturbation,
    StandardNormals,
    covariance_noise,
    draw_noise,
    norm_in,
    printed_perturbation,
    private_covariance,
    private_mle,
)

NOT_PRIVATE = "printed noise, not private at its stated budget"
"""What P3's own noise is called in the checks that use it, with pairs or trajectories: at their δ
Lemma A.7 fails whether an item is replaced or added."""


def _at_most_one(value: float) -> float:
    if value > 1:
        raise ValueError("at most 1 (input of P3's Algorithm 1)")
    return value


CentralEpsilon = Annotated[Epsilon, AfterValidator(_at_most_one)]


# Worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class CuratorNumbers:
    """What Algorithms 1 to 3 take besides the data (P3, section 4).

    Attributes:
        epsilon: ε in (0, 1].
        n_pairs: n, comparisons.
        failure_prob: η.
        feature_norm: L, ‖φ‖ ≤ L.
        radius: B, ‖θ*‖ ≤ B.
        ridge_scale: C of Lemma A.9, in the units L².
        log_inverse_delta: log(1/δ); δ = 1/n² unless it is given.
        private: whether the noise is certified at (ε/2, δ/2) for each release; as printed if not.
        noise: what the curator really adds.
    """

    epsilon: CentralEpsilon
    n_pairs: Pairs
    failure_prob: Probability
    feature_norm: Positive
    radius: Positive
    ridge_scale: Positive
    log_inverse_delta: Positive | None = None
    private: StrictBool = False
    noise: CentralNoise = GAUSSIAN
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE},
        "labels": {"bradley_terry": bradley_terry, "fair_coins": fair_coins},
        "estimate": {"as_fitted": as_fitted, "the_truth": the_truth},
    }

    @property
    def budget(self) -> CentralBudget:
        """The constants that the algorithms believe in."""
        kind = PrivateBudget if self.private else CentralBudget
        return kind(**self.budget_numbers)

    @property
    def budget_numbers(self) -> dict[str, float]:
        """Fields of a ``CentralBudget``."""
        given = self.log_inverse_delta
        return {
            "epsilon": self.epsilon,
            "log_inverse_delta": 2 * math.log(self.n_pairs) if given is None else given,
            "failure_prob": self.failure_prob,
            "feature_norm": self.feature_norm,
            "radius": self.radius,
            "ridge_scale": self.ridge_scale,
        }

    def more_labels(self, other: Self) -> float:
        """Errors depend on ε·n: at another ε as many labels as keep it."""
        return self.epsilon / other.epsilon


class Compared(Protocol):
    """What rewards are learnt from, and what policies are judged on."""

    @property
    def num_features(self) -> int:
        """d."""
        ...

    @property
    def theta(self) -> Tensor:
        """(d,) θ*."""
        ...

    @property
    def policies(self) -> PolicyTable:
        """All policies, where they can be enumerated."""
        ...

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) suboptimality gap of the policies that are optimal for θ (R, d)."""
        ...

    def draw(
        self, rng: np.random.Generator, n_pairs: int, replicates: int, labels: LabelLaw
    ) -> tuple[Loss, Tensor]:
        """R datasets of n comparisons: ℓ_D divided by n, and Σ_D (R, d, d)."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class CentralLearning(CuratorNumbers):
    """n comparisons along the axes of an instance, and a curator's releases, stage by stage.

    Attributes:
        instance: the states that are compared.
        theta_share: ‖θ*‖/B, where the instance does not fix θ*.
        optimizer_tol_power: β = n^(−power).
        error_scale: the constant of O(·) in F.
        labels: what labels are drawn from.
        estimate: (fitted, truth) → what Algorithm 1 returns.
        pessimism: multiple of F in Algorithm 3: 1 as printed, 0 none, −1 reversed.
    """

    instance: AxisChoice
    theta_share: Share
    optimizer_tol_power: Positive
    error_scale: Positive = 1.0
    labels: LabelLaw = bradley_terry
    estimate: Estimate = as_fitted
    pessimism: Finite = 1.0

    @property
    def axis(self) -> AxisWorld:
        """The states; pairs are as long as they may be, 2L."""
        norm = self.theta_share * self.radius
        length = 2 * self.feature_norm
        return axis_states(self.instance, length, norm, self.n_pairs)  # type: ignore[arg-type]

    @property
    def truth(self) -> Compared:
        """Where comparisons come from; pairs at the states unless a subclass says otherwise."""
        return self.axis

    @property
    def num_features(self) -> int:
        """d."""
        return self.truth.num_features

    @property
    def ridge(self) -> float:
        """λ of the appendix."""
        return self.budget.confidence_ridge(self.n_pairs, self.num_features)

    @property
    def text_ridge(self) -> float:
        """λ of the main text."""
        return self.budget.text_ridge(self.n_pairs, self.num_features)

    @property
    def error_bound(self) -> float:
        """F of eq. (3)."""
        return self.budget.error_bound(self.n_pairs, self.num_features, self.error_scale)

    @property
    def perturbation(self) -> Perturbation:
        """The numbers that Algorithm 1 prints."""
        tol = float(self.n_pairs) ** -self.optimizer_tol_power
        return printed_perturbation(self.budget, self.n_pairs, self.num_features, tol)

    def datasets(self, rng: np.random.Generator, replicates: int) -> tuple[Loss, Tensor]:
        """ℓ_D/n and Σ_D of R datasets of n comparisons."""
        return self.truth.draw(rng, self.n_pairs, replicates, self.labels)

    def draw(self, rng: np.random.Generator, replicates: int) -> Releases:
        """R datasets of n comparisons and the noise of their releases."""
        loss, covariance = self.datasets(rng, replicates)
        d, multiple = covariance.shape[-1], self.noise.multiple
        drawn, spread = draw_noise(rng, replicates, d), covariance_noise(rng, replicates, d)
        noise = StandardNormals(multiple * drawn.linear, multiple * drawn.output)
        return Releases(self, loss, covariance, noise, multiple * spread, rng)


# Releases ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Releases:
    """R datasets of a world, and the standard normals behind what is released of them.

    Attributes:
        world: whose curator's numbers scale the noise.
        loss: ℓ_D, divided by n.
        covariance: (R, d, d) Σ_D.
        noise: behind b and w.
        spread: (R, d, d) behind G.
        rng: the block's stream, for learners that draw once more.
    """

    world: CentralLearning
    loss: Loss
    covariance: Tensor
    noise: StandardNormals
    spread: Tensor
    rng: np.random.Generator

    def theta(self, noise_factor: float = 1.0) -> Tensor:
        """(R, d) θ̃ (Algorithm 1), with the scale of b times ``noise_factor``."""
        numbers = self.world.perturbation
        numbers = replace(numbers, noise_std=numbers.noise_std * noise_factor)
        return self.world.estimate(self.fitted(numbers), self.world.truth.theta)

    def fitted(self, numbers: Perturbation) -> Tensor:
        """(R, d) what Algorithm 1 fits; found once, however many learners start from it."""
        if numbers not in self._found:
            estimates = private_mle(self.loss, self.world.n_pairs, numbers, self.noise)
            self._found[numbers] = estimates
        return self._found[numbers]

    @cached_property
    def _found(self) -> dict[Perturbation, Tensor]:
        return {}

    def matrix(self, ridge: float) -> Tensor:
        """(R, d, d) Σ̃ + λI (Algorithm 2, symmetric part)."""
        std = self.world.budget.covariance_std(self.world.n_pairs)
        released = private_covariance(self.covariance, self.spread, std)
        return released + ridge * torch.eye(released.shape[-1], dtype=released.dtype)

    def distance(self, ridge: float) -> Tensor:
        """(R,) ‖θ* − θ̃‖ in Σ̃ + ridge·I."""
        return norm_in(self.matrix(ridge), 0.0, self.theta() - self.world.truth.theta)

    def believing(self, **changes: Any) -> Releases:
        """The same datasets and normals, for a curator whose numbers are others."""
        return replace(self, world=replace(self.world, **changes))


def releases_of(world: CentralLearning, rng: np.random.Generator, replicates: int) -> Releases:
    """The datasets and the noise that all learners read."""
    return world.draw(rng, replicates)


def _of_releases(world: CentralLearning, algorithm: Any, data: Releases, replicates: int):
    return algorithm(data).numpy()


def learnt(words: str) -> Quantity:
    """(R,) what every learner makes of the same datasets and the same noise."""
    return Quantity(words, _of_releases, drawn=releases_of)


def inputs_of_algorithm_1(world: CuratorNumbers) -> Iterator[Assumed]:
    """ε ≤ 1 and δ ≤ 1/n²."""
    budget, most = world.budget, -2 * math.log(world.n_pairs)
    holds = budget.epsilon <= 1 and -budget.log_inverse_delta <= most
    detail = f"ε {budget.epsilon:.3g}, log δ {-budget.log_inverse_delta:.1f} ≤ {most:.1f}"
    yield "ε ≤ 1 and δ ≤ 1/n²", holds, detail
