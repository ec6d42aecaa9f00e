"""Memory that is freed and wanted again a moment later stays with the process."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

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
