"""Blocks as tasks of a Ray cluster: an existing one, or one started for this run."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from repro.base.errors import BadInput, one_line
from repro.base.places import PACKAGE, shipped
from repro.study.blocks import Block
from repro.study.parallel import KEPT, ready_to_measure
from repro.study.sources import files_fingerprint

RETRIES = 3
"""How often a task whose worker or node is lost is started again."""
STORE_BYTES = 100 * 2**20
"""Object store of a cluster started here; a block takes kilobytes."""


class RayTasks:
    """A mapper over blocks by Ray; results do not depend on the cluster.

    Args:
        workers: tasks at once; None for one per core of the cluster.
        address: of an existing cluster; None starts one of this machine's cores.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        self.workers, self._address = workers, address

    def __call__(
        self, function: Callable[[Block], np.ndarray], blocks: list[Block]
    ) -> Iterator[tuple[Block, np.ndarray]]:
        if not blocks:
            return
        with _connected(self.workers, self._address) as ray:
            self.workers = self.workers or int(ray.cluster_resources().get("CPU", 1))
            yield from _spread(ray, function, blocks, 2 * self.workers)


@contextmanager
def _connected(workers: int | None, address: str | None) -> Iterator[Any]:
    """Ray, connected; disconnected at the end, and shut down if it was started here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray  # pyright: ignore[reportMissingImports]  # optional extra

    size = {} if address else {"num_cpus": workers, "object_store_memory": STORE_BYTES}
    quiet = {"logging_level": "ERROR", "log_to_driver": False, "include_dashboard": False}
    if address:
        quiet.pop("include_dashboard")
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address or "local", **size, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as problem:
        text = one_line(str(problem))[:160]
        raise BadInput("compute.address", address or "", f"no Ray cluster: {text}") from None
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)  # ray's handler ends the process with status 15
    try:
        yield ray
    finally:
        ray.shutdown()


def _spread(ray, function, blocks: list[Block], most: int) -> Iterator[tuple[Block, np.ndarray]]:
    """Keep at most ``most`` tasks in the cluster; yield them as they finish."""
    task = ray.remote(max_retries=RETRIES, num_cpus=1, scheduling_strategy="SPREAD")(_measured)
    shared, code, left = ray.put(function), _code(), list(reversed(blocks))
    flying: list[Any] = []
    while left or flying:
        while left and len(flying) < most:
            flying.append(task.remote(shared, code, left.pop()))
        done, flying = ray.wait(flying, num_returns=1)
        yield _fetched(ray, done[0])


def _fetched(ray, reference) -> tuple[Block, np.ndarray]:
    """The result of one task.

    Raises:
        BadInput: its workers die again and again, or the cluster runs other code.
    """
    lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError)
    try:
        return ray.get(reference)
    except (*lost, ray.exceptions.OutOfMemoryError, ray.exceptions.ObjectLostError):
        raise BadInput("compute=ray", "", f"workers keep dying (out of memory?). {KEPT}") from None
    except ray.exceptions.RayTaskError as problem:
        raise problem.cause if isinstance(problem.cause, Exception) else problem from None


def _measured(function, code: str, block: Block) -> tuple[Block, np.ndarray]:
    """One block, in a worker, if it has the code that the block's key was made of."""
    if code != _code():
        raise BadInput("compute=ray", "", "the cluster's nodes have another version of this code")
    ready_to_measure()
    return block, function(block)


@cache
def _code() -> str:
    folders = {"repro": PACKAGE, "theorems": shipped().folder / "theorems"}
    return files_fingerprint(
        {
            f"{name}/{path.relative_to(folder)}": path
            for name, folder in folders.items()
            for path in folder.rglob("*.py")
        }
    )
