"""CPU seconds of a function."""

from __future__ import annotations

import time
from collections.abc import Callable


def cost(function: Callable[[], object], rounds: int = 3) -> float:
    """CPU seconds of this process, all its threads: the best of some rounds after a warm-up."""
    function()
    found = []
    for _ in range(rounds):
        started = time.process_time()
        function()
        found.append(time.process_time() - started)
    return min(found)
