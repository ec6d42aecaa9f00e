"""One statement on one screen: verdict, why, counterexample, what holds, as printed, evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, indent, shorten
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
from repro.catalogue.plain_math import in_unicode
from repro.catalogue.ranges import ranges
from repro.catalogue.standing import SYMBOLS, pages_of, standing
from repro.catalogue.summaries import CheckSummary
from repro.catalogue.to_do import left_to_do
from repro.core.verdicts import worst
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun
from repro.report.record import changed_words
from repro.report.run_files import CheckEntry
from repro.report.wording import (
    NOTHING_COUNTS,
    corrected_heading,
    failed_assumptions,
    place_words,
    plain_words,
    verdict_words,
    witness_words,
)

WIDTH = 80
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
        f"{list_entry(standing(row, catalogue).line)}\n{_head(row)}",
        *_answers(found, row),
        _printed(row, catalogue),
        *_evidence(row, runs),
        *_proofs(row),
        _also_suspected(found.others),
        _pages(row.item),
    ]
    return "\n\n".join(part for part in parts if part)


def list_entry(line: str) -> str:
    """A line within 80 columns; what follows its first one is indented."""
    return fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _head(row: StatementCoverage) -> str:
    label = f"{kind(row.id)} {number(row.id)}".strip()
    return fill(f"{row.id}, {label}: {row.item.title}", WIDTH)


def _answers(parts: Answers, row: StatementCoverage) -> Iterator[str]:
    if parts.why:
        heading = "Why there is no experiment" if row.status == REASON else "Why"
        place = f" ({parts.place})" if parts.place else ""
        yield fill(f"{heading}{place}", WIDTH) + f"\n{_wrapped(parts.why)}"
    if row.item.shown:
        yield f"{plain_words(row.status).capitalize()}\n" + _wrapped(row.item.shown)
    if parts.counterexample or parts.command:
        text = f"{_wrapped(parts.counterexample)}\n" if parts.counterexample else ""
        heading = "Smallest counterexample" if text else "See it fail"
        yield f"{heading}\n{text}  {parts.command}"
    if len(parts.holds) == 1:
        yield f"What holds instead\n{_wrapped(parts.holds[0].text)}"
    elif parts.holds:
        yield _listed("What holds instead", [f"{hold.of}: {hold.text}" for hold in parts.holds])


def _also_suspected(slips: Sequence[Slip]) -> str:
    lines = [
        f"{slip.place} ({slip.said}): {slip.suspected}. What holds: {slip.corrected}."
        for slip in slips
    ]
    return _listed("Also suspected", lines) if lines else ""


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([heading, *(_wrapped(f"- {line}", "  ") for line in lines)])


def _printed(row: StatementCoverage, catalogue: Catalogue) -> str:
    """As its paper prints it, what letters mean there, and the paper; or an own result's text."""
    item, printed = row.item, catalogue.papers.get(paper(row.id))
    if printed is None:
        return f"Statement\n{_wrapped(in_unicode(item.text))}" if item.text else ""
    if not item.text:
        return f"Paper\n{_wrapped(printed.said)}"
    place = f" ({item.place})" if item.place else ""
    text = in_unicode(item.text)
    meanings = "; ".join(
        f"{name} is {meaning}" for name, meaning in printed.letters.items() if name in text
    )
    said = [_wrapped(f"In this paper {meanings}.")] if meanings else []
    return "\n".join([f"As printed{place}", _wrapped(text), *said, _wrapped(printed.said)])


