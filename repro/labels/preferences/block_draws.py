"""Draws for many simulated runs at once: on the CPU by numpy, on a GPU by torch.

The two give the same distribution, not the same numbers.  Simulation only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from repro.base.torch_later import Tensor, torch


class Draws(Protocol):
    """What a simulator draws; counts are whole numbers in float64, exact up to 2^53."""

    def counts(self, total: int, prob: Tensor) -> Tensor:
        """(L, C) multinomial counts of ``total`` over prob (L, C); what is left is dropped."""
        ...

    def binomial(self, counts: Tensor, prob: Tensor) -> Tensor:
        """Binomial successes, elementwise."""
        ...


@dataclass(frozen=True)
class NumpyDraws:
    """Draws from a numpy stream."""

    rng: np.random.Generator

    def counts(self, total: int, prob: Tensor) -> Tensor:
        """Multinomial counts by numpy."""
        table = prob.numpy()
        rest = (1 - table.sum(axis=1, keepdims=True)).clip(min=0)
        full = np.concatenate([table, rest], axis=1)
        full /= full.sum(axis=1, keepdims=True)
        return torch.from_numpy(self.rng.multinomial(total, full)[:, :-1].astype(np.float64))

    def binomial(self, counts: Tensor, prob: Tensor) -> Tensor:
        """Binomial successes by numpy."""
        drawn = self.rng.binomial(counts.numpy().astype(np.int64), prob.numpy().clip(0, 1))
        return torch.from_numpy(drawn.astype(np.float64))


class TorchDraws:
    """Draws on a device, seeded by a numpy stream."""

    def __init__(self, rng: np.random.Generator, device: str) -> None:
        self._generator = torch.Generator(device=device)
        self._generator.manual_seed(int(rng.integers(2**62)))

    def counts(self, total: int, prob: Tensor) -> Tensor:
        """Multinomial counts by halving the categories: log₂ C rounds of binomials."""
        width = 1 << prob.shape[1].bit_length()
        rest = (1 - prob.sum(dim=1, keepdim=True)).clamp(min=0)
        padded = torch.nn.functional.pad(torch.cat([prob, rest], dim=1), (0, width))[:, :width]
        counts = torch.full_like(padded[:, :1], float(total))
        while counts.shape[1] < width:
            halves = padded.reshape(len(prob), counts.shape[1], 2, -1).sum(-1)
            mass = halves.sum(-1)
            left = self.binomial(counts, halves[..., 0] / mass.clamp(min=1e-300))
            counts = torch.stack([left, counts - left], dim=-1).flatten(1)
        return counts[:, : prob.shape[1]]

    def binomial(self, counts: Tensor, prob: Tensor) -> Tensor:
        """Binomial successes by torch."""
        return torch.binomial(counts, prob.clamp(0, 1), generator=self._generator)


class DrawsOfParts:
    """Draws for parts of equally many runs, each from a source of its own up to its horizon."""

    def __init__(self, sources: Sequence[Draws], horizons: Sequence[float]) -> None:
        self._sources, self._left = sources, list(horizons)

    def counts(self, total: int, prob: Tensor) -> Tensor:
        """(L, C) multinomial counts of ``total`` pairs, or of what a part's horizon leaves."""
        now = [int(min(total, left)) for left in self._left]
        self._left = [left - drawn for left, drawn in zip(self._left, now, strict=True)]
        parts = zip(self._sources, now, self._split(prob), strict=True)
        return torch.cat([s.counts(n, p) if n else torch.zeros_like(p) for s, n, p in parts])

    def binomial(self, counts: Tensor, prob: Tensor) -> Tensor:
        """Binomial successes, elementwise; where no pair is left a stream is not used."""
        parts = zip(self._sources, self._split(counts), self._split(prob), strict=True)
        return torch.cat([s.binomial(n, p) for s, n, p in parts])

    def _split(self, tensor: Tensor) -> Sequence[Tensor]:
        return tensor.chunk(len(self._sources))


def draws_on(device: str, rng: np.random.Generator) -> Draws:
    """The draws that fit a device."""
    return NumpyDraws(rng) if device == "cpu" else TorchDraws(rng, device)


def geometric_times(horizon: int, ratio: float, first: int = 1) -> list[int]:
    """0, ``first`` and later times, steps grow by ``ratio``, ending at the horizon.

    >>> geometric_times(20, 1.5)
    [0, 1, 2, 3, 4, 6, 9, 13, 19, 20]
    >>> geometric_times(20, 1.5, first=9)
    [0, 9, 13, 19, 20]
    """
    times = [0, first]
    while times[-1] < horizon:
        times.append(min(horizon, max(times[-1] + 1, int(ratio * times[-1]))))
    return times[: horizon + 1]
