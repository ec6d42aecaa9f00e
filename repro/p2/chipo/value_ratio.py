"""What V_max/R_max does to χPO: √(V_max/R_max), neither more nor less, for the best β.

Two worlds of one state.  Known: the good response has π_ref = 1/C and the class is π*_β alone; the
gap is of order βC.  Spurious: a bad response has π_ref = w; a second policy has an implicit reward
of V_max on it, which the loss clips at 2·R_max, so labels cannot rule it out where w ~
c²/(n·R_max²); it plays the bad response with probability about w·V_max/β.  π_ref, the third of the
class, has no opinion, and nothing to gain on labels that tell the truth; w goes up to ¼.
docs/explanations/reward_range.md, Theorems 4 and 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Finite, Pairs, RewardBound
from repro.core.check import named
from repro.labels.preferences.label_law import on_arrays
from repro.labels.preferences.two_rewards import released_win_prob
from repro.p2.chipo.losses import log_loss
from repro.p2.chipo.policy import chipo_policy, two_arm_wrong_prob
from repro.p2.chipo.statistical_error import statistical_error_of
from repro.worlds.instances.labelled import PrivateLabels

LEAST_INFORMATIVE, LARGEST_RARE = 0.02, 0.25
"""Expected informative pairs at the least w, in units of c²/R_max²; and the largest w."""
A_FACTOR_OF_TWO = 3
"""So many w."""
DIFFERENCES = np.geomspace(0.1, 100, 200)
"""Rewards of the known world, in units of β."""
MULTIPLES = np.geomspace(1e-3, 1e3, 241)
"""Multiples of c/√(Cn) over which the best β is sought, the same for every V_max/R_max."""
RESPONSES = 6
"""Of the random worlds of ``over_bound``."""
RANDOM_WORLDS = 400


@dataclass(frozen=True, eq=False, kw_only=True)
class SpuriousValue(PrivateLabels):
    """The known and the spurious world at one V_max/R_max.

    Attributes:
        n_pairs: n.
        value_ratio: ρ = V_max/R_max ≥ 1.
        coverage: C.
        reward_bound: R_max.
        pessimism: multiple of β(χ² + KL): 1 as printed, 0 none, below 0 it is sought.
    """

    n_pairs: Pairs
    value_ratio: Annotated[Finite, Field(ge=1)]
    coverage: Annotated[Finite, Field(gt=1)]
    reward_bound: RewardBound
    pessimism: float = 1.0

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def unit(self) -> float:
        """c/√(Cn), β of Theorem 4.4 but for rewards."""
        return self.cost / math.sqrt(self.coverage * self.n_pairs)

    @property
    def rare(self) -> np.ndarray:
        """(K,) w of the spurious worlds."""
        least = LEAST_INFORMATIVE * (self.cost / self.reward_bound) ** 2 / (2 * self.n_pairs)
        rungs = round(A_FACTOR_OF_TWO * np.log2(LARGEST_RARE / least))
        return np.geomspace(least, LARGEST_RARE, rungs)

    @property
    def means(self) -> np.ndarray:
        """(3,) mean of an unreleased label of good and bad: of π*_β, spurious and π_ref."""
        return np.tanh(np.array([self.reward_bound, -2 * self.reward_bound, 0.0]) / 2)


@lru_cache(maxsize=4096)
def known_gap(world: SpuriousValue, kl_weight: float) -> float:
    """Largest gap of π*_β over rewards up to R_max."""
    rewards = np.minimum(kl_weight * world.coverage * DIFFERENCES, world.reward_bound)
    wrong = two_arm_wrong_prob(np.array(1 / world.coverage), rewards / kl_weight)
    return float((rewards * wrong).max())


@lru_cache(maxsize=4096)
def spurious_gaps(world: SpuriousValue, kl_weight: float, ratio: float) -> np.ndarray:
    """(K, 3) gaps of π*_β, spurious and π_ref; the second's V_max is ratio·R_max."""
    best, rare = world.reward_bound, world.rare
    right = two_arm_wrong_prob(1 - rare, np.full_like(rare, best / kl_weight))
    played = 1 - two_arm_wrong_prob(rare, np.full_like(rare, ratio * best / kl_weight))
    return best * np.stack([right, played, rare], axis=-1)


