"""How a finished run looks at a Python prompt and in a notebook."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from repro.core.results import Result
from repro.report.record import record_of
from repro.report.run_files import CheckEntry
from repro.report.terminal import facts
from repro.report.wording import (
    brief_words,
    claim_words,
    measured_words,
    verdict_line,
    verdict_words,
)

MOST_LINES = 8
"""Checks that a prompt shows: those that are not supported come first."""


def at_a_prompt(result: Result) -> str:
    """At most ten lines: the verdict, then checks, those that fail first."""
    run = record_of(result).verdict
    order = sorted(run.checks, key=lambda check: check.verdict == "supported")
    shown = [_line(check) for check in order[:MOST_LINES]]
    left = len(run.checks) - len(shown)
    more = [f"  and {left} more checks, supported or not: run.result.checks"] if left else []
    return "\n".join([verdict_line(run), *shown, *more])


def _line(check: CheckEntry) -> str:
    said = f"{brief_words(check)}, claimed {claim_words(check)}"
    return f"  {verdict_words(check.verdict)}  {check.name}: {said}"


def in_a_notebook(result: Result, picture: bytes) -> str:
    """HTML of the verdict, a table of all checks and the figure.

    Args:
        result: the finished run.
        picture: the figure as PNG.
    """
    run = record_of(result)
    rows = "".join(_row(check) for check in run.verdict.checks)
    heads = "".join(f"<th>{name}</th>" for name in ("check", "claimed", "measured", "verdict"))
    image = base64.b64encode(picture).decode()
    return (
        f"<p><b>{escape(verdict_line(run.verdict))}</b><br>{escape(result.title)}<br>"
        f"{escape(facts(run))}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f'<img alt="{escape(result.title)}" src="data:image/png;base64,{image}">'
    )


def _row(check: CheckEntry) -> str:
    return "".join(["<tr>", *(f"<td>{escape(words)}</td>" for words in _cells(check)), "</tr>"])


def _cells(check: CheckEntry) -> Iterator[str]:
    yield check.name
    yield claim_words(check)
    yield measured_words(check)
    yield verdict_words(check.verdict)
