"""α-Huber corruption: each label is replaced, with probability α, by a draw from B.

P2, Definition 2.3.  B may depend on the cell; the worst B is a vector of certain answers, found
exactly by trying all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.labels.corruption.budget import checked_corruption
from repro.labels.corruption.debiasing import Reading
from repro.labels.corruption.orders import binomial
from repro.labels.preferences.label_counts import LabelCounts

MAX_CELLS = 12
"""Worst cases are enumerated, 2^C of them."""


@dataclass(frozen=True)
class Huber:
    """Huber corruption with a fixed B.

    Attributes:
        corruption: α in [0, 1/2).
        bad_prob: P_B(+1), broadcast against (R, C).
    """

    corruption: float
    bad_prob: Tensor | float

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)

    def __call__(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """Replace labels; ``reading`` is not looked at."""
        kept = binomial(rng, counts.wins, 1 - self.corruption)
        replaced = counts.wins - kept
        losses = counts.pairs - counts.wins
        replaced = replaced + binomial(rng, losses, self.corruption)
        return LabelCounts(counts.pairs, kept + binomial(rng, replaced, self.bad_prob))


@dataclass(frozen=True)
class WorstHuber:
    """Huber corruption with the B that hurts a target most: certain answers, cell by cell.

    The damage is a convex function of the (C,) vector P_B(+1) for every estimator that is affine
    in its labels, so a corner is worst; for the logistic estimator that is checked on a grid.

    Attributes:
        corruption: α in [0, 1/2).
        damage: (R, C) labels as read → (R,) damage.
    """

    corruption: float
    damage: Callable[[Tensor], Tensor]

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)

    def __call__(
        self, rng: np.random.Generator | None, counts: LabelCounts, reading: Reading
    ) -> LabelCounts:
        """Replace labels by the worst certain answers to what is seen."""
        corners = _corners(counts.wins.shape[-1]).to(counts.wins)
        hurt = torch.stack([self.damage(self._target(counts, reading, bad)) for bad in corners])
        return Huber(self.corruption, corners[hurt.argmax(0)])(rng, counts, reading)

    def _target(self, counts: LabelCounts, reading: Reading, bad_prob: Tensor) -> Tensor:
        return reading(Huber(self.corruption, bad_prob)(None, counts, reading))


def _corners(cells: int) -> Tensor:
    """(2^C, C) all vectors of zeros and ones.

    Raises:
        BadInput: there are too many cells to try them all.
    """
    if cells > MAX_CELLS:
        raise BadInput("adversary", "huber", f"allowed: at most {MAX_CELLS} cells, here {cells}")
    return torch.tensor(list(itertools.product((0.0, 1.0), repeat=cells)), dtype=torch.float64)
