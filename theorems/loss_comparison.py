"""Which loss for privatised labels?  P2's open question (§6): log loss or square loss.

§6 asks for a comparison of log and square loss in the private setting; §5 recommends the square
loss under corruption because it is bounded.  Here the mixture log loss (Lemma 3.1), the square
loss (Lemma 3.3) and the debiased log loss (Chowdhury et al.; P4) are compared where they differ,
in unsaturated classes (in a saturated class all three coincide).  Every loss has a score
w(s)·(p̂ − σ(s))·x; the risk, E_x⟨x, θ̂ − θ⟩², is

    squared bias against the loss's own worst Huber adversary + trace of the sandwich / n.

The scalar world has x uniform (by quadrature) with rewards filling [−B, B]; the other has five
Gaussian features; with instance=preference_text the pairs are texts.

Testable: simulated over predicted risk is 1 for each loss under privacy only, CTL and LTC (54
cells on the scalar world); the exact bias is the influence function's as α → 0; square ≡ mixture
as ε → 0 and debiased ≡ mixture as ε → ∞; at ε = 1 the square loss needs at most 1 % more labels
than the mixture for every B ≤ 12, the debiased loss far more.  ``python -m repro which_loss``
draws the map over (ε, α, n) and says who wins by how much, small n included.

Against an adversary who sees past labels each loss loses at most a factor 1.15 where it learns,
and the map's best loss stays within 2 % of the best at every place (check ``past_labels``;
docs/explanations/adaptive_adversary.md, Theorem 3).

Controls: a likelihood that ignores privacy; the influence of the other order; another loss's
variance.  What would refute the comparison: simulated risks off the predicted ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from repro.base.schema import Corruption, Epsilon, Pairs, RewardBound
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    named,
    privacy_mistake,
)
from repro.core.claims import Inequality, Ratio
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import as_fitted, bradley_terry, randomized_response
from repro.p2.losses.label_losses import LOSSES, LabelLoss, LossName, MixtureLoss, NaiveLoss
from repro.p2.losses.loss_map import TIE
from repro.p2.losses.past_labels import map_errors
from repro.p2.losses.risk import (
    LossAdversary,
    LossRisk,
    idle_adversary,
    simulate_risk,
    worst_for_the_loss,
)
from repro.p2.losses.worlds import LogisticWorld, gaussian_world, logistic_world, scalar_world
from repro.worlds.instances.choices import AnyChoice
from repro.worlds.instances.labelled import PrivateLabels, built
from repro.worlds.instances.linear import LinearWorld

risk_of = lru_cache(maxsize=512)(LossRisk)
scalar_of, gaussian_of = lru_cache(scalar_world), lru_cache(gaussian_world)
logistic_of = lru_cache(maxsize=16)(logistic_world)
"""Kept by content: the search for the worst adversary takes longer than all else."""

# Worlds: a loss on the labels of pairs; and the whole map -----------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class LossSetting(PrivateLabels):
    """One loss on private and corrupted labels.

    Attributes:
        loss: under test.
        corruption: α.
        claimed_order: of corruption and privacy, in what is predicted.
        order: of both, in what happens.
        adversary: who corrupts labels.
    """

    loss: LossName
    corruption: Corruption
    claimed_order: Order
    order: Order
    adversary: LossAdversary = worst_for_the_loss
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)

    @property
    def pairs(self) -> LogisticWorld:
        """Pairs and truth."""
        raise NotImplementedError

    @property
    def actual(self) -> LossRisk:
        """The loss under test in what happens."""
        return risk_of(
            self.pairs, LOSSES[self.loss], self.epsilon, self.corruption, self.order,
            self.labels, self.channel, self.adversary, self.estimate,
        )  # fmt: skip

    def predicted(self, kind: type[LabelLoss], order: Order) -> LossRisk:
        """A loss in what the printed setting says."""
        return risk_of(
            self.pairs, kind, self.epsilon, self.corruption, order,
            bradley_terry, randomized_response, worst_for_the_loss, as_fitted,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Scalar(LossSetting):
    """A scalar reward.

    Attributes:
        reward_bound: B.
    """

    reward_bound: RewardBound

    @property
    def pairs(self) -> LogisticWorld:
        return scalar_of(self.reward_bound)


@dataclass(frozen=True, eq=False, kw_only=True)
class ScalarLabels(Scalar):
    """n labels of a scalar reward.

    Attributes:
        n_pairs: n.
    """

    n_pairs: Pairs


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveFeatures(LossSetting):
    """n labels of five Gaussian features.

    Attributes:
        reward_bound: B.
        n_pairs: n.
    """

    reward_bound: RewardBound
    n_pairs: Pairs

    @property
    def pairs(self) -> LogisticWorld:
        return gaussian_of(self.reward_bound)


@dataclass(frozen=True, eq=False, kw_only=True)
class InstancePairs(LossSetting):
    """n labels of the pairs of an instance.

    Attributes:
        instance: the numbers that it is built from.
        n_pairs: n.
    """

    instance: AnyChoice
    n_pairs: Pairs

    @property
    def pairs(self) -> LogisticWorld:
        world = built(self.instance)
        assert isinstance(world, LinearWorld)
        return logistic_of(world)


@dataclass(frozen=True, kw_only=True)
class WholeMap:
    """The map's own places, α and orders.

    Attributes:
        epsilon: ε.
    """

    epsilon: Epsilon


# Algorithms: losses, orders that a prediction is for, and choices of a loss -----------------------


def minimised(world: LossSetting, loss: LossName) -> type[LabelLoss]:
    """The loss of that name."""
    return LOSSES[loss]


RIGHT: dict[LossName, Algorithm] = {name: named(name, minimised, loss=name) for name in LOSSES}


def other(loss: LossName) -> Algorithm:
    """A loss as the control of another one."""
    return named(loss, minimised, f"the {loss} loss", loss=loss)


@privacy_mistake
def naive(world: LossSetting) -> type[LabelLoss]:
    """Wrong: log loss that ignores privacy."""
    return NaiveLoss


def claimed_order(world: LossSetting) -> Order:
    """The order that is claimed."""
    return world.claimed_order


@privacy_mistake
def other_order(world: LossSetting) -> Order:
    """Wrong: corruption and privacy in the other order."""
    return world.claimed_order.swapped


def best_where_nothing_is_seen(world: WholeMap) -> np.ndarray:
    """(P,) index of the loss that is best at each place against who keeps to one side."""
    return map_errors(world.epsilon)[0].argmin(axis=1)


def always_debiased(world: WholeMap) -> np.ndarray:
    """Wrong: (P,) the debiased loss at every place."""
    places, losses = map_errors(world.epsilon)[0].shape
    return np.full(places, losses - 1)


# Quantities --------------------------------------------------------------------------------------


def risk_ratio(world, algorithm: Algorithm, rng: np.random.Generator, replicates: int):
    """(R,) simulated over predicted risk."""
    predicted = world.predicted(LOSSES[world.loss], world.claimed_order).risk(world.n_pairs)
    kind = algorithm(world)
    return simulate_risk(world.actual, world.n_pairs, rng, replicates, kind) / predicted


def bias_ratio(world: LossSetting, algorithm: Algorithm, rng: object, replicates: int) -> float:
    """Exact squared bias over that of the influence function, in the algorithm's order."""
    predicted = world.predicted(LOSSES[world.loss], algorithm(world))
    return world.actual.squared_bias() / predicted.first_order_squared_bias()


def variance_ratio(world: LossSetting, algorithm: Algorithm, rng: object, replicates: int) -> float:
    """Variance of a loss over the mixture loss's."""
    mixture = world.predicted(MixtureLoss, world.claimed_order).variance
    return world.predicted(algorithm(world), world.claimed_order).variance / mixture


def excess(world: WholeMap, algorithm: Algorithm, rng: object, replicates: int) -> float:
    """Largest ratio of the chosen loss's error to the best one's, where the past is seen."""
    _, seeing = map_errors(world.epsilon)
    chosen = np.take_along_axis(seeing, algorithm(world)[:, None], axis=1)[:, 0]
    return math.sqrt((chosen / seeing.min(axis=1)).max())


# The claims --------------------------------------------------------------------------------------

TOLERATED = 0.01
"""The square loss may need so much more labels than the mixture at ε = 1."""
RISK = Quantity("simulated risk / predicted risk", risk_ratio)
BIAS = Quantity("squared bias / squared bias by the influence function", bias_ratio,
                evidence="exact")  # fmt: skip
VARIANCE = Quantity("variance / variance of the mixture loss", variance_ratio, evidence="computed")
MOST = Quantity("variance / (1 + tolerated)·variance of the mixture loss", variance_ratio,
                evidence="computed", over=lambda world: 1 + TOLERATED)  # fmt: skip
