"""PrivXPO, SquareXPO and deliberately wrong versions of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from repro.study.row import Method
from repro.xpo.simulator import (
    Objective,
    Pool,
    log_objective,
    pooled,
    printed_square_objective,
    square_objective,
)


@dataclass(frozen=True)
class Update:
    """An objective and what is wrong with it.

    Attributes:
        objective: what an update minimises.
        blind: the loss ignores privacy: ε = ∞ in the likelihood, c = 1 in the square loss.
        flipped: labels enter with the wrong sign.
        other_order: the adversary acts on the other side of the randomizer.
        optimism: multiples of γ; the best in hindsight counts.
        rounds: multiple of T and n that it is given.
        pool: what it makes of offline and online labels.
    """

    objective: Objective
    blind: bool = False
    flipped: bool = False
    other_order: bool = False
    optimism: tuple[float, ...] = field(default=(1.0,))
    rounds: int = 1
    pool: Pool = pooled


MUCH = 4.0
"""γ = 2·β·c(ε)/√T, four times ``OPTIMISM_SHARE``: near the best of a sweep (row gamma_sweep)."""


def method_of(name: str, objective: Objective, multiple: float = MUCH) -> Method[Update]:
    """An update with a multiple of γ, nothing else wrong."""
    return Method(name, Update(objective, optimism=(multiple,)))


priv_xpo = method_of("priv_xpo", log_objective)
square_xpo = method_of("square_xpo", square_objective)
longer = Method("sixteen_times_the_rounds",
                Update(log_objective, optimism=(MUCH,), rounds=16))  # fmt: skip
square_longer = Method("sixteen_times_the_rounds",
                       Update(square_objective, optimism=(MUCH,), rounds=16))  # fmt: skip
without_optimism = method_of("without_optimism", log_objective, 0.0)
reversed_optimism = method_of("reversed_optimism", log_objective, -MUCH)
a_sixteenth = method_of("a_sixteenth_of_optimism", log_objective, MUCH / 16)
sixteen_times = method_of("sixteen_times_optimism", log_objective, 16 * MUCH)
square_without_optimism = method_of("without_optimism", square_objective, 0.0)
square_reversed_optimism = method_of("reversed_optimism", square_objective, -MUCH)
printed_sign = Method(
    "printed_sign", Update(printed_square_objective, optimism=(0.01, 1.0, 100.0, 1e4))
)
naive_likelihood = Method(
    "naive_likelihood", Update(log_objective, blind=True, optimism=(MUCH,)), privacy_mistake=True
)
without_cost = Method(
    "without_cost", Update(square_objective, blind=True, optimism=(MUCH,)), privacy_mistake=True
)
label_flip = Method("label_flip", Update(log_objective, flipped=True, optimism=(MUCH,)))
square_label_flip = Method(
    "square_label_flip", Update(square_objective, flipped=True, optimism=(MUCH,))
)
other_order = Method("other_order", Update(square_objective, other_order=True, optimism=(MUCH,)))
