"""Blocks of one world as one batch.

Where blocks have a stream each (``Quantity.stream_per_block``) a quantity is asked for the same
world several times, once for each block.  Small arrays cost the same for one block and for ten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

World = TypeVar("World", bound=Hashable)
Played = TypeVar("Played")


def blocks_together(
    worlds: Sequence[World],
    rngs: Sequence[np.random.Generator],
    play: Callable[[World, list[np.random.Generator]], Iterable[Played]],
) -> list[Played]:
    """What every world's block did, in the order of the worlds.

    Args:
        worlds: one for each block; equal ones are one batch.
        rngs: the block's stream at each.
        play: (world, streams of its blocks) → what was done with each stream.

    >>> tossed = lambda world, rngs: [(world, rng.integers(10)) for rng in rngs]
    >>> streams = [np.random.default_rng(seed) for seed in (1, 2, 1)]
    >>> [world for world, _ in blocks_together(["a", "b", "a"], streams, tossed)]
    ['a', 'b', 'a']
    """
    streams: dict[World, list[np.random.Generator]] = {}
    for world, rng in zip(worlds, rngs, strict=True):
        streams.setdefault(world, []).append(rng)
    plays = {world: iter(play(world, own)) for world, own in streams.items()}
    return [next(plays[world]) for world in worlds]
