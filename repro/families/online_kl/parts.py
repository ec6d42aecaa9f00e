"""Runs that lie side by side in one batch, part by part: own streams, own horizons.

Small tensors cost the same whether they hold ten runs or fifty, so grid points are simulated
together; every part draws what it would draw alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from repro.preferences.block_draws import Draws


class DrawsOfParts:
    """Draws for parts of equally many runs, each from a source of its own up to its horizon."""

    def __init__(self, sources: Sequence[Draws], horizons: Sequence[int]) -> None:
        self._sources, self._left = sources, list(horizons)

    def counts(self, total: int, prob: Tensor) -> Tensor:
        """(L, C) multinomial counts of ``total`` pairs, or of what a part's horizon leaves."""
        now = [min(total, left) for left in self._left]
        self._left = [left - drawn for left, drawn in zip(self._left, now, strict=True)]
        parts = zip(self._sources, now, self._split(prob), strict=True)
        return torch.cat([s.counts(n, p) if n else torch.zeros_like(p) for s, n, p in parts])

    def binomial(self, counts: Tensor, prob: Tensor) -> Tensor:
        """Binomial successes, elementwise; where no pair is left a stream is not used."""
        parts = zip(self._sources, self._split(counts), self._split(prob), strict=True)
        return torch.cat([s.binomial(n, p) for s, n, p in parts])

    def _split(self, tensor: Tensor) -> Sequence[Tensor]:
        return tensor.chunk(len(self._sources))
