"""One statement on one screen: where it stands, as printed, what was measured, what holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill, indent

from repro.catalogue import machine_checked, slips, statements
from repro.catalogue.coverage import (
    EXECUTED,
    NOT_REPRODUCED,
    SUBSTITUTE,
    StatementCoverage,
)
from repro.catalogue.entries import Catalogue, kind, number, paper
from repro.catalogue.slips import Slip
from repro.catalogue.standing import pages_of, standing
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun, find_runs
from repro.report.plain_math import in_unicode
from repro.report.witness_words import witness_words
from repro.report.wording import plain_words, verdict_words
from repro.study.discovery import find

WIDTH = 80
OWN_RESULT = "own result"


def page(row: StatementCoverage, catalogue: Catalogue, runs: Path) -> str:
    """The verdict and one sentence on one line; below it lines of at most 80 columns.

    Args:
        row: of the statement.
        catalogue: for the title of its paper.
        runs: folder of finished runs, whose numbers are shown; may be missing.
    """
    parts = [
        f"{standing(row).line}\n{_head(row, catalogue)}",
        _printed(row.id),
        *_experiments(row, runs),
        *_proofs(row),
        *_corrections(row),
        _pages(row.id),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(row: StatementCoverage, catalogue: Catalogue) -> str:
    label = f"{kind(row.id)} {number(row.id)}".strip()
    where = catalogue.paper_said(paper(row.id), OWN_RESULT)
    return "\n".join([fill(f"{row.id}, {label}: {row.item.title}", WIDTH), fill(where, WIDTH)])


def _printed(name: str) -> str:
    """As its paper prints it; statements of a user's own have no text here."""
    one = statements.load().get(name)
    if one is None:
        return ""
    return f"As printed ({one.place})\n" + _wrapped(in_unicode(one.text))


def _wrapped(text: str) -> str:
    """Indented; formulas and names are not broken."""
    return indent(fill(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False), "  ")


def _experiments(row: StatementCoverage, folder: Path) -> Iterator[str]:
    """Each experiment with its pinned verdict, its checks and the command that runs it."""
    if row.item.reason:
        yield "No experiment\n" + _wrapped(row.item.reason)
    if row.item.shown:
        yield f"{plain_words(row.status).capitalize()}\n" + _wrapped(row.item.shown)
    kept = {run.slug: run for run in find_runs(folder)} if folder.is_dir() else {}
    for slug, verdict in row.expected.items():
        yield "\n".join(_experiment(slug, verdict, row.id, kept))


def _experiment(slug: str, verdict: str, name: str, kept: Mapping[str, StoredRun]) -> Iterator[str]:
    yield f"{slug}: {_pinned(verdict)}"
    yield f"  python -m repro theorem={slug}"
    if slug in kept:
        yield from _measured(kept[slug], name)
        return
    theorem = find(slug)
    for one in theorem.checks if verdict != EXECUTED else ():
        if name in theorem.statements_of(one):
            claim = one.claim.said(one.axis)
            told = f"pinned verdict: {one.expected} ({one.quantity.evidence})"
            if holds := theorem.corrected.get(one.name):
                told += f"; what holds: {holds}"
            yield _line(one.name, claim, told)


def _pinned(verdict: str) -> str:
    if verdict in (SUBSTITUTE, NOT_REPRODUCED):
        return f"{plain_words(verdict)}; what its rows say is of another model or other data"
    shown = "executed, claims nothing" if verdict == EXECUTED else verdict_words(verdict)
    return f"{shown} (pinned)"


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


def _corrections(row: StatementCoverage) -> Iterator[str]:
    """What is known to be wrong with it, and the form that holds."""
    for slip in slips.load().values():
        if _concerns(slip, row):
            head = fill(f"What holds ({slip.said}; {slip.place})", WIDTH)
            yield f"{head}\n{_wrapped(slip.corrected)}"


def _pages(name: str) -> str:
    """Where the proof, the numbers or the corrected form is told at length."""
    found = [f"  docs/{page}" for page in pages_of(name)]
    return "\n".join(["At length", *found]) if found else ""


def _concerns(slip: Slip, row: StatementCoverage) -> bool:
    """Whether a check that speaks for the statement is evidence of the slip."""
    checks = {
        f"{slug}: {one.name}"
        for slug in row.expected
        for one in find(slug).checks
        if row.id in find(slug).statements_of(one)
    }
    return not checks.isdisjoint(slip.evidence)
