"""What ``repro.ablate`` found, as the page shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from repro.base.errors import BadInput
from repro.base.files import small_text
from repro.core.results import Finding
from repro.report.ablation_table import KINDS, counts, outcome, summary

FILE = "ablations.json"


@dataclass(frozen=True)
class Matrix:
    """All findings of one run of ``repro.ablate``.

    Attributes:
        summary: how many were noticed.
        kinds: what could become of it.
        counts: by what was taken away, how many there are of each kind.
        missed: checks that noticed nothing, each in words.
    """

    summary: str
    kinds: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...]], ...]
    missed: tuple[str, ...]


def read(folder: Path) -> list[Finding]:
    """Findings that are kept in a folder; none where there is no file.

    Raises:
        BadInput: the file is not one that ``repro.ablate`` writes.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        entries = json.loads(small_text("runs", path))
        rows = TypeAdapter(list[dict[str, str | bool]]).validate_python(entries)
        fields = [
            {key: row[key] for key in Finding.__dataclass_fields__ if key in row} for row in rows
        ]
        return TypeAdapter(list[Finding]).validate_python(fields)
    except (ValueError, KeyError, RecursionError):
        raise BadInput("runs", path, "allowed: a file that python -m repro ablate wrote") from None


def matrix(all_findings: Sequence[Finding]) -> Matrix | None:
    """The findings summed up; None where there are none."""
    if not all_findings:
        return None
    return Matrix(
        summary(all_findings),
        tuple(KINDS),
        tuple(counts(all_findings)),
        tuple(
            f"{finding.theorem} {finding.check}, {finding.ablation}: {outcome(finding)}"
            for finding in all_findings
            if not finding.noticed
        ),
    )


def by_check(all_findings: Sequence[Finding]) -> Mapping[tuple[str, str], str]:
    """In words, by experiment and check: how much of what was taken away it noticed."""
    own: dict[tuple[str, str], list[Finding]] = {}
    for finding in all_findings:
        own.setdefault((finding.theorem, finding.check), []).append(finding)
    return {check: summary(several) for check, several in own.items()}
