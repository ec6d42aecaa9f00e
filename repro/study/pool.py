"""Worker processes: blocks of this run, and meanwhile those of the next runs of a sweep."""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.resource_tracker import ensure_running
from threading import RLock
from typing import Any, TypeVar

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

from repro.base.errors import BadInput
from repro.study.blocks import Block, Values
from repro.study.parallel import KEPT, ready_to_measure
from repro.study.worker_life import belong_to, deaf_to_ctrl_c, free_shared_memory

LOOK_SECONDS, START_SECONDS = 1.0, 4.0
"""After so long here it is told how much is left; workers take nearly the second to be ready."""

TASK_SECONDS = 5.0
"""A worker that keeps a row hands over what it has after this time, for progress and Ctrl-C."""

BATCH = 2
"""Blocks of a task where nothing else waits, so that workers end together."""

AHEAD = 16
"""Tasks for each worker that are begun for later runs, while this process draws and records."""

IDLE_SECONDS = 300
"""After so long without work a worker ends."""

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR")
"""Linear algebra in threads of its own would fight over the cores that workers share."""

Measuring = Callable[[Block], Values]
Found = list[tuple[Block, Values]]
Measured = Iterator[tuple[Block, Values]]
Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Coming:
    """What a later run of the sweep will ask for.

    Attributes:
        function: measures a block; pure, picklable.
        blocks: those that are not finished.
        keep: called with each as soon as it is.
    """

    function: Measuring
    blocks: Sequence[Block]
    keep: Callable[[Block, Values], None]


@dataclass(frozen=True)
class _Task:
    """Blocks that one worker measures in turn, until its time is up."""

    function: Measuring
    blocks: tuple[Block, ...]

    def __call__(self) -> Found:
        """At least the first of them."""
        ready_to_measure()
        until, found = time.monotonic() + TASK_SECONDS, []
        for block in self.blocks:
            found.append((block, self.function(block)))
            if time.monotonic() > until:
                break
        return found


class Pool:
    """A mapper over blocks; results come back as they finish, a lost worker's blocks again.

    Args:
        workers: processes.
        retries: how often workers may die.
    """

    def __init__(self, workers: int, retries: int = 3) -> None:
        self.workers = workers
        self._retries = retries
        self._processes: Any = None
        self._begun: dict[Future[Found], _Task] = {}
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._given, self._lock = 0, RLock()

    @property
    def started(self) -> bool:
        """Whether there are processes."""
        return self._processes is not None

    @property
    def idle(self) -> bool:
        """Whether there are processes, and none measures for a later run."""
        return self.started and all(future.done() for future in self._begun)

    def __call__(
        self, function: Measuring, blocks: list[Block], coming: Sequence[Callable[[], Coming]] = ()
    ) -> Measured:
        """Measure blocks.

        Args:
            function: of one block.
            blocks: of this run.
            coming: later runs, which workers go on with when this one leaves them too little.

        Raises:
            BadInput: workers keep dying.
        """
        free_shared_memory()
        left, later = {block.key: block for block in blocks}, list(coming)
        for attempt in range(self._retries + 1):
            try:
                for block, values in self._once(function, list(left.values()), later):
                    del left[block.key]
                    yield block, values
                return
            except BrokenProcessPool:
                if attempt == self._retries:
                    raise _lost(f"compute.workers={self.workers}") from None

    def submit(self, function: Callable[[], Made]) -> Future[Made]:
        """Let a worker call a function."""
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        self._processes = _executor(self.workers)
        future: Future[Made] = Future()
        self._waiting.append((future, function))
        self._feed()
        return future

    def start(self) -> list[Future[None]]:
        """Start the processes, and do not wait for them: what each does first."""
        return [self.submit(ready_to_measure) for _ in range(self.workers)]

    def begin(self, later: list[Callable[[], Coming]]) -> None:
        """Give idle workers what later runs will ask for; what goes wrong is theirs to say.

        Args:
            later: in order; those that are begun are taken from it.
        """
        while later and sum(not future.done() for future in self._begun) < AHEAD * self.workers:
            with suppress(Exception):
                run = later.pop(0)()
                known = {block.key for task in self._begun.values() for block in task.blocks}
                fresh = [block for block in run.blocks if block.key not in known]
                for future, task in self._submitted(_tasks(run.function, fresh, True)).items():
                    self._begun[future] = task
                    future.add_done_callback(partial(_kept, run.keep))

    def stop(self) -> None:
        """End the processes, whatever they are at."""
        self._begun.clear()
        self._waiting.clear()
        if self._processes is not None:
            self._processes.shutdown(wait=True, kill_workers=True)
            self._processes = None

    def _feed(self) -> None:
        """Give workers what they have room for, and no more.

        Loky's thread fails where it is ended while calls wait in its own queue.
        """
        with self._lock:
            while self._waiting and self._given < 2 * self.workers:
                future, function = self._waiting.popleft()
                try:
                    with deaf_to_ctrl_c():
                        given = self._processes.submit(function)
                except BrokenProcessPool as problem:
                    future.set_exception(problem)
                    continue
                self._given += 1
                given.add_done_callback(partial(self._hand_over, future))

    def _hand_over(self, future: Future[Any], given: Future[Any]) -> None:
        """Called by loky's thread: what a worker made, or what went wrong."""
        problem = given.exception()
        with self._lock:
            self._given -= 1
            lost = list(self._waiting) if isinstance(problem, BrokenProcessPool) else []
            for _ in lost:  # no worker is left; this thread cannot start others
                self._waiting.popleft()
        for waiting, _ in lost:
            waiting.set_exception(problem)
        if problem:
            future.set_exception(problem)
        else:
            future.set_result(given.result())
        self._feed()

    def _once(
        self, function: Measuring, blocks: list[Block], later: list[Callable[[], Coming]]
    ) -> Measured:
        wanted = {block.key: block for block in blocks}
        running = self._claimed(wanted)
        begun = {block.key for task in running.values() for block in task.blocks}
        rest = [block for block in blocks if block.key not in begun]
        running |= self._submitted(_tasks(function, rest, whole=bool(later or self._begun)))
        try:
            while True:
                if len(running) <= 2 * self.workers:
                    self.begin(later)
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task = running.pop(future)
                    for block, values in future.result():
                        if block.key in wanted:
                            yield wanted.pop(block.key), values
                    if left := tuple(block for block in task.blocks if block.key in wanted):
                        running |= self._submitted([_Task(function, left)])
        except BaseException:
            self.stop()
            raise

    def _claimed(self, wanted: Mapping[str, Block]) -> dict[Future[Found], _Task]:
        """What has been begun for this run while earlier ones were busy.

        What is done for others is forgotten here: it has been kept, and they fetch it.
        """
        mine = {
            future: task
            for future, task in self._begun.items()
            if any(block.key in wanted for block in task.blocks)
        }
        self._begun = {
            future: task
            for future, task in self._begun.items()
            if future not in mine and not future.done()
        }
        return mine

    def _submitted(self, tasks: Iterable[_Task]) -> dict[Future[Found], _Task]:
        return {self.submit(task): task for task in tasks}


