"""One picture of a ``ctl_ltc_separation`` run: ratios of floors against c(ε).

    python -m tools.separation_figure outputs/ctl_ltc_separation/HASH

reads measurements.parquet there and writes separation.png and separation.svg beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repro.base.errors import BadInput
from repro.base.files import write_together
from repro.report.figure import figure_bytes, own_defaults

CURVES = {
    "ratio": ("estimation, strong adversary", "C0", "o"),
    "ratio_huber": ("estimation, Huber", "C0", "s"),
    "ratio_rlhf": ("RLHF, strong adversary", "C1", "o"),
    "ratio_rlhf_huber": ("RLHF, Huber", "C1", "s"),
    "ratio_dpo": ("DPO, strong adversary", "C2", "o"),
    "ratio_dpo_huber": ("DPO, Huber", "C2", "s"),
}
"""Checks of the experiment, and how each is drawn."""

RANDOM = ("ratio", "random_flips")
"""The control that shows no separation."""


def mean_ratios(measurements: pandas.DataFrame, check: str, method: str | None) -> pandas.Series:
    """Mean over blocks by privacy cost, of the method under test unless one is named."""
    rows = measurements.query("check == @check")
    wanted = method or str(rows["method"].to_numpy()[0])  # noqa: F841 - named in the query
    table = rows.query("method == @wanted").pivot_table("mean", "value")
    return pandas.Series(table["mean"].to_numpy(), index=table.index)


def draw_separation(measurements: pandas.DataFrame) -> Figure:
    """Six measured ratios against the line ratio = c(ε), and the same over c(ε)."""
    figure = Figure(figsize=(10.4, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    for order, (check, (label, color, marker)) in enumerate(CURVES.items()):
        ratios = mean_ratios(measurements, check, None)
        cost, ratio = ratios.index.to_numpy(), ratios.to_numpy()
        look = {"color": color, "mfc": "none", "ms": 5 + 2 * order, "label": label}
        left.plot(cost, ratio, marker, **look)
        right.plot(cost, ratio / cost, f"{marker}-", **(look | {"ms": 5, "lw": 1}))
    flips = mean_ratios(measurements, *RANDOM)
    left.plot(flips.index, flips, "x", color=".5", label="estimation, random flips (control)")
    ends = np.array([flips.index.min(), flips.index.max()])
    left.plot(ends, ends, color=".2", lw=1, zorder=0, label="c(ε)")
    left.set(yscale="log", ylabel="floor LTC / floor CTL")
    right.axhline(1, color=".2", lw=1, zorder=0)
    right.set(ylim=(0.8, 1.2), ylabel="floor LTC / floor CTL / c(ε)")
    for ax in (left, right):
        ax.set(xscale="log", xlabel="privacy cost c(ε)")
    left.legend(frameon=False, fontsize=8)
    figure.suptitle("Corruption behind the randomizer costs c(ε) more than in front of it")
    return figure


def read_measurements(source: Path) -> pandas.DataFrame:
    """The measurements of such a run.

    Raises:
        BadInput: the file cannot be read, or is another run's.
    """
    if not source.is_file():
        raise BadInput("folder", source, "allowed: the folder of a ctl_ltc_separation run")
    try:
        found = pandas.read_parquet(source, columns=["check", "method", "value", "mean"])
        missing = [check for check in CURVES if check not in set(found["check"])]
        found = found.astype({"value": float, "mean": float})
    except Exception:  # noqa: BLE001 - a damaged table fails in many ways
        raise BadInput("folder", source, "holds no table of measurements") from None
    missing += [RANDOM[1]] if RANDOM[1] not in set(found["method"]) else []
    if missing:
        raise BadInput("folder", source, f"has no check {missing[0]}: not such a run")
    return found


def main(arguments: list[str]) -> int:
    """Draw the picture of one run's folder."""
    folder = Path(arguments[0]) if arguments else Path("(missing)")
    source = folder / "measurements.parquet"
    try:
        with own_defaults():
            figure = draw_separation(read_measurements(source))
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    kinds = ("png", "svg")
    write_together({folder / f"separation.{kind}": figure_bytes(figure, kind) for kind in kinds})
    for kind in kinds:
        print(folder / f"separation.{kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
