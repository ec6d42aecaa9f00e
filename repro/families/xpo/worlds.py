"""Policies, settings and counts of P2's online algorithms: one state, needles among A responses.

π_ref is uniform, r = Δ on the first response and 0 elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class NeedleClass:
    """Policies π_{j,u}, one response j raised by a tilt u; two responses need one j only.

    Attributes:
        num_actions: A ≥ 2.
        tilts: (U,) values of u; the optimum's is among them.
        optimal_tilt: Δ/kl_weight, the tilt of π*_β on the first response.
    """

    num_actions: int
    tilts: Tensor
    optimal_tilt: float

    @property
    def log_normaliser(self) -> Tensor:
        """(U,) log Σ_a exp(u·1{a = j})."""
        return torch.log(self.tilts.exp() + self.num_actions - 1)

    def divergence(self) -> Tensor:
        """(A, U) KL(π_{j,u}‖π*_β), which times kl_weight is the gap J_β(π*) − J_β(π)."""
        raised = (self.tilts - self.log_normaliser).exp()
        other = (-self.log_normaliser).exp()
        best = torch.tensor(self.optimal_tilt, dtype=self.tilts.dtype, device=self.tilts.device)
        base = torch.log(best.exp() + self.num_actions - 1) - self.log_normaliser
        entropy_part = raised * self.tilts + base
        on_best = entropy_part - raised * best
        elsewhere = entropy_part - other * best
        return torch.stack([on_best] + [elsewhere] * (self.num_actions - 1))

    def table(self) -> Tensor:
        """(A·U, A) every policy, in the order of a flattened (A, U) table."""
        arms, tilts = self.num_actions, len(self.tilts)
        each = torch.arange(arms * tilts, device=self.tilts.device)
        return self.probabilities(each // tilts, each % tilts)

    def probabilities(self, arm: Tensor, tilt: Tensor) -> Tensor:
        """(L, A) policy of response ``arm`` (L,) raised by the tilt with index ``tilt`` (L,)."""
        logits = torch.zeros(len(arm), self.num_actions, dtype=self.tilts.dtype, device=arm.device)
        logits.scatter_(1, arm[:, None], self.tilts[tilt][:, None])
        return torch.softmax(logits, dim=1)


@dataclass(frozen=True, eq=False)
class XpoBatch:
    """Settings of L runs, (L,) tensors.

    Attributes:
        reward_gap: Δ.
        kl_weight: β.
        optimism_weight: γ.
        label_scale: E[z] = label_scale·h − label_offset·sign(h) + label_shift, h = tanh(±Δ/2) …
        label_offset: … the clean mean of a label on the pair; the second term is the adversary's.
        label_shift: what no reward explains; 0 under randomized response.
        believed_signal: 2σ(ε)−1 that the loss assumes; privacy_cost is its inverse.
    """

    reward_gap: Tensor
    kl_weight: Tensor
    optimism_weight: Tensor
    label_scale: Tensor
    label_offset: Tensor
    label_shift: Tensor
    believed_signal: Tensor

    def __len__(self) -> int:
        return len(self.reward_gap)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """What the losses see, (L, A) each.

    Attributes:
        pairs: comparisons of a response with any other.
        wins: those it won, by the labels observed.
        baseline: times π_ref drew it.
    """

    pairs: Tensor
    wins: Tensor
    baseline: Tensor

    def plus(self, other: PairCounts) -> PairCounts:
        """Both together."""
        pairs, wins = self.pairs + other.pairs, self.wins + other.wins
        return PairCounts(pairs, wins, self.baseline + other.baseline)