EXCESS = Quantity("error / 1.02 times that of the best loss", excess, evidence="computed",
                  over=lambda world: 1 + TIE)  # fmt: skip
ORDERS = {"": "privacy only", "_ctl": "CTL", "_ltc": "LTC"}


def risks(end: str, words: str, **more: Any) -> list[Check]:
    """Simulated against predicted risk of every loss, in one setting."""
    return [
        Check(name=f"risk_{loss}{end}", axis="privacy_cost", claim=Ratio(f"{words}: as predicted"),
              quantity=RISK, right=right, wrong=[naive], **more)
        for loss, right in RIGHT.items()
    ]  # fmt: skip


def influences(order: str) -> list[Check]:
    """The exact limit of every loss against its influence function."""
    claim = Ratio(f"{ORDERS[order]}: bias = α·influence as α → 0", tolerance=0.02)
    return [
        Check(name=f"influence_{loss}{order}", axis="corruption", claim=claim, quantity=BIAS,
              right=named(loss, claimed_order), wrong=[other_order])
        for loss in LOSSES
    ]  # fmt: skip


CHECKS = [
    *risks("_instance", "privacy only", keeps=["kl_weight"]),
    *(risk for order, words in ORDERS.items() for risk in risks(order, f"scalar reward, {words}")),
    *risks("_five", "five features, privacy only"),
    *risks("_five_ltc", "five features, LTC"),
    *influences("_ctl"),
    *influences("_ltc"),
    Check(name="square_is_mixture", axis="privacy_cost", quantity=VARIANCE, right=RIGHT["square"],
          claim=Ratio("square ≡ mixture as ε → 0", tolerance=0.01), wrong=[other("debiased")]),
    Check(name="debiased_is_mixture", axis="privacy_cost", quantity=VARIANCE,
          right=RIGHT["debiased"], wrong=[other("square")],
          claim=Ratio("debiased ≡ mixture as ε → ∞", tolerance=0.01)),
    Check(name="square_loses_little", axis="reward_bound", quantity=MOST, right=RIGHT["square"],
          claim=Inequality("at ε = 1 square needs at most 1 % more labels for every B"),
          wrong=[other("debiased")], keeps=["epsilon"]),
    Check(name="past_labels", axis="privacy_cost", quantity=EXCESS,
          right=best_where_nothing_is_seen, wrong=[always_debiased],
          claim=Inequality("who sees past labels: the map's best loss is within 2 % of the best"),
          settles=["own.loss_comparison", "own.adaptive_adversary"]),
]  # fmt: skip


def inside(world: LossSetting):
    """Limits lie inside the class, so that the expansion around them is in its interior."""
    share = float(world.actual.limit.norm()) / world.pairs.radius
    yield "limit inside the class", share < 1, f"‖θ‖/radius = {share:.3g}"


THEOREM = Theorem(
    title="P2 §6: log, square or debiased loss for privatised labels",
    settles=["own.loss_comparison"],
    checks=CHECKS,
    worlds={
        "scalar": Scalar,
        "scalar_labels": ScalarLabels,
        "five_features": FiveFeatures,
        "instance_labels": InstancePairs,
        "whole_map": WholeMap,
    },
    assumes=at_both_ends(inside, of=LossSetting),
)
