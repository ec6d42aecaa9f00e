"""One page over finished runs, written where it is asked for: ``repro.report.write``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from repro.base.errors import BadInput, among
from repro.base.files import write_whole
from repro.catalogue import coverage, papers
from repro.catalogue.papers import Catalogue
from repro.catalogue.summaries import of_runs
from repro.report.html import ablations, one_paper
from repro.report.html.findings import disagreements
from repro.report.html.gallery import gallery_html
from repro.report.html.page import TITLE, report_html
from repro.report.html.runs import StoredRun, find_runs


@dataclass(frozen=True)
class Material:
    """What a page is made of.

    Attributes:
        folder: where the runs are.
        runs: of each experiment the one to show.
        catalogue: the statements.
        paper: the one that all of it is about, or None.
    """

    folder: Path
    runs: list[StoredRun]
    catalogue: Catalogue
    paper: str | None

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Findings that disagree with the runs, a line each."""
        speaking = {run.key: run for run in self.runs if not run.gone}
        return tuple(disagreements(self.catalogue.slips, speaking))


def material(folder: Path, paper: str | None = None) -> Material:
    """Read the runs below a folder, and what is said of them.

    Raises:
        BadInput: no such paper; there is no run, or a file in it is no run's.
    """
    listed = papers.load()
    if paper not in (None, *listed.papers):
        raise BadInput("paper", paper, among(paper, listed.papers))
    runs = find_runs(folder)
    listed = coverage.completed(listed, of_runs(runs))
    if paper:
        runs = one_paper.runs_of(runs, paper)
        listed = one_paper.catalogue_of(listed, paper, runs)
    if not runs:
        raise BadInput("runs", str(folder), "allowed: a folder with finished runs; run some")
    return Material(folder, runs, listed, paper)


def report_page(content: Material) -> str:
    """The report, as one HTML page."""
    title, noticed = TITLE, ablations.read(content.folder)
    if content.paper:
        title = one_paper.title(content.catalogue, content.paper)
        noticed = one_paper.ablations_of(noticed, content.runs)
    return report_html(content.runs, content.catalogue, noticed, title)


@dataclass(frozen=True)
class WrittenReport:
    """A page that was written.

    Attributes:
        path: the file.
        experiments: what it shows, by name; text pairs have ``-preference_text`` behind it.
        disagreements: findings that disagree with the runs, a line each.
        changes: what was done to the files of a run since it ended, a line each.
    """

    path: Path
    experiments: tuple[str, ...]
    disagreements: tuple[str, ...]
    changes: tuple[str, ...]


def written(content: Material, gallery: bool, output: Path | None) -> WrittenReport:
    """Write the report, or the gallery of figures; ``output`` replaces its place in the folder."""
    name = "_".join(
        ["gallery" if gallery else "report", *([content.paper] if content.paper else [])]
    )
    path = output or content.folder / f"{name}.html"
    write_whole(path, gallery_html(content.runs) if gallery else report_page(content))
    return WrittenReport(
        path,
        tuple(run.key for run in content.runs),
        content.disagreements,
        tuple(_changes(content.runs)),
    )


def _changes(runs: Iterable[StoredRun]) -> Iterable[str]:
    return (f"{run.folder}: {change}" for run in runs for change in run.changes)
