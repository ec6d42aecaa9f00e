"""One statement on one screen: where it stands, as printed, what was measured, what holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill, indent
from types import MappingProxyType

from repro.catalogue import machine_checked
from repro.catalogue.coverage import (
    EXECUTED,
    NOT_REPRODUCED,
    SUBSTITUTE,
    StatementCoverage,
)
from repro.catalogue.entries import kind, number, paper
from repro.catalogue.papers import SLIP_GRADES, Catalogue, Item
from repro.catalogue.standing import pages_of, standing
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun
from repro.report.plain_math import in_unicode
from repro.report.witness_words import witness_words
from repro.report.wording import plain_words, verdict_words

WIDTH = 80
OWN_RESULT = "own result"
NO_RUNS: Mapping[str, StoredRun] = MappingProxyType({})


def page(
    row: StatementCoverage, catalogue: Catalogue, runs: Mapping[str, StoredRun] = NO_RUNS
) -> str:
    """The verdict and one sentence on one line; below it lines of at most 80 columns.

    Args:
        row: of the statement.
        catalogue: for the title of its paper.
        runs: by experiment, whose numbers are shown.
    """
    parts = [
        f"{standing(row, catalogue).line}\n{_head(row, catalogue)}",
        _printed(row.item),
        *_experiments(row, runs),
        *_proofs(row),
        *_corrections(row, catalogue),
        _pages(row.item),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(row: StatementCoverage, catalogue: Catalogue) -> str:
    label = f"{kind(row.id)} {number(row.id)}".strip()
    where = catalogue.paper_said(paper(row.id), OWN_RESULT)
    return "\n".join([fill(f"{row.id}, {label}: {row.item.title}", WIDTH), fill(where, WIDTH)])


def _printed(item: Item) -> str:
    """As its paper prints it, where its text is at hand."""
    if not item.text:
        return ""
    place = f" ({item.place})" if item.place else ""
    return f"As printed{place}\n" + _wrapped(in_unicode(item.text))


def _wrapped(text: str) -> str:
    """Indented; formulas and names are not broken."""
    return indent(fill(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False), "  ")


def _experiments(row: StatementCoverage, runs: Mapping[str, StoredRun]) -> Iterator[str]:
    """Each experiment with its pinned verdict, its checks and the command that runs it."""
    if row.item.reason:
        yield "No experiment\n" + _wrapped(row.item.reason)
    if row.item.shown:
        yield f"{plain_words(row.status).capitalize()}\n" + _wrapped(row.item.shown)
    for slug in row.expected:
        yield "\n".join(_experiment(slug, row, runs))
    for slug in row.missing:
        yield f"{slug}: not run yet\n  python -m repro theorem={slug}"


def _experiment(slug: str, row: StatementCoverage, runs: Mapping[str, StoredRun]) -> Iterator[str]:
    of_run = any(check.of_run for experiment, check in row.speaking if experiment == slug)
    yield f"{slug}: {_verdict(row.expected[slug], 'of its run' if of_run else 'pinned')}"
    yield f"  python -m repro theorem={slug}"
    if slug in runs:
        yield from _measured(runs[slug], row.id)
        return
    for experiment, check in row.speaking:
        if experiment == slug:
            basis = f"pinned verdict: {check.expected} ({check.evidence})"
            holds = f"; what holds: {check.corrected}" if check.corrected else ""
            yield _line(check.name, check.claim, basis + holds)


def _verdict(verdict: str, source: str) -> str:
    if verdict in (SUBSTITUTE, NOT_REPRODUCED):
        return f"{plain_words(verdict)}; what its rows say is of another model or other data"
    shown = "executed, claims nothing" if verdict == EXECUTED else verdict_words(verdict)
    return f"{shown} ({source})"


def _measured(run: StoredRun, name: str) -> Iterator[str]:
    """What the last run of an experiment measured."""
    if run.part:
        yield _wrapped(f"run: {run.part}, which settle nothing; the command above runs all")
    for check in run.verdict.speaking(name):
        row = entry(check, check)
        told = f"claimed {row.claimed}; {check.evidence} {row.measured}"
        yield _line(row.name, row.claim, f"{told}; {verdict_words(row.verdict)}; {row.basis}")
        if check.witness:
            yield indent(_wrapped(f"fails {witness_words(check, check.witness)}"), "  ")
        if check.corrected:
            yield indent(_wrapped(f"what holds: {check.corrected}"), "  ")


def _line(name: str, claim: str, told: str) -> str:
    return f"{_wrapped(f'{name}: {claim}')}\n" + indent(_wrapped(told), "  ")


def _proofs(row: StatementCoverage) -> Iterator[str]:
    """Each theorem that Coq checks, whether it was checked on this machine, and the command."""
    for one in row.machine_checked:
        state = machine_checked.here(one.file)
        head = fill(f"{one.theorem}: {one.said} (machine_checked; {state})", WIDTH)
        yield f"{head}\n  {one.command}\n{_wrapped(one.says)}"


def _corrections(row: StatementCoverage, catalogue: Catalogue) -> Iterator[str]:
    """What is known to be wrong with it, and the form that holds."""
    checks = {f"{slug}: {one.name}" for slug, one in row.speaking}
    for slip in sorted(catalogue.slips.values(), key=lambda one: SLIP_GRADES.index(one.grade)):
        if not checks.isdisjoint(slip.evidence):
            head = fill(f"What holds ({slip.said}; {slip.place})", WIDTH)
            yield f"{head}\n{_wrapped(slip.corrected)}"


def _pages(item: Item) -> str:
    """Where the proof, the numbers or the corrected form is told at length."""
    found = [f"  docs/{page}" for page in pages_of(item)]
    return "\n".join(["At length", *found]) if found else ""
