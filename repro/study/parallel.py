"""How blocks are computed in this process, and what a process needs for it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from repro.study.allocator import keep_freed_memory
from repro.study.blocks import Block

KEPT = "Finished blocks are kept; run the same command to go on"


def in_process(function, blocks: list[Block]) -> Iterator[tuple[Block, np.ndarray]]:
    """Compute blocks one after another."""
    ready_to_measure()
    for block in blocks:
        yield block, function(block)


def ready_to_measure() -> None:
    """What a process needs before it measures blocks; again and again does no harm."""
    single_thread()
    keep_freed_memory()


def single_thread() -> None:
    """One thread of linear algebra a process: same bytes, and no fight over the cores."""
    import torch

    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
