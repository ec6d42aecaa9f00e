"""Every figure on one page, with its verdict and the command that draws it again."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from repro.report.html.docstrings import experiment_text
from repro.report.html.page import pages, source, verdict_class
from repro.report.html.pictures import picture
from repro.report.html.runs import StoredRun

TITLE = "Theorems of private and robust RLHF: all figures"


def gallery_html(runs: Sequence[StoredRun], title: str = TITLE) -> str:
    """One self-contained HTML page; all text from files is escaped.

    Args:
        runs: finished runs.
        title: of the page.
    """
    jinja = pages()
    shown = [
        {
            "key": run.key,
            "title": experiment_text(run.slug)[0],
            "verdict": verdict_class(run),
            "said": run.said,
            "command": run.command,
            "budget": run.verdict.budget,
            "picture": picture(run.folder / "figure.png"),
        }
        for run in runs
    ]
    style = Markup(source(jinja, "report.css"))
    return jinja.get_template("gallery.html.j2").render(title=title, runs=shown, style=style)
