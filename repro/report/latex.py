"""Runs as booktabs tables and column-wide PDF figures for a paper."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from repro.base.errors import one_line
from repro.base.files import write_whole
from repro.report.figure import own_defaults
from repro.report.html.bars import allowed_range
from repro.report.html.entries import Entry, entries
from repro.report.html.runs import StoredRun
from repro.report.run_files import Numbers, finite

COLUMN_WIDTH = 3.35
"""Inches, a column of a two-column page."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "≤": r"$\le$", "≥": r"$\ge$", "±": r"$\pm$", "−": r"$-$", "ε": r"$\varepsilon$",
    "δ": r"$\delta$", "∞": r"$\infty$", "✓": r"$\checkmark$", "✗": r"$\times$",
}  # fmt: skip


def escaped(text: str) -> str:
    """Text for LaTeX; what no table of ours contains becomes a question mark.

    >>> escaped("slope_1 ≤ 50 %")
    'slope\\\\_1 $\\\\le$ 50 \\\\%'
    """
    plain = (_SPECIAL.get(symbol, symbol) for symbol in text)
    return "".join(symbol if symbol.isascii() else "?" for symbol in plain)


def write_latex(runs: list[StoredRun], folder: Path) -> int:
    """One ``.tex`` and one ``.pdf`` a run; returns how many files were written.

    Raises:
        OSError: the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        write_whole(folder / f"{run.key}.tex", table(run))
        _figure(run, folder / f"{run.key}.pdf")
    return 2 * len(runs)


def table(run: StoredRun) -> str:
    """Every check with what is claimed, measured and found, controls indented below."""
    lines = [
        one_line(
            f"% {run.command}; {run.part or 'all checks'}; config "
            f"{run.verdict.config_hash}; needs booktabs, amssymb"
        ),
        r"\begin{tabular}{@{}llll@{}}",
        r"\toprule",
        r"check & claimed & measured (95\,\% interval) & verdict \\",
        r"\midrule",
        *(_line(entry) for entry in entries(run, {})),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _line(entry_shown: Entry) -> str:
    name = escaped(entry_shown.name)
    cells = (
        rf"\quad \textit{{{name}}}" if entry_shown.control else rf"\texttt{{{name}}}",
        escaped(entry_shown.claimed),
        escaped(entry_shown.measured),
        escaped(
            entry_shown.verdict_words
            if entry_shown.control
            else entry_shown.verdict.replace("_", " ")
        ),
    )
    return " & ".join(cells) + r" \\"


@own_defaults()
def _figure(run: StoredRun, path: Path) -> None:
    """Interval and value of every check, in units of its allowed range, which is shaded."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    from repro.report.style import ALLOWED_LOOK, MEASURED, VERDICTS

    checks = [
        (check, scaled) for check in run.verdict.checks if (scaled := _scaled(check)) is not None
    ]
    figure = Figure(figsize=(COLUMN_WIDTH, 0.5 + 0.2 * max(len(checks), 1)), layout="constrained")
    FigureCanvasPdf(figure)
    axes = figure.add_subplot()
    axes.axvspan(-1, 1, **ALLOWED_LOOK)
    for row, (check, (value, low, high)) in enumerate(checks):
        axes.plot([low, high], [row, row], color=MEASURED, lw=1.5)
        axes.plot([value], [row], "o", ms=3.5, color=VERDICTS.get(check.verdict, MEASURED))
    axes.set_yticks(range(len(checks)), [check.name for check, _ in checks], fontsize=6)
    axes.set_ylim(len(checks) - 0.4, -0.6)
    axes.set_xlim(-4.2, 4.2)
    axes.set_xlabel("distance from the claim, in margins (clipped at ±4)", fontsize=6)
    axes.tick_params(labelsize=6)
    content = BytesIO()
    figure.savefig(content, format="pdf", metadata={"CreationDate": None})
    write_whole(path, content.getvalue())


def _scaled(check: Numbers) -> tuple[float, float, float] | None:
    """Value and interval ends in margins from the middle of the allowed range, within ±4.

    A one-sided claim has its bound at the edge of the shade.
    """
    value, allowed = check.headline, allowed_range(check)
    if value is None or allowed is None:
        return None
    low, high = check.ci95 or (value, value)
    least, most = (finite(end) for end in allowed)
    margin = check.tolerance or abs(check.claimed or 1.0)
    if least is None or most is None:
        edge, sign = (most, 1.0) if least is None else (least, -1.0)
        assert edge is not None
        scaled = [sign + (x - edge) / margin for x in (value, low, high)]
    else:
        half = (most - least) / 2 or margin
        scaled = [(x - (least + most) / 2) / half for x in (value, low, high)]
    first, second, third = (min(max(x, -4.0), 4.0) for x in scaled)
    return first, second, third
