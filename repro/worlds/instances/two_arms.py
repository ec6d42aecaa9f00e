"""Two responses a state: the hypercube of P1's lower bound, and one state with a large gap.

A reward is its difference r(s, −1) − r(s, +1), one number per state, so estimators and gaps
have closed forms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from repro.base.torch_later import Tensor, torch


@dataclass(frozen=True, eq=False)
class TwoArmWorld:
    """Tabular world with two responses, the first of them rarely drawn by the reference.

    Attributes:
        state_prob: (S,) d₀.
        reference: (S,) π_ref of the first response.
        reward_diff: (S,) reward of the first response minus the second.
        reward_bound: B; differences of the class lie in [−B, B].
        kl_weight: weight of KL in the objective.
    """

    state_prob: Tensor
    reference: Tensor
    reward_diff: Tensor
    reward_bound: float
    kl_weight: float

    @cached_property
    def cell_prob(self) -> Tensor:
        """(S,) probability that the pair of a draw consists of the state's two responses."""
        return self.state_prob * 2 * self.reference * (1 - self.reference)

    def under_uniform_reference(self) -> TwoArmWorld:
        """The same rewards where both responses are equally likely under π_ref."""
        return replace(self, reference=torch.full_like(self.reference, 0.5))

    @cached_property
    def policies(self) -> Tensor:
        """(S, 2) π_ref."""
        return torch.stack([self.reference, 1 - self.reference], dim=-1)

    @cached_property
    def optimal_policy(self) -> Tensor:
        """(S, 2) π* (P1, eq. 5)."""
        log_odds = torch.logit(self.reference) + self.reward_diff / self.kl_weight
        return torch.stack([torch.sigmoid(log_odds), torch.sigmoid(-log_odds)], dim=-1)


def hypercube_world(
    num_states: int,
    coverage: float,
    kl_weight: float,
    reward_bound: float,
    tilt: float,
    device: str = "cpu",
) -> TwoArmWorld:
    """One corner of the hypercube of Theorem 4.5, steps 1 and 2 of its proof (P1, appendix B).

    π_ref(−1|s) = 1/C, r(s, −1) − r(s, +1) = b + v_s·a with b = kl_weight·log(C−1) and
    a = tilt·kl_weight; the corner v alternates in sign.

    Args:
        num_states: S ≥ 1.
        coverage: C > 2, the density ratio π*/π_ref stays below it.
        kl_weight: weight of KL (P1's 1/β).
        reward_bound: B; the proof needs a, b < B/2.
        tilt: a/kl_weight.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    signs = torch.ones(num_states, **options)
    signs[1::2] = -1.0
    return TwoArmWorld(
        state_prob=torch.full((num_states,), 1.0 / num_states, **options),
        reference=torch.full((num_states,), 1.0 / coverage, **options),
        reward_diff=kl_weight * (math.log(coverage - 1) + tilt * signs),
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )


def large_difference_world(
    reward_bound: float, margin: float, kl_weight: float, device: str = "cpu"
) -> TwoArmWorld:
    """One state, uniform π_ref, two responses whose rewards differ by nearly all of [0, B].

    Args:
        reward_bound: B.
        margin: B minus the difference, keeping the truth inside the class.
        kl_weight: weight of KL in the objective.
        device: torch device.
    """
    options = {"dtype": torch.float64, "device": device}
    return TwoArmWorld(
        state_prob=torch.ones(1, **options),
        reference=torch.full((1,), 0.5, **options),
        reward_diff=torch.full((1,), reward_bound - margin, **options),
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )
