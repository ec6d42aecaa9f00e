"""What is shown of finished runs: the terminal, figures, MLflow, and one HTML page over them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repro.report.writing import WrittenReport


def write(
    runs: str | Path = "outputs",
    output: str | Path | None = None,
    *,
    paper: str | None = None,
    gallery: bool = False,
) -> WrittenReport:
    """Write one HTML page over finished runs, as ``python -m repro report`` does.

    Args:
        runs: a folder with finished runs.
        output: the page; by default ``report.html`` in that folder, ``report_p1.html`` for a paper
            and ``gallery.html`` for figures alone.
        paper: such as p1, for the statements, findings and runs of one paper alone.
        gallery: every figure, and no more.

    Raises:
        repro.base.errors.BadInput: there is no run, or a file in it is no run's.
        OSError: the page cannot be written.

    >>> write("outputs", "report.html").disagreements  # doctest: +SKIP
    ()
    """
    from repro.report.writing import material, written

    shown = material(Path(runs), paper)
    return written(shown, gallery, None if output is None else Path(output))
