"""Blocks that are measured before it is known whether they may be written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

from repro.study.blocks import Block, Values

Keep = Callable[[Block, Values], None]


class Held:
    """Holds finished blocks back until they are released; from then on they are kept at once.

    A sweep is refused as a whole, with nothing written, if one of its jobs is bad input; workers
    need not wait for the last of them to be checked.
    """

    def __init__(self) -> None:
        self._lock, self._released = Lock(), False
        self._waiting: list[Callable[[], None]] = []

    def back(self, keep: Keep) -> Keep:
        """The same as ``keep``, once blocks are released; called from any thread."""

        def kept(block: Block, values: Values) -> None:
            with self._lock:
                if not self._released:
                    self._waiting.append(partial(keep, block, values))
                    return
            keep(block, values)

        return kept

    def release(self) -> None:
        """Keep what waits."""
        with self._lock:
            self._released, waiting = True, self._waiting
            self._waiting = []
        for keep in waiting:
            keep()
