"""Worlds whose labels are drawn, randomized and corrupted: every stage is a field.

A stage is what happens; what a learner believes stands beside it.  Replacing a stage (an ablation,
``stages.labels=fair_coins``) changes what happens and never what the learner believes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from repro.base.device import cache_in_use, device_in_use
from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Epsilon, Pairs
from repro.labels.corruption.huber_reports import (
    Adversary,
    HuberReports,
    coin_tosser,
    idle_adversary,
    worst_adversary,
)
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts
from repro.labels.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    fair_coins,
    no_randomizer,
    randomized_response,
    the_truth,
)
from repro.labels.preferences.label_process import LabelProcess
from repro.worlds.instances.build import World, build_world
from repro.worlds.instances.choices import AnyChoice, Choice, TextChoice

# Instances ---------------------------------------------------------------------------------------


def built(choice: Any) -> World:
    """An instance, once a process: worlds hold the numbers that it is built from."""
    return _built(choice, cache_in_use(), device_in_use())  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _built(choice: Choice, cache: Path, device: str) -> World:
    if isinstance(choice, TextChoice) and choice.digest is None:
        from repro.worlds.instances.preference_text import with_digest

        choice = with_digest(choice)
    return build_world(choice, cache, device)


# Labels ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelStages:
    """What happens to labels between their law and what an estimator returns.

    Attributes:
        labels: true win probabilities → the law that labels are drawn from.
        channel: who randomizes them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    estimate: Estimate = as_fitted
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "labels": {"bradley_terry": bradley_terry, "fair_coins": fair_coins},
        "channel": {"randomized_response": randomized_response, "no_randomizer": no_randomizer},
        "estimate": {"as_fitted": as_fitted, "the_truth": the_truth},
    }

    @property
    def process(self) -> LabelProcess:
        """How a comparison becomes a label, in numbers, where a computation is exact."""
        return LabelProcess(self.labels, self.channel, self.estimate)


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateLabels(LabelStages):
    """Labels that are drawn and randomized at a budget, and read by an estimator.

    Attributes:
        epsilon: budget that the learner believes in, in (0, inf].
    """

    epsilon: Epsilon

    def more_labels(self, other: PrivateLabels) -> float:
        """How many times as many labels another world needs: n/c(ε)² is what a regime is."""
        return (privacy_cost(other.epsilon) / privacy_cost(self.epsilon)) ** 2


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledInstance(PrivateLabels):
    """n such labels of an instance.

    Attributes:
        n_pairs: n.
        instance: the numbers that the instance is built from.
        reference: whether responses are drawn from π_ref as it is stated, or uniformly.
    """

    n_pairs: Pairs
    instance: AnyChoice
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def world(self) -> World:
        """The instance, built."""
        stated = built(self.instance)
        return stated if self.reference == "as_stated" else _even(stated)

    def more_labels(self, other: LabelledInstance) -> float:
        """Also (own kl_weight/other's)² where a smaller weight makes errors count for more."""
        own, weight = (getattr(setting.instance, "kl_weight", None) for setting in (self, other))
        more = 1.0 if own is None or weight is None else max(1.0, own / weight) ** 2
        return more * super().more_labels(other)

    def counts(self, rng, replicates: int) -> LabelCounts:
        """(R, C) privatised labels of R datasets of size n."""
        return draw_label_counts(
            rng, self.world.cell_prob, self.world.reward_diff, self.n_pairs, self.epsilon,
            replicates, self.labels, self.channel,
        )  # fmt: skip


@lru_cache(maxsize=64)
def _even(world: World) -> World:
    return world.under_uniform_reference()


@dataclass(frozen=True, eq=False, kw_only=True)
class HuberLabels(PrivateLabels):
    """Labels a share of which is replaced before they are randomized, or after.

    Attributes:
        corruption: α in [0, 1/2).
        order: of corruption and privacy.
        adversary: who replaces labels.
        idle_adversary: the one that corrupts nothing, for ablations.
    """

    corruption: Corruption = 0.0
    order: Order = Order.CTL
    adversary: Adversary = worst_adversary
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "adversary": {
            "worst": worst_adversary,
            "coin_tosser": coin_tosser,
            "idle": idle_adversary,
        }
    }

    @property
    def reports(self) -> HuberReports:
        """How a label becomes a report."""
        return HuberReports(
            self.epsilon, self.corruption, self.order, self.labels, self.channel, self.adversary
        )
