"""What speaks for one paper: for a page that its authors can be sent."""

from __future__ import annotations

from collections.abc import Sequence

from repro.catalogue.entries import OWN, paper
from repro.catalogue.papers import Catalogue
from repro.core.results import Finding
from repro.report.html.runs import StoredRun


def catalogue_of(catalogue: Catalogue, name: str, runs: Sequence[StoredRun]) -> Catalogue:
    """Its statements, and results that it does not print and its runs speak for."""
    own = {key for run in runs for key in run.verdict.statements if paper(key) == OWN}
    items = {key: item for key, item in catalogue.items.items() if paper(key) == name or key in own}
    loose = {key: slip for key, slip in catalogue.loose.items() if paper(key) == name}
    return catalogue.model_copy(update={"items": items, "loose": loose})


def title(catalogue: Catalogue, name: str) -> str:
    """Of its page."""
    return f"{name.upper()}: {catalogue.paper_said(name)}: verdicts"


def runs_of(runs: Sequence[StoredRun], name: str) -> list[StoredRun]:
    """Runs that speak for at least one of its statements."""
    return [run for run in runs if name in map(paper, run.verdict.statements)]


def ablations_of(all_findings: Sequence[Finding], runs: Sequence[StoredRun]) -> list[Finding]:
    """What was noticed by the checks of these runs."""
    slugs = {run.slug for run in runs}
    return [finding for finding in all_findings if finding.theorem in slugs]
