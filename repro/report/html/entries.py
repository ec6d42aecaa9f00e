"""Checks and controls of a run as they read on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from repro.core.verdicts import worst
from repro.report.html.bars import bar_svg
from repro.report.record import RunRecord
from repro.report.run_files import CheckEntry, ControlEntry, OutcomeEntry
from repro.report.wording import (
    NO_CONTROL,
    caught_words,
    claim_words,
    measured_words,
    narrow_words,
    note_words,
    plain_words,
)


@dataclass(frozen=True)
class Entry:
    """One row: a check, or a control under its check."""

    name: str
    claim: str
    claimed: str
    measured: str
    bar: Markup
    verdict: str
    verdict_words: str
    control: bool
    caught: bool
    notes: str
    basis: str


def entry(outcome: OutcomeEntry, check: CheckEntry, noticed: str = "") -> Entry:
    """The row of an outcome of a check; of the check itself where both are the same.

    Args:
        outcome: the check or one of its controls.
        check: the check.
        noticed: what it noticed when its needs were taken away, in words.
    """
    control = outcome is not check
    mistake = outcome.mistake if isinstance(outcome, ControlEntry) else ""
    return Entry(
        name=outcome.name,
        claim=": ".join(filter(None, ("wrong on purpose", mistake))) if control else check.claim,
        claimed=claim_words(outcome.model_copy(update={"kind": check.kind})),
        measured=measured_words(outcome),
        bar=Markup(bar_svg(outcome)),
        verdict=outcome.verdict,
        verdict_words=caught_words(outcome.verdict) if control else "",
        control=control,
        caught=outcome.verdict == "contradicted",
        notes=note_words(outcome, check.measured_in_all),
        basis="" if control else _basis(check, noticed),
    )


def _basis(check: CheckEntry, noticed: str) -> str:
    """How a check knows, what it depends on, and why another verdict than supported is pinned."""
    needs = ", ".join(need.replace("_", " ") for need in check.needs)
    why = f"expected {plain_words(check.expected)}: {check.why}" if check.why else ""
    parts = (check.evidence, f"needs {needs}" if needs else "", noticed, why)
    return "; ".join(part for part in parts if part)


def entries(run: RunRecord, noticed: Mapping[tuple[str, str], str]) -> list[Entry]:
    """Every check of a run, each with its controls below it.

    Args:
        run: with its verdict.
        noticed: by experiment and check, what it noticed when its needs were taken away.
    """
    lines = []
    for check, controls in run.verdict.with_controls():
        row = entry(check, check, noticed.get((run.slug, check.name), ""))
        if check.verdict == "supported":
            narrow = narrow_words(check.kind, check.axis, check.grid)
            notes = (row.notes, narrow, "" if controls else NO_CONTROL)
            row = replace(row, notes="; ".join(filter(None, notes)))
        lines.append(row)
        lines += [entry(control, check) for control in controls]
    return lines


def deciding(checks: Sequence[CheckEntry]) -> CheckEntry:
    """Of some checks the first that has the worst verdict."""
    verdict = worst(check.verdict for check in checks)
    return next(check for check in checks if check.verdict == verdict)
