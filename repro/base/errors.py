"""The one exception for input a user can mend, and how it is worded; what no input can mend."""

from __future__ import annotations

import difflib
import errno
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

OF_THE_MACHINE = frozenset(
    getattr(errno, name)
    for name in (
        "ENOSPC",
        "EDQUOT",
        "EFBIG",
        "EIO",
        "EMFILE",
        "ENFILE",
        "ENOMEM",
        "EAGAIN",
        "EINTR",
    )
    if hasattr(errno, name)
)
"""Nothing is wrong with what was asked for; there is no room, memory or file for it."""


class BadInput(ValueError):
    """Input that cannot be used: one line naming the key, the value and what is allowed.

    An empty value is left out of the line, and a whole number has no point.
    The command line prints it and exits with 2; from Python it is an ordinary ValueError.

    >>> str(BadInput("batch_size", 0.0, "allowed: at least 1"))
    'batch_size=0: allowed: at least 1'
    """

    def __init__(self, key: str, value: object, allowed: str) -> None:
        self.key, self.value, self.allowed = key, value, allowed
        shown = str(value).removesuffix(".0") if isinstance(value, float) else value
        where = key if value == "" else f"{key}={shown}"
        super().__init__(one_line(f"{where}: {allowed}"))

    def __reduce__(self):
        return type(self), (self.key, self.value, self.allowed)


class BrokenTheorem(RuntimeError):
    """The code of a theorem does not work; its words quote no pair and may be printed."""


def one_line(text: str) -> str:
    """Fold a message into one printable line.

    >>> one_line("a\\n  b")
    'a b'
    """
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def number_of(count: int, noun: str) -> str:
    """A count and what is counted.

    >>> number_of(1, "line"), number_of(0, "line")
    ('1 line', '0 lines')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


CLOSE = 0.7
"""Likeness from which a name is suggested, of at most 1."""
MOST_NAMED = 10
"""Names that a line lists at most."""


def among(word: str, known: Iterable[str]) -> str:
    """Which names are allowed in the place of ``word``: all of them, or the ten nearest.

    >>> among("smok", ["laptop", "paper", "smoke"])
    'did you mean smoke? allowed: laptop, paper, smoke'
    """
    names = list(known)
    return f"{nearest(word, names)}allowed: {at_most_ten(word, names)}"


def at_most_ten(word: str, names: Sequence[str]) -> str:
    """A list of names in a line: all of them, or the ten nearest to ``word``.

    >>> at_most_ten("seed_1", [f"seed{i}" for i in range(12)])[-10:]
    'and 2 more'
    """
    if len(names) <= MOST_NAMED + 1:  # one more name is as short as saying that there is one
        return ", ".join(names)
    close = difflib.get_close_matches(word, names, n=MOST_NAMED, cutoff=0.0)
    return f"{', '.join(close)} and {len(names) - MOST_NAMED} more"


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion for a misspelt word, ending in a space, or nothing.

    >>> nearest("offline_gpa", ["offline_gap", "log_regret"])
    'did you mean offline_gap? '
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=CLOSE)
    return f"did you mean {close[0]}? " if close else ""


@contextmanager
def running_theorem(quoted: bool = True) -> Iterator[None]:
    """Around the code of theorems, which may not end the process: its status would be a verdict's.

    Args:
        quoted: whether words of exceptions may be printed; not where worlds have real pairs.

    Raises:
        BrokenTheorem: in the place of ``SystemExit``, and of an error in a file of a user's
            ``theorems/``, whose line it names.
    """
    try:
        yield
    except SystemExit as left:
        complaint = f"a theorem, or a library in it, called sys.exit({left.code})"
        raise BrokenTheorem(complaint).with_traceback(left.__traceback__) from None
    except (BadInput, BrokenTheorem, OSError, MemoryError):
        raise
    except Exception as problem:
        if quoted and (place := _line_of_user(problem)):
            complaint = one_line(f"{place} raised {type(problem).__name__}: {problem}")
            raise BrokenTheorem(complaint) from problem
        raise


def _line_of_user(problem: Exception) -> str:
    """The line of a user's ``theorems/`` in which an error arose; empty where it arose in ours."""
    place = ""
    for frame, line in traceback.walk_tb(problem.__traceback__):
        file, ours = Path(frame.f_code.co_filename), ("repro.", "theorems.")
        if frame.f_globals.get("__name__", "").startswith(ours):
            place = ""
        elif file.parent.name == "theorems":
            place = f"{file.parent.name}/{file.name}:{line}"
    return place
