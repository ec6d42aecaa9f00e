"""The one ``main`` of every command: signals, streams, encodings and exit status of a process."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import NoReturn

from repro.cli import process
from repro.cli.outcome import BROKEN_PIPE, INTERNAL, MACHINE, explained, say

Main = Callable[[list[str]], int]


def run_command(
    main: Main, help_text: str | None = None, private: bool = False, begins_later: bool = False
) -> NoReturn:
    """Run a command's ``main`` as this process, and end it.

    Args:
        main: from the words of the command line to an exit status of the contract.
        help_text: what ``-h`` and ``--help`` print; None where ``main`` answers them itself.
        private: the command reads raw labels; no message of an exception is kept.
        begins_later: ``main`` calls ``process.begin_run`` itself, before anything can be lost;
            until then a signal ends it at once.

    Exit status: that of ``main``; 2 for ``BadInput``; 129, 130, 143 for SIGHUP, SIGINT, SIGTERM;
    141 for a reader that has gone; 74 where the machine fails (a full disk, a closed stream, no
    memory, no free file); 70 for a bug, with a line that names the file of its details.
    """
    process.begin()
    _write_any_text()
    _refuse_closed_streams()
    if not begins_later:
        process.begin_run()
    status = _flushed(_status(_with_help(main, help_text), private))
    process.end_run(status)
    sys.exit(status)


def _with_help(main: Main, text: str | None) -> Main:
    from repro.help import explain_or_run

    return main if text is None else lambda words: explain_or_run(main, words, text)


def _status(main: Main, private: bool) -> int:
    try:
        status = main(sys.argv[1:])
    except SystemExit as left:
        status = _of_exit(left)
    except BaseException as problem:  # noqa: BLE001 - the outermost of all: none may pass
        status = explained(problem, private)
    number = process.received()
    return status if number is None else 128 + number


def _of_exit(left: SystemExit) -> int:
    """argparse and Hydra leave by themselves."""
    if left.code is None or isinstance(left.code, int):
        return left.code or 0
    say(str(left.code))
    return INTERNAL


def _write_any_text() -> None:
    r"""What an encoding lacks is written as JSON would, ``\u03b5`` for ε, instead of failing."""
    codecs.register_error("repro.escaped", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="repro.escaped")


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


def _refuse_closed_streams() -> None:
    """What would be said is lost: better said, or refused, before any work than after it."""
    closed = process.closed_streams() - {0}
    if closed:
        names = " and ".join(process.STREAMS[number] for number in sorted(closed))
        say(f"error: {names}: closed; allowed: an open file, such as /dev/null")
        sys.exit(MACHINE)


def _flushed(status: int) -> int:
    """The status, unless what was printed cannot be written."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except BrokenPipeError:
            status = _lost(number, BROKEN_PIPE, status)
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or "closed"
            if number == 1:
                say(f"error: {process.STREAMS[number]}: {why}")
            status = _lost(number, MACHINE, status)
    return status


def _lost(number: int, found: int, status: int) -> int:
    process.silence(number)
    return status if status >= INTERNAL else found
