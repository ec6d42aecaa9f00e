"""Every statement of the catalogue beside the runs that speak for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repro.catalogue import machine_checked
from repro.catalogue.answers import Answers, answers
from repro.catalogue.coverage import (
    EXECUTED,
    SUBSTITUTE,
    StatementCoverage,
    completed,
    rows,
    status_of,
)
from repro.catalogue.entries import EXTRA_KINDS, KINDS, kind, number, paper
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import Catalogue, Item
from repro.catalogue.plain_math import in_unicode
from repro.catalogue.standing import WITHOUT, Standing, standing
from repro.catalogue.summaries import summaries
from repro.report.html.entries import Entry, deciding, entry
from repro.report.html.runs import StoredRun
from repro.report.wording import verdict_words


@dataclass(frozen=True)
class Known:
    """What the catalogue says of a statement, whatever was run here."""

    standing: Standing
    answers: Answers


@dataclass(frozen=True)
class Link:
    """An experiment, and the section of its run where there is one."""

    slug: str
    run: str


@dataclass(frozen=True)
class StatementLine:
    """One line of the table.

    Attributes:
        verdict: of the runs on this page, or what the catalogue says.
        words: the verdict as it reads.
        here: the verdict is that of runs on this page.
        known: what the catalogue says of it.
        check: the deciding check, None without one.
        controls: controls of that check, ``caught`` of which were caught.
        note: what to read where nothing was measured, or on a substitute alone.
        proofs: machine-checked theorems, each with whether it was checked on this machine.
    """

    id: str
    kind: str
    label: str
    title: str
    verdict: str
    words: str
    here: bool
    known: Known
    check: Entry | None
    controls: int
    caught: int
    note: str
    experiments: tuple[Link, ...]
    proofs: tuple[tuple[Checked, str], ...]


@dataclass(frozen=True)
class PaperLines:
    """A paper and the lines of its statements."""

    id: str
    label: str
    title: str
    statements: tuple[StatementLine, ...]


def statement(row: StatementCoverage, known: Known, runs: dict[str, StoredRun]) -> StatementLine:
    """The line of one statement; ``runs`` by section."""
    name, item = row.id, row.item
    links = tuple(Link(slug, slug if slug in runs else "") for slug in item.experiments)
    speaking = [
        (runs[link.run], check)
        for link in links
        if link.run and not runs[link.run].part
        for check in runs[link.run].verdict.speaking(name)
        if name in runs[link.run].verdict.statements
    ]
    label = f"{kind(name)} {number(name)}".strip()
    proofs = tuple(
        (check_or_proof, machine_checked.here(check_or_proof.file))
        for check_or_proof in row.machine_checked
    )
    base = {
        "id": name, "kind": kind(name), "label": label, "title": item.title, "proofs": proofs,
        "known": known, "experiments": links,
    }  # fmt: skip
    stands = known.standing
    of_catalogue = {"verdict": stands.verdict, "words": stands.verdict_words, "here": False}
    if not speaking:
        note = _why_without_checks(item, stands, links, runs)
        return StatementLine(**base, **of_catalogue, check=None, controls=0, caught=0, note=note)
    check = deciding([check_or_proof for _, check_or_proof in speaking])
    run = next(run for run, check_or_proof in speaking if check_or_proof is check)
    controls = run.verdict.controls_of(check)
    shown = {
        "check": entry(check, check),
        "controls": len(controls),
        "caught": sum(control.caught for control in controls),
    }
    stale = "; ".join(dict.fromkeys(run.stale_words for run, _ in speaking if run.stale))
    if check.substitute:
        verdict = status_of(item) or SUBSTITUTE
        of_catalogue |= {"verdict": verdict, "words": WITHOUT[verdict]}
    if check.substitute or (check.verdict == "supported" and stands.verdict == EXECUTED):
        notes = (item.shown, stale)
        return StatementLine(**base, **of_catalogue, **shown, note=_together(notes))
    verdict = verdict_words(check.verdict)
    if check.verdict != "contradicted" and _contradicted_elsewhere(row, runs):
        notes = (f"{verdict} here; by other evidence, {stands.sentence}", stale)
        return StatementLine(**base, **of_catalogue, **shown, note=_together(notes))
    own_words = in_unicode(item.stands or "")
    words = stands.verdict_words if check.verdict == stands.verdict else verdict
    here = {"verdict": check.verdict, "words": words, "here": True}
    return StatementLine(**base, **shown, **here, note=_together((own_words, stale)))


def _together(notes: Iterable[str]) -> str:
    """Those that say something, in one line.

    >>> _together(["the rate holds.", "", "measured before its code changed"])
    'the rate holds; measured before its code changed'
    """
    return "; ".join(note.removesuffix(".") for note in notes if note)


def _contradicted_elsewhere(row: StatementCoverage, runs: dict[str, StoredRun]) -> bool:
    """Whether Coq, or the record of an experiment not run here in full, contradicts."""
    whole = {name for name, run in runs.items() if not run.part}
    recorded = [check.expected for slug, check in row.speaking if slug not in whole]
    return "contradicted" in (*recorded, *(proof.shows for proof in row.machine_checked))


def _why_without_checks(
    item: Item, stands: Standing, links: tuple[Link, ...], runs: dict[str, StoredRun]
) -> str:
    """Return the sentence of a statement that no check of these runs speaks for."""
    if item.not_reproduced and not item.experiments:
        return f"{item.not_reproduced}."
    there = [runs[link.run] for link in links if link.run]
    executed = any(not run.part for run in there) and stands.verdict == EXECUTED
    if item.reason or not links or executed:
        return f"{stands.sentence}."
    said = f"Only {there[0].part} run here" if there and there[0].part else "Not run here"
    return f"{stands.sentence}. {said}: python -m repro theorem={(there or links)[0].slug}"


def statement_lines(catalogue: Catalogue, runs: dict[str, StoredRun]) -> list[StatementLine]:
    """The lines of all statements, in the order of the catalogue; ``runs`` by section."""
    existing = summaries(runs.values())
    whole = completed(catalogue, existing)
    return [
        statement(row, Known(standing(row, whole), answers(row, whole)), runs)
        for row in rows(whole, existing)
        if row.id in catalogue.items
    ]


def by_paper(catalogue: Catalogue, runs: dict[str, StoredRun]) -> list[PaperLines]:
    """Papers in the order of the catalogue, each with its statements."""
    lines = statement_lines(catalogue, runs)
    names = dict.fromkeys(paper(name_of_paper.id) for name_of_paper in lines)
    return [
        PaperLines(
            id=name,
            label=name.upper() if name in catalogue.papers else "Own results",
            title=catalogue.paper_said(name, ""),
            statements=tuple(
                name_of_paper for name_of_paper in lines if paper(name_of_paper.id) == name
            ),
        )
        for name in names
    ]


KINDS_IN_ORDER = (*KINDS.values(), *EXTRA_KINDS.values(), "own result")
