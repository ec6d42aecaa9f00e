"""How blocks are computed: in this process, or in worker processes by joblib."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from repro.base.errors import BadInput
from repro.study.allocator import keep_freed_memory
from repro.study.blocks import Block
from repro.study.worker_life import belong_to, free_shared_memory

KEPT = "Finished blocks are kept; run the same command to go on"


Item = TypeVar("Item")
Made = TypeVar("Made")

_started: set[int] = set()
"""Sizes of the pools that this process has measured with; joblib keeps them."""


def mapper(workers: int) -> Callable[..., Iterable[tuple[Block, np.ndarray]]]:
    """A mapper over blocks; results do not depend on ``workers``."""
    return in_process if workers == 1 else _Pool(workers)


def in_process(function, blocks: list[Block]) -> Iterator[tuple[Block, np.ndarray]]:
    """Compute blocks one after another."""
    ready_to_measure()
    for block in blocks:
        yield block, function(block)


class _Pool:
    """Worker processes; results come back as they finish, and a lost worker's blocks again."""

    def __init__(self, workers: int, retries: int = 3) -> None:
        self.workers = workers
        self._retries = retries

    def __call__(self, function, blocks: list[Block]) -> Iterator[tuple[Block, np.ndarray]]:
        from joblib.externals.loky.process_executor import BrokenProcessPool

        free_shared_memory()
        left = dict.fromkeys(blocks)
        for attempt in range(self._retries + 1):
            try:
                for block, values in self._once(function, list(left)):
                    del left[block]
                    yield block, values
                return
            except BrokenProcessPool:
                if attempt == self._retries:
                    raise _lost(f"compute.workers={self.workers}") from None

    def _once(self, function, blocks: list[Block]) -> Iterator[tuple[Block, np.ndarray]]:
        from joblib import Parallel, delayed

        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        pool = Parallel(
            n_jobs=self.workers, return_as="generator_unordered", batch_size=2,  # type: ignore
            **_first_of_all(),
        )  # fmt: skip
        _started.add(self.workers)
        yield from pool(delayed(_one)(function, block) for block in blocks)  # type: ignore[misc]


def has_workers(workers: int) -> bool:
    """Whether worker processes of this process wait for something to do."""
    return workers in _started


def at_once(function: Callable[[Item], Made], items: Sequence[Item], workers: int) -> list[Made]:
    """``function`` of each item, in worker processes; where they die, in this one."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    pool = Parallel(n_jobs=workers, **_first_of_all())
    try:
        return pool(delayed(function)(item) for item in items)  # type: ignore[return-value]
    except BrokenProcessPool:
        return [function(item) for item in items]


def _first_of_all() -> dict[str, Any]:
    """What every worker begins with; pools are kept only where it is the same."""
    return {"initializer": belong_to, "initargs": (os.getpid(),)}


def _lost(where: str) -> BadInput:
    return BadInput(where, "", f"workers keep dying (out of memory?); allowed: fewer. {KEPT}")


def _one(function, block: Block) -> tuple[Block, np.ndarray]:
    ready_to_measure()
    return block, function(block)


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
