"""``--help`` of the small commands: the first lines of their own file."""

from __future__ import annotations

from collections.abc import Callable


def explain_or_run(main: Callable[[list[str]], int], words: list[str], text: str | None) -> int:
    """Print ``text`` and return 0 where help is asked for, before anything is read or written."""
    if not any(word in ("-h", "--help") for word in words):
        return main(words)
    print((text or "").replace("``", "").strip())
    return 0
