"""How often a command looks for objects that only refer to each other.

Python looks after every 700 new objects, and again and again through all that torch and matplotlib
have made at import: a sixth of the time of a sweep whose blocks are finished.
"""

from __future__ import annotations

import gc

NEW_OBJECTS = 10_000
"""How many more there are than have gone when it is looked for those among the new ones."""


def look_rarely() -> None:
    """For a command's own process, before the heavy imports; a notebook's is left as it is."""
    gc.set_threshold(NEW_OBJECTS, 10, 10)


def between_runs() -> None:
    """Free what the last run of a sweep has left, such as a figure's 20 MiB of pixels.

    What the first run has imported stays to the end: a command sets it aside, and never looks
    through it again.
    """
    gc.collect()
    if gc.get_threshold()[0] == NEW_OBJECTS and not gc.get_freeze_count():
        gc.freeze()
