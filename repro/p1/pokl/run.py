"""One run of Algorithm 2 of P1 (POKL-RLHF) as a world: the truth, the labels, what the learner is
told.

Every version of Algorithm 2, right or wrong, is the same loop told something else, so that an
algorithm is a function of a world that returns the world as its learner takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from repro.base.schema import (
    Corruption,
    Epsilon,
    GridRatio,
    KLWeight,
    Number,
    Pairs,
    Positive,
    Probability,
)
from repro.labels.corruption.label_mean import (
    NOBODY,
    Adversary,
    LabelMean,
    WorseResponse,
    released_mean,
)
from repro.labels.corruption.orders import Order
from repro.p1.pokl.bonus import confidence_weight
from repro.p1.pokl.bonus import proven_weight as proven
from repro.p1.pokl.instances import OnlineChoice
from repro.p1.pokl.learning import RewardsOn
from repro.p1.pokl.linear import LinearClass
from repro.worlds.instances.labelled import PrivateLabels, built
from repro.worlds.instances.linear import LinearWorld


def nobody(corruption: float) -> Adversary:
    """Whatever its share, an adversary that replaces no label."""
    return NOBODY


def printed_weight(world: OnlineRun, horizon: int) -> float:
    """Γ_T as printed, with the constant c of the world."""
    return confidence_weight(*world.sizes(horizon), world.scale)


def proven_weight(world: OnlineRun, horizon: int) -> float:
    """Γ_T with the constant of Lemma C.3's proof."""
    return proven(*world.sizes(horizon))


@dataclass(frozen=True, eq=False, kw_only=True)
class OnlineRun(PrivateLabels):
    """T rounds of Algorithm 2 on an instance.

    Attributes:
        instance: the numbers that the truth is built from.
        horizon: T.
        corruption: α in [0, 1/2), the adversary's share of the labels.
        adversary: α → what it makes of the mean of a label.
        idle_adversary: the one that corrupts nothing, for ablations.
        order: whether labels are corrupted before (CTL) or after (LTC) they are randomized.
        failure_prob: δ.
        net_radius: τ of the net whose size Γ_T counts.
        scale: the constant c of Γ_T, which the paper leaves open.
        ridge: λ of Definition 3.5.
        grid_ratio: of the times at which the simulator changes policies.
        first_change: the first of them; π_ref is played until then.  What is read off a run much
            later does not depend on it, and small samples take the longest to fit.
        weight: (world, T) → Γ_T.
        one_run: whether the worlds of a sweep of T are one long run, seen after T rounds each, so
            that Γ_T is that of the longest.
        weight_horizon: the T of Γ_T; the run's own unless given.
        gamma: Γ_T itself, where it does not follow from the world; 0 switches exploration off.
        bonus_cap: the bonus is at most this, 1 as printed.
        optimism: multiple of the bonus: 1 as printed, 0 none, −1 reversed.
        rewards: the class that is fitted, and whose size Γ_T counts.
        believed_epsilon: the budget that the estimate assumes; epsilon unless given.
        played_kl_weight: the weight that policies are computed with; the instance's unless given.
    """

    instance: OnlineChoice
    horizon: Pairs
    corruption: Corruption = 0.0
    adversary: Callable[[float], Adversary] = WorseResponse
    idle_adversary: ClassVar[Any] = staticmethod(nobody)
    order: Order = Order.CTL
    failure_prob: Probability
    net_radius: Positive
    scale: Positive = 1.0
    ridge: Positive
    grid_ratio: GridRatio
    first_change: Pairs = 1
    weight: Callable[[OnlineRun, int], float] = printed_weight
    one_run: bool = False
    weight_horizon: Pairs | None = None
    gamma: Number | None = None
    bonus_cap: Positive = 1.0
    optimism: Number = 1.0
    rewards: RewardsOn = LinearClass
    believed_epsilon: Epsilon | None = None
    played_kl_weight: KLWeight | None = None
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "weight": {"printed": printed_weight, "proven": proven_weight}
    }

    def along(self, worlds: Sequence[OnlineRun]) -> tuple[OnlineRun, ...]:
        """The worlds of a sweep, Γ_T alike where they are one run."""
        if not self.one_run:
            return tuple(worlds)
        longest = max(world.horizon for world in worlds)
        return tuple(replace(world, weight_horizon=longest) for world in worlds)

    @property
    def linear(self) -> LinearWorld:
        """The instance, built."""
        world = built(self.instance)
        assert isinstance(world, LinearWorld)
        return world

    @property
    def fitted(self) -> RewardsOn:
        """The kind of class that is fitted."""
        return self.rewards

    @property
    def log_size(self) -> float:
        """log N of that class, or of its net."""
        return self.fitted(self.linear).log_size(self.net_radius)

    def sizes(self, horizon: int) -> tuple[float, float, float, int, float]:
        """B, ε, log N, T and δ: all that Γ_T follows from."""
        bound = self.linear.reward_bound
        return bound, self.epsilon, self.log_size, horizon, self.failure_prob

    @property
    def bonus_weight(self) -> float:
        """Γ_T in force, constant along the run."""
        if self.gamma is not None:
            return self.gamma
        return self.weight(self, self.weight_horizon or self.horizon)

    @property
    def label_mean(self) -> LabelMean:
        """How the mean of a label that the learner sees follows from the clean one."""
        adversary = self.adversary(self.corruption)
        return released_mean(self.epsilon, self.channel, adversary, self.order)

    def more_labels(self, other: PrivateLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0
