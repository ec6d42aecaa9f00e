"""Unsaturated logistic worlds on which losses differ: a scalar reward and five features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.worlds.instances.linear import LinearWorld


@dataclass(frozen=True, eq=False)
class LogisticWorld:
    """Pairs as cells with a linear reward.

    Attributes:
        feature_diff: (C, d) x.
        cell_prob: (C,) probability of each; what is missing to 1 are pairs without information.
        theta: (d,) the truth.
        radius: of the class.
        weight: (d, d) metric of errors of θ, E[x·xᵀ] unless given.
    """

    feature_diff: Tensor
    cell_prob: Tensor
    theta: Tensor
    radius: float
    weight: Tensor | None = None

    @property
    def reward_diff(self) -> Tensor:
        """(C,) s* = ⟨x, θ⟩."""
        return self.feature_diff @ self.theta

    @property
    def metric(self) -> Tensor:
        """(d, d) how squared errors of θ are weighed: as those of reward differences by default."""
        if self.weight is not None:
            return self.weight
        return torch.einsum("c,ci,cj->ij", self.cell_prob, self.feature_diff, self.feature_diff)


RANGE = 4.0
"""How many times as far from 0 as the truth the class of estimates reaches."""


def scalar_world(reward_bound: float, nodes: int = 32) -> LogisticWorld:
    """x uniform on [−1, 1] by Gauss–Legendre quadrature, θ = B: differences fill [−B, B]."""
    x, weight = np.polynomial.legendre.leggauss(nodes)
    return LogisticWorld(
        torch.from_numpy(x)[:, None],
        torch.from_numpy(weight / 2),
        torch.tensor([float(reward_bound)], dtype=torch.float64),
        RANGE * reward_bound,
    )


def gaussian_world(reward_bound: float, num_features: int = 5, cells: int = 128) -> LogisticWorld:
    """Fixed Gaussian feature differences scaled so that the largest |s*| is B."""
    rng = np.random.Generator(np.random.Philox(key=17))
    x = torch.from_numpy(rng.standard_normal((cells, num_features)))
    theta = torch.from_numpy(rng.standard_normal(num_features))
    theta = theta * reward_bound / (x @ theta).abs().max()
    prob = torch.full((cells,), 1.0 / cells, dtype=torch.float64)
    return LogisticWorld(x, prob, theta, RANGE * float(theta.norm()))


def logistic_world(world: LinearWorld) -> LogisticWorld:
    """The pairs of a linear world (such as text pairs) that are not ties."""
    prob, theta = world.cell_prob.cpu(), world.theta.cpu()  # losses are minimised there
    share = prob / prob.sum()
    return LogisticWorld(world.feature_diff.cpu(), share, theta, RANGE * float(theta.norm()))
