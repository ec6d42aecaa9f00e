"""Colours, dashes and markers of the figure; all of them differ in black and white too."""

from __future__ import annotations

from typing import Any

MEASURED, FITTED, CLAIMED, ALLOWED, CONTROL = "#0173b2", "#56b4e9", "#111111", "#029e73", "#777777"
"""From seaborn's colorblind palette."""

VERDICTS = {
    "supported": "#02744f",
    "contradicted": "#b04400",
    "inconclusive": "#6b5b00",
    "assumption_failed": "#8b2f6f",
}
"""The palette darkened, legible as text."""

MARKERS, GLYPHS = "s^Dv<>ph", "□△◇▽◁▷⬠⬡"
"""Markers of the controls in the order a check names them, and how they look in a line of text."""

DASHES = (0, (5, 3))
CONTROL_LOOK: dict[str, Any] = {"ls": ":", "mfc": "white", "zorder": 2}
ALLOWED_LOOK: dict[str, Any] = {"color": ALLOWED, "alpha": 0.15, "lw": 0, "zorder": 0.5}
WORST_LOOK: dict[str, Any] = {"marker": "_", "ms": 11, "mew": 2, "ls": "none"}
