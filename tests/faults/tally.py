"""How many faults each writer has met and survived, said once when the tests have ended."""

from __future__ import annotations

from collections import Counter

SURVIVED: Counter[str] = Counter()
"""By writer; a test adds its faults when all of them have done no harm."""


def line():
    """All writers in a line; empty where no fault was injected."""
    each = ", ".join(f"{writer} {count}" for writer, count in sorted(SURVIVED.items()))
    return f"faults injected without harm: {each}; {SURVIVED.total()} in all" if each else ""
