"""Losses whose comparisons lie along coordinate axes, minimised one coordinate at a time.

Values and derivatives are those of ``comparison_losses``; only the way to the minimiser differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.p3.curator.axis_minimiser import AxisChoices, AxisCounts
from repro.p3.curator.comparison_losses import PairLoss, RankingLoss, choice_sets


@dataclass(frozen=True, eq=False)
class AxisPairLoss(PairLoss):
    """Pairs with feature differences length·e_k, one cell per axis."""

    def minimiser(self, ridge: float, linear: Tensor, radius: float) -> Tensor:
        """(R, d) as ``minimise_in_ball`` finds it."""
        pairs, wins = (_of_all(share_of, linear) for share_of in (self.share, self.win_share))
        counts = AxisCounts(pairs, wins, float(self.feature_diff[0, 0]))
        return torch.from_numpy(counts.minimiser(2 * ridge, linear.numpy(), radius))


@dataclass(frozen=True, eq=False)
class AlternatingLoss(RankingLoss):
    """Rankings of K responses with features ±(length/2)·e_s in turn, one state per axis."""

    def minimiser(self, ridge: float, linear: Tensor, radius: float) -> Tensor:
        """(R, d) as ``minimise_in_ball`` finds it."""
        kinds = kinds_of_choices(self.features.shape[1])
        met = _of_all(self.met, linear)
        pairs = np.stack([met[..., sets].sum(-1) for _, sets in kinds], axis=-1)
        odds = np.array([math.log(ratio) for ratio, _ in kinds])
        # Where only one sign is left, its choice is certain and tells nothing.
        certain = met[..., lonely_sets(self.features.shape[1])].sum(-1)
        wins = _of_all(self.chosen, linear)[..., ::2].sum(-1) - certain
        length = 2 * float(self.features[0, 0, 0])
        counts = AxisChoices(pairs, wins, length, odds)
        return torch.from_numpy(counts.minimiser(2 * ridge, linear.numpy(), radius))


def kinds_of_choices(num_ranked: int) -> list[tuple[float, np.ndarray]]:
    """(+ responses over − responses, choice sets that have them so), for responses + − + − ….

    >>> [(ratio, len(sets)) for ratio, sets in kinds_of_choices(4)]
    [(0.5, 2), (1.0, 5), (2.0, 2)]
    """
    plus, minus = _signs(num_ranked)
    both = (plus > 0) & (minus > 0)
    ratio = np.where(both, plus / np.maximum(minus, 1), 0.0)
    return [(float(value), np.flatnonzero(ratio == value)) for value in np.unique(ratio[both])]


def lonely_sets(num_ranked: int) -> np.ndarray:
    """Choice sets of + responses alone."""
    return np.flatnonzero(_signs(num_ranked)[1] == 0)


def _signs(num_ranked: int) -> tuple[np.ndarray, np.ndarray]:
    """Number of + and of − responses in each choice set."""
    members = choice_sets(num_ranked)
    return members[:, ::2].sum(1), members[:, 1::2].sum(1)


def _of_all(array: Tensor, linear: Tensor) -> np.ndarray:
    """(R, …) an array of R datasets, or of one for all."""
    return np.broadcast_to(array.numpy(), (len(linear), *array.shape[1:]))
