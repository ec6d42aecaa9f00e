"""The likelihood of a label from any binary channel, its rates known or estimated with the reward.

A report is +1 with probability base + signal·σ(⟨x, θ⟩) at the feature difference x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_mixture import LabelMixture
from repro.worlds.estimators.region import BALL_REGION, Region

MAX_STEPS = 100
MAX_HALVINGS = 30
LEAST = 1e-9
"""Rates stay so far inside 0 < base, base + signal < 1, and signal above it."""
TOLERANCE = 1e-8
ROUNDING = 1e-14
"""Of a sum of logarithms: a likelihood that falls by less has not fallen."""


KNOWN = ()
"""No direction in which rates are estimated."""
SYMMETRIC = ((-0.5, 1.0),)
"""base = (1 − signal)/2: one rate is estimated, both labels are flipped alike."""
BOTH = ((1.0, 0.0), (0.0, 1.0))
"""Base and signal are estimated."""

Directions = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ChannelLikelihood:
    """Log-likelihood of reports on cells, in θ and in some directions of (base, signal).

    Attributes:
        counts: (R, C) pairs and reports of +1.
        feature_diff: (C, d).
        radius: of the class.
        directions: (k, 2), of the rates that are estimated.
        region: ‖θ‖ ≤ radius, or a box of that half-width.
    """

    counts: LabelCounts
    feature_diff: Tensor
    radius: float
    directions: Directions
    region: Region = BALL_REGION

    def win(self, theta: Tensor, rates: Tensor) -> tuple[Tensor, Tensor]:
        """(R, C) P(z = +1), and σ."""
        clean = torch.sigmoid(theta @ self.feature_diff.T)
        return rates[:, :1] + rates[:, 1:] * clean, clean

    def value(self, theta: Tensor, rates: Tensor) -> Tensor:
        """(R,) log-likelihood."""
        win, _ = self.win(theta, rates)
        wins, losses = self.counts.wins, self.counts.pairs - self.counts.wins
        return (torch.xlogy(wins, win) + torch.xlogy(losses, 1 - win)).sum(-1)

    def derivatives(self, theta: Tensor, rates: Tensor) -> tuple[Tensor, Tensor]:
        """Score (R, d + k) and Fisher information (R, d + k, d + k)."""
        win, clean = self.win(theta, rates)
        pairs, variance = self.counts.pairs, win * (1 - win)
        rising = rates[:, 1:] * clean * (1 - clean)
        surplus, weight = (self.counts.wins - pairs * win) / variance, pairs / variance
        features = self.feature_diff.shape[1]
        score = (surplus * rising) @ self.feature_diff
        information = ((weight * rising.square()) @ self._outer).reshape(-1, features, features)
        if self.directions:
            along = torch.stack([torch.ones_like(clean), clean], dim=1)
            along = torch.einsum("ki,ric->rkc", self._turn, along)
            cross = (along * (weight * rising)[:, None]) @ self.feature_diff
            own = (along * weight[:, None]) @ along.mT
            score = torch.cat([score, (along @ surplus.unsqueeze(-1)).squeeze(-1)], dim=-1)
            information = torch.cat(
                [torch.cat([information, cross.mT], -1), torch.cat([cross, own], -1)], -2
            )
        ridge = 1e-13 * information.diagonal(dim1=-2, dim2=-1) + 1e-300
        return score, information + torch.diag_embed(ridge)

    def moved(
        self, theta: Tensor, rates: Tensor, step: Tensor, information: Tensor
    ) -> tuple[Tensor, Tensor]:
        """θ and rates after a step, cut to the class and to probabilities."""
        features = self.feature_diff.shape[1]
        own = information[:, :features, :features]
        new = self.region.nearest(theta + step[:, :features], own, self.radius)
        if not self.directions:
            return new, rates
        return new, _inside(rates + step[:, features:] @ self._turn)

    @cached_property
    def _outer(self) -> Tensor:
        """(C, d²) outer product of each cell's feature difference with itself."""
        return (self.feature_diff[:, :, None] * self.feature_diff[:, None, :]).flatten(1)

    @property
    def _turn(self) -> Tensor:
        return self.feature_diff.new_tensor(self.directions)


def rates_of(response: LabelMixture, epsilon: float, like: Tensor) -> Tensor:
    """(2,) base and signal of a channel, of the dtype and device of ``like``."""
    return like.new_tensor([response.base(epsilon), response.signal(epsilon)])


def channel_mle(
    counts: LabelCounts,
    feature_diff: Tensor,
    rates: Tensor,
    radius: float,
    directions: Directions = KNOWN,
    region: Region = BALL_REGION,
) -> Tensor:
    """(R, d) maximiser over a class, by Fisher scoring; rates known, or estimated with θ.

    Args:
        counts: (R, C) pairs and reports of +1.
        feature_diff: (C, d).
        rates: (2,) or (R, 2) base and signal; where the search begins, if they are estimated.
        radius: of the class.
        directions: of the rates that are estimated.
        region: ‖θ‖ ≤ radius, or a box of that half-width.
    """
    rates = rates.expand(len(counts.wins), 2)
    theta = counts.wins.new_zeros(len(counts.wins), feature_diff.shape[1])
    for free in (KNOWN, directions) if directions else (KNOWN,):
        likelihood = ChannelLikelihood(counts, feature_diff, radius, free, region)
        theta, rates = _scored(likelihood, theta, rates)
    return theta


def _scored(likelihood: ChannelLikelihood, theta: Tensor, rates: Tensor) -> tuple[Tensor, Tensor]:
    """Fisher scoring; steps that lower the likelihood are halved."""
    for _ in range(MAX_STEPS):
        score, information = likelihood.derivatives(theta, rates)
        step = torch.linalg.solve_ex(information, score.unsqueeze(-1))[0].squeeze(-1)
        value = likelihood.value(theta, rates)
        for _ in range(MAX_HALVINGS):
            new, moved = likelihood.moved(theta, rates, step, information)
            falls = ~(likelihood.value(new, moved) >= value - ROUNDING * value.abs())
            if not bool(falls.any()):
                break
            step = torch.where(falls[:, None], step / 2, step)
        length = max(float((new - theta).abs().max()), float((moved - rates).abs().max()))
        theta, rates = new, moved
        if length < TOLERANCE:
            break
    return theta, rates


def _inside(rates: Tensor) -> Tensor:
    """The nearest rates that are probabilities with a signal."""
    base = rates[:, 0].clamp(LEAST, 1 - 3 * LEAST)
    signal = torch.minimum(rates[:, 1].clamp(min=LEAST), 1 - LEAST - base)
    return torch.stack([base, signal], dim=-1)
