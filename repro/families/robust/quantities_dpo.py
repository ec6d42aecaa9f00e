"""DPO and pessimistic RLHF on the same labels where one response is hardly covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene, estimate
from repro.families.robust.algorithms_pessimism import ConfidenceSet, pessimistic_policy
from repro.families.robust.worlds_log_linear import three_arms
from repro.families.robust.worlds_pairs import pairs_of
from repro.instances.linear import LinearWorld
from repro.policies.gibbs import gibbs_policy

CHI2_2 = 5.991
"""95 % quantile of χ² with two degrees of freedom."""


@dataclass(frozen=True)
class Uncovered:
    """Three responses, the third seen with probability ``share`` only.

    Attributes:
        share: π_sft of the third response; the others halve the rest.
        rewards: of the three responses, the first the largest.
        reward_bound: B′.
        kl_weight: β.
    """

    share: float
    rewards: tuple[float, float, float]
    reward_bound: float
    kl_weight: float

    def world(self) -> LinearWorld:
        """The bandit in coordinates of {⟨1, θ⟩ = 0}."""
        arms = three_arms([1, 1, 1], [0, 0], self.reward_bound, self.kl_weight)
        theta = torch.tensor(self.rewards, dtype=torch.float64) @ arms.features[0]
        weights = [(1 - self.share) / 2, (1 - self.share) / 2, self.share]
        return three_arms(weights, theta.tolist(), self.reward_bound, self.kl_weight)


def losses(
    case: Uncovered, n_pairs: int, epsilon: float, rng: np.random.Generator, replicates: int
) -> dict[str, np.ndarray]:
    """(R,) reward lost against the best response, by DPO and by pessimistic RLHF.

    Both read the same debiased estimate θ̂; pessimism compares with π_ref, half each on the two
    covered responses, and has a set that covers with probability 95 %.

    Args:
        case: the bandit.
        n_pairs: n.
        epsilon: privacy budget.
        rng: simulation stream.
        replicates: R.
    """
    world = case.world()
    pairs = pairs_of(world)
    scene = Scene(pairs, Order.LTC, epsilon)
    error, target = estimate(scene, n_pairs, rng, replicates)
    scale = float(pairs.truth.norm() / world.theta.norm())
    theta = (error + target.truth) / scale
    dpo = gibbs_policy(world.reference, theta[:, None, :] @ world.features[0].T, world.kl_weight)
    best = world.reward.max()
    lost_dpo = best - (dpo[:, 0] * world.reward[0]).sum(-1)
    lost = [
        _pessimistic_loss(world, t, m, n_pairs, scene.read.scale)
        for t, m in zip(theta.numpy(), _covariances(target) * scale**2, strict=True)
    ]
    return {"dpo": lost_dpo.numpy(), "pessimistic": np.array(lost)}


def _covariances(target) -> np.ndarray:
    """(R, k, k) Σ̂ of scaled features."""
    x = target.features
    return torch.einsum("rc,ci,cj->rij", target.mass, x, x).numpy()


def _pessimistic_loss(world, theta, covariance, n_pairs: int, cost: float) -> float:
    metric = covariance + 1e-9 * np.eye(len(theta))
    width = 2 * cost * (CHI2_2 / n_pairs) ** 0.5
    believed = ConfidenceSet(theta, metric, width, world.radius)
    reference = np.array([[0.5, 0.5, 0.0]])
    policy, _ = pessimistic_policy(believed, world.features.numpy(), np.ones(1), reference)
    reward = world.reward[0].numpy()
    return float(reward.max() - policy[0] @ reward)
