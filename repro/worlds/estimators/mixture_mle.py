"""The private maximum-likelihood reward of Algorithm 1, batched over datasets of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from repro.base.notation import flip_prob, label_signal
from repro.labels.preferences.label_counts import LabelCounts
from repro.worlds.estimators.region import BALL_REGION, Region
from repro.worlds.estimators.stopping import nothing_left

MAX_STEPS = 1000
MAX_HALVINGS = 30
ROUNDING = 1e-17
LOWEST = -1 + 2.0**-53
"""Least relative change of a probability in a step, so that one that falls to 0 has a logarithm."""
CLEAR = 0.9
"""Largest mean of a cell's labels before privacy, as debiased, from which a fit may start."""
SAFE_STEP = 1e-3
"""Shorter steps that at least halve are taken without a look at the likelihood."""


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
    def signal(self) -> float:
        """s, the factor on the mean of a label that privacy leaves."""
        return label_signal(self.epsilon)

    @cached_property
    def _score_features(self) -> Tensor:
        """(C, d) feature differences times s/2."""
        return self.feature_diff * (self.signal / 2)

    @cached_property
    def _outer(self) -> Tensor:
        """(C, d²) outer product of each cell's feature difference with itself, times s²/4."""
        outer = (self.feature_diff[:, :, None] * self.feature_diff[:, None, :]).flatten(1)
        return outer * (self.signal**2 / 4)

    def value(self, counts: LabelCounts, theta: Tensor) -> Tensor:
        """(R,) log-likelihood of θ (R, d)."""
        difference = theta @ self.feature_diff.T
        flip = flip_prob(self.epsilon)
        win, lose = (flip + self.signal * torch.sigmoid(x) for x in (difference, -difference))
        losses = counts.pairs - counts.wins
        return (torch.xlogy(counts.wins, win) + torch.xlogy(losses, lose)).sum(-1)

    def mean(self, theta: Tensor) -> Tensor:
        """(R, C) t = 2σ(Δ) − 1 of θ (R, d), the mean of a label ±1 before privacy."""
        return (theta @ self.feature_diff.T).sigmoid_().mul_(2).sub_(1)

    def derivatives(self, counts: LabelCounts, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Score (R, d) and information (R, d, d) at θ (R, d), as in ``derivatives_at``."""
        return self.derivatives_at(counts, self.mean(theta))

    def derivatives_at(self, counts: LabelCounts, mean: Tensor) -> tuple[Tensor, Tensor]:
        """Score and information, given ``mean(θ)``.

        dP(z=+1)/dΔ = s(1−t²)/4 and P(z=+1)·P(z=−1) = (1−s²t²)/4; at s = 1 they are equal.  The
        information is the observed one (minus the second derivative); a cell where it is below a
        quarter of Fisher's gives that quarter, so that their sum is positive definite.
        """
        squared = mean.square()
        surplus = torch.addcmul(counts.label_sum, counts.pairs, mean, value=-self.signal)
        slope = 1 - squared
        if self.signal == 1:
            information = slope.mul_(counts.pairs)
        else:
            variance = squared.mul_(-(self.signal**2)).add_(1)
            weight = slope / variance
            surplus = surplus.mul_(weight)
            fisher = slope.mul_(weight).mul_(counts.pairs)
            rest = (surplus * mean).div_(variance).mul_(2 * (1 - self.signal**2) / self.signal)
            information = torch.maximum(rest.add_(fisher), fisher.div_(4))
        features = self.feature_diff.shape[1]
        information = (information @ self._outer).reshape(-1, features, features)
        return surplus @ self._score_features, information

    def by_least_squares(self, counts: LabelCounts) -> Tensor:
        """(R, d) weighted least squares on the cells' own differences; 0 where a cell is unclear.

        2·artanh of a cell's debiased mean label has the variance 1/I of Fisher's information, so
        that this is within O(1/n) of the maximum of the likelihood (Berkson's minimum χ²).
        """
        # a cell without pairs is as clear as any: it has no weight
        mean = (counts.label_sum / (self.signal * counts.pairs)).nan_to_num_(nan=0.0)
        clear = (mean.abs() <= CLEAR).all(-1)
        if not bool(clear.any()):
            return mean.new_zeros(len(mean), self.feature_diff.shape[1])
        mean[~clear] = 0.0
        squared = mean.square()
        slope = 1 - squared
        weight = slope.square_().div_(squared.mul_(-(self.signal**2)).add_(1)).mul_(counts.pairs)
        features = self.feature_diff.shape[1]
        information = (weight @ self._outer).reshape(-1, features, features)
        pull = (weight * mean.atanh_()) @ self._score_features
        _keep_definite(information)
        start = torch.linalg.solve_ex(information, (self.signal * pull)[..., None])[0][..., 0]
        return start.mul_(clear[:, None])

    def gain(self, counts: LabelCounts, old: Tensor, new: Tensor) -> Tensor:
        """(R,) rise of the log-likelihood from one ``mean(θ)`` to another."""
        rise = (new - old).mul_(self.signal)
        win, lose = (
            (sign * rise / (1 + sign * self.signal * old).clamp_(min=ROUNDING)).clamp_(min=LOWEST)
            for sign in (1, -1)
        )
        win, lose = win.log1p_(), lose.log1p_()
        return win.mul_(counts.wins).add_(lose.mul_(counts.pairs - counts.wins)).sum(-1)


def mixture_mle(
    counts: LabelCounts,
    feature_diff: Tensor,
    epsilon: float,
    radius: float,
    tolerance: float = 1e-9,
    region: Region = BALL_REGION,
) -> Tensor:
    """argmax over a class of the private likelihood (P1, Algorithm 1, step 2).

    Projected Newton steps from least squares, or from 0 where labels are few, halved where the
    likelihood falls, all datasets at once; finished datasets drop out. Of steps that shrink by
    a factor ρ, ρ^½ times the last one is taken for what is left to go (ρ alone fell short,
    since later ones may shrink by less). The likelihood is not concave: with few labels in a
    wide class Newton may end in a local maximum or not converge. In the classes of the
    experiments it is the global one (tests compare with restarts from n = 100).

    Args:
        counts: (R, C) pairs and privatised wins.
        feature_diff: (C, d).
        epsilon: the budget the likelihood assumes, in (0, inf].
        radius: of the class; of a box half its width.
        tolerance: stop when less is left to go, relative to the size of θ plus one, or when steps
            that no longer shrink promise nothing (``repro.worlds.estimators.stopping``).
        region: ‖θ‖ ≤ radius, or a box.

    Returns:
        (R, d); NaN rows where it has not converged in 1000 steps.
    """
    likelihood = MixtureLikelihood(feature_diff, epsilon)
    start = likelihood.by_least_squares(counts)
    unit = torch.eye(start.shape[1], dtype=start.dtype, device=start.device)
    maximiser = region.nearest(start, unit.expand(len(start), -1, -1), radius)
    rows, theta = torch.arange(len(maximiser), device=maximiser.device), maximiser
    mean, last = likelihood.mean(theta), _length(theta)
    for _ in range(MAX_STEPS):
        step, score, information = _newton_step(likelihood, counts, theta, mean, radius, region)
        done = nothing_left(step, last, score, information, counts.pairs.sum(-1))
        size = _length(step)
        sure = (size < SAFE_STEP) & (size < last / 2)
        step, theta, mean = _climb(likelihood, counts, theta, mean, step, sure)
        left = torch.where(size < last, size * (size / last).sqrt(), _length(step))
        last = size
        moving = (left > tolerance * (1 + _length(theta))) & ~done
        if bool(moving.all()):
            continue
        maximiser[rows] = theta
        rows, theta, last, mean = rows[moving], theta[moving], last[moving], mean[moving]
        counts = LabelCounts(counts.pairs[moving], counts.wins[moving])
        if rows.numel() == 0:
            return maximiser
    maximiser[rows] = torch.nan
    return maximiser


def _newton_step(
    likelihood: MixtureLikelihood,
    counts: LabelCounts,
    theta: Tensor,
    mean: Tensor,
    radius: float,
    region: Region,
) -> tuple[Tensor, Tensor, Tensor]:
    """(R, d) step to the class's minimiser of the local quadratic, its score and information."""
    score, information = likelihood.derivatives_at(counts, mean)
    _keep_definite(information)
    return region.newton(theta, score, information, radius), score, information


def _keep_definite(information: Tensor) -> None:
    diagonal = information.diagonal(dim1=-2, dim2=-1)
    diagonal += (1e-12 * diagonal.sum(-1) + 1e-300)[:, None]


def _length(vectors: Tensor) -> Tensor:
    """(R,) Euclidean norms of (R, d); for a few columns a product is faster than a reduction."""
    return (vectors.square() @ vectors.new_ones(vectors.shape[1])).sqrt_()


def _climb(
    likelihood: MixtureLikelihood,
    counts: LabelCounts,
    theta: Tensor,
    mean: Tensor,
    step: Tensor,
    sure: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The step, halved until the likelihood does not fall; θ and its mean there."""
    moved, reached = theta + step, likelihood.mean(theta + step)
    if bool(sure.all()):
        return step, moved, reached
    for _ in range(MAX_HALVINGS):
        falls = ~(likelihood.gain(counts, mean, reached) >= -1e-12 * counts.pairs.sum(-1))
        if not bool(falls.any()):
            break
        step = torch.where(falls[:, None], step / 2, step)
        moved = theta + step
        reached = likelihood.mean(moved)
    return step, moved, reached
