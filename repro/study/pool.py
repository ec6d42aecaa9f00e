"""Worker processes: forks of one that has imported the libraries."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver, get_context, parent_process, resource_tracker
from types import ModuleType
from unittest.mock import patch

import numpy as np

from repro.base.errors import BadInput
from repro.study.blocks import Block
from repro.study.parallel import KEPT, ready_to_measure

LOOK_SECONDS, START_SECONDS = 1.0, 10.0
"""CPU after which it is told how much is left, and what must be left: two workers cost about four.
By the clock a busy machine would start them for what is soon done, and has no core for them."""
RETRIES = 3
"""How often workers may die."""
AHEAD = 3
"""How many of the runs that follow are handed out with each."""
PRELOADED = ["scipy.special", "repro.api", "repro.worlds.instances.labelled"]

Measuring = Callable[[Block], np.ndarray]
Measured = Iterator[tuple[Block, np.ndarray]]

Later = list[Callable[[], tuple[Measuring, list[Block]]]]
"""Of each run of a sweep that follows, what is to be measured; taken off as it is handed out."""

_executors: dict[int, ProcessPoolExecutor] = {}
_ahead: dict[str, Future[np.ndarray]] = {}
"""Blocks of runs that follow, by their keys, as workers have them or will."""


def measured(
    function: Measuring, blocks: list[Block], workers: int, later: Later | None = None
) -> Measured:
    """Blocks with their values: in workers, unless this process alone has them before those start.

    A block of each check comes first, so that what is left can be told from what was done; runs
    that follow are taken to be as long.
    """
    runs = 1 + len(later or ())
    ready_to_measure()
    began, in_turn = time.process_time(), sorted(blocks, key=lambda block: block.block)
    for done, block in enumerate(in_turn):
        gone, left = time.process_time() - began, len(in_turn) - done
        long = gone > LOOK_SECONDS and gone * left / done * runs > START_SECONDS
        if workers in _executors or long:
            yield from in_workers(function, in_turn[done:], workers, later)
            return
        yield block, function(block)


def in_workers(
    function: Measuring, blocks: list[Block], workers: int, later: Later | None = None
) -> Measured:
    """Blocks with their values, as workers have them; what a lost worker had is measured again.

    Workers that have nothing left of this run go on with what follows.

    Raises:
        BadInput: workers keep dying.
    """
    left = {block.key: block for block in blocks}
    for _ in range(RETRIES + 1):
        executor, waiting = _executor(workers), list(left.values())
        try:
            # workers need nothing of a user's script, which needs no ``if __name__ == "__main__"``
            with patch.dict(sys.modules, {"__main__": ModuleType("__main__")}):
                tasks = {
                    _ahead.pop(block.key, None) or executor.submit(function, block): block
                    for block in waiting
                }
                _hand_out(later or [], {block.key for block in blocks}, executor)
            for task in as_completed(tasks):
                values = task.result()
                del left[tasks[task].key]
                yield tasks[task], values
            return
        except BrokenProcessPool:
            stop()
        except BaseException:
            stop()
            raise
    why = f"workers keep dying (out of memory?); allowed: fewer. {KEPT}"
    raise BadInput(f"compute.workers={workers}", "", why)


def _hand_out(later: Later, at_work: set[str], executor: ProcessPoolExecutor) -> None:
    """Give workers the next runs; what two runs share is measured once."""
    for run in later[:AHEAD]:
        function, blocks = run()
        for block in blocks:
            if block.key not in at_work and block.key not in _ahead:
                _ahead[block.key] = executor.submit(function, block)
    del later[:AHEAD]


def stop() -> None:
    """End all workers, whatever they are at, and first the process that may be forking more."""
    if server := forkserver._forkserver._forkserver_pid:  # type: ignore[attr-defined]
        os.kill(server, signal.SIGKILL)
        forkserver._forkserver._stop()  # type: ignore[attr-defined]
    _ahead.clear()
    while _executors:
        _, executor = _executors.popitem()
        for process in list((executor._processes or {}).values()):
            process.kill()
        executor.shutdown(cancel_futures=True)


def _executor(workers: int) -> ProcessPoolExecutor:
    """Python's own processes, kept from run to run."""
    if workers not in _executors:
        context = get_context("forkserver")
        context.set_forkserver_preload([*PRELOADED, *({"torch"} & set(sys.modules))])
        resource_tracker.ensure_running()  # would let Ctrl-C through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # workers leave it to us
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        _executors[workers] = ProcessPoolExecutor(workers, context, _begin)
    return _executors[workers]


def _begin() -> None:
    """Called in a worker: it ends with the process that it works for, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    ready_to_measure()


def _end_with_parent() -> None:
    parent_process().join()  # type: ignore[union-attr]
    os._exit(1)
