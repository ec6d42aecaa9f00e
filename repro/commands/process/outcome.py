"""What an exception means to whoever ran the command: one line and an exit status."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from repro.base.errors import OF_THE_MACHINE, BadInput, BrokenTheorem, one_line
from repro.commands.process.signals import GO_ON, received

REFUSED, INTERNAL, MACHINE, INTERRUPTED, BROKEN_PIPE = 2, 70, 74, 130, 141
NO_MEMORY = (
    "can't allocate memory",
    "not enough memory",
    "annot allocate memory",
    "failed to map segment",
)


def explained(problem: BaseException, private: bool = False) -> int:
    """Say in one line what went wrong; the exit status.

    Args:
        problem: what the command raised.
        private: keep messages of exceptions, which may quote data, out of the details.
    """
    status, line = outcome(problem)
    if status == INTERNAL:
        line = internal_line(problem, private)
    unsaid = say(line) if line else 0
    return unsaid if unsaid and status < INTERNAL else status


def say(line: str) -> int:
    """Write one line on standard error.

    Returns:
        0, or the status of a stream that takes nothing: its reader has gone, or its disk is full.
    """
    from repro.report.secret_address import without_secrets

    try:
        print(without_secrets(line), file=sys.stderr, flush=True)
    except BrokenPipeError:
        return BROKEN_PIPE
    except (OSError, ValueError):
        return MACHINE
    return 0


def outcome(problem: BaseException) -> tuple[int, str]:
    """Status, and the line unless it is an internal error."""
    if isinstance(problem, KeyboardInterrupt):
        return _status_of_signal(), f"interrupted: {str(problem) or GO_ON}"
    if isinstance(problem, BadInput):
        return REFUSED, f"error: {problem}"
    if isinstance(problem, BrokenPipeError):
        return BROKEN_PIPE, ""
    if _out_of_memory(problem):
        return MACHINE, "error: out of memory; allowed: fewer workers, or something smaller"
    if isinstance(problem, OSError) and problem.strerror:
        return _of_the_system(problem)
    return INTERNAL, ""


def _status_of_signal() -> int:
    return 128 + (received() or INTERRUPTED - 128)


def _of_the_system(problem: OSError) -> tuple[int, str]:
    """A machine in trouble, or a place that cannot be used; anything else is a bug."""
    named = isinstance(problem.filename, str | bytes)
    place = os.fsdecode(problem.filename) if named else ""
    line = one_line(f"error: {place}{': ' * named}{problem.strerror}")
    if problem.errno in OF_THE_MACHINE:
        return MACHINE, line
    return (REFUSED, line) if named else (INTERNAL, "")


def _out_of_memory(problem: BaseException) -> bool:
    """Also torch's errors, which are of the type RuntimeError."""
    if isinstance(problem, MemoryError):
        return True
    return isinstance(problem, RuntimeError | ImportError) and any(
        words in str(problem) for words in NO_MEMORY
    )


def internal_line(problem: BaseException, private: bool = False) -> str:
    """The line of an internal error, its details in a file that only this user reads."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f" in {_short(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    kept = _keep("".join(_details(problem, private)))
    quoted = isinstance(problem, BrokenTheorem) and not private
    if quoted:
        return f"error: {one_line(str(problem))}; {kept}"
    return f"error: internal: {type(problem).__name__}{place}; {kept}"


def _short(filename: str) -> str:
    return "/".join(Path(filename).parts[-3:])


def _details(problem: BaseException, private: bool) -> Iterator[str]:
    """Traceback of the whole chain; with ``private``, frames and types only."""
    if not private:
        yield from traceback.format_exception(problem)
        return
    link: BaseException | None = problem
    while link is not None:
        yield f"{type(link).__name__}\n"
        yield from traceback.format_tb(link.__traceback__)
        link = link.__cause__ or link.__context__


def _keep(text: str) -> str:
    from repro.report.secret_address import without_secrets

    try:
        handle, name = tempfile.mkstemp(prefix="repro-error-", suffix=".txt")  # mode 600
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(without_secrets(text))
    except OSError as problem:
        return f"the details could not be kept ({problem.strerror})"
    return f"details are in {name}"
