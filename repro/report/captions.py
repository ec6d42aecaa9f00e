"""The words above a panel: name, verdict, claim, measurement, controls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from repro.core.results import CheckResult
from repro.report.style import GLYPHS, VERDICTS
from repro.report.wording import (
    brief_words,
    caught_words,
    claim_words,
    headline,
    measured_words,
    name_lines,
    note_words,
    short_exponents,
    verdict_words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, SMALL_LEADING, HEAD, HEAD_LEADING = 8.5, 12.0, 10.5, 15.0
"""Points: size of the small print and of the name, and the distance between their lines."""

LINE, NAME = 50, 19
"""Characters of small print, and of a name beside its verdict, that fit over one panel."""


def caption_height(items: Sequence[CheckResult]) -> float:
    """Points above the axes that the captions of one row of panels need."""
    return max(
        (_height(name_lines(item.check.name, NAME), caption_lines(item)) for item in items),
        default=0,
    )


def write_captions(ax: Axes, item: CheckResult, top: float) -> None:
    """Write above the axes, from ``top`` points downwards; the panel itself holds data only."""
    names, small = name_lines(item.check.name, NAME), "\n".join(caption_lines(item))
    verdict = item.outcome.verdict
    bold = {"fontsize": HEAD, "fontweight": "bold"}
    _write(ax, "\n".join(names), 0, top, **bold)
    _write(ax, small, 0, top - HEAD_LEADING * len(names), fontsize=SMALL, color=".2")
    colour = VERDICTS.get(verdict, "black")
    _write(ax, verdict_words(verdict), 1, top, ha="right", color=colour, **bold)


def _height(names: list[str], small: list[str]) -> float:
    return 7 + HEAD_LEADING * len(names) + SMALL_LEADING * len(small)


def _write(ax: Axes, text: str, x: float, y: float, **look: Any) -> None:
    """Text that hangs ``y`` points above the axes, at ``x`` of their width."""
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate(text, (x, 1), (0, y), va="top", linespacing=1.2, **place, **look)


def caption_lines(item: CheckResult) -> list[str]:
    """The small print, wrapped: claim, measurement, notes, controls."""
    numbers = item.outcome.numbers
    found = measured_words(numbers)
    texts = [item.check.claim, f"claimed {claim_words(item.check, numbers)}"]
    texts.append(found if headline(numbers) is None else f"{item.check.evidence} {found}".lstrip())
    texts.append(note_words(item.outcome))
    if item.outcome.verdict != item.check.expected:
        texts.append(f"NOT as expected; expected: {item.check.expected.replace('_', ' ')}")
    for order, control in enumerate(item.controls):
        glyph = GLYPHS[order % len(GLYPHS)]
        found = f"{brief_words(control.numbers)}, {_unbroken(caught_words(control.verdict))}"
        texts.append(f"{glyph} {control.method}: {found}")
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
