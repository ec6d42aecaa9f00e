"""The private maximum-likelihood reward of Algorithm 1, batched over datasets of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from repro.estimators.ball import nearest_in_ball
from repro.notation import flip_prob, label_signal
from repro.preferences.label_counts import LabelCounts

MAX_STEPS = 100
MAX_HALVINGS = 30


@dataclass(frozen=True)
class MixtureLikelihood:
    """Log-likelihood of privatised labels, P1's eq. 9, on cells.

    Attributes:
        feature_diff: (C, d).
        epsilon: the budget it assumes; inf is the clean Bradley–Terry likelihood.
    """

    feature_diff: Tensor
    epsilon: float

    @cached_property
    def outer(self) -> Tensor:
        """(C, d²) outer product of each cell's feature difference with itself."""
        return (self.feature_diff[:, :, None] * self.feature_diff[:, None, :]).flatten(1)

    def win_prob(self, theta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """P(z=+1), P(z=−1) and the slope of the former in the reward difference, (R, C)."""
        difference = theta @ self.feature_diff.T
        clean, flip, signal = (
            torch.sigmoid(difference),
            flip_prob(self.epsilon),
            label_signal(self.epsilon),
        )
        lose = torch.sigmoid(-difference)
        return flip + signal * clean, flip + signal * lose, signal * clean * lose

    def value(self, counts: LabelCounts, theta: Tensor) -> Tensor:
        """(R,) log-likelihood of θ (R, d)."""
        win, lose, _ = self.win_prob(theta)
        losses = counts.pairs - counts.wins
        return (torch.xlogy(counts.wins, win) + torch.xlogy(losses, lose)).sum(-1)

    def derivatives(self, counts: LabelCounts, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Score (R, d) and Fisher information (R, d, d) at θ (R, d)."""
        win, lose, slope = self.win_prob(theta)
        weight = slope / (win * lose)
        score = ((counts.wins - counts.pairs * win) * weight) @ self.feature_diff
        features = self.feature_diff.shape[1]
        information = (counts.pairs * weight * slope) @ self.outer
        return score, information.reshape(-1, features, features)


def mixture_mle(
    counts: LabelCounts,
    feature_diff: Tensor,
    epsilon: float,
    radius: float,
    tolerance: float = 1e-9,
) -> Tensor:
    """argmax over ‖θ‖ ≤ radius of the private likelihood (P1, Algorithm 1, step 2).

    Projected Fisher scoring with step halving, all datasets at once; finished datasets drop out.
    The likelihood is not concave: with few labels in a wide class scoring may end in a local
    maximum or not converge.  In the classes of the experiments it is the global one (tests
    compare with restarts from n = 100).

    Args:
        counts: (R, C) pairs and privatised wins.
        feature_diff: (C, d).
        epsilon: the budget the likelihood assumes, in (0, inf].
        radius: of the class.
        tolerance: stop when a step moves θ by less, relative to its own size plus one.

    Returns:
        (R, d); NaN rows where it has not converged in 100 steps.
    """
    likelihood = MixtureLikelihood(feature_diff, epsilon)
    replicates, features = counts.pairs.shape[0], feature_diff.shape[1]
    theta = torch.zeros(replicates, features, dtype=feature_diff.dtype, device=feature_diff.device)
    value = likelihood.value(counts, theta)
    active = torch.arange(replicates, device=theta.device)
    for _ in range(MAX_STEPS):
        part = LabelCounts(counts.pairs[active], counts.wins[active])
        step = _scoring_step(likelihood, part, theta[active], radius)
        step, value[active] = _climb(likelihood, part, theta[active], step, value[active])
        theta[active] += step
        moved = step.abs().amax(-1) > tolerance * (1 + theta[active].abs().amax(-1))
        active = active[moved]
        if active.numel() == 0:
            return theta
    theta[active] = torch.nan
    return theta


def _scoring_step(
    likelihood: MixtureLikelihood, counts: LabelCounts, theta: Tensor, radius: float
) -> Tensor:
    """(R, d) step to the ball's minimiser of the local quadratic."""
    score, information = likelihood.derivatives(counts, theta)
    ridge = 1e-12 * information.diagonal(dim1=-2, dim2=-1).sum(-1) + 1e-300
    information = information + ridge[:, None, None] * torch.eye(
        theta.shape[1], dtype=theta.dtype, device=theta.device
    )
    solved = torch.linalg.solve_ex(information, score[..., None])[0][..., 0]
    return nearest_in_ball(theta + solved, information, radius) - theta


def _climb(
    likelihood: MixtureLikelihood, counts: LabelCounts, theta: Tensor, step: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """The step, halved until the likelihood does not fall, and the likelihood there."""
    slack = 1e-12 * start.abs()
    reached = likelihood.value(counts, theta + step)
    for _ in range(MAX_HALVINGS):
        falls = reached < start - slack
        if not bool(falls.any()):
            break
        step = torch.where(falls[:, None], step / 2, step)
        reached = likelihood.value(counts, theta + step)
    return step, reached
