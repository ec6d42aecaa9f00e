"""Four losses on privatised labels and a linear reward, minimised by one scoring loop.

With s = ⟨x, θ⟩, p̂ = (z-share − flip)/(keep − flip) the debiased share of labels +1 and q the
probability of a report +1, every loss has a score m·w(s)·(p̂ − σ(s))·x a cell:

    mixture    w = σ'/(q(1−q)) up to a factor   log loss of the reports (P2, Lemma 3.1)
    square     w = σ'                           (2σ(s) − 1 − c·z)² (P2, Lemma 3.3)
    debiased   w = 1                            unbiased log loss (Chowdhury et al.)
    naive      w = 1, p̂ the raw share           log loss that ignores privacy: a control

So the mixture is the square loss as ε → 0, where q → ½, and the debiased one as ε → ∞, where
q = σ(s); in a saturated class all three coincide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.estimators.ball import newton_in_ball
from repro.estimators.stopping import nothing_left
from repro.preferences.label_counts import LabelCounts

MAX_STEPS = 200
MAX_HALVINGS = 30


@dataclass(frozen=True)
class LabelLoss(ABC):
    """A loss at a privacy budget.

    Attributes:
        epsilon: ε that labels were privatised with.
    """

    epsilon: float

    @property
    def removed_cost(self) -> float:
        """The factor of z in the score: c(ε), or 1 where privacy is ignored."""
        return privacy_cost(self.epsilon)

    def share(self, counts: LabelCounts) -> Tensor:
        """(R, C) p̂, outside [0, 1] where noise takes it; ½ in a cell without pairs."""
        return (_raw_share(counts) - flip_prob(self.epsilon)) / label_signal(self.epsilon)

    @abstractmethod
    def weight(self, s: Tensor) -> Tensor:
        """w(s), any shape."""

    @abstractmethod
    def each(self, share: Tensor, s: Tensor) -> Tensor:
        """(R, C) loss per label where a share p̂ of labels is +1, at reward differences s."""

    def value(self, counts: LabelCounts, s: Tensor) -> Tensor:
        """(R,) loss at reward differences s (R, C), up to a constant, in units of its score."""
        return (counts.pairs * self.each(self.share(counts), s)).sum(-1)

    def derivatives(self, counts: LabelCounts, s: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """Score (R, d) and expected curvature (R, d, d) at reward differences s (R, C)."""
        weight = self.weight(s)
        score = (counts.pairs * weight * (self.share(counts) - torch.sigmoid(s))) @ x
        heavy = counts.pairs * weight * torch.sigmoid(s) * torch.sigmoid(-s)
        outer = (x[:, :, None] * x[:, None, :]).flatten(1)
        return score, (heavy @ outer).reshape(-1, x.shape[1], x.shape[1])


class MixtureLoss(LabelLoss):
    """Log loss of the reports (P2, Lemma 3.1)."""

    def _report_probs(self, s: Tensor) -> tuple[Tensor, Tensor]:
        flip, signal = flip_prob(self.epsilon), label_signal(self.epsilon)
        return flip + signal * torch.sigmoid(s), flip + signal * torch.sigmoid(-s)

    def weight(self, s: Tensor) -> Tensor:
        win, lose = self._report_probs(s)
        return torch.sigmoid(s) * torch.sigmoid(-s) / (win * lose)

    def each(self, share: Tensor, s: Tensor) -> Tensor:
        flip, signal = flip_prob(self.epsilon), label_signal(self.epsilon)
        win, lose = self._report_probs(s)
        reported = flip + signal * share
        each = torch.xlogy(reported, win) + torch.xlogy(1 - reported, lose)
        return -each / signal**2


class SquareLoss(LabelLoss):
    """(2σ(s) − 1 − c·z)² (P2, Lemma 3.3)."""

    def weight(self, s: Tensor) -> Tensor:
        return torch.sigmoid(s) * torch.sigmoid(-s)

    def each(self, share: Tensor, s: Tensor) -> Tensor:
        return (torch.sigmoid(s) - share).square() / 2


class DebiasedLoss(LabelLoss):
    """Unbiased log loss (Chowdhury et al.)."""

    def weight(self, s: Tensor) -> Tensor:
        return torch.ones_like(s)

    def each(self, share: Tensor, s: Tensor) -> Tensor:
        return torch.nn.functional.softplus(s) - share * s


class NaiveLoss(DebiasedLoss):
    """Wrong: log loss that ignores privacy."""

    @property
    def removed_cost(self) -> float:
        return 1.0

    def share(self, counts: LabelCounts) -> Tensor:
        return _raw_share(counts)


def _raw_share(counts: LabelCounts) -> Tensor:
    """(R, C) share of reports +1; ½ in a cell without pairs."""
    return torch.where(counts.pairs > 0, counts.wins / counts.pairs.clamp(min=1e-300), 0.5)


LossName = Literal["mixture", "square", "debiased"]
LOSSES: Mapping[LossName, type[LabelLoss]] = {
    "mixture": MixtureLoss,
    "square": SquareLoss,
    "debiased": DebiasedLoss,
}
"""The losses that a user may ask for."""


def minimise_loss(
    loss: LabelLoss, counts: LabelCounts, x: Tensor, radius: float, tolerance: float = 1e-9
) -> Tensor:
    """argmin over ‖θ‖ ≤ radius, all datasets at once, by projected scoring with step halving.

    Args:
        loss: which.
        counts: (R, C) pairs and privatised wins; expectations will do.
        x: (C, d) feature differences.
        radius: of the class.
        tolerance: stop when a step moves θ by less, relative to its size plus one.

    Returns:
        (R, d).  The debiased loss has no minimum in the interior where p̂ leaves [0, 1] too far:
        θ then lies on the sphere.
    """
    theta = torch.zeros(counts.pairs.shape[0], x.shape[1], dtype=x.dtype)
    active, last = torch.arange(len(theta)), torch.zeros(len(theta), dtype=x.dtype)
    for _ in range(MAX_STEPS):
        part = LabelCounts(counts.pairs[active], counts.wins[active])
        step, done = _step(loss, part, theta[active], x, radius, last)
        theta[active] += step
        moved = step.abs().amax(-1) > tolerance * (1 + theta[active].abs().amax(-1))
        moved &= ~done
        active, last = active[moved], step.norm(dim=-1)[moved]
        if active.numel() == 0:
            break
    return theta


def _step(
    loss: LabelLoss, counts: LabelCounts, theta: Tensor, x: Tensor, radius: float, last: Tensor
) -> tuple[Tensor, Tensor]:
    """(R, d) a step that does not raise the loss, and (R,) whether nothing is left to gain."""
    score, curvature = loss.derivatives(counts, theta @ x.T, x)
    ridge = 1e-12 * curvature.diagonal(dim1=-2, dim2=-1).sum(-1) + 1e-300
    curvature = curvature + ridge[:, None, None] * torch.eye(x.shape[1], dtype=x.dtype)
    step = newton_in_ball(theta, score, curvature, radius)
    done = nothing_left(step, last, score, curvature, counts.pairs.sum(-1))
    start = loss.value(counts, theta @ x.T)
    slack = 1e-12 * start.abs()
    for _ in range(MAX_HALVINGS):
        rises = loss.value(counts, (theta + step) @ x.T) > start + slack
        if not bool(rises.any()):
            break
        step = torch.where(rises[:, None], step / 2, step)
    return step, done
