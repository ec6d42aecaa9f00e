"""The log and the square loss on reports, and deliberately wrong versions, as methods."""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.corruption.huber_reports import Adversary, coin_tosser
from repro.corruption.orders import Order
from repro.study.row import Method

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


@dataclass(frozen=True)
class LogVariant:
    """A likelihood.

    Attributes:
        budget_share: of ε that it believes in: 1, or infinite where it ignores privacy.
        removes_cost: whether the right-hand side has c(ε)².
    """

    budget_share: float = 1.0
    removes_cost: bool = True


@dataclass(frozen=True)
class SquareVariant:
    """A square loss, and what corrupts its labels where that differs from the setting.

    Attributes:
        removes_cost: whether z is multiplied by c(ε).
        order: of corruption and privacy.
        adversary: who corrupts labels.
    """

    removes_cost: bool = True
    order: Order | None = None
    adversary: Adversary | None = None

    def removed(self, privacy_cost: float) -> float:
        """The factor of z in the loss."""
        return privacy_cost if self.removes_cost else 1.0


mixture_mle = Method("mixture_mle", LogVariant())
"""The mixture log loss."""
naive_likelihood = Method("naive_likelihood", LogVariant(math.inf), privacy_mistake=True)
"""Wrong: the clean likelihood on privatised labels."""
epsilon_overstated = Method(
    "epsilon_overstated", LogVariant(EPSILON_OVERSTATED), privacy_mistake=True
)
"""Wrong: the likelihood assumes a budget 20 % too high."""
log_without_cost = Method(
    "without_privacy_cost", LogVariant(removes_cost=False), privacy_mistake=True
)
"""Wrong: no c(ε)² on the right."""

square_loss = Method("square_loss", SquareVariant())
"""The square loss of c·z."""
square_without_cost = Method(
    "without_privacy_cost", SquareVariant(removes_cost=False), privacy_mistake=True
)
"""Wrong: the square loss of z."""
corruption_after_privacy = Method("corruption_after_privacy", SquareVariant(order=Order.LTC))
"""Wrong for CTL: corruption comes second."""
corruption_before_privacy = Method("corruption_before_privacy", SquareVariant(order=Order.CTL))
"""Wrong for LTC: corruption comes first."""
weak_adversary = Method("weak_adversary", SquareVariant(adversary=coin_tosser))
"""Wrong for a constant: the adversary tosses coins."""
