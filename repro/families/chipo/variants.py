"""Algorithms 1 and 3 of P2 and deliberately wrong versions of them, as methods.

Both algorithms have one closed form on two responses a state, so one variant serves both names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.corruption.orders import Order
from repro.study.row import Method

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


@dataclass(frozen=True)
class ChipoVariant:
    """An implementation, right or wrong on purpose.

    Attributes:
        budget_share: of ε that it believes in: 1, or infinite where it ignores privacy.
        sign: −1 where it reads labels upside down.
        tunes: β from c, S, n, C and α; otherwise β is fixed.
        knows_corruption: whether β is tuned to α too.
        finite_class: the class is {±Δ}^S instead of all differences.
        order: of corruption and privacy, where it differs from the setting's.
    """

    budget_share: float = 1.0
    sign: float = 1.0
    tunes: bool = True
    knows_corruption: bool = True
    finite_class: bool = False
    order: Order | None = None


RIGHT = ChipoVariant()
CLEAN = ChipoVariant(budget_share=math.inf)

private_chipo = Method("private_chipo", RIGHT)
"""Algorithm 1: the mixture log loss."""
square_chipo = Method("square_chipo", RIGHT)
"""Algorithm 3: the square loss."""
finite_class = Method("finite_class", ChipoVariant(finite_class=True))
"""Algorithm 1 on the class {±Δ}^S."""
adaptive_tuning = Method("adaptive_tuning", ChipoVariant(knows_corruption=False))
"""Algorithm 3 with β free of α (Remark 5.1)."""

naive_likelihood = Method("naive_likelihood", CLEAN, privacy_mistake=True)
"""Wrong: the clean likelihood on privatised labels."""
without_privacy_cost = Method("without_privacy_cost", CLEAN, privacy_mistake=True)
"""Wrong: no factor c(ε) in the square loss."""
epsilon_overstated = Method(
    "epsilon_overstated", ChipoVariant(EPSILON_OVERSTATED), privacy_mistake=True
)
"""Wrong: the likelihood assumes a budget 20 % too high."""
label_flip = Method("label_flip", ChipoVariant(sign=-1.0))
"""Wrong: labels read upside down."""
finite_class_label_flip = Method(
    "finite_class_label_flip", ChipoVariant(sign=-1.0, finite_class=True)
)
"""Wrong: the same on the finite class."""
fixed_kl_weight = Method("fixed_kl_weight", ChipoVariant(tunes=False))
"""Wrong: β does not fall with the error."""
corruption_after_privacy = Method("corruption_after_privacy", ChipoVariant(order=Order.LTC))
"""Wrong for CTL: corruption comes second."""
adaptive_corruption_before_privacy = Method(
    "adaptive_corruption_before_privacy", ChipoVariant(knows_corruption=False, order=Order.CTL)
)
"""Wrong for LTC: corruption comes first."""
