"""The one ``main`` of every command: signals, streams, encodings and exit status of a process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from repro.cli import process, streams
from repro.cli.outcome import INTERNAL, MACHINE, explained, say

SPENT = "what the ledger has is kept; the same command says what is left to do"
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
    streams.prepare()
    _refuse_closed_streams()
    if not begins_later:
        process.begin_run(SPENT if private else "")
    status = _flushed(_status(_with_help(main, help_text), private))
    process.end_run(status)
    if process.received() is not None:
        process.leave(status)
    sys.exit(status)


def _with_help(main: Main, text: str | None) -> Main:
    from repro.base.help import explain_or_run

    return main if text is None else lambda words: explain_or_run(main, words, text)


def _status(main: Main, private: bool) -> int:
    try:
        status = main(sys.argv[1:])
        if not isinstance(status, int):
            raise TypeError(f"{main} returned {status!r}")  # sys.exit(None) would say 0
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


def _flushed(status: int) -> int:
    """The status, unless something that was printed could not be written."""
    failure = streams.finish()
    return explained(failure) if failure and status < INTERNAL else status


def _refuse_closed_streams() -> None:
    """What would be said is lost: better said, or refused, before any work than after it."""
    if closed := process.closed_streams() - {0}:
        names = " and ".join(streams.STREAMS[number] for number in sorted(closed))
        say(f"error: {names}: closed; allowed: an open file, such as /dev/null")
        sys.exit(MACHINE)
