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
from repro.chipo.policy import chipo_policy
from repro.estimators.mixture_mle import mixture_mle
from repro.families.chipo.variants import ChipoVariant
from repro.instances.linear import LinearWorld
from repro.preferences.label_counts import LabelCounts, draw_label_counts
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)

LADDER = np.geomspace(0.05, 100, 23)
FAR = 12
"""More rungs, up to the class's radius: an estimator that learns nothing is worst there."""
SEARCHED = (10**10, 1.0)
"""n and ε of the search; the place of the maximum in units of c·√(d/n) does not depend on them."""


@dataclass(frozen=True, eq=False)
class LinearChipo:
    """A linear world whose reward's direction is kept and whose size is a ladder.

    Attributes:
        world: features, states, π_ref and class.
        tuning: β = tuning·c·√(d/n).
        fixed_kl_weight: β of the variants that do not tune it.
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimated: (fitted, truth) → what the estimator returns.
    """

    world: LinearWorld
    tuning: float = 1.0
    fixed_kl_weight: float = 0.1
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimated: Estimate = as_fitted

    def unit(self, n_pairs: int, epsilon: float) -> float:
        """c·√(d/n), the scale of the error of a reward."""
        features = self.world.features.shape[-1]
        return privacy_cost(epsilon) * float(np.sqrt(features / n_pairs))

    def sized(self, size: float) -> LinearWorld:
        """The world with θ of norm ``size``."""
        theta = self.world.theta
        return replace(self.world, theta=theta / theta.norm() * size)

    def gap(self, world: LinearWorld, fitted: np.ndarray, kl_weight: float) -> np.ndarray:
        """(R,) E_s[max r − E_π̂ r] of the χPO policy of a fitted θ (R, d)."""
        theta = self.estimated(torch.from_numpy(fitted), world.theta).numpy()
        features, true = world.features.numpy(), world.reward.numpy()
        reward = np.einsum("sad,rd->rsa", features, theta)
        policy = chipo_policy(world.reference.numpy(), reward, np.array(kl_weight))
        lost = true.max(-1, keepdims=True) - true
        return np.einsum("rsa,sa,s->r", policy, lost, world.state_prob.numpy())

    @cached_property
    def worst_multiple(self) -> tuple[float, bool]:
        """x of the largest expected gap on the ladder, and whether it is interior."""
        unit = self.unit(*SEARCHED)
        far = np.geomspace(LADDER[-1], max(self.world.radius / unit, 2 * LADDER[-1]), FAR + 1)[1:]
        ladder = np.concatenate([LADDER, far])
        worlds = [self.sized(min(x * unit, self.world.radius)) for x in ladder]
        moved, noise = self._moved_limits(worlds), self._search_noise
        gaps = [
            self.gap(world, world.theta.numpy() + noise + moved[k], self.tuning * unit).mean()
            for k, world in enumerate(worlds)
        ]
        best = int(np.argmax(gaps))
        return float(ladder[best]), 0 < best < len(LADDER) - 1

    @cached_property
    def _search_noise(self) -> np.ndarray:
        """(64, d) normal errors of θ̂ at the search's n and ε, from a stream of their own."""
        diff, prob = self.world.feature_diff, self.world.cell_prob
        information = torch.einsum("c,ci,cj->ij", prob / 4, diff, diff)
        root = torch.linalg.cholesky(torch.linalg.inv(information)).numpy()
        rng = np.random.Generator(np.random.Philox(key=11))
        n_pairs, epsilon = SEARCHED
        noise = rng.standard_normal((64, root.shape[0])) @ root.T * privacy_cost(epsilon)
        noise /= np.sqrt(n_pairs)
        return noise

    def _moved_limits(self, worlds: list[LinearWorld]) -> np.ndarray:
        """(K, d) by how much stages other than the printed ones move the limit of θ̂."""
        prob = torch.sigmoid(torch.stack([world.reward_diff for world in worlds]))
        printed = self._limit(randomized_response(prob, SEARCHED[1]))
        return (self._limit(self.channel(self.labels(prob), SEARCHED[1])) - printed).numpy()

    def _limit(self, win_prob: torch.Tensor) -> torch.Tensor:
        """(K, d) θ̂ of expected counts with P(z = +1) = win_prob (K, C)."""
        n_pairs, epsilon = SEARCHED
        pairs = (n_pairs * self.world.cell_prob).expand_as(win_prob)
        counts = LabelCounts(pairs, pairs * win_prob)
        return mixture_mle(counts, self.world.feature_diff, epsilon, self.world.radius)

    def simulate(
        self,
        variant: ChipoVariant,
        n_pairs: int,
        epsilon: float,
        rng: np.random.Generator,
        replicates: int,
    ) -> np.ndarray:
        """(R,) gap on simulated datasets; with a fixed β the reward has its full size."""
        world = self._worst_world(variant, n_pairs, epsilon)
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, n_pairs, epsilon, replicates,
            self.labels, self.channel,
        )  # fmt: skip
        theta = mixture_mle(counts, world.feature_diff, epsilon, world.radius).numpy()
        return self.gap(world, theta, self._kl_weight(variant, n_pairs, epsilon))

    def informed_gap(self, variant: ChipoVariant, n_pairs: int, epsilon: float) -> float:
        """Gap of the policy that knows θ, on the same world."""
        world = self._worst_world(variant, n_pairs, epsilon)
        known = world.theta.numpy()[None]
        return float(self.gap(world, known, self._kl_weight(variant, n_pairs, epsilon))[0])

    def _worst_world(self, variant: ChipoVariant, n_pairs: int, epsilon: float) -> LinearWorld:
        size = self.worst_multiple[0] * self.unit(n_pairs, epsilon)
        return self.sized(min(size if variant.tunes else self._full_size, self.world.radius))

    @property
    def _full_size(self) -> float:
        return float(self.world.theta.norm())

    def _kl_weight(self, variant: ChipoVariant, n_pairs: int, epsilon: float) -> float:
        return self.tuning * self.unit(n_pairs, epsilon) if variant.tunes else self.fixed_kl_weight
