"""PrivXPO, SquareXPO and deliberately wrong versions of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from repro.families.xpo.algorithms import (
    Objective,
    log_objective,
    printed_square_objective,
    square_objective,
)
from repro.study.row import Method


@dataclass(frozen=True)
class Update:
    """An objective and what is wrong with it.

    Attributes:
        objective: what an update minimises.
        blind: the loss ignores privacy: ε = ∞ in the likelihood, c = 1 in the square loss.
        flipped: labels enter with the wrong sign.
        other_order: the adversary acts on the other side of the randomizer.
        optimism: multiples of γ; the best in hindsight counts.
    """

    objective: Objective
    blind: bool = False
    flipped: bool = False
    other_order: bool = False
    optimism: tuple[float, ...] = field(default=(1.0,))


priv_xpo = Method("priv_xpo", Update(log_objective))
square_xpo = Method("square_xpo", Update(square_objective))
MUCH = 4.0
"""Multiple of γ in rows in which the best response is rare."""
exploring_xpo = Method("priv_xpo", Update(log_objective, optimism=(MUCH,)))
without_optimism = Method("without_optimism", Update(log_objective, optimism=(0.0,)))
reversed_optimism = Method("reversed_optimism", Update(log_objective, optimism=(-MUCH,)))
printed_sign = Method(
    "printed_sign", Update(printed_square_objective, optimism=(0.01, 1.0, 100.0, 1e4))
)
naive_likelihood = Method(
    "naive_likelihood", Update(log_objective, blind=True), privacy_mistake=True
)
without_cost = Method("without_cost", Update(square_objective, blind=True), privacy_mistake=True)
label_flip = Method("label_flip", Update(log_objective, flipped=True))
square_label_flip = Method("square_label_flip", Update(square_objective, flipped=True))
other_order = Method("other_order", Update(square_objective, other_order=True))
