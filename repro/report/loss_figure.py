"""The map of which loss wins: one small grid of ε by n per reward bound and adversary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {
    ("mixture", "square", "debiased"): "#dddddd",
    ("mixture", "square"): "#9fc9e6",
    ("mixture", "debiased"): "#f4d59a",
    ("square", "debiased"): "#c7e0b4",
    ("mixture",): "#0173b2",
    ("square",): "#029e73",
    ("debiased",): "#de8f05",
}
"""Fill by the losses that share the win; letters in the cells say the same."""
LETTERS = {"mixture": "M", "square": "S", "debiased": "D"}
NAMES = {"mixture": "mixture log", "square": "square", "debiased": "debiased log"}
LEGEND = 1.2
"""Inches below the panels."""


def draw_loss_map(
    panels: Mapping[tuple[str, str], Sequence[Sequence[tuple[tuple[str, ...], float]]]],
    epsilons: Sequence[float],
    labels: Sequence[int],
    marked: tuple[int, int] | None = None,
) -> Figure:
    """Draw the map.

    Args:
        panels: by (row title, column title), rows by n and columns by ε of the winning losses and
            of how many times worse the worst loss is.
        epsilons: of the columns of a panel.
        labels: n of the rows of a panel, from the bottom.
        marked: column and row of a cell that is outlined in every panel.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = list(dict.fromkeys(row for row, _ in panels))
    columns = list(dict.fromkeys(column for _, column in panels))
    size = (4.0 * len(columns), 2.9 * len(rows) + LEGEND)
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(rows), len(columns), squeeze=False)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            _draw_panel(axes[i][j], panels[row, column], epsilons, labels)
            axes[i][j].set_title(f"{row}, {column}", fontsize=9)
            if marked is not None:
                _mark(axes[i][j], *marked)
    for axis in axes[-1]:
        axis.set_xlabel("privacy budget ε")
    for line in axes:
        line[0].set_ylabel("labels n")
    _legend(figure, 4 if len(columns) > 1 else 1)
    return figure


def _legend(figure: Figure, columns: int) -> None:
    """What colours, letters and numbers of the cells say, below the panels."""
    from matplotlib.patches import Patch

    handles = [
        Patch(
            facecolor=fill,
            label=f"{''.join(LETTERS[name] for name in names)}: "
            + ", ".join(NAMES[name] for name in names),
        )
        for names, fill in COLOURS.items()
    ]
    figure.legend(
        handles=handles,
        title="within 2 % of the least error; number: the worst of the three errors over the least",
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=9,
        title_fontsize=9,
    )


def _mark(axis, x: int, y: int) -> None:
    from matplotlib.patches import Rectangle

    # inside of its cell, so that the neighbours do not cover the outline
    corner, side = (x + 0.03, y + 0.03), 0.94
    axis.add_patch(Rectangle(corner, side, side, fill=False, edgecolor="black", linewidth=2.5))


def _draw_panel(axis, cells, epsilons, labels) -> None:
    from matplotlib.patches import Rectangle

    for y, line in enumerate(cells):
        for x, (names, worst) in enumerate(line):
            fill = COLOURS[names]
            axis.add_patch(Rectangle((x, y), 1, 1, facecolor=fill, edgecolor="white"))
            dark = fill in ("#0173b2", "#029e73")
            letters = "".join(LETTERS[name] for name in names)
            axis.text(x + 0.5, y + 0.5, f"{letters}\n{worst:.2g}", ha="center", va="center",
                      fontsize=7, color="white" if dark else "black")  # fmt: skip
    axis.set_xlim(0, len(epsilons))
    axis.set_ylim(0, len(labels))
    axis.set_xticks([x + 0.5 for x in range(len(epsilons))], [f"{e:g}" for e in epsilons])
    axis.set_yticks([y + 0.5 for y in range(len(labels))], [f"{n:.0e}" for n in labels])
    axis.tick_params(length=0, labelsize=8)
