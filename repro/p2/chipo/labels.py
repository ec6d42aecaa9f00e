"""Worlds of χPO: labels, what the learner is told of them, and the rewards that are worst for it.

Both of P2's algorithms have one closed form on two responses a state, so one world serves both.  A
learner is told the world as it is; a wrong version is told another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Pairs, Positive
from repro.labels.corruption.orders import Order
from repro.worlds.instances.labelled import HuberLabels, PrivateLabels

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


@dataclass(frozen=True, kw_only=True)
class ChipoLabels(PrivateLabels):
    """n labels on a ladder of rewards, of which a gap takes the worst; a subclass adds rewards.

    Attributes:
        n_pairs: n.
        tuning: β is tuning times the error over √C^π*.
        fixed_kl_weight: β of a learner that does not tune it.
        tunes: whether β falls with the error.
        budget_share: of ε that the learner believes in; infinite where it ignores privacy.
        sign: −1 where it reads labels upside down.
    """

    n_pairs: Pairs
    tuning: Positive = 1.0
    fixed_kl_weight: Positive = 0.1
    tunes: bool = True
    budget_share: float = 1.0
    sign: float = 1.0

    @property
    def believed_cost(self) -> float:
        """c(ε) of the budget that the learner believes in."""
        return privacy_cost(self.budget_share * self.epsilon)

    def gaps(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) simulated gaps on the rewards that are worst for this learner."""
        raise NotImplementedError

    def informed_gap(self) -> float:
        """Its gap on the same rewards where it knows them: what β costs."""
        raise NotImplementedError

    def interior(self) -> tuple[bool, str]:
        """Whether the worst rewards lie inside what was searched, and where."""
        raise NotImplementedError

    def beyond(self, right: ChipoLabels, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) gaps less what β alone costs the right learner.

        β shrinks as the error does, so that a learner who is told the rewards has a gap of the
        same rate; what labels cost is the rest.
        """
        return self.gaps(rng, replicates) - right.informed_gap()


@dataclass(frozen=True, kw_only=True)
class CorruptedChipoLabels(HuberLabels, ChipoLabels):
    """Such labels, a share of which is replaced.

    Attributes:
        knows_corruption: whether β is tuned to α too.
        believed_order: of corruption and privacy, that β is tuned for.
    """

    knows_corruption: bool = True
    believed_order: Order = Order.CTL

    @property
    def believed_bias(self) -> float:
        """What β is tuned to besides noise: α, or c·α under LTC."""
        if not self.knows_corruption:
            return 0.0
        return self.corruption * (1.0 if self.believed_order is Order.CTL else self.reports.cost)


# What the learner is told: the world as it is, and wrong on purpose ------------------------------


def naive_likelihood(world: ChipoLabels) -> ChipoLabels:
    """Wrong: the clean likelihood on privatised labels."""
    return replace(world, budget_share=np.inf)


def epsilon_overstated(world: ChipoLabels) -> ChipoLabels:
    """Wrong: the likelihood assumes a budget 20 % too high."""
    return replace(world, budget_share=EPSILON_OVERSTATED)


def label_flip(world: ChipoLabels) -> ChipoLabels:
    """Wrong: labels read upside down."""
    return replace(world, sign=-1.0)


def fixed_kl_weight(world: ChipoLabels) -> ChipoLabels:
    """Wrong: β does not fall with the error."""
    return replace(world, tunes=False)
