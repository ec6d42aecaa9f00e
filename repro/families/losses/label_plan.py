"""How many labels for a gap: measured gaps of the KL-regularised plug-in policy, inverted.

The gap J_β(π*) − J_β(π̂) of π̂ ∝ π_ref·exp(r̂/β) is β·KL(π̂‖π*); its mean is floor + K(ε)/n for
large n.  A promise is about a share of all datasets, not about the mean: answers come from
simulated datasets, by bisection of the share whose gap is at most the target; K only says where to
look first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.corruption.orders import Order
from repro.families.losses.algorithms_losses import LOSSES, LossName, minimise_loss
from repro.families.losses.quantities_risk import LossRisk, draw_counts
from repro.families.losses.worlds_losses import LogisticWorld
from repro.instances.linear import LinearWorld, feature_covariance
from repro.policies.gibbs import gibbs_suboptimality
from repro.privacy.clopper_pearson import lower, upper

MOST_LABELS = 10**15
LEVEL = 0.999
"""Of the exact bound on each side of a simulated share of datasets: bisection looks many times."""
STEPS = 14
Z95 = 1.96
EPSILON_RANGE = (1e-3, 20.0)


class NoAnswer(Exception):
    """A question that no number of labels, or no budget, answers; the message says why."""


@dataclass(frozen=True)
class Measured:
    """A mean over simulated datasets with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """One instance, loss and adversary.

    Attributes:
        world: the instance.
        loss: estimator of the reward.
        corruption: α, against the worst adversary found.
        order: of corruption and privacy.
        replicates: datasets a measurement.
        seed: of the simulation.
        confidence: share of datasets that keep what is promised.
    """

    world: LinearWorld
    loss: LossName = "mixture"
    corruption: float = 0.0
    order: Order = Order.CTL
    replicates: int = 1000
    seed: int = 0
    confidence: float = 0.9

    def risk(self, epsilon: float) -> LossRisk:
        """Large-sample quantities at ε, with the gap's own quadratic form as metric."""
        return _risk(self, epsilon)

    def gap(self, theta: Tensor) -> np.ndarray:
        """(R,) exact gaps of estimates (R, d)."""
        world = self.world
        error = torch.einsum("sad,rd->rsa", world.features, theta - world.theta)
        return gibbs_suboptimality(
            world.optimal_policy, error / world.kl_weight, world.state_prob, world.kl_weight
        ).numpy()

    def gaps(self, n_pairs: float, epsilon: float, stage: int = 0) -> np.ndarray:
        """(R,) gaps of datasets of n labels; every ``stage`` has datasets of its own."""
        rng = np.random.default_rng([self.seed, stage, self.replicates])
        counts = draw_counts(self.risk(epsilon), round(n_pairs), rng, self.replicates)
        fitted = LOSSES[self.loss](epsilon)
        found = minimise_loss(fitted, counts, self.world.feature_diff, self.world.radius)
        return self.gap(found)

    def measure(self, n_pairs: float, epsilon: float, stage: int = 0) -> Measured:
        """Mean gap at n labels."""
        gaps = self.gaps(n_pairs, epsilon, stage)
        half = Z95 * gaps.std(ddof=1) / math.sqrt(self.replicates)
        return Measured(float(gaps.mean()), float(gaps.mean() - half), float(gaps.mean() + half))

    def promised(self, n_pairs: float, epsilon: float, stage: int = 0) -> float:
        """A gap that at least the share ``confidence`` of datasets keeps, by an exact bound.

        Infinite where there are too few datasets for a bound of that confidence.
        """
        gaps = np.sort(self.gaps(n_pairs, epsilon, stage))
        enough = lower(np.arange(1, len(gaps) + 1), len(gaps), LEVEL) >= self.confidence
        return float(gaps[enough.argmax()]) if enough.any() else math.inf

    def keeps(self, target_gap: float, n_pairs: float, epsilon: float) -> tuple[bool, bool]:
        """Whether the promise is shown to be kept at n labels, and whether it may be."""
        hits = int((self.gaps(n_pairs, epsilon) <= target_gap).sum())
        low, high = (bound(hits, self.replicates, LEVEL) for bound in (lower, upper))
        return bool(low >= self.confidence), bool(high >= self.confidence)

    def floor(self, epsilon: float) -> float:
        """The gap that stays for n → ∞ against the worst adversary found."""
        return float(self.gap(self.risk(epsilon).limit[None])[0]) if self.corruption else 0.0

    def floor_of_any_method(self, epsilon: float) -> float:
        """A gap no method can promise to beat: two worlds whose corrupted labels can agree.

        The twin moves along the worst bias found until some pair's label would give it away or it
        leaves the class; the best policy for both is the Gibbs policy of a reward between them.
        """
        if not self.corruption:
            return 0.0
        risk, world = self.risk(epsilon), self.world
        direction = risk.influence(risk.first_order_bad_mean)
        shift = risk.reach * self.corruption / (1 - self.corruption)

        def hidden(length: float) -> bool:
            twin = world.theta + length * direction
            moved = torch.sigmoid(world.feature_diff @ twin) - torch.sigmoid(world.reward_diff)
            return bool(moved.abs().max() <= shift and twin.norm() <= world.radius)

        twin = world.theta + _largest(hidden, 0.0, 1.0) * direction

        def nearer_truth(share: float) -> bool:
            return self._between(twin, share)[0] <= self._between(twin, share)[1]

        return self._between(twin, _largest(nearer_truth, 0.0, 1.0))[0]

    def _between(self, twin: Tensor, share: float) -> tuple[float, float]:
        """Gaps in the true world and in the twin of the policy ``share`` of the way between."""
        world = self.world
        middle = (1 - share) * world.theta + share * twin
        there = LabelPlan(_with_theta(world, twin))
        return float(self.gap(middle[None])[0]), float(there.gap(middle[None])[0])

    def constant(self, epsilon: float) -> float:
        """K(ε) = lim n·(gap − floor) by the sandwich variance."""
        return self.risk(epsilon).variance

    def labels_for(self, target_gap: float, epsilon: float) -> tuple[int, int]:
        """Labels with which the promise is shown to be kept, and the fewest that may keep it.

        Raises:
            NoAnswer: the floor is at or above the target, or it takes more than 1e15 labels.
        """
        floor = self.floor(epsilon)
        if target_gap <= floor:
            raise NoAnswer(
                f"no number of labels reaches a gap of {target_gap:g}: corrupted labels leave "
                f"{floor:.3g} with this loss, and no method can promise less than "
                f"{self.floor_of_any_method(epsilon):.3g}"
            )
        guess = self.constant(epsilon) / (target_gap - floor)
        if guess > MOST_LABELS / 100:
            raise NoAnswer(f"a gap of {target_gap:g} takes more than 1e15 labels")

        def enough(log_n: float) -> bool:
            return self.keeps(target_gap, math.exp(log_n), epsilon)[0]

        def perhaps(log_n: float) -> bool:
            return self.keeps(target_gap, math.exp(log_n), epsilon)[1]

        low, high = math.log(max(1.0, guess / 100)), math.log(max(100.0, guess * 100))
        if not enough(high):
            raise NoAnswer(f"a gap of {target_gap:g} is too near the floor of {floor:.3g}")
        found = _smallest(enough, low, high)
        labels = math.ceil(math.exp(found))
        return labels, max(1, math.floor(math.exp(_smallest(perhaps, low, found))))

    def epsilon_for(self, target_gap: float, n_pairs: int) -> float:
        """The strictest budget ε with which the promise is shown to be kept with n labels.

        Raises:
            NoAnswer: not even labels without privacy reach it.
        """
        if not self.keeps(target_gap, n_pairs, math.inf)[0]:
            raise NoAnswer(
                f"no privacy budget reaches a gap of {target_gap:g} with {n_pairs} labels: "
                f"without privacy it is {self.promised(n_pairs, math.inf):.3g}"
            )

        def enough(log_epsilon: float) -> bool:
            return self.keeps(target_gap, n_pairs, math.exp(log_epsilon))[0]

        low, high = (math.log(e) for e in EPSILON_RANGE)
        return math.exp(_smallest(enough, low, high)) if enough(high) else math.inf

    def clean_equivalent(self, n_pairs: float, epsilon: float) -> tuple[float, float]:
        """Clean labels that tell as much: by c(ε)², and by the measured constants K."""
        by_constant = n_pairs * self.constant(math.inf) / self.constant(epsilon)
        return n_pairs / privacy_cost(epsilon) ** 2, by_constant


def fewest_replicates(confidence: float) -> int:
    """Datasets with which a share of ``confidence`` can be shown at all.

    >>> fewest_replicates(0.9)
    66
    """
    return math.ceil(math.log(1 - LEVEL) / math.log(confidence))


@lru_cache(maxsize=256)
def _risk(plan: LabelPlan, epsilon: float) -> LossRisk:
    world = plan.world
    metric = feature_covariance(world, world.optimal_policy) / (2 * world.kl_weight)
    pairs = LogisticWorld(world.feature_diff, world.cell_prob, world.theta, world.radius, metric)
    return LossRisk(pairs, LOSSES[plan.loss], epsilon, plan.corruption, plan.order)


def _with_theta(world: LinearWorld, theta: Tensor) -> LinearWorld:
    return replace(world, theta=theta)


def _smallest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The smallest number at which a monotone condition holds, by bisection."""
    if holds(low):
        return low
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _largest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest number at which a monotone condition still holds, by bisection."""
    if holds(high):
        return high
    return -_smallest(lambda x: holds(-x), -high, -low)