def _tasks(function: Measuring, blocks: Sequence[Block], whole: bool) -> list[_Task]:
    """Whole rows, so that one worker finds what a row's blocks share; else a few blocks each."""
    if not whole:
        return [
            _Task(function, tuple(blocks[at : at + BATCH])) for at in range(0, len(blocks), BATCH)
        ]
    rows: dict[int, list[Block]] = {}
    for block in blocks:
        rows.setdefault(block.check, []).append(block)
    return [_Task(function, tuple(row)) for row in rows.values()]


def _kept(keep: Callable[[Block, Values], None], future: Future[Found]) -> None:
    """Finished blocks stay, whether their run comes or not."""
    if not future.cancelled() and future.exception() is None:
        for block, values in future.result():
            keep(block, values)


def _executor(workers: int):
    """Joblib's processes, which stay from run to run; one thread of linear algebra in each."""
    if os.name == "posix":
        ensure_running()  # what starts it first lets Ctrl-C through again
    return get_reusable_executor(
        max_workers=workers,
        timeout=IDLE_SECONDS,
        initializer=belong_to,
        initargs=(os.getpid(),),
        env={f"{library}_NUM_THREADS": "1" for library in LIBRARIES},
    )


_pools: dict[int, Pool] = {}


def pool(workers: int) -> Pool:
    """The process's pool of a size, kept from run to run."""
    return _pools.setdefault(workers, Pool(workers))


def stop_begun(idle_too: bool = False) -> None:
    """End the worker processes of pools that measure for runs which do not come.

    Args:
        idle_too: those that only wait as well; after Ctrl-C, which reaches them, too.
    """
    for one in _pools.values():
        if one.started and (idle_too or not one.idle):
            one.stop()


def at_once(function: Callable[[Item], Made], items: Sequence[Item], workers: int) -> list[Made]:
    """``function`` of each item, in worker processes; where they die, in this one."""
    futures = [pool(workers).submit(partial(function, item)) for item in items]
    try:
        return [future.result() for future in futures]
    except BrokenProcessPool:
        return [function(item) for item in items]


def first_here(spread: Pool, function: Measuring, blocks: list[Block]) -> Measured:
    """A mapper that starts workers only for what would take this process long.

    A block of each row comes first, so that what is left can be told from what was done.  This
    process goes on while workers start, unless a block takes as long as they do.
    """
    ready_to_measure()
    began, in_turn = time.monotonic(), sorted(blocks, key=lambda block: block.block)
    starting: list[Future[None]] = []
    for done, block in enumerate(in_turn):
        gone, left = time.monotonic() - began, len(in_turn) - done
        if not spread.started and gone > LOOK_SECONDS and gone * left / done > START_SECONDS:
            starting = spread.start()
        ready = all(future.done() for future in starting)
        if spread.started and (ready or gone > LOOK_SECONDS * done):
            remaining = set(in_turn[done:])
            yield from spread(function, [one for one in blocks if one in remaining])
            return
        yield block, function(block)


def _lost(where: str) -> BadInput:
    return BadInput(where, "", f"workers keep dying (out of memory?); allowed: fewer. {KEPT}")
