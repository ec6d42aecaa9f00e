"""What P3's curator releases, θ̃ and Σ̃, on datasets of any kind of comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import (
    Loss,
    Noise,
    Perturbation,
    covariance_noise,
    draw_noise,
    norm_in,
    private_covariance,
    private_mle,
)
from repro.families.central.algorithms_pessimism import PolicyTable
from repro.preferences.label_law import LabelLaw
from repro.privacy.central_noise import GAUSSIAN, CentralNoise


class World(Protocol):
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
        """(R,) sub-optimality of the policies that are optimal for θ (R, d)."""
        ...

    def draw(
        self, rng: np.random.Generator, n_pairs: int, replicates: int, labels: LabelLaw
    ) -> tuple[Loss, Tensor]:
        """R datasets of n comparisons: ℓ_D divided by n, and Σ_D (R, d, d)."""
        ...


@dataclass(frozen=True, eq=False)
class CentralData:
    """Datasets of one size and the standard normals of their releases.

    Attributes:
        loss: ℓ_D, divided by n.
        covariance: (R, d, d) Σ_D.
        n_pairs: n.
        noise: behind b and w.
        spread: (R, d, d) behind G.
        rng: the block's stream, for methods that draw once more.
    """

    loss: Loss
    covariance: Tensor
    n_pairs: int
    noise: Noise
    spread: Tensor
    rng: np.random.Generator

    def theta(self, numbers: Perturbation) -> Tensor:
        """(R, d) θ̃ (Algorithm 1); found once, however many methods start from it."""
        if numbers not in self._found:
            self._found[numbers] = private_mle(self.loss, self.n_pairs, numbers, self.noise)
        return self._found[numbers]

    @cached_property
    def _found(self) -> dict[Perturbation, Tensor]:
        return {}

    def matrix(self, budget: CentralBudget, ridge: float) -> Tensor:
        """(R, d, d) Σ̃ + λI (Algorithm 2, symmetric part)."""
        released = private_covariance(
            self.covariance, self.spread, budget.covariance_std(self.n_pairs)
        )
        return released + ridge * torch.eye(released.shape[-1], dtype=released.dtype)

    def distance(self, matrix: Tensor, theta: Tensor, truth: Tensor) -> Tensor:
        """(R,) ‖θ* − θ̃‖ in the matrix."""
        return norm_in(matrix, 0.0, theta - truth)


def draw_data(
    rng: np.random.Generator,
    world: World,
    n_pairs: int,
    replicates: int,
    labels: LabelLaw,
    noise: CentralNoise,
) -> CentralData:
    """R datasets of n comparisons and their curator's noise."""
    loss, covariance = world.draw(rng, n_pairs, replicates, labels)
    return with_noise(rng, loss, covariance, n_pairs, replicates, noise)


def with_noise(
    rng: np.random.Generator,
    loss: Loss,
    covariance: Tensor,
    n_pairs: int,
    replicates: int,
    noise: CentralNoise = GAUSSIAN,
) -> CentralData:
    """Datasets with standard normals for b, w and G, times what the noise really is."""
    d = covariance.shape[-1]
    drawn, spread = draw_noise(rng, replicates, d), covariance_noise(rng, replicates, d)
    scaled = Noise(noise.multiple * drawn.linear, noise.multiple * drawn.output)
    return CentralData(loss, covariance, n_pairs, scaled, noise.multiple * spread, rng)