def _wrapped(text: str, hanging: str = "") -> str:
    """Indented; formulas and names are not broken."""
    lines = fill(
        text, WIDTH - 4, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return indent(lines, "  ")


def _evidence(row: StatementCoverage, runs: Mapping[str, StoredRun]) -> Iterator[str]:
    """Each experiment with the command that runs it and its checks, what contradicts first."""
    begun = set[str]()
    for slug, checks in experiments(row):
        run = runs.get(slug)
        lines = (
            [_other_checks(slug, checks)] if slug in begun else list(_experiment(slug, row, run))
        )
        begun.add(slug)
        measured = {check.name: check for check in run.verdict.speaking(row.id)} if run else {}
        holds = {check.name: form for check, form in run.verdict.contradicted()} if run else {}
        lines += _tested(slug, [one for one in checks if one.name not in measured])
        lines += [
            _measured(measured[one.name], holds.get(one.name))
            if one.name in measured
            else _recorded(one)
            for one in checks
        ]
        yield "\n".join(lines)
    for slug in row.missing:
        yield f"{slug}: not run yet\n  python -m repro theorem={slug}"


def _tested(slug: str, checks: Sequence[CheckSummary]) -> list[str]:
    """Between which values recorded checks hold; a check that fails says where."""
    between = ranges(slug, [check for check in checks if check.expected == "supported"])
    return [_wrapped(f"tested at {between}")] if between else []


def _other_checks(slug: str, checks: Sequence[CheckSummary]) -> str:
    return f"{slug}, its other checks: {verdict_words(worst(one.expected for one in checks))}"


def _experiment(slug: str, row: StatementCoverage, run: StoredRun | None) -> Iterator[str]:
    of_run = any(check.of_run for experiment, check in row.speaking if experiment == slug)
    yield f"{slug}: {_verdict(row.expected[slug], 'of its run' if of_run else 'recorded')}"
    yield f"  python -m repro theorem={slug}"
    if run is not None:
        yield from _run(run)


def _recorded(check: CheckSummary) -> str:
    if check.expected == "supported":
        return _one_line(f"{SYMBOLS['supported']} {check.name} ({check.evidence}): {check.claim}")
    holds = f" What holds: {check.corrected}." if check.corrected else ""
    why = f" Why: {check.why}." if check.why else ""
    words = verdict_words(check.expected)
    return _wrapped(f"{words} ({check.evidence}): {check.name}: {check.claim}.{why}{holds}")


def _one_line(text: str) -> str:
    return f"  {shorten(text, WIDTH - 2, placeholder=' …')}"


def _verdict(verdict: str, source: str) -> str:
    if verdict in (SUBSTITUTE, NOT_REPRODUCED):
        return f"{plain_words(verdict)}; its checks are of another model or other data"
    if verdict == IN_PART:
        return verdict
    if verdict == EXECUTED:
        return "runs it; its verdict is of other statements"
    return f"{verdict_words(verdict)} ({source})"


def _run(run: StoredRun) -> Iterator[str]:
    """Which run its numbers are of."""
    if run.stale:
        yield _wrapped(f"run: {run.stale}; the command above runs it again")
    if words := left_to_do(run.slug, run.verdict.statements):
        yield _wrapped(f"run: {words}")
    given = changed_words({name: value for name, value in run.overrides.items() if name != "only"})
    others = f", run with {' '.join(given)}" if given else ""
    yield _wrapped(f"numbers: of {run.folder}, budget {run.verdict.budget}{others}")
    for words in failed_assumptions(run.verdict):
        yield _wrapped(f"run: {words}; {NOTHING_COUNTS}")
    if run.part:
        yield _wrapped(f"run: {run.part}; a check without numbers stands as recorded; {ALL_RUN}")


def _measured(check: CheckEntry, holds: CheckEntry | None) -> str:
    """What the last run of an experiment measured; also of the check of the corrected form."""
    row = entry(check, check)
    found = f"claimed {row.claimed}; {check.evidence} {row.measured}"
    if check.verdict == "supported":
        numbers = "; ".join(part for part in (found, place_words(check)) if part)
        return _line(f"{SYMBOLS['supported']} {row.name}", row.claim, numbers)
    lines = [_line(row.name, row.claim, f"{found}; {verdict_words(row.verdict)}; {row.basis}")]
    if check.witness:
        lines.append(indent(_wrapped(f"fails {witness_words(check, check.witness)}"), "  "))
    if check.corrected:
        words = f"{corrected_heading(holds)}: {check.corrected}"
        words += f" ({verdict_words(holds.verdict)})" if holds else ""
        lines.append(indent(_wrapped(words), "  "))
    return "\n".join(lines)


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
