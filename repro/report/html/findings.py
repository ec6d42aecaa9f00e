"""What the runs contradict, sharpen or clear: notes of conf/slips.yaml beside measured numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from repro.catalogue import machine_checked
from repro.catalogue.machine_checked import Checked
from repro.catalogue.slips import Slip
from repro.report.html.entries import entry
from repro.report.html.runs import StoredRun
from repro.report.run_files import CheckEntry, Numbers, OutcomeEntry
from repro.report.wording import cases_words, in_backticks, in_markdown, verdict_words


@dataclass(frozen=True)
class EvidenceLine:
    """One check, control or test, with its number where it was run."""

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


def findings(slips: Mapping[str, Slip], runs: Mapping[str, StoredRun]) -> list[SlipNote]:
    """All notes, errors first, each with its checks, controls, tests and machine-checked proofs."""
    proved = machine_checked.by_slip(machine_checked.load())
    order = ("error", "constant", "unstated_condition", "not_claimed", "cleared", "notation")
    sorted_slips = sorted(slips.items(), key=lambda item: order.index(item[1].grade))
    return [
        SlipNote(
            name, slip.place, slip.suspected, slip.corrected, slip.said,
            (
                *(_evidence(one, runs) for one in slip.evidence),
                *(_proof(one) for one in proved.get(name, ())),
            ),
        )
        for name, slip in sorted_slips
    ]  # fmt: skip


def disagreements(slips: Mapping[str, Slip], runs: Mapping[str, StoredRun]) -> Iterator[str]:
    """One line per note whose evidence came out other than pinned, or whose control was missed."""
    for name, slip in slips.items():
        for evidence in slip.evidence:
            outcome = _outcome(evidence, runs)
            if outcome is None:
                continue
            found, check = outcome
            wanted = check.expected if found is check else "contradicted"
            if found.verdict != wanted:
                yield f"{name}: {evidence} came out {found.verdict}, the note needs {wanted}"


def _outcome(
    evidence: str, runs: Mapping[str, StoredRun]
) -> tuple[OutcomeEntry, CheckEntry] | None:
    """The outcome behind a piece of evidence, and its check."""
    slug, separator, rest = evidence.partition(": ")
    name, _, control = rest.partition("/")
    if not separator or slug not in runs:
        return None
    run = runs[slug].verdict
    check = next((one for one in run.checks if one.name == name), None)
    if check is None or not control:
        return None if check is None else (check, check)
    found = [one for one in run.controls_of(check) if one.name == control]
    return (found[0], check) if found else None


def _evidence(evidence: str, runs: Mapping[str, StoredRun]) -> EvidenceLine:
    slug, separator, rest = evidence.partition(": ")
    if not separator:
        return EvidenceLine(evidence, "", "proved by a test", f"python -m pytest {evidence}")
    name = rest.split("/")[0]
    outcome = _outcome(evidence, runs)
    if outcome is None:
        return EvidenceLine(evidence, "", "not run", f"python -m repro theorem={slug} only={name}")
    numbers, check = outcome
    row = entry(numbers, check)
    word = row.verdict_words or verdict_words(row.verdict)
    parts = (
        f"claimed {row.claimed}", f"{check.evidence} {row.measured}", word, sureness(numbers),
        runs[slug].part,
    )  # fmt: skip
    words = "; ".join(part for part in parts if part)
    return EvidenceLine(evidence, slug, words, runs[slug].command_of(name))


def _proof(one: Checked) -> EvidenceLine:
    words = f"machine_checked: {one.says}; {one.said}"
    return EvidenceLine(f"{one.file}: {one.theorem}", "", words, one.command)


def sureness(numbers: Numbers) -> str:
    """How the number was found, which is how sure it is."""
    if numbers.exact_epsilon is not None:
        return "exact ε, and a black-box audit"
    if numbers.ci95 is not None:
        return "95 % interval"
    if numbers.cases is not None:
        return f"{cases_words(numbers.cases)}, largest ratio"
    return "computed"


def page(found: list[SlipNote]) -> str:
    """The findings as Markdown."""
    parts = [
        "# Findings\n\nWhat our runs contradict, sharpen or clear in the printed text of the four "
        "papers. Written by `python -m repro.report --findings FILE` from finished runs and the "
        "notes in conf/slips.yaml; the numbers are those of the runs.\n"
    ]
    for one in found:
        if not one.evidence:
            continue
        lines = [f"\n## {one.id.split('.')[0].upper()}, {one.place} ({one.grade})\n"]
        lines.append(f"\n- **Printed or suspected:** {one.suspected}.")
        lines.append(f"\n- **Holds:** {one.corrected}.")
        lines += [f"\n- {_line(e)}" for e in one.evidence]
        parts.append("".join(lines) + "\n")
    return "".join(parts)


def _line(evidence: EvidenceLine) -> str:
    words = in_markdown(evidence.words)
    return f"{in_backticks(evidence.name)}: {words}. {in_backticks(evidence.command)}"
