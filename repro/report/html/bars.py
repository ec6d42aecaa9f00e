"""A claim and its measurement as a small drawing: the allowed range, the interval, the value."""

from __future__ import annotations

import math
from collections.abc import Mapping

from repro.report.wording import finite, headline, interval

WIDTH, HEIGHT, PAD = 120.0, 18.0, 6.0


def bar_svg(entry: Mapping[str, object]) -> str:
    """SVG of one check or control; empty where nothing finite was measured.

    Shaded: what the claim allows. Line and dot: the 95 % interval and the value.
    """
    value = headline(entry)
    allowed = allowed_range(entry)
    if value is None or allowed is None:
        return ""
    low, high = interval(entry) or (value, value)
    shown = [x for x in (*allowed, low, high, value) if math.isfinite(x)]
    least, most = min(shown), max(shown)
    room = (most - least) or abs(most) or 1.0
    least, most = least - 0.15 * room, most + 0.15 * room

    def x(number: float) -> float:
        share = (min(max(number, least), most) - least) / (most - least)
        return round(PAD + share * (WIDTH - 2 * PAD), 1)

    left, right, middle = x(allowed[0]), x(allowed[1]), HEIGHT / 2
    return (
        f'<svg class="bar" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" '
        f'height="{HEIGHT:g}" aria-hidden="true" focusable="false">'
        f'<rect class="allowed" x="{left}" y="3" width="{max(right - left, 1.5):.1f}" '
        f'height="{HEIGHT - 6:g}"/>'
        f'<line class="interval" x1="{x(low)}" x2="{x(high)}" y1="{middle:g}" y2="{middle:g}"/>'
        f'<circle class="value" cx="{x(value)}" cy="{middle:g}" r="3"/></svg>'
    )


def allowed_range(entry: Mapping[str, object]) -> tuple[float, float] | None:
    """What the claim allows, with its margin; infinite on the open side."""
    margin = finite(entry.get("tolerance")) or 0.0
    for key in ("claimed_epsilon", "allowed"):
        bound = finite(entry.get(key))
        if bound is not None:
            return 0.0, bound
    claimed = finite(entry.get("claimed"))
    if claimed is None:
        return (0.0, 1.0 + margin) if "max_ratio" in entry else None
    sides = {"at_most": (-math.inf, margin), "at_least": (-margin, math.inf)}
    below, above = sides.get(str(entry.get("direction")), (-margin, margin))
    return claimed + below, claimed + above
