"""``python -m tools.draw_coverage_phases``: the figure and the table of coverage and reward bound.

Writes docs/figures/coverage_phases.svg and prints the rows of the table in
docs/explanations/coverage_and_reward_bound.md, all from the closed forms of the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repro.base.files import write_whole
from repro.p1.corrected_gap.coverage import lower, price, upper
from repro.report.figure import figure_bytes

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "coverage_phases.svg"
BETA = np.linspace(0, 4, 401)
ROWS = (
    (4.0, 4.0, 3, 1.0, 4.0), (4.0, 4.0, 3, 1.0, 8.0), (4.0, 4.0, 3, 1.0, 12.0),
    (4.0, 1e4, 3, 1.0, 4.0), (4.0, 1e4, 3, 1.0, 8.0), (4.0, 1e4, 9, 1.0, 8.0),
    (4.0, 1e4, 9, 16.0, 8.0), (0.5, 2.0, 2, 1.0, 4.0), (0.5, 2.0, 2, 1.0, 8.0),
    (0.5, 2.0, 2, 1.0, 12.0), (1.0, 20.0, 2, 1.0, 8.0),
)  # fmt: skip
"""β, C, A, ε and B."""


def growth(beta: np.ndarray, coverage: np.ndarray) -> np.ndarray:
    """lim log(price/C)/B at a fixed ε < ∞, for C = e^(coverage·B): between 0 and 2."""
    return np.minimum(2, coverage + np.maximum(0, 2 - beta))


def draw_phases() -> Figure:
    """The exponent of e^B over β and log C/B, and where it is above the printed 1."""
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    shares = np.linspace(0, 4, 401)
    exponent = growth(BETA[None, :], shares[:, None])
    exponent[shares[:, None] > BETA[None, :]] = np.nan  # no coverage is above e^(βB)
    shades = axes.pcolormesh(BETA, shares, exponent, cmap="cividis", vmin=0, vmax=2,
                             rasterized=True)  # fmt: skip
    figure.colorbar(shades, ax=axes, label="x: the price is C·e$^{xB}$")
    axes.plot([2, 4], [2, 2], color="black", lw=2)
    axes.plot([0, 2], [0, 2], color="black", lw=2)
    axes.plot([0, 1, 2, 4], [0, 0, 1, 1], color="white", lw=2, ls="--")
    places = (
        (2.5, 2.12, "full price, x = 2:\nC ≥ W(B)", "black"),
        (2.45, 1.25, "printed e$^B$ too small", "black"),
        (2.3, 0.06, "fixed coverage, x = 0:\nprinted e$^B$ holds", "white"),
        (0.12, 2.9, "no coverage is\nabove e$^{βB}$", "black"),
    )
    for x, y, words, colour in places:
        axes.text(x, y, words, color=colour, fontsize=9)
    axes.annotate("βB ≈ 1", (0.02, 0.02), (0.5, 0.05), color="white", fontsize=9,
                  arrowprops={"arrowstyle": "->", "color": "white"})  # fmt: skip
    axes.set(xlabel="β [1/reward]", ylabel="log C / B", xlim=(0, 4), ylim=(0, 4))
    axes.set_title("What B costs at a fixed ε, as B grows", fontsize=10)
    return figure


def rows() -> Iterator[str]:
    """The table, row by row."""
    for beta, coverage, actions, epsilon, bound in ROWS:
        given = coverage, bound, 1 / beta, epsilon
        unit = 1 / (beta * coverage)
        above = upper(actions, price(*given), 1 / beta) * unit
        below = lower(actions, *given) * unit
        shown = f"{above:.3g} | {below:.3g} | {math.ceil(10 * above / below) / 10:.3g}"
        yield f"| {beta:g} | {coverage:g} | {actions} | {epsilon:g} | {bound:g} | {shown} |"


def main() -> None:
    """Draw and print."""
    write_whole(DRAWING, figure_bytes(draw_phases(), "svg"))
    print(*rows(), sep="\n")


if __name__ == "__main__":
    main()
