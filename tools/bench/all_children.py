"""Run Python on some words and wait for every process that comes of it, so that its CPU counts.

A worker whose starter was killed is waited for by nobody, and its CPU seconds would be lost.
Linux alone can make such a worker a child of this process. Elsewhere the command is refused.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
"""Of Linux: a process that has lost its parent becomes a child of this one."""


def main(words: Sequence[str]) -> int:
    """The exit status of ``python WORDS``, once all its processes have ended."""
    if sys.platform != "linux":
        sys.exit("CPU of workers: it can be counted on Linux alone")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    status = subprocess.run([sys.executable, *words], check=False).returncode
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
