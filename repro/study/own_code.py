"""What the blocks of a theorem from elsewhere may depend on.

A block's key holds the code that its module imports by name, wherever that lies outside of the
installed libraries, the versions of the libraries of ``repro.study.machine``, and all that the
config says.  Where that code reads a file or the environment, or starts a program, its blocks are
measured, and not kept.  Seen by its words, as ``open(`` or ``environ``: what reads by another name
(a library of one's own, ``pyarrow.parquet``) must not be used, nor the clock, nor a generator of
one's own with a fixed seed beside the given one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np

from repro.base.paths import PACKAGE
from repro.base.places import shipped
from repro.core.check import SweptCheck, Theorem
from repro.study.sources import closure

READS = re.compile(
    r"\b(open|read_\w+|load|loadtxt|genfromtxt|fromfile|memmap|environb?|getenvb?|subprocess"
    r"|system|popen|socket|urlopen|sqlite3|import_module|__import__|exec|eval)\b"
)


def is_own(theorem: Theorem) -> bool:
    """Whether it is none of those shipped, which are written not to need this."""
    return not theorem.module.startswith(f"{shipped().package}.")


@cache
def outside_of_key(theorem: Theorem) -> str:
    """What of a theorem's code no key holds, as ``open in mine.py``; nothing of one shipped."""
    if is_own(theorem):
        for path in closure(theorem.module).values():
            own = not path.is_relative_to(PACKAGE)
            if own and (found := READS.search(path.read_text(encoding="utf-8"))):
                return f"{found[0]} in {path.name}"
    return ""


def refuse_impure(
    swept: SweptCheck, values: np.ndarray, drew: bool, again: Callable[[], np.ndarray]
) -> None:
    """Notice a generator of one's own in a block that has been measured.

    Args:
        swept: the check.
        values: (G, algorithms, blocks, replicates).
        drew: whether the given generator was used.
        again: measures the first block alone.

    Raises:
        RuntimeError: the numbers do not come from the given generator.
    """
    if not drew and swept.check.quantity.draws and np.ptp(values, axis=(-2, -1)).any():
        raise RuntimeError(f"{swept.name} varies, and draws nothing from the generator it is given")
    if not np.array_equal(again(), again(), equal_nan=True):
        raise RuntimeError(f"{swept.name} measures one block twice, and differs")
