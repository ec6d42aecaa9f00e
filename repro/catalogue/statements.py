"""What a statement says, as words and formulas."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """A stretch of a statement: words, or LaTeX without its dollar signs."""

    math: bool
    text: str


def parts(text: str) -> tuple[Part, ...]:
    """A statement's words and formulas in order; empty stretches are left out.

    >>> [part.text for part in parts("if $a$ then $b$")]
    ['if ', 'a', ' then ', 'b']
    """
    split = enumerate(text.split("$"))
    return tuple(Part(place % 2 == 1, piece) for place, piece in split if piece)
