"""Algorithm 1 of P2 with a linear class of rewards, on any linear world (also on text pairs).

The true reward is x·c·√(d/n) times a fixed direction; x maximises the expected gap, found before
any draw with normal errors, and is the same for every n because the gap's shape is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts
from repro.labels.preferences.label_law import Channel, LabelLaw, on_arrays, randomized_response
from repro.p2.chipo.labels import ChipoLabels
from repro.p2.chipo.policy import chipo_policy
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.instances.choices import AnyChoice
from repro.worlds.instances.labelled import built
from repro.worlds.instances.linear import LinearWorld

LADDER = np.geomspace(0.05, 100, 23)
FAR = 12
"""More rungs, up to the class's radius: an estimator that learns nothing is worst there."""
SEARCHED = (10**10, 1.0)
"""n and ε of the search; the place of the maximum in units of c·√(d/n) does not depend on them."""


@dataclass(frozen=True, kw_only=True)
class LinearReward(ChipoLabels):
    """A linear world whose reward's direction is kept and whose size is worst; β = tuning·c·√(d/n).

    Attributes:
        instance: the numbers of features, states, π_ref and class.
    """

    instance: AnyChoice

    @property
    def world(self) -> LinearWorld:
        """The instance, built."""
        instance = built(self.instance)
        assert isinstance(instance, LinearWorld)
        return instance

    @property
    def unit(self) -> float:
        """c·√(d/n), the scale of the error of a reward."""
        return _unit(self.world, self.n_pairs, self.epsilon)

    @property
    def kl_weight(self) -> float:
        """β."""
        return self.tuning * self.unit if self.tunes else self.fixed_kl_weight

    @property
    def worst_multiple(self) -> tuple[float, bool]:
        """x of the largest expected gap, and whether it is interior: one for all n and ε."""
        searched = replace(self, n_pairs=SEARCHED[0], epsilon=SEARCHED[1], tunes=True, sign=1.0,
                        budget_share=1.0)  # fmt: skip
        return _worst_multiple(searched)

    @property
    def worst_world(self) -> LinearWorld:
        """The world with θ of the worst size; with a fixed β the reward has its full size."""
        size = self.worst_multiple[0] * self.unit if self.tunes else float(self.world.theta.norm())
        return _sized(self.world, min(size, self.world.radius))

    def gap(self, world: LinearWorld, fitted: np.ndarray) -> np.ndarray:
        """(R,) E_s[max r − E_π̂ r] of the χPO policy of a fitted θ (R, d)."""
        theta = on_arrays(self.estimate, fitted, world.theta.numpy())
        features, true = world.features.numpy(), world.reward.numpy()
        reward = np.einsum("sad,rd->rsa", features, theta)
        policy = chipo_policy(world.reference.numpy(), reward, np.array(self.kl_weight))
        lost = true.max(-1, keepdims=True) - true
        return np.einsum("rsa,sa,s->r", policy, lost, world.state_prob.numpy())

    def gaps(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        world = self.worst_world
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, self.n_pairs, self.epsilon, replicates,
            self.labels, self.channel,
        )  # fmt: skip
        theta = mixture_mle(counts, world.feature_diff, self.epsilon, world.radius).numpy()
        return self.gap(world, theta)

    def informed_gap(self) -> float:
        world = self.worst_world
        return float(self.gap(world, world.theta.numpy()[None])[0])

    def interior(self) -> tuple[bool, str]:
        where, inside = self.worst_multiple
        norm, radius = where * self.unit, self.world.radius
        detail = f"worst ‖θ‖ = {norm:.3g} inside the class of radius {radius:.3g}"
        return inside and norm < radius, detail


def _unit(world: LinearWorld, n_pairs: int, epsilon: float) -> float:
    features = world.features.shape[-1]
    return privacy_cost(epsilon) * float(np.sqrt(features / n_pairs))


def _sized(world: LinearWorld, size: float) -> LinearWorld:
    """The world with θ of norm ``size``."""
    return replace(world, theta=world.theta / world.theta.norm() * size)


@lru_cache(maxsize=16)
def _worst_multiple(learner: LinearReward) -> tuple[float, bool]:
    """x of the largest expected gap on the ladder, and whether it is interior."""
    world, unit = learner.world, learner.unit
    far = np.geomspace(LADDER[-1], max(world.radius / unit, 2 * LADDER[-1]), FAR + 1)[1:]
    ladder = np.concatenate([LADDER, far])
    worlds = [_sized(world, min(x * unit, world.radius)) for x in ladder]
    moved, noise = _moved_limits(worlds, learner.labels, learner.channel), _search_noise(world)
    gaps = [
        learner.gap(sized, sized.theta.numpy() + noise + moved[k]).mean()
        for k, sized in enumerate(worlds)
    ]
    best = int(np.argmax(gaps))
    return float(ladder[best]), 0 < best < len(LADDER) - 1


def _search_noise(world: LinearWorld) -> np.ndarray:
    """(64, d) normal errors of θ̂ at the search's n and ε, from a stream of their own."""
    diff, prob = world.feature_diff, world.cell_prob
    information = torch.einsum("c,ci,cj->ij", prob / 4, diff, diff)
    root = torch.linalg.cholesky(torch.linalg.inv(information)).numpy()
    rng = np.random.Generator(np.random.Philox(key=11))
    n_pairs, epsilon = SEARCHED
    noise = rng.standard_normal((64, root.shape[0])) @ root.T * privacy_cost(epsilon)
    noise /= np.sqrt(n_pairs)
    return noise


def _moved_limits(worlds: list[LinearWorld], labels: LabelLaw, channel: Channel) -> np.ndarray:
    """(K, d) by how much stages other than the printed ones move the limit of θ̂."""
    prob = torch.sigmoid(torch.stack([world.reward_diff for world in worlds]))
    printed = _limit(worlds[0], randomized_response(prob, SEARCHED[1]))
    return (_limit(worlds[0], channel(labels(prob), SEARCHED[1])) - printed).numpy()


def _limit(world: LinearWorld, win_prob: torch.Tensor) -> torch.Tensor:
    """(K, d) θ̂ of expected counts with P(z = +1) = win_prob (K, C)."""
    n_pairs, epsilon = SEARCHED
    pairs = (n_pairs * world.cell_prob).expand_as(win_prob)
    counts = LabelCounts(pairs, pairs * win_prob)
    return mixture_mle(counts, world.feature_diff, epsilon, world.radius)
