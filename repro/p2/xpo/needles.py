"""Policies, settings and counts of P2's online algorithms: one state, needles among A responses.

r = Δ on the first response and 0 elsewhere; π_ref is uniform but for that response.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from repro.base.torch_later import Tensor, torch


@dataclass(frozen=True, eq=False)
class NeedleClass:
    """Policies π_{j,u} ∝ π_ref·exp(u·1{a = j}); two responses need one j only.

    Attributes:
        num_actions: A ≥ 2.
        tilts: (U,) values of u; the optimum's is among them.
        optimal_tilt: Δ/kl_weight, the tilt of π*_β on the first response.
        best_share: π_ref of the first response, 1/A unless given; the others share the rest.
    """

    num_actions: int
    tilts: Tensor
    optimal_tilt: float
    best_share: float | None = None

    @property
    def reference(self) -> Tensor:
        """(A,) π_ref."""
        best = 1 / self.num_actions if self.best_share is None else self.best_share
        others = [(1 - best) / (self.num_actions - 1)] * (self.num_actions - 1)
        return torch.tensor([best, *others], dtype=self.tilts.dtype, device=self.tilts.device)

    @property
    def log_normaliser(self) -> Tensor:
        """(A, U) log E_ref exp(u·1{a = j})."""
        return torch.log1p(self.reference[:, None] * torch.expm1(self.tilts))

    def divergence(self) -> Tensor:
        """(A, U) KL(π_{j,u}‖π*_β), which times kl_weight is the gap J_β(π*) − J_β(π)."""
        raised = (self.tilts - self.log_normaliser).exp() * self.reference[:, None]
        first = (-self.log_normaliser).exp() * self.reference[0]
        first[0] = raised[0]
        best = torch.log1p(self.reference[0] * math.expm1(self.optimal_tilt))
        return raised * self.tilts - self.log_normaliser - first * self.optimal_tilt + best

    def table(self) -> Tensor:
        """(A·U, A) every policy, in the order of a flattened (A, U) table."""
        arms, tilts = self.num_actions, len(self.tilts)
        each = torch.arange(arms * tilts, device=self.tilts.device)
        return self.probabilities(each // tilts, each % tilts)

    def probabilities(self, arm: Tensor, tilt: Tensor) -> Tensor:
        """(L, A) policy of response ``arm`` (L,) raised by the tilt with index ``tilt`` (L,)."""
        logits = self.reference.log().repeat(len(arm), 1)
        logits.scatter_add_(1, arm[:, None], self.tilts[tilt][:, None])
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

    @classmethod
    def joined(cls, batches: Sequence[XpoBatch]) -> XpoBatch:
        """The runs of some batches, one batch after another."""
        names = [field.name for field in fields(cls)]
        return cls(**{n: torch.cat([getattr(b, n) for b in batches]) for n in names})


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

    def times(self, factor: float) -> PairCounts:
        """Every label as if it had been drawn so many times."""
        return PairCounts(self.pairs * factor, self.wins * factor, self.baseline * factor)
