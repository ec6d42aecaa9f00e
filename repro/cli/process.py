"""Signals and streams of a command's process; light, so that it is ready before anything heavy.

Two modes.  While a command is being imported nothing is at stake: a signal ends the process at
once.  While it runs, a signal raises ``Stopped`` in the main thread, so that drafts go, workers
end and the last line says what is kept.  Python hears a signal between two of its own steps only:
where the main thread is in a library for longer, or in an import, which must not be broken off, a
thread ends the process, as a kill would, which loses nothing that is finished.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any, NoReturn

from repro.cli.garbage import look_rarely

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
IMPORTING, STARTING = "<frozen importlib._bootstrap", "loky/backend/popen_loky_posix.py"
SOON = 0.02
"""Seconds until a signal that came at a bad moment is tried again."""
DEAF, TIDYING = 0.8, 10.0
"""Seconds that the main thread has to hear a signal; and, when it has, to end."""
NOTHING = "nothing was begun"
GO_ON = "run the same command to go on"
KEPT = f"blocks that are finished are kept; {GO_ON}"

_state: dict[str, Any] = {
    "received": None, "closed": None, "heard": False, "said": NOTHING, "status": None
}  # fmt: skip
_ending = threading.Lock()


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
        _hear()
    sys.excepthook = _end_by_error
    _refuse_lost_folder()
    _on_signals(_end_at_once)


def begin_run(said: str = "") -> None:
    """From here on work can be lost: a signal raises ``Stopped``.

    Does nothing in a process that is not a command's own, such as a notebook's.

    Args:
        said: what is kept, where the main thread does not come to say it.
    """
    if _state["closed"] is None:
        return
    _state["said"] = said
    sys.unraisablehook = _raise_again
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_now)
    _on_signals(_stop)


def end_run(status: int) -> None:
    """Nothing is left to be stopped: a signal ends the process with the status it has earned."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)  # would kill an interpreter that is shutting down
    _state["status"] = status
    _on_signals(_end_at_once)


def leave(status: int) -> NoReturn:
    """End with what exits owe, but without taking down all modules, which takes a second more."""
    atexit._run_exitfuncs()
    _free_shared_memory()
    os._exit(status)


def _free_shared_memory() -> None:
    """What joblib's own cleaner does not know where a signal came while it was told."""
    if life := sys.modules.get("repro.study.worker_life"):
        life.free_shared_memory(own=True)


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


def _end_at_once(number: int, frame: FrameType | None = None) -> None:
    if (earned := _state["status"]) is not None:
        os._exit(earned)
    if not _ending.acquire(blocking=False):  # another thread is at it
        return
    told = _state["said"]
    _say(f"interrupted{': ' * bool(told)}{told}\n".encode())
    _free_shared_memory()
    os._exit(128 + number)


def _hear() -> None:
    """A thread that the system tells of a signal, whatever the main thread is at."""
    if os.name != "posix":
        return
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    signal.set_wakeup_fd(sink, warn_on_full_buffer=False)
    threading.Thread(target=_end_in_time, args=(source,), daemon=True).start()


def _end_in_time(source: int) -> None:
    while True:
        number = os.read(source, 1)[0]
        if number not in STOPPING:  # an alarm, or a child
            continue
        if _state["said"] != NOTHING:
            time.sleep(DEAF)
            if _state["heard"]:
                time.sleep(TIDYING)
        _end_at_once(number)


def _end_by_error(kind, problem, trace) -> None:
    """What an import raises would end with 1, which is a verdict."""
    from repro.cli.outcome import explained

    os._exit(explained(problem))


def _stop(number: int, frame: FrameType | None) -> None:
    _state["received"] = number
    _raise_now(number, frame)


def _raise_now(number: int, frame: FrameType | None) -> None:
    """Raise, but not into an import or the start of a worker.

    Compiled modules turn that into other errors, or abort; a worker that is told nothing complains.
    """
    if frame is not None and _unbroken(frame) and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    _state["heard"] = True
    raise Stopped


def _raise_again(unraisable) -> None:
    """A signal that was raised into a destructor is lost there; other such errors are shown."""
    if isinstance(unraisable.exc_value, Stopped) and hasattr(signal, "setitimer"):
        _state["heard"] = False
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    sys.__unraisablehook__(unraisable)


def _unbroken(frame: FrameType | None) -> bool:
    while frame is not None:
        place = frame.f_code.co_filename
        if place.startswith(IMPORTING) or place.endswith(STARTING):
            return True
        frame = frame.f_back
    return False


def _say(line: bytes) -> None:
    try:
        os.write(2, line)
    except OSError:
        return
