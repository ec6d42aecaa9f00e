"""How many labels for a gap: measured gaps of the KL-regularised plug-in policy, inverted.

The gap J_β(π*) − J_β(π̂) of π̂ ∝ π_ref·exp(r̂/β) is β·KL(π̂‖π*); its mean is floor + K(ε)/n for
large n.  A promise is about a share of all datasets, not about the mean: answers come from
simulated datasets, by the share of them whose gap is at most the target; K only says where to look
first.  A quantile of the gap is not monotone in n: a few labels can do more harm than none.  So the
search comes down from where the promise is kept and stops where it first fails.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.labels.corruption.orders import Order
from repro.labels.privacy.clopper_pearson import lower, upper
from repro.p2.losses.label_losses import LOSSES, LossName, minimise_loss
from repro.p2.losses.risk import LossRisk, draw_counts
from repro.p2.losses.worlds import LogisticWorld
from repro.worlds.instances.linear import LinearWorld, feature_covariance
from repro.worlds.policies.gibbs import gibbs_suboptimality

MOST_LABELS = 10**15
LEVEL = 0.999
"""Of the exact bound on each side of a simulated share of datasets: the search looks many times."""
STEPS = 14
HALVINGS = 7
"""Of a factor 2: an answer is found within 0.8 %."""
AHEAD = 64
"""Labels over the guess at which the search begins: the .999 quantile of χ² is 10.8 for d = 1."""
Z95 = 1.96
STRICTEST, LOOSEST = 1e-6, 100.0
"""Finite budgets ε that a question may have."""
FEW, CLEARLY = 200, 1 - 1e-6
"""Datasets that are simulated first, and the level at which they decide: then no more are."""
SIMULATIONS = 2 * (round(math.log2(AHEAD)) + 2 * (1 + HALVINGS)) + 3
"""About so many a question takes at most: a number of labels may take few datasets, then all."""
SEARCHED, FEW_FIRST = 0, 3
"""Streams of the search."""


def unseen(datasets: int, seconds: float) -> None:
    """Nobody watches the simulations."""


CERTAINLY, CERTAINLY_NOT = (True, True), (False, False)
"""Whether a promise is shown to be kept, and whether it may be."""


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
        watch: told of every simulation how many datasets it had and how long it took.
    """

    world: LinearWorld
    loss: LossName = "mixture"
    corruption: float = 0.0
    order: Order = Order.CTL
    replicates: int = 1000
    seed: int = 0
    confidence: float = 0.9
    watch: Callable[[int, float], None] = unseen

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
        return _gaps(self, round(n_pairs), epsilon, stage, self.replicates)

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
        if self.replicates > FEW:
            gaps = _gaps(self, round(n_pairs), epsilon, FEW_FIRST, FEW)
            if (few := self._kept(gaps, target_gap, CLEARLY)) in (CERTAINLY, CERTAINLY_NOT):
                return few
        return self._kept(self.gaps(n_pairs, epsilon, SEARCHED), target_gap, LEVEL)

    def _kept(self, gaps: np.ndarray, target_gap: float, level: float) -> tuple[bool, bool]:
        """Whether these datasets show that the share is kept, and whether it may be."""
        hits = int((gaps <= target_gap).sum())
        low, high = (bound(hits, len(gaps), level) for bound in (lower, upper))
        return bool(low >= self.confidence), bool(high >= self.confidence)

    @property
    def gap_of_no_labels(self) -> float:
        """The gap of π_ref, which is what a learner without any label plays [reward]."""
        return float(self.gap(torch.zeros_like(self.world.theta)[None])[0])

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
        """Labels from which on the promise is shown to be kept, and from which on it may be.

        Both are 0 where the policy of no labels keeps it.

        Raises:
            NoAnswer: the floor is at or above the target, or it takes more than 1e15 labels.
        """
        if target_gap >= (unlabelled := self.gap_of_no_labels):
            return 0, 0
        floor = self.floor(epsilon)
        if target_gap <= floor:
            raise NoAnswer(
                f"no number of labels reaches a gap of {target_gap:g}: corrupted labels leave "
                f"{floor:.3g} with this loss, and no method can promise less than "
                f"{self.floor_of_any_method(epsilon):.3g}; without labels it is {unlabelled:.3g}"
            )

        def shown(n_pairs: float) -> bool:
            return self.keeps(target_gap, n_pairs, epsilon)[0]

        def possible(n_pairs: float) -> bool:
            return self.keeps(target_gap, n_pairs, epsilon)[1]

        begin = max(float(AHEAD), AHEAD * self.constant(epsilon) / (target_gap - floor))
        while begin < MOST_LABELS and not shown(begin):
            begin *= AHEAD
        begin = min(begin, float(MOST_LABELS))
        if begin == MOST_LABELS and not shown(begin):
            raise NoAnswer(
                f"a gap of {target_gap:g} takes more than 1e15 labels (floor {floor:.3g}, "
                f"without labels {unlabelled:.3g})"
            )
        count = kept_from(shown, begin, 1.0)
        return round(count), round(kept_from(possible, count, 1.0))

    def epsilon_for(self, target_gap: float, n_pairs: int) -> float:
        """The strictest budget ε from which on the promise is shown to be kept with n labels.

        0 where the policy of no labels keeps it; nothing stricter than 1e-6 is tried otherwise.

        Raises:
            NoAnswer: not even labels without privacy reach it.
        """
        if target_gap >= self.gap_of_no_labels:
            return 0.0
        if not self.keeps(target_gap, n_pairs, math.inf)[0]:
            raise NoAnswer(
                f"no privacy budget reaches a gap of {target_gap:g} with {n_pairs} labels: "
                f"without privacy it is {self.promised(n_pairs, math.inf):.3g}, without labels "
                f"{self.gap_of_no_labels:.3g}"
            )

        def shown(epsilon: float) -> bool:
            return self.keeps(target_gap, n_pairs, epsilon)[0]

        return kept_from(shown, LOOSEST, STRICTEST) if shown(LOOSEST) else math.inf

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
def _gaps(plan: LabelPlan, n_pairs: int, epsilon: float, stage: int, datasets: int) -> np.ndarray:
    if n_pairs == 0:
        return np.full(datasets, plan.gap_of_no_labels)
    began = time.monotonic()
    rng = np.random.default_rng([plan.seed, stage, datasets])
    counts = draw_counts(plan.risk(epsilon), n_pairs, rng, datasets)
    fitted = LOSSES[plan.loss](epsilon)
    theta = minimise_loss(fitted, counts, plan.world.feature_diff, plan.world.radius)
    gaps = plan.gap(theta)
    plan.watch(datasets, time.monotonic() - began)
    return gaps


@lru_cache(maxsize=256)
def _risk(plan: LabelPlan, epsilon: float) -> LossRisk:
    world = plan.world
    metric = feature_covariance(world, world.optimal_policy) / (2 * world.kl_weight)
    pairs = LogisticWorld(world.feature_diff, world.cell_prob, world.theta, world.radius, metric)
    return LossRisk(pairs, LOSSES[plan.loss], epsilon, plan.corruption, plan.order)


def _with_theta(world: LinearWorld, theta: Tensor) -> LinearWorld:
    return replace(world, theta=theta)


def kept_from(holds: Callable[[float], bool], begin: float, least: float) -> float:
    """From which number on a condition holds that holds at ``begin``: by halves, then bisection.

    It may hold again further down; that is not what is asked.

    >>> kept_from(lambda x: x >= 24 or 2 <= x <= 5, 256.0, 1.0)
    24.0
    >>> kept_from(lambda x: True, 256.0, 1.0)
    1.0
    """
    high = low = begin
    while high > least and holds(low := max(least, high / 2)):
        high = low
    if high <= least:
        return least
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


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
