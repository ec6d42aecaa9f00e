"""Ctrl-C, SIGTERM and SIGHUP all end a command as Ctrl-C ends a Python program."""

from __future__ import annotations

import signal
from types import FrameType

STOPPING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
GO_ON = "run the same command to go on"
KEPT = f"blocks that are finished are kept; {GO_ON}"

_received: list[int] = []


def hear() -> None:
    """Let a signal raise ``KeyboardInterrupt``, and a second one end the process at once.

    Not those that the parent had ignored, as ``nohup`` and a shell's ``&`` do.
    """
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def received() -> int | None:
    """The signal that has stopped this process, if one has."""
    return _received[0] if _received else None


def stop_if_received() -> None:
    """Stop after all where a library has swallowed the exception of a signal, as in an import.

    Raises:
        KeyboardInterrupt: a signal has come before.
    """
    if _received:
        raise KeyboardInterrupt(KEPT)


def _stop(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    for other in STOPPING:
        signal.signal(other, signal.SIG_DFL)
    raise KeyboardInterrupt
