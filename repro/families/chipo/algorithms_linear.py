"""Algorithm 1 of P2 with a linear class of rewards, on any linear world (also on text pairs).

The true reward is x·c·√(d/n) times a fixed direction; x maximises the expected gap, found before
any draw with normal errors, and is the same for every n because the gap's shape is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.estimators.mixture_mle import mixture_mle
from repro.families.chipo.algorithms_policy import chipo_policy
from repro.instances.linear import LinearWorld
from repro.preferences.label_counts import draw_label_counts

LADDER = np.geomspace(0.05, 100, 23)


@dataclass(frozen=True, eq=False)
class LinearChipo:
    """A linear world whose reward's direction is kept and whose size is a ladder.

    Attributes:
        world: features, states, π_ref and class.
        tuning: β = tuning·c·√(d/n).
        fixed_kl_weight: β of the control that does not tune it.
    """

    world: LinearWorld
    tuning: float = 1.0
    fixed_kl_weight: float = 0.1

    def unit(self, n_pairs: int, epsilon: float) -> float:
        """c·√(d/n), the scale of the error of a reward."""
        features = self.world.features.shape[-1]
        return privacy_cost(epsilon) * float(np.sqrt(features / n_pairs))

    def sized(self, size: float) -> LinearWorld:
        """The world with θ of norm ``size``."""
        theta = self.world.theta
        return replace(self.world, theta=theta / theta.norm() * size)

    def gap(self, world: LinearWorld, theta: np.ndarray, kl_weight: float) -> np.ndarray:
        """(R,) E_s[max r − E_π̂ r] of the χPO policy of θ̂ (R, d)."""
        features, true = world.features.numpy(), world.reward.numpy()
        reward = np.einsum("sad,rd->rsa", features, theta)
        policy = chipo_policy(world.reference.numpy(), reward, np.array(kl_weight))
        lost = true.max(-1, keepdims=True) - true
        return np.einsum("rsa,sa,s->r", policy, lost, world.state_prob.numpy())

    @cached_property
    def worst_multiple(self) -> tuple[float, bool]:
        """x of the largest expected gap on the ladder, and whether it is interior."""
        diff, prob = self.world.feature_diff, self.world.cell_prob
        information = torch.einsum("c,ci,cj->ij", prob / 4, diff, diff)
        root = torch.linalg.cholesky(torch.linalg.inv(information)).numpy()
        rng = np.random.Generator(np.random.Philox(key=11))
        n_pairs, epsilon = 10**10, 1.0
        features = root.shape[0]
        noise = rng.standard_normal((64, features)) @ root.T * privacy_cost(epsilon)
        noise /= np.sqrt(n_pairs)
        unit = self.unit(n_pairs, epsilon)
        gaps = []
        for multiple in LADDER:
            world = self.sized(multiple * unit)
            theta = world.theta.numpy() + noise
            gaps.append(self.gap(world, theta, self.tuning * unit).mean())
        best = int(np.argmax(gaps))
        return float(LADDER[best]), 0 < best < len(LADDER) - 1

    def simulate(
        self,
        n_pairs: int,
        epsilon: float,
        rng: np.random.Generator,
        replicates: int,
        fixed: bool = False,
    ) -> np.ndarray:
        """(R,) gap on simulated datasets; with a fixed β the reward has its full size."""
        unit = self.unit(n_pairs, epsilon)
        size = float(self.world.theta.norm()) if fixed else self.worst_multiple[0] * unit
        world = self.sized(min(size, self.world.radius))
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, n_pairs, epsilon, replicates
        )
        theta = mixture_mle(counts, world.feature_diff, epsilon, world.radius).numpy()
        return self.gap(world, theta, self.fixed_kl_weight if fixed else self.tuning * unit)
