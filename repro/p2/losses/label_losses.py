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
from repro.labels.preferences.label_counts import LabelCounts
from repro.worlds.estimators.ball import newton_in_ball
from repro.worlds.estimators.stopping import nothing_left

SCORED = 3
"""Steps by expected curvature before those by observed: far off the latter leads astray."""
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
    def weight_slope(self, s: Tensor) -> Tensor:
        """dw/ds, any shape."""

    @abstractmethod
    def each(self, share: Tensor, s: Tensor) -> Tensor:
        """(R, C) loss per label where a share p̂ of labels is +1, at reward differences s."""

    def value(self, counts: LabelCounts, s: Tensor) -> Tensor:
        """(R,) loss at reward differences s (R, C), up to a constant, in units of its score."""
        return (counts.pairs * self.each(self.share(counts), s)).sum(-1)

    def derivatives(
        self, counts: LabelCounts, s: Tensor, x: Tensor, observed: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Score (R, d) and curvature (R, d, d) at reward differences s (R, C).

        Args:
            counts: of the labels.
            s: reward differences.
            x: (C, d) feature differences.
            observed: the curvature of these labels in the place of the expected one, which is
                positive definite everywhere.
        """
        win, weight = torch.sigmoid(s), self.weight(s)
        left = self.share(counts).sub_(win)
        score = (counts.pairs * weight).mul_(left) @ x
        heavy = torch.sigmoid(-s).mul_(win).mul_(weight)
        if observed:
            heavy.sub_(self.weight_slope(s).mul_(left))
        outer = (x[:, :, None] * x[:, None, :]).flatten(1)
        return score, (heavy.mul_(counts.pairs) @ outer).reshape(-1, x.shape[1], x.shape[1])


class MixtureLoss(LabelLoss):
    """Log loss of the reports (P2, Lemma 3.1)."""

    def _reported(self, prob: Tensor) -> Tensor:
        return (prob * label_signal(self.epsilon)).add_(flip_prob(self.epsilon))

    def _report_probs(self, s: Tensor) -> tuple[Tensor, Tensor]:
        return self._reported(torch.sigmoid(s)), self._reported(torch.sigmoid(-s))

    def weight(self, s: Tensor) -> Tensor:
        up, down = torch.sigmoid(s), torch.sigmoid(-s)
        return (up * down).div_(self._reported(up).mul_(self._reported(down)))

    def weight_slope(self, s: Tensor) -> Tensor:
        up, down = torch.sigmoid(s), torch.sigmoid(-s)
        win, lose = self._reported(up), self._reported(down)
        weight = (up * down).div_(win * lose)
        # of log w: down − up, less that of log q(1−q), with dq/ds = signal·up·down
        of_log = lose.sub_(win).mul_(weight).mul_(-label_signal(self.epsilon))
        return of_log.add_(down).sub_(up).mul_(weight)

    def each(self, share: Tensor, s: Tensor) -> Tensor:
        flip, signal = flip_prob(self.epsilon), label_signal(self.epsilon)
        win, lose = self._report_probs(s)
        reported = flip + signal * share
        if flip:  # neither probability is 0
            return (reported * win.log_() + (1 - reported) * lose.log_()) / -(signal**2)
        return -(torch.xlogy(reported, win) + torch.xlogy(1 - reported, lose))


class SquareLoss(LabelLoss):
    """(2σ(s) − 1 − c·z)² (P2, Lemma 3.3)."""

    def weight(self, s: Tensor) -> Tensor:
        return torch.sigmoid(s) * torch.sigmoid(-s)

    def weight_slope(self, s: Tensor) -> Tensor:
        up, down = torch.sigmoid(s), torch.sigmoid(-s)
        return up * down * (down - up)

    def each(self, share: Tensor, s: Tensor) -> Tensor:
        return (torch.sigmoid(s) - share).square() / 2


class DebiasedLoss(LabelLoss):
    """Unbiased log loss (Chowdhury et al.)."""

    def weight(self, s: Tensor) -> Tensor:
        return torch.ones_like(s)

    def weight_slope(self, s: Tensor) -> Tensor:
        return torch.zeros_like(s)

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
    """argmin over ‖θ‖ ≤ radius, all datasets at once, by steps in the ball with halving.

    Scoring first, which goes down from anywhere, then Newton steps: with about as many labels as
    cells a dataset takes 7 steps, where it takes 27 of scoring alone.

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
    for number in range(MAX_STEPS):
        part = LabelCounts(counts.pairs[active], counts.wins[active])
        step, done = _step(loss, part, theta[active], x, radius, last, number >= SCORED)
        theta[active] += step
        moved = step.abs().amax(-1) > tolerance * (1 + theta[active].abs().amax(-1))
        moved &= ~done
        active, last = active[moved], step.norm(dim=-1)[moved]
        if active.numel() == 0:
            break
    return theta


def _step(
    loss: LabelLoss, counts: LabelCounts, theta: Tensor, x: Tensor, radius: float, last: Tensor,
    newton: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(R, d) a step that does not raise the loss, and (R,) whether nothing is left to gain."""
    s = theta @ x.T
    score, curvature = loss.derivatives(counts, s, x, newton)
    if newton:
        # no minimum of the model where these labels bend the loss downwards
        bent = torch.linalg.cholesky_ex(curvature)[1] > 0
        if bool(bent.any()):
            part = LabelCounts(counts.pairs[bent], counts.wins[bent])
            curvature[bent] = loss.derivatives(part, s[bent], x)[1]
    ridge = 1e-12 * curvature.diagonal(dim1=-2, dim2=-1).sum(-1) + 1e-300
    curvature = curvature + ridge[:, None, None] * torch.eye(x.shape[1], dtype=x.dtype)
    step = newton_in_ball(theta, score, curvature, radius)
    done = nothing_left(step, last, score, curvature, counts.pairs.sum(-1))
    start = loss.value(counts, s)
    slack = 1e-12 * start.abs()
    for _ in range(MAX_HALVINGS):
        rises = loss.value(counts, (theta + step) @ x.T) > start + slack
        if not bool(rises.any()):
            break
        step = torch.where(rises[:, None], step / 2, step)
    return step, done
