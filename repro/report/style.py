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

PAPER, FONTS = 0.8, 1.05
"""Sizes of seaborn's context ``paper`` over its ``notebook``'s, and of fonts besides."""

SEABORN: dict[str, Any] = {
    **dict.fromkeys(
        ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), ".15"
    ),
    "grid.color": ".8",
    "axes.axisbelow": True,
    "font.sans-serif": [
        "Arial",
        "DejaVu Sans",
        "Liberation Sans",
        "Bitstream Vera Sans",
        "sans-serif",
    ],
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 1.25 * PAPER),
    **dict.fromkeys(("xtick.minor.width", "ytick.minor.width", "grid.linewidth"), PAPER),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size", "lines.markersize"), 6 * PAPER),
    **dict.fromkeys(("xtick.minor.size", "ytick.minor.size"), 4 * PAPER),
    "lines.linewidth": 1.5 * PAPER,
    "patch.linewidth": PAPER,
    **dict.fromkeys(
        ("font.size", "axes.labelsize", "axes.titlesize", "legend.title_fontsize"),
        12 * PAPER * FONTS,
    ),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 11 * PAPER * FONTS),
}
"""Seaborn's style ``ticks`` and context ``paper`` where they differ from matplotlib's defaults.

Seaborn itself, which a test compares them with, takes a second to import for nothing else.
"""
