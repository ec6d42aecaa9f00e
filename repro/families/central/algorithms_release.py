"""What P3's curator releases, θ̃ and Σ̃, on drawn datasets of pairs, and the yardsticks of F."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import (
    Noise,
    Perturbation,
    covariance_noise,
    draw_noise,
    norm_in,
    private_covariance,
    private_mle,
)
from repro.families.central.algorithms_losses import PairLoss, RankingLoss, draw_rankings
from repro.families.central.algorithms_minimiser import Loss
from repro.families.central.worlds_axis import AxisWorld
from repro.families.central.worlds_mdp import LinearMDP
from repro.families.central.worlds_rankings import ChoiceSetWorld
from repro.preferences.label_counts import draw_label_counts


@dataclass(frozen=True, eq=False)
class CentralData:
    """Datasets of one size and the standard normals of their releases.

    Attributes:
        loss: ℓ_D, divided by n.
        covariance: (R, d, d) Σ_D.
        n_pairs: n.
        noise: behind b and w.
        spread: (R, d, d) behind G.
    """

    loss: Loss
    covariance: Tensor
    n_pairs: int
    noise: Noise
    spread: Tensor

    def theta(self, numbers: Perturbation) -> Tensor:
        """(R, d) θ̃ (Algorithm 1)."""
        return private_mle(self.loss, self.n_pairs, numbers, self.noise)

    def matrix(self, budget: CentralBudget, ridge: float) -> Tensor:
        """(R, d, d) Σ̃ + λI (Algorithm 2, symmetric part)."""
        released = private_covariance(
            self.covariance, self.spread, budget.covariance_std(self.n_pairs)
        )
        return released + ridge * torch.eye(released.shape[-1], dtype=released.dtype)

    def distance(self, matrix: Tensor, theta: Tensor, truth: Tensor) -> Tensor:
        """(R,) ‖θ* − θ̃‖ in the matrix."""
        return norm_in(matrix, 0.0, theta - truth)


def draw_pair_loss(
    rng: np.random.Generator, world: AxisWorld, n_pairs: int, replicates: int
) -> PairLoss:
    """Draw n labelled pairs as counts and divide by n."""
    counts = draw_label_counts(
        rng, world.data_prob, world.reward_diff, n_pairs, float("inf"), replicates
    )
    return PairLoss(world.feature_diff, counts.pairs / n_pairs, counts.wins / n_pairs)


def draw_pairs(
    rng: np.random.Generator, world: AxisWorld, n_pairs: int, replicates: int
) -> CentralData:
    """R datasets of n labelled pairs and their curator's noise."""
    loss = draw_pair_loss(rng, world, n_pairs, replicates)
    return with_noise(rng, loss, loss.covariance, n_pairs)


def with_noise(
    rng: np.random.Generator, loss: Loss, covariance: Tensor, n_pairs: int
) -> CentralData:
    """Datasets with standard normals for b, w and G."""
    replicates, d = covariance.shape[:2]
    noise = draw_noise(rng, replicates, d)
    return CentralData(loss, covariance, n_pairs, noise, covariance_noise(rng, replicates, d))


def draw_ranked(
    rng: np.random.Generator, world: ChoiceSetWorld, n_pairs: int, replicates: int
) -> CentralData:
    """R datasets of n rankings and their curator's noise."""
    states = world.draw_states(rng, n_pairs, replicates)
    reward = torch.einsum("skd,d->sk", world.features, world.axis.theta).numpy()
    met, chosen = draw_rankings(rng, states, reward)
    loss = RankingLoss(world.features, met / n_pairs, chosen / n_pairs)
    covariance = world.covariance(torch.from_numpy(states / n_pairs))
    return with_noise(rng, loss, covariance, n_pairs)


def draw_trajectory_pairs(
    rng: np.random.Generator, world: LinearMDP, n_pairs: int, replicates: int
) -> CentralData:
    """R datasets of n compared pairs of trajectories and their curator's noise."""
    x, prob = world.trajectory_pairs
    counts = draw_label_counts(rng, prob, x @ world.theta, n_pairs, float("inf"), replicates)
    loss = PairLoss(x, counts.pairs / n_pairs, counts.wins / n_pairs)
    return with_noise(rng, loss, loss.covariance, n_pairs)
