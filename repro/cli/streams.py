"""Standard output and error that take any text, and say which of them failed."""

from __future__ import annotations

import codecs
import io
import os
import sys

STREAMS = {0: "standard input", 1: "standard output", 2: "standard error"}

_failures: list[OSError] = []


class _Named(io.FileIO):
    """A descriptor whose errors name it."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)

    def write(self, data, /) -> int | None:
        try:
            return super().write(data)
        except OSError as problem:
            failure = OSError(problem.errno, problem.strerror, STREAMS[self.fileno()])
            _failures.append(failure)  # libraries swallow it: rich ends with 1 on a broken pipe
            raise failure from None


def prepare() -> None:
    r"""What an encoding lacks is written as JSON would, ``\u03b5`` for ε, instead of failing."""
    codecs.register_error("repro.escaped", _escaped)
    sys.stdout, sys.stderr = _prepared(1, sys.stdout), _prepared(2, sys.stderr)


def _prepared(number: int, stream) -> io.TextIOWrapper:
    stream.flush()
    raw, tty = _Named(number), stream.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        stream.encoding,
        "repro.escaped",
        line_buffering=tty or number == 2,
        write_through=number == 2,
    )


def finish() -> OSError | None:
    """Write what is left; the first failure of a stream in this process, if there was one."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            silence(number)
    return _failures[0] if _failures else None


def silence(number: int) -> None:
    """Point a stream to /dev/null, or the interpreter's own flush would end with 120."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    r"""
    >>> _escaped(UnicodeEncodeError("ascii", "aε", 1, 2, ""))
    ('\\u03b5', 2)
    """
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    units = problem.object[problem.start : problem.end].encode("utf-16-be", "surrogatepass")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in pairs), problem.end