@dataclass(frozen=True)
class Chosen:
    """How often Algorithm 1 returned each policy of a spurious world.

    Attributes:
        world: whose labels it read.
        share: (K, 3) of π*_β, spurious and π_ref.
    """

    world: SpuriousValue
    share: np.ndarray

    def beyond(self, kl_weight: float, ratio: float) -> float:
        """Largest mean gap over w, beyond that of known rewards."""
        gaps = spurious_gaps(self.world, kl_weight, ratio)
        return float((self.share * (gaps - gaps[:, :1])).sum(-1).max())

    def worst(self, kl_weights: np.ndarray, ratio: float) -> float:
        """Least over β of the larger gap of both worlds."""
        weights = kl_weights.tolist()
        return min(
            max(known_gap(self.world, weight), self.beyond(weight, ratio)) for weight in weights
        )


def chosen(world: SpuriousValue, rng: np.random.Generator, replicates: int) -> Chosen:
    """What Algorithm 1 returns on R datasets of n labels at every w."""
    informative, shape = 2 * world.rare * (1 - world.rare), (replicates, len(world.rare))
    pairs = rng.binomial(world.n_pairs, informative, size=shape)
    win = released_win_prob(world.labels, world.channel, world.reward_bound, world.epsilon)
    wins = rng.binomial(pairs, win)
    each = [
        log_loss(pairs[..., None], wins[..., None], mean[None], world.cost) for mean in world.means
    ]
    losses = np.stack(each, axis=-1)
    choice = on_arrays(world.estimate, losses, np.array([0.0, 2.0, 1.0])).argmin(-1)
    return Chosen(world, np.stack([(choice == k).mean(0) for k in range(3)], axis=-1))


# Algorithms: how β is tuned ----------------------------------------------------------------------


def root_of_the_ratio(chosen: Chosen) -> float:
    """β = √(V_max/R_max)·c/√(Cn)."""
    ratio = chosen.world.value_ratio
    return chosen.beyond(math.sqrt(ratio) * chosen.world.unit, ratio)


def as_printed(chosen: Chosen) -> float:
    """Wrong: β = (V_max/R_max)·c/√(Cn), as Theorem C.1 says, is not the best."""
    ratio = chosen.world.value_ratio
    return chosen.beyond(ratio * chosen.world.unit, ratio)


def free_of_the_ratio(chosen: Chosen) -> float:
    """Wrong: β = c/√(Cn) is not the best."""
    return chosen.beyond(chosen.world.unit, chosen.world.value_ratio)


def every_beta(chosen: Chosen) -> float:
    """The β whose worst gap is least."""
    return chosen.worst(MULTIPLES * chosen.world.unit, chosen.world.value_ratio)


def capped(chosen: Chosen) -> float:
    """Wrong: another class, with no implicit reward beyond 2·R_max."""
    return chosen.worst(MULTIPLES * chosen.world.unit, 2.0)


# The corrected right side of Theorem C.1 ---------------------------------------------------------


def over_bounds(
    world: SpuriousValue, rng: np.random.Generator, slope: float, constant: float
) -> np.ndarray:
    """(W,) gap over 6√(C·err²) + (slope·ρ + constant)·err²/β + 2βC, of spurious and random
    policies.
    """
    reference, reward, implicit, comparator, kl_weight = policies_of(world, rng)
    policy = penalised_policy(reference, implicit, kl_weight, world.pessimism)
    gap = ((comparator - policy) * reward).sum(-1)
    error = statistical_error_of(reference, reward, implicit, world.reward_bound)
    cover = (comparator**2 / reference).sum(-1)
    ratio = np.ptp(implicit, axis=-1) / world.reward_bound
    third = (slope * ratio + constant) * error / kl_weight
    bound = 6 * np.sqrt(cover * error) + third + 2 * kl_weight * cover
    return np.maximum(gap / bound, 0)


