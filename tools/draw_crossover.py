"""``python -m tools.draw_crossover``: the figure and the table of the corrected Theorem 4.2.

Writes docs/figures/factor_crossover.svg and prints the rows of the table in
docs/explanations/corrected_theorem_4_2.md, all from the closed forms of the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repro.base.files import write_whole
from repro.labels.preferences.label_information import (
    inverse_information,
    printed_factor,
    privacy_excess,
)
from repro.p1.corrected_gap.bounds import LARGEST_TILT, Cell, hypercube_cell
from repro.report.figure import figure_bytes

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "factor_crossover.svg"
EPSILONS = np.geomspace(0.1, 16, 121)
BOUNDS = np.linspace(1, 12, 111)
CURVES = {0.1: "#000000", 1.0: "#0072b2", 4.0: "#d55e00", 8.0: "#009e73", 16.0: "#cc79a7"}
"""Colours of Okabe and Ito, which the colour-blind tell apart; each curve is labelled as well."""
FEW_STATES = [(b, e, 1, 4.0) for b in (1, 4, 8, 12) for e in (0.1, 1.0, 4.0, 16.0)]
MANY_STATES = [(b, e, 64, 256.0) for b in (1, 12) for e in (0.1, 16.0)]
"""B, ε, S and C of the rows of the table."""


def local_exponent(reward_bound: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """The exponent x of e^(xB) that e^B + κ·e^(2B) has locally, from 1 to 2."""
    ratio = np.exp(reward_bound) / (4 * np.sinh(epsilon / 2) ** 2)
    return 1 + ratio / (1 + ratio)


def two_term(reward_bound: float, epsilon: float) -> float:
    """e^B + e^(2B)·e^ε/(e^ε−1)², which 1/I at B exceeds by a factor between 1 and 16."""
    growth = math.exp(reward_bound)
    return growth + privacy_excess(epsilon) * growth**2


def crossover(epsilon: float) -> float:
    """The B at which the two terms are equal: 2·log(2·sinh(ε/2)), near ε from ε = 2 on.

    Below ε = 0.96 it is negative: then e^(2B) leads at every B.
    """
    return -math.log(privacy_excess(epsilon))


def draw_crossover() -> Figure:
    """Left: the local exponent over ε and B.  Right: the factor, its two terms, and the printed."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    shades = left.pcolormesh(
        EPSILONS, BOUNDS, local_exponent(BOUNDS[:, None], EPSILONS[None, :]),
        cmap="cividis", vmin=1, vmax=2, rasterized=True,
    )  # fmt: skip
    line = [(e, crossover(e)) for e in EPSILONS if 1 <= crossover(e) <= 12]
    left.plot(*zip(*line, strict=True), color="white", lw=2)
    left.text(2.0, 3.4, "B = 2 log(2 sinh(ε/2))", color="black", fontsize=9, ha="right")
    left.text(0.5, 9, "e$^{2B}$", color="black", fontsize=13, ha="center")
    left.text(10.5, 2, "e$^{B}$", color="white", fontsize=13, ha="center")
    left.set(xscale="log", xlabel="privacy budget ε", ylabel="reward bound B [reward]")
    left.set_title("Local exponent x of the factor e$^{xB}$", fontsize=10)
    figure.colorbar(shades, ax=left, label="exponent x")
    for epsilon, colour in CURVES.items():
        _draw_curve(right, epsilon, colour)
    right.set(
        yscale="log",
        xlim=(0.8, 13.4),
        xlabel="reward bound B [reward]",
        ylabel="factor of β·D²·L/n [reward²]",
    )
    right.set_title("solid: W    dashed: e$^B$ + κe$^{2B}$    dotted: printed e$^B$/(2α−1)²",
                    fontsize=10)  # fmt: skip
    return figure


def _draw_curve(axis, epsilon: float, colour: str) -> None:
    for factor, style in ((inverse_information, "-"), (two_term, "--"), (printed_factor, ":")):
        axis.plot(BOUNDS, [factor(b, epsilon) for b in BOUNDS], style, color=colour, lw=1.5)
    end = inverse_information(12.0, epsilon)
    axis.annotate(f"ε = {epsilon:g}", (12, end), (3, 0), textcoords="offset points",
                  color=colour, fontsize=8, va="center", annotation_clip=False)  # fmt: skip


def hardest_cell(
    reward_bound: float, epsilon: float, num_states: int, coverage: float
) -> tuple[Cell, float]:
    """A hypercube whose difference b lies just below B, and b.

    b = B − a, a = min{1/10, 1/(2β)}; β follows from b = log(C−1)/β.
    """
    odds = math.log(coverage - 1)
    base = max(reward_bound - LARGEST_TILT, reward_bound / (1 + 0.5 / odds))
    return hypercube_cell(num_states, coverage, base / odds, epsilon), base


def table() -> Iterator[str]:
    """Rows: B, ε, S, C; n₀; W over the two-term and over the printed factor; n·bounds; ratio."""
    for reward_bound, epsilon, states, coverage in FEW_STATES + MANY_STATES:
        cell, base = hardest_cell(reward_bound, epsilon, states, coverage)
        large = cell.large(base)
        exact = inverse_information(reward_bound, epsilon)
        # β out, so that the numbers are those of n·gap/(β·S·C)
        unit = large * cell.kl_weight / (states * coverage)
        upper = cell.upper(reward_bound, large) * unit
        lower = cell.lower_at_large_n(base, large) * unit
        fields = (
            exact / two_term(reward_bound, epsilon), exact / printed_factor(reward_bound, epsilon),
            upper, lower, upper / lower,
        )  # fmt: skip
        numbers = " | ".join(_short(x) for x in fields)
        yield (
            f"| {reward_bound} | {epsilon:g} | {states} | {coverage:g} | {large:.1e} | {numbers} |"
        )


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:.1e}"


def main() -> None:
    """Write the figure, print the table."""
    write_whole(DRAWING, figure_bytes(draw_crossover(), "svg"))
    print(f"{DRAWING}\n" + "\n".join(table()))


if __name__ == "__main__":
    main()
