"""What speaks for one paper: for a page that its authors can be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repro.catalogue.entries import Catalogue, paper
from repro.catalogue.slips import Slip
from repro.core.results import Finding
from repro.report.html.runs import StoredRun


def catalogue_of(catalogue: Catalogue, name: str) -> Catalogue:
    """Its statements alone."""
    items = {key: item for key, item in catalogue.items.items() if paper(key) == name}
    return catalogue.model_copy(update={"items": items})


def runs_of(runs: Sequence[StoredRun], name: str) -> list[StoredRun]:
    """Runs that speak for at least one of its statements."""
    return [run for run in runs if name in map(paper, run.verdict.statements)]


def slips_of(slips: Mapping[str, Slip], name: str) -> dict[str, Slip]:
    """What was suspected of it."""
    return {key: slip for key, slip in slips.items() if paper(key) == name}


def ablations_of(found: Sequence[Finding], runs: Sequence[StoredRun]) -> list[Finding]:
    """What was noticed by the rows of these runs."""
    slugs = {run.slug for run in runs}
    return [one for one in found if one.theorem in slugs]
