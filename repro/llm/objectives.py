"""PrivχPO and SquareχPO of a language model, with wrong versions beside them (P2, Alg. 1 and 3).

Both have the implicit reward of χPO, β·(φ(u₁) − φ(u₂)) clipped, φ(u) = u + log u.  PrivχPO takes
the mixture likelihood of private labels, SquareχPO the square of 2σ(Δ) − 1 − c(ε)·z.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from torch import Tensor

from repro.llm.implicit_reward import chipo_reward_difference, dpo_reward_difference
from repro.llm.losses import debiased_loss, log_loss, mixture_loss, square_loss

Difference = Callable[[Tensor, Tensor], Tensor]
"""log π/π_ref of the first and of the second responses → reward difference."""
Loss = Callable[[Tensor, Tensor], Tensor]
"""(reward difference, label) → loss, pair by pair."""


@dataclass(frozen=True)
class Objective:
    """An implicit reward difference and a loss on it."""

    difference: Difference
    loss: Loss


class Weights(Protocol):
    """What gives β and R_max."""

    @property
    def kl_weight(self) -> float: ...

    @property
    def reward_bound(self) -> float: ...


def objective(name: str, procedure: Weights, epsilon: float) -> Objective:
    """One of the objectives that are compared.

    Args:
        name: ``private``, ``square``, their ``…_no_debias`` (private labels taken as clean),
            ``rdpo`` or ``dpo``.
        procedure: gives kl_weight and R_max.
        epsilon: ε of the labels, in (0, inf].
    """
    chipo = partial(
        chipo_reward_difference,
        kl_weight=procedure.kl_weight,
        reward_bound=procedure.reward_bound,
    )
    dpo = partial(dpo_reward_difference, kl_weight=procedure.kl_weight)
    match name:
        case "private":
            return Objective(chipo, partial(mixture_loss, epsilon=epsilon))
        case "private_no_debias":
            return Objective(chipo, log_loss)
        case "square":
            return Objective(chipo, partial(square_loss, epsilon=epsilon))
        case "square_no_debias":
            return Objective(chipo, partial(square_loss, epsilon=math.inf))
        case "dpo":
            return Objective(dpo, log_loss)
        case "rdpo":
            return Objective(dpo, partial(debiased_loss, epsilon=epsilon))
    raise ValueError(f"no objective of that name: {name}")