def over_bound(
    world: SpuriousValue, rng: np.random.Generator, replicates: int, slope: float, constant: float
) -> float:
    """The largest of them."""
    return float(over_bounds(world, rng, slope, constant).max())


def _cases(world: SpuriousValue, slope: float, constant: float) -> np.ndarray:
    return over_bounds(world, np.random.default_rng(0), slope, constant)


over_bound.cases = _cases  # type: ignore[attr-defined]
"""See ``repro.core.check.largest_of``: a run is pinned to the mean of one draw, too."""
with_the_ratio = named("with_the_ratio", over_bound, slope=3.0, constant=0.5)
without_the_ratio = named(
    "without_the_ratio", over_bound, "3.5 in the place of 3V_max/R_max + ½", slope=0.0, constant=3.5
)
"""Wrong: no ρ."""


def penalised_policy(
    reference: np.ndarray, reward: np.ndarray, kl_weight: np.ndarray, bonus: float
) -> np.ndarray:
    """(W, A) maximisers of E[r] − bonus·β·(χ² + KL), greedy at 0.

    Below 0 the objective is convex in the policy, so one response is played: what it is worth is
    its reward and |bonus|·β times (1/π_ref − 1)/2 − log π_ref.
    """
    if bonus > 0:
        return chipo_policy(reference, reward, bonus * kl_weight)
    penalty = (1 / reference - 1) / 2 - np.log(reference)
    worth = reward - bonus * kl_weight[:, None] * penalty
    return np.eye(reference.shape[-1])[worth.argmax(axis=-1)]


def policies_of(world: SpuriousValue, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """π_ref, rewards, implicit rewards and comparators (W, A), and β (W,): random and spurious.

    Implicit rewards are rewards with an error, and ±V_max on some responses; so any policy is one.
    """
    best, shape = world.reward_bound, (RANDOM_WORLDS, RESPONSES)
    reference = rng.dirichlet(np.full(RESPONSES, 0.1), RANDOM_WORLDS) + 1e-12
    reward = best * rng.integers(0, 2, shape) * rng.random(shape) ** rng.integers(0, 2, shape)
    error = best * rng.standard_normal(shape) * 10 ** rng.uniform(-4, 0, (RANDOM_WORLDS, 1))
    wild = rng.random(shape) < 0.2
    value = world.value_ratio * best
    implicit = np.where(wild, value * rng.choice([-0.5, 0.5], shape), reward + error)
    implicit = np.clip(implicit, -value / 2, value / 2)
    play = rng.dirichlet(np.full(RESPONSES, 0.3), RANDOM_WORLDS)
    greedy = np.eye(RESPONSES)[reward.argmax(-1)]
    comparator = np.where(rng.random((RANDOM_WORLDS, 1)) < 0.5, play, greedy)
    kl_weight = best * 10 ** rng.uniform(-5, 1, RANDOM_WORLDS)

    rare = np.geomspace(1e-12, 1e-2, 60)
    spread = np.full((len(rare), RESPONSES - 1), 1 / (RESPONSES - 1))
    beside = np.concatenate([rare[:, None], (1 - rare)[:, None] * spread], axis=1)
    good = np.concatenate([np.zeros((len(rare), 1)), spread], axis=1)
    levels = best * (good > 0)
    overrated = np.broadcast_to(value * np.eye(RESPONSES)[0], good.shape)
    return (
        np.concatenate([reference / reference.sum(-1, keepdims=True), beside]),
        np.concatenate([reward, levels]),
        np.concatenate([implicit, overrated]),
        np.concatenate([comparator, good]),
        np.concatenate([kl_weight, best * np.sqrt(rare)]),
    )
