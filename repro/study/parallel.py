"""How blocks are computed in this process, and what a process needs for it."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version

import numpy as np

from repro.base.torch_later import single_thread
from repro.study.blocks import Block


@cache
def machine() -> dict[str, object]:
    """Versions and kernels in use, plain values."""
    import scipy
    from threadpoolctl import threadpool_info

    kernels = {
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}"
        for pool in threadpool_info()
    }
    extensions = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index]
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": version("torch"),
        "vectors": [*extensions, os.environ.get("ATEN_CPU_CAPABILITY", "")],
        "kernels": sorted(kernels),
    }


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's malloc.h."""
KEPT_BYTES = 2**28
LARGEST_ON_HEAP = 2**25
"""The most that every version of glibc takes."""


@cache
def keep_freed_memory() -> bool:
    """Let glibc keep up to 256 MiB of freed memory; False, and nothing done, under other libraries.

    By default the arrays of a small fit go back to the kernel after every operation, and fetching
    their pages again is up to half of its time.
    """
    if not sys.platform.startswith("linux"):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is None:
        return False
    return all(
        [set_option(TRIM_THRESHOLD, KEPT_BYTES), set_option(MMAP_THRESHOLD, LARGEST_ON_HEAP)]
    )


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


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
