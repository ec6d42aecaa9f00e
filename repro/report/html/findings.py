"""What the runs contradict, sharpen or clear: slips of conf/papers beside measured numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from repro.catalogue import machine_checked
from repro.catalogue.entries import paper
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import SLIP_GRADES, Catalogue, Slip
from repro.catalogue.standing import page_name, pages_of
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun
from repro.report.run_files import CheckEntry, Numbers, OutcomeEntry
from repro.report.wording import (
    cases_words,
    in_backticks,
    in_markdown,
    place_words,
    verdict_words,
    witness_words,
)

FIELDS = {"witness": "Witness", "holds": "Supported beside it", "proof": "Proof", "open": "Not run"}
"""Kinds of evidence, in the order of a page: what contradicts the print, what comes out beside it,
what is proved, and what no run is at hand of."""


@dataclass(frozen=True)
class EvidenceLine:
    """One check, control, test or machine-checked theorem, with its number where it was run.

    Attributes:
        field: of a note it belongs to: one of FIELDS.
    """

    field: str
    name: str
    run: str
    words: str
    command: str


@dataclass(frozen=True)
class SlipNote:
    """One note with its evidence."""

    id: str
    place: str
    suspected: str
    corrected: str
    grade: str
    evidence: tuple[EvidenceLine, ...]
    statements: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


def findings(catalogue: Catalogue, runs: Mapping[str, StoredRun]) -> list[SlipNote]:
    """All notes, errors first, each with its checks, controls, tests and machine-checked proofs."""
    proved = machine_checked.by_slip(catalogue.theorems)
    grades = SLIP_GRADES.index
    sorted_slips = sorted(catalogue.slips.items(), key=lambda item: grades(item[1].grade))
    return [
        SlipNote(
            name, slip.place, slip.suspected, slip.corrected, slip.said,
            (
                *(_evidence(evidence, runs) for evidence in slip.evidence),
                *(_proof(evidence) for evidence in proved.get(name, ())),
            ),
            about,
            tuple(dict.fromkeys(page for key in about for page in pages_of(catalogue.items[key]))),
        )
        for name, slip in sorted_slips
        for about in [_statements(slip, paper(name), runs, catalogue)]
    ]  # fmt: skip


def _statements(
    slip: Slip, of_paper: str, runs: Mapping[str, StoredRun], catalogue: Catalogue
) -> tuple[str, ...]:
    """Statements of the paper that contradicted checks among the evidence speak for."""
    names: dict[str, None] = {}
    for evidence in slip.evidence:
        _, check = _outcome(evidence, runs) or (None, None)
        if check is not None and check.verdict == "contradicted":
            names |= dict.fromkeys(check.statements or ())
    return tuple(name for name in names if paper(name) == of_paper and name in catalogue.items)


def disagreements(slips: Mapping[str, Slip], runs: Mapping[str, StoredRun]) -> Iterator[str]:
    """One line per note whose evidence came out other than pinned, or whose control was missed.

    Runs at other settings than the recorded ones have no pins.
    """
    recorded = {key: run for key, run in runs.items() if not run.other_settings}
    for name, slip in slips.items():
        for evidence in slip.evidence:
            outcome = _outcome(evidence, recorded)
            if outcome is None:
                continue
            result, check = outcome
            wanted = check.expected if result is check else "contradicted"
            if result.verdict != wanted:
                yield f"{name}: {evidence} came out {result.verdict}, the note needs {wanted}"


def _outcome(
    evidence: str, runs: Mapping[str, StoredRun]
) -> tuple[OutcomeEntry, CheckEntry] | None:
    """The outcome behind a piece of evidence, and its check."""
    slug, separator, rest = evidence.partition(": ")
    name, _, control = rest.partition("/")
    if not separator or slug not in runs:
        return None
    run = runs[slug].verdict
    check = next(
        (check_or_control for check_or_control in run.checks if check_or_control.name == name), None
    )
    if check is None or not control:
        return None if check is None else (check, check)
    controls = [
        check_or_control
        for check_or_control in run.controls_of(check)
        if check_or_control.name == control
    ]
    return (controls[0], check) if controls else None


def _evidence(evidence: str, runs: Mapping[str, StoredRun]) -> EvidenceLine:
    slug, separator, rest = evidence.partition(": ")
    if not separator:
        command = f"python -m pytest {evidence}"
        return EvidenceLine("proof", evidence, "", "proved by a test", command)
    name = rest.split("/")[0]
    outcome = _outcome(evidence, runs)
    if outcome is None:
        command = f"python -m repro theorem={slug} only={name}"
        return EvidenceLine("open", evidence, "", "not run", command)
    numbers, check = outcome
    row = entry(numbers, check)
    word = row.verdict_words or verdict_words(row.verdict)
    parts = (
        f"claimed {row.claimed}", f"{check.evidence} {row.measured}", word, sureness(numbers),
        place_words(check), runs[slug].part, runs[slug].other_settings_words, runs[slug].stale,
    )  # fmt: skip
    witness = check.witness if numbers is check else None
    fails = f"fails {witness_words(check, witness)}" if witness else ""
    words = "; ".join(part for part in (*parts, fails) if part)
    field = "witness" if numbers.verdict == "contradicted" else "holds"
    return EvidenceLine(field, evidence, slug, words, runs[slug].command_of(name))


def _proof(proof: Checked) -> EvidenceLine:
    words = f"machine checked: {proof.says}; {proof.said}"
    return EvidenceLine("proof", f"{proof.file}: {proof.theorem}", "", words, proof.command)


def sureness(numbers: Numbers) -> str:
    """How the number was found, which is how sure it is."""
    if numbers.exact_epsilon is not None:
        return "exact ε, and a black-box audit"
    if numbers.ci95 is not None:
        return "95 % interval"
    if numbers.cases is not None:
        return f"{cases_words(numbers.cases)}, largest ratio"
    return "computed"


def page(notes: list[SlipNote], papers: str = "the four papers") -> str:
    """The findings in the text of ``papers``, as Markdown."""
    parts = [
        f"# Findings\n\nWhat the runs contradict, sharpen or clear in the printed text of {papers}."
        " Written by `python -m repro report findings=FILE` from finished runs and the "
        "notes in conf/papers. Each finding has these parts:\n\n"
        "- *printed*: the place, and the command that shows its text;\n"
        "- *problem*: what was suspected;\n"
        "- *holds*: the form that holds, with the checks that measure it;\n"
        "- *witness*: the checks and controls that have the printed form, and where they "
        "contradict it;\n"
        "- *proof*: tests, and theorems that Coq accepts.\n\n"
        "Each number comes from the command after it.\n"
    ]
    for note in notes:
        if not note.evidence:
            continue
        lines = [f"\n## {note.id.split('.')[0].upper()}, {note.place} ({note.grade})\n"]
        lines.append(f"\n- **Printed:** {_printed(note)}.")
        lines.append(f"\n- **Problem:** {note.suspected}.")
        lines.append(f"\n- **Holds:** {note.corrected}.")
        for field, heading in FIELDS.items():
            of_field = [_line(each) for each in note.evidence if each.field == field]
            lines += [f"\n- **{heading}:**"] * bool(of_field)
            lines += [f"\n    - {line}" for line in of_field]
        if note.pages:
            links = ", ".join(f"[{page_name(page)}]({page})" for page in note.pages)
            lines.append(f"\n- **Details:** {links}.")
        parts.append("".join(lines) + "\n")
    return "".join(parts)


def _printed(note: SlipNote) -> str:
    """The place, and the commands that show statements with their text."""
    shown = [in_backticks(f"python -m repro catalogue {name}") for name in note.statements]
    return in_markdown(note.place) + (f" ({', '.join(shown)})" if shown else "")


def _line(evidence: EvidenceLine) -> str:
    words = in_markdown(evidence.words)
    return f"{in_backticks(evidence.name)}: {words}. {in_backticks(evidence.command)}"
