"""What the blocks of a theorem from elsewhere may depend on, and what is noticed where it is more.

A block's key holds the code that its module imports by name, wherever that lies outside of the
installed libraries, the versions of the libraries of ``repro.study.machine``, and all that the
config says.  Not in it: files that are read or executed, modules imported by a computed name,
variables of the environment, programs, sockets.  Where one is used the blocks are measured, and not
kept.  Not noticed, and so not allowed: what a library reads below Python (``pyarrow``), the clock,
and a generator of one's own with a fixed seed beside the given one.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path

import numpy as np

from repro.base.paths import PACKAGE, conf_dir
from repro.base.places import place_of, shipped
from repro.base.sources_loaded import of_a_library
from repro.core.check import SweptCheck, Theorem
from repro.study.sources import closure

ENVIRONMENT = re.compile(rb"\b(environb?|getenvb?)\b")
OUTSIDE = {
    "os.system", "os.posix_spawn", "os.exec", "subprocess.Popen", "socket.connect",
    "sqlite3.connect",
}  # fmt: skip
"""Audit events of what is no file of Python's own reading."""
OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/")

_heard: set[str] = set()
"""What such theorems have read in this process; a module is read once, and used ever after."""
_listening: list[int] = []


def is_own(theorem: Theorem) -> bool:
    """Whether it is none of those shipped, which are written not to need this."""
    return not theorem.module.startswith(f"{shipped().package}.")


@contextmanager
def heard() -> Iterator[None]:
    """Inside, what this thread reads is noted."""
    _hook()
    _listening.append(threading.get_ident())
    try:
        yield
    finally:
        _listening.pop()


def reads() -> frozenset[str]:
    """What has been noted in this process."""
    return frozenset(_heard)


def note(read: frozenset[str]) -> None:
    """What a worker has read."""
    _heard.update(read)


@cache
def outside_of_key(theorem: Theorem, folder: Path | None, read: frozenset[str]) -> list[str]:
    """What of some reads no key holds; nothing of a theorem that is shipped.

    Args:
        theorem: whose blocks are meant.
        folder: of the user's theorems.
        read: in this process or in a worker.
    """
    if not is_own(theorem):
        return []
    code = set(closure(theorem.module).values())
    place = place_of(theorem.slug, folder)
    known = {str(path) for path in code} | {str(place.config(theorem.slug))}
    needs = str(place.folder / "conf" / "needs")
    found = [one for one in read if _source(one) not in known and not one.startswith(needs)]
    apart = (path for path in code if not path.is_relative_to(PACKAGE))
    environment = any(ENVIRONMENT.search(path.read_bytes()) for path in apart)
    return sorted(found) + ["the environment"] * environment


def refuse_impure(
    swept: SweptCheck, values: np.ndarray, drew: bool, again: Callable[[], np.ndarray]
) -> None:
    """Notice a generator of one's own in a block that has been measured.

    Args:
        swept: the check.
        values: (G, algorithms, blocks, replicates).
        drew: whether the given generator was used.
        again: measures the same block once more.

    Raises:
        RuntimeError: the numbers do not come from the given generator.
    """
    if not drew and swept.check.quantity.draws and np.ptp(values, axis=(-2, -1)).any():
        raise RuntimeError(f"{swept.name} varies, and draws nothing from the generator it is given")
    if not np.array_equal(values, again(), equal_nan=True):
        raise RuntimeError(f"{swept.name} measures one block twice, and differs")


@cache
def _hook() -> None:
    sys.addaudithook(_hear)


def _hear(event: str, given: tuple) -> None:
    if not _listening or _listening[-1] != threading.get_ident():
        return
    if event in OUTSIDE:
        _heard.add(event)
    elif event == "open" and isinstance(given[0], str | bytes) and _reads(given[2]):
        path = os.path.abspath(os.fsdecode(given[0]))
        if not path.startswith(OF_THE_SYSTEM) and not _shipped_or_library(Path(path)):
            _heard.add(path)


def _reads(flags: int) -> bool:
    return flags & os.O_ACCMODE != os.O_WRONLY and not flags & os.O_EXCL


def _shipped_or_library(path: Path) -> bool:
    ours = PACKAGE, shipped().folder / "theorems", conf_dir()
    searched = str(path) in sys.path  # python311.zip, which need not exist
    return searched or of_a_library(path) or any(path.is_relative_to(folder) for folder in ours)


def _source(path: str) -> str:
    """Of a module's compiled form."""
    try:
        return source_from_cache(path)
    except ValueError:
        return path
