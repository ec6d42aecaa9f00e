"""How many seeds a tool was asked for by the word ``seeds=N``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from repro.base.errors import BadInput

FEWEST = 2
"""A spread over seeds needs two."""


def seeds_asked(words: Sequence[str], default: int) -> int:
    """The number of seeds, or ``default`` where no word is given.

    Raises:
        BadInput: another word than one ``seeds=N``, or fewer than two seeds.
    """
    if not words:
        return default
    key, _, value = words[0].partition("=")
    if len(words) > 1 or key != "seeds":
        raise BadInput(words[-1], "", f"allowed: seeds=N, {default} if left out")
    if not (value.isascii() and value.isdecimal() and int(value) >= FEWEST):
        raise BadInput("seeds", value, f"allowed: a whole number from {FEWEST} on")
    return int(value)


def status_of(main: Callable[[Sequence[str]], None]) -> int:
    """Status of ``main`` on the words of the command line: 2 and one line on bad input."""
    try:
        main(sys.argv[1:])
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    return 0
