"""The words above a panel: name, verdict, claim, measurement, controls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from repro.report.run_files import CheckEntry, ControlEntry
from repro.report.style import GLYPHS, VERDICTS
from repro.report.wording import (
    brief_words,
    caught_words,
    claim_words,
    measured_words,
    name_lines,
    note_words,
    plain_words,
    short_exponents,
    verdict_words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, SMALL_LEADING, HEAD, HEAD_LEADING = 8.5, 12.0, 10.5, 15.0
"""Points: size of the small print and of the name, and the distance between their lines."""

LINE, NAME = 50, 19
"""Characters of small print, and of a name beside its verdict, that fit over one panel."""


Said = tuple[CheckEntry, Sequence[ControlEntry]]
"""A check and its controls."""


def caption_height(row: Sequence[Said]) -> float:
    """Points above the axes that the captions of one row of panels need."""
    return max(
        (_height(name_lines(said[0].name, NAME), caption_lines(*said)) for said in row), default=0
    )


def write_captions(ax: Axes, said: Said, top: float) -> None:
    """Write above the axes, from ``top`` points downwards; the panel itself holds data only."""
    check = said[0]
    names, small = name_lines(check.name, NAME), "\n".join(caption_lines(*said))
    bold = {"fontsize": HEAD, "fontweight": "bold"}
    _write(ax, "\n".join(names), 0, top, **bold)
    _write(ax, small, 0, top - HEAD_LEADING * len(names), fontsize=SMALL, color=".2")
    colour = VERDICTS.get(check.verdict, "black")
    _write(ax, verdict_words(check.verdict), 1, top, ha="right", color=colour, **bold)


def _height(names: list[str], small: list[str]) -> float:
    return 7 + HEAD_LEADING * len(names) + SMALL_LEADING * len(small)


def _write(ax: Axes, text: str, x: float, y: float, **look: Any) -> None:
    """Text that hangs ``y`` points above the axes, at ``x`` of their width."""
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate(text, (x, 1), (0, y), va="top", linespacing=1.2, **place, **look)


def caption_lines(check: CheckEntry, controls: Sequence[ControlEntry]) -> list[str]:
    """The small print, wrapped: claim, measurement, notes, controls."""
    found = measured_words(check)
    texts = [check.claim, f"claimed {claim_words(check)}"]
    texts.append(found if check.headline is None else f"{check.evidence} {found}".lstrip())
    texts.append(note_words(check, check.measured_in_all))
    if check.verdict != check.expected:
        texts.append(f"NOT as expected; expected: {plain_words(check.expected)}")
    for order, control in enumerate(controls):
        glyph = GLYPHS[order % len(GLYPHS)]
        found = f"{brief_words(control)}, {_unbroken(caught_words(control.verdict))}"
        texts.append(f"{glyph} {control.name}: {found}")
    return [line for text in texts for line in _wrap(short_exponents(text))]


def _wrap(text: str) -> list[str]:
    """Lines that do not break inside an interval."""
    kept = "[".join(
        part if order == 0 else part.replace(", ", ",\u00a0", 1)
        for order, part in enumerate(text.split("["))
    )
    return textwrap.wrap(kept, LINE, subsequent_indent="   ", break_on_hyphens=False)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\u00a0")
