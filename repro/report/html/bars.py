"""A claim and its measurement as a small drawing: the allowed range, the interval, the value."""

from __future__ import annotations

import math

from repro.report.run_files import Numbers

WIDTH, HEIGHT, PAD = 120.0, 18.0, 6.0


def bar_svg(numbers: Numbers) -> str:
    """SVG of one check or control; empty where nothing finite was measured.

    Shaded: what the claim allows. Line and dot: the 95 % interval and the value.
    """
    value, allowed = numbers.headline, allowed_range(numbers)
    if value is None or allowed is None:
        return ""
    low, high = numbers.ci95 or (value, value)
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


def allowed_range(numbers: Numbers) -> tuple[float, float] | None:
    """What the claim allows, with its margin; infinite on the open side."""
    margin, claimed = numbers.tolerance or 0.0, numbers.claimed
    for bound in (numbers.claimed_epsilon, numbers.allowed):
        if bound is not None:
            return 0.0, bound
    if claimed is None:
        return None if numbers.max_ratio is None else (0.0, 1.0 + margin)
    sides = {"at_most": (-math.inf, margin), "at_least": (-margin, math.inf)}
    below, above = sides.get(numbers.direction, (-margin, margin))
    return claimed + below, claimed + above
