"""A worker process ends with the process that started it, however that one ends."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repro.base.files import alive

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl.h."""
WATCH_SECONDS = 1.0
SHARED_MEMORY = Path("/dev/shm")
_OF_JOBLIB = re.compile(r"(sem\.loky-|joblib_memmapping_folder_)(?P<pid>\d+)[-_]")


def belong_to(parent: int) -> None:
    """Called in a worker: end when ``parent`` does, and leave Ctrl-C to it.

    Ctrl-C reaches a whole process group: one process says so, the others are ended by it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not _killed_by_kernel():
        threading.Thread(target=watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before the kernel was asked
        os._exit(1)


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Inside, this thread starts workers: Ctrl-C does not reach them while they are imported.

    The mask is inherited, and stays; here Ctrl-C comes a moment later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _killed_by_kernel() -> bool:
    """Ask Linux for SIGKILL at the parent's death; False on other systems."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL) == 0


def watch(parent: int) -> None:
    """End this process soon after another process has taken the parent's place."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


def free_shared_memory(folder: Path = SHARED_MEMORY, own: bool = False) -> None:
    """Remove semaphores and arrays that dead processes of this user have left to joblib.

    With ``own`` also those of this process, which ends.

    Where a whole process group is killed, joblib's own cleaner is killed with it.
    """
    for path in folder.iterdir() if folder.is_dir() else ():
        found = _OF_JOBLIB.match(path.name)
        if not found:
            continue
        pid = int(found["pid"])
        if (own and pid == os.getpid()) or not alive(pid):
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
