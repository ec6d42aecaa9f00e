"""What speaks for one paper: for a page that its authors can be sent."""

from __future__ import annotations

from collections.abc import Sequence

from repro.catalogue.entries import paper
from repro.catalogue.papers import Catalogue
from repro.core.results import Finding
from repro.report.html.runs import StoredRun


def catalogue_of(catalogue: Catalogue, name: str) -> Catalogue:
    """Its statements alone."""
    parts = {
        part: {key: item for key, item in getattr(catalogue, part).items() if paper(key) == name}
        for part in ("items", "loose")
    }
    return catalogue.model_copy(update=parts)


def runs_of(runs: Sequence[StoredRun], name: str) -> list[StoredRun]:
    """Runs that speak for at least one of its statements."""
    return [run for run in runs if name in map(paper, run.verdict.statements)]


def ablations_of(all_findings: Sequence[Finding], runs: Sequence[StoredRun]) -> list[Finding]:
    """What was noticed by the checks of these runs."""
    slugs = {run.slug for run in runs}
    return [finding for finding in all_findings if finding.theorem in slugs]
