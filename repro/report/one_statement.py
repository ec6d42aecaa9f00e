"""One statement on one screen: verdict, why, counterexample, what holds, as printed, evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, indent
from types import MappingProxyType

from repro.catalogue import machine_checked
from repro.catalogue.answers import Answers, answers, experiments
from repro.catalogue.coverage import (
    EXECUTED,
    IN_PART,
    NOT_REPRODUCED,
    REASON,
    SUBSTITUTE,
    StatementCoverage,
)
from repro.catalogue.entries import kind, number, paper
from repro.catalogue.papers import Catalogue, Item, Slip
from repro.catalogue.standing import pages_of, standing
from repro.catalogue.summaries import CheckSummary
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun
from repro.report.plain_math import in_unicode
from repro.report.record import changed_words
from repro.report.run_files import CheckEntry
from repro.report.wording import plain_words, verdict_words, witness_words

WIDTH = 80
OWN_RESULT = "own result"
ALL_RUN = "the command above runs all"
NO_RUNS: Mapping[str, StoredRun] = MappingProxyType({})


def page(
    row: StatementCoverage, catalogue: Catalogue, runs: Mapping[str, StoredRun] = NO_RUNS
) -> str:
    """The verdict and one sentence, then the rest, in lines of at most 80 columns.

    Args:
        row: of the statement.
        catalogue: for the title of its paper, and what is suspected of it.
        runs: by experiment, whose numbers are shown.
    """
    found = answers(row, catalogue)
    parts = [
        f"{list_entry(standing(row, catalogue).line)}\n{_head(row, catalogue)}",
        *_answers(found, row),
        _printed(row, catalogue),
        *_evidence(row, runs),
        *_proofs(row),
        *(
            _slip("Also suspected", other, f"{other.suspected}. What holds: {other.corrected}")
            for other in found.others
        ),
        _pages(row.item),
    ]
    return "\n\n".join(part for part in parts if part)


def list_entry(line: str) -> str:
    """A line within 80 columns; what follows its first one is indented."""
    return fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _head(row: StatementCoverage, catalogue: Catalogue) -> str:
    label = f"{kind(row.id)} {number(row.id)}".strip()
    where = catalogue.paper_said(paper(row.id), OWN_RESULT)
    return "\n".join([fill(f"{row.id}, {label}: {row.item.title}", WIDTH), fill(where, WIDTH)])


def _answers(parts: Answers, row: StatementCoverage) -> Iterator[str]:
    if parts.why:
        heading = "Why there is no experiment" if row.status == REASON else "Why"
        yield f"{heading}\n{_wrapped(parts.why)}"
    if row.item.shown:
        yield f"{plain_words(row.status).capitalize()}\n" + _wrapped(row.item.shown)
    if parts.counterexample or parts.command:
        text = f"{_wrapped(parts.counterexample)}\n" if parts.counterexample else ""
        heading = "Smallest counterexample" if text else "See it fail"
        yield f"{heading}\n{text}  {parts.command}"
    for hold in parts.holds:
        yield _slip("What holds instead", hold, hold.corrected)


def _slip(heading: str, slip: Slip, text: str) -> str:
    head = fill(f"{heading} ({slip.said}; {slip.place})", WIDTH)
    return f"{head}\n{_wrapped(text)}"


def _printed(row: StatementCoverage, catalogue: Catalogue) -> str:
    """As its paper prints it, where its text is known, and what letters mean in that paper."""
    item, printed = row.item, catalogue.papers.get(paper(row.id))
    if not item.text:
        return ""
    place = f" ({item.place})" if item.place else ""
    text = in_unicode(item.text)
    letters = printed.letters if printed else {}
    meanings = "; ".join(
        f"{name} is {meaning}" for name, meaning in letters.items() if name in text
    )
    said = f"\n{_wrapped(f'In this paper {meanings}.')}" if meanings else ""
    return f"As printed{place}\n{_wrapped(text)}{said}"


def _wrapped(text: str) -> str:
    """Indented; formulas and names are not broken."""
    return indent(fill(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False), "  ")


def _evidence(row: StatementCoverage, runs: Mapping[str, StoredRun]) -> Iterator[str]:
    """Each experiment with its verdict, its checks and the command that runs it."""
    for slug, checks in experiments(row):
        yield "\n".join(_experiment(slug, row, checks, runs.get(slug)))
    for slug in row.missing:
        yield f"{slug}: not run yet\n  python -m repro theorem={slug}"


def _experiment(
    slug: str, row: StatementCoverage, checks: Sequence[CheckSummary], run: StoredRun | None
) -> Iterator[str]:
    source = "of its run" if any(check.of_run for check in checks) else "recorded"
    yield f"{slug}: {_verdict(row.expected[slug], source)}"
    yield f"  python -m repro theorem={slug}"
    measured = set()
    if run is not None:
        if run.stale:
            yield _wrapped(f"run: {run.stale}; the command above runs it again")
        measured = {check.name for check in run.verdict.speaking(row.id)}
        yield from _measured(run, row.id)
    for check in (one for one in checks if one.name not in measured):
        holds = f" What holds: {check.corrected}." if check.corrected else ""
        why = f" Why: {check.why}." if check.why else ""
        words = verdict_words(check.expected)
        yield _wrapped(f"{words} ({check.evidence}): {check.name}: {check.claim}.{why}{holds}")


def _verdict(verdict: str, source: str) -> str:
    if verdict in (SUBSTITUTE, NOT_REPRODUCED):
        return f"{plain_words(verdict)}; its checks are of another model or other data"
    if verdict == IN_PART:
        return verdict
    shown = "executed, no verdict" if verdict == EXECUTED else verdict_words(verdict)
    return f"{shown} ({source})"


def _measured(run: StoredRun, name: str) -> Iterator[str]:
    """What the last run of an experiment measured, what contradicts first."""
    given = changed_words({name: value for name, value in run.overrides.items() if name != "only"})
    others = f", run with {' '.join(given)}" if given else ""
    yield _wrapped(f"numbers: of {run.folder}, budget {run.verdict.budget}{others}")
    if run.part:
        yield _wrapped(f"run: {run.part}; a check without numbers stands as recorded; {ALL_RUN}")
    for check in sorted(run.verdict.speaking(name), key=_not_contradicted):
        row = entry(check, check)
        basis = f"claimed {row.claimed}; {check.evidence} {row.measured}"
        yield _line(row.name, row.claim, f"{basis}; {verdict_words(row.verdict)}; {row.basis}")
        if check.witness:
            yield indent(_wrapped(f"fails {witness_words(check, check.witness)}"), "  ")
        if check.corrected:
            yield indent(_wrapped(f"what holds: {check.corrected}"), "  ")


def _not_contradicted(check: CheckEntry) -> bool:
    return check.verdict != "contradicted"


def _line(name: str, claim: str, basis: str) -> str:
    return f"{_wrapped(f'{name}: {claim}')}\n" + indent(_wrapped(basis), "  ")


def _proofs(row: StatementCoverage) -> Iterator[str]:
    """The theorems that Coq checks, a line each, what contradicts first, and the command."""
    files = dict.fromkeys(proof.file for proof in row.machine_checked)
    for file in files:
        own = [proof for proof in row.machine_checked if proof.file == file]
        own.sort(key=lambda proof: proof.shows != "contradicted")
        lines = [_wrapped(f"{proof.theorem}: {proof.said}: {proof.says}") for proof in own]
        state = machine_checked.here(file)
        yield "\n".join([f"Proof by Coq ({state})", f"  {own[0].command}", *lines])


def _pages(item: Item) -> str:
    """Pages with the proof, the numbers or the corrected form."""
    lines = [f"  docs/{page}" for page in pages_of(item)]
    return "\n".join(["Details", *lines]) if lines else ""
