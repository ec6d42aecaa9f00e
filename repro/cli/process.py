"""Signals and streams of a command's process; light, so that it is ready before anything heavy.

Two modes.  While a command is being imported nothing is at stake: a signal ends the process at
once.  While it runs, a signal raises ``Stopped`` in the main thread, so that drafts go, workers
end and the last line says what is kept.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

from repro.cli.garbage import look_rarely

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
IMPORTING = "<frozen importlib._bootstrap"
SOON = 0.02
"""Seconds until a signal that came at a bad moment is tried again."""

_state: dict[str, Any] = {"received": None, "closed": None}


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end; what handles Ctrl-C handles the others too."""


def received() -> int | None:
    """The signal that has stopped this process, if one has."""
    return _state["received"]


def closed_streams() -> frozenset[int]:
    """Those of standard input, output and error that were closed when the process began."""
    return _state["closed"] or frozenset()


def begin() -> None:
    """Before the heavy imports: a signal or an error ends with the status of the contract."""
    look_rarely()
    if _state["closed"] is None:
        _state["closed"] = _reserve_streams()
    sys.excepthook = _end_by_error
    _refuse_lost_folder()
    _on_signals(_end_at_once)


def begin_run() -> None:
    """From here on work can be lost: a signal raises ``Stopped``.

    Does nothing in a process that is not a command's own, such as a notebook's.
    """
    if _state["closed"] is None:
        return
    sys.unraisablehook = _raise_again
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_now)
    _on_signals(_stop)


def end_run(status: int) -> None:
    """Nothing is left to be stopped: a signal ends the process with the status it has earned."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)  # would kill an interpreter that is shutting down
    _on_signals(lambda number, frame: os._exit(status))


def _on_signals(handler) -> None:
    """Not for those that the parent had ignored, as ``nohup`` and a shell's ``&`` do."""
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _reserve_streams() -> frozenset[int]:
    """Put /dev/null where a stream is closed, or a file of ours would be opened in its place."""
    found = []
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            found.append(number)
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    return frozenset(found)


def _refuse_lost_folder() -> None:
    """Libraries ask for the current folder while they are imported."""
    try:
        os.getcwd()
    except OSError:
        _say(b"error: the current folder: deleted, or out of reach; allowed: one that exists\n")
        os._exit(2)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    _say(b"interrupted: nothing was begun\n")
    os._exit(128 + number)


def _end_by_error(kind, problem, trace) -> None:
    """What an import raises would end with 1, which is a verdict."""
    from repro.cli.outcome import explained

    os._exit(explained(problem))


def _stop(number: int, frame: FrameType | None) -> None:
    _state["received"] = number
    _raise_now(number, frame)


def _raise_now(number: int, frame: FrameType | None) -> None:
    """Raise, but not into an import: compiled modules turn that into other errors, or abort."""
    if frame is not None and _importing(frame) and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    raise Stopped


def _raise_again(unraisable) -> None:
    """A signal that was raised into a destructor is lost there; other such errors are shown."""
    if isinstance(unraisable.exc_value, Stopped) and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    sys.__unraisablehook__(unraisable)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTING):
            return True
        frame = frame.f_back
    return False


def _say(line: bytes) -> None:
    try:
        os.write(2, line)
    except OSError:
        return
