"""What it takes the driver to hand out a block and take its numbers back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from repro.study.blocks import Block
from repro.study.pool import in_workers
from tools.bench.whole_machine import two_ray_nodes

BLOCKS = 2000
SHAPE = (6, 3, 50)
"""Grid points, methods and replicates of a block as it comes back."""


def nothing(block: Block) -> np.ndarray:
    """Numbers that were not measured."""
    return np.zeros(SHAPE)


def overheads() -> Iterator[tuple[str, str, str]]:
    """(how, milliseconds a block, blocks a second); connecting is measured apart."""
    blocks = [Block(0, index, f"{index:032x}") for index in range(BLOCKS)]
    for name, spread in {"2 processes": partial(in_workers, workers=2), **two_ray_nodes()}.items():
        few = _seconds(spread, blocks[:2])
        each = (_seconds(spread, blocks) - few) / (BLOCKS - 2)
        yield name, f"{1e3 * each:.2f}", f"{1 / each:.0f}"


def _seconds(spread, blocks: list[Block]) -> float:
    list(spread(nothing, blocks[:2]))
    started = time.perf_counter()
    list(spread(nothing, blocks))
    return time.perf_counter() - started
