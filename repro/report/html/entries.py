"""Checks and controls of ``verdict.json`` as they read on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from markupsafe import Markup

from repro.core.verdicts import worst
from repro.report.html.bars import bar_svg
from repro.report.html.runs import StoredRun
from repro.report.wording import caught_words, claim_words, finite, measured_words


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
    failed: int
    basis: str


def entry(numbers: Mapping[str, Any], check: Mapping[str, Any], noticed: str = "") -> Entry:
    """The row of an outcome of a check; of the check itself where both are the same.

    Args:
        numbers: of the check or of one of its controls.
        check: the check.
        noticed: what it noticed when its needs were taken away, in words.
    """
    control = numbers is not check
    shown = {**numbers, "kind": check.get("kind", "")}
    return Entry(
        name=str(numbers["name"]),
        claim="wrong on purpose" if control else str(check.get("claim", "")),
        claimed=claim_words(SimpleNamespace(kind=shown["kind"]), shown),  # type: ignore[arg-type]
        measured=measured_words(shown),
        bar=Markup(bar_svg(shown)),
        verdict=str(numbers["verdict"]),
        verdict_words=caught_words(str(numbers["verdict"])) if control else "",
        control=control,
        caught=numbers["verdict"] == "contradicted",
        failed=int(finite(numbers.get("failed_replicates")) or 0),
        basis="" if control else _basis(check, noticed),
    )


def _basis(check: Mapping[str, Any], noticed: str) -> str:
    """How a check knows, and what it depends on."""
    needs = ", ".join(str(need).replace("_", " ") for need in check.get("needs", ()))
    parts = (str(check.get("evidence", "")), f"needs {needs}" if needs else "", noticed)
    return "; ".join(part for part in parts if part)


def entries(run: StoredRun, noticed: Mapping[tuple[str, str], str]) -> list[Entry]:
    """Every check of a run, each with its controls below it.

    Args:
        run: with its verdict.
        noticed: by experiment and check, what it noticed when its needs were taken away.
    """
    found = []
    for check in run.verdict["checks"]:
        found.append(entry(check, check, noticed.get((run.slug, check["name"]), "")))
        found += [entry(one, check) for one in controls_of(run, check["name"])]
    return found


def controls_of(run: StoredRun, check: str) -> list[dict[str, Any]]:
    """Outcomes of a check's controls."""
    return [one for one in run.verdict["controls"] if one.get("check") == check]


def speaking(run: StoredRun, statement: str) -> list[dict[str, Any]]:
    """Checks of a run that speak for a statement."""
    everything = run.verdict["statements"]
    return [c for c in run.verdict["checks"] if statement in c.get("statements", everything)]


def deciding(checks: list[dict[str, Any]]) -> dict[str, Any]:
    """Of some checks the first that has the worst verdict."""
    verdict = worst(check["verdict"] for check in checks)
    return next(check for check in checks if check["verdict"] == verdict)
