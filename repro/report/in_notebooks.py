"""How a finished run looks at a Python prompt and in a notebook."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from repro.core.results import CheckResult, Result
from repro.report.cells import facts
from repro.report.wording import (
    brief_words,
    claim_words,
    expected_words,
    measured_words,
    verdict_words,
)

MOST_LINES = 8
"""Checks that a prompt shows: those that are not supported come first."""


def at_a_prompt(result: Result) -> str:
    """At most ten lines: the verdict, then checks, those that fail first."""
    order = sorted(result.checks, key=lambda item: item.verdict == "supported")
    shown = [_line(item) for item in order[:MOST_LINES]]
    left = len(result.checks) - len(shown)
    more = [f"  and {left} more checks, supported or not: run.result.checks"] if left else []
    return "\n".join([_verdict(result), *shown, *more])


def _line(item: CheckResult) -> str:
    claimed = claim_words(item.check, item.outcome.numbers)
    measured = brief_words(item.outcome.numbers)
    return f"  {verdict_words(item.verdict)}  {item.check.name}: {measured}, claimed {claimed}"


def _verdict(result: Result) -> str:
    return f"{result.theorem}: {verdict_words(result.verdict)} ({expected_words(result)})"


def in_a_notebook(result: Result, picture: bytes) -> str:
    """HTML of the verdict, a table of all checks and the figure.

    Args:
        result: the finished run.
        picture: the figure as PNG.
    """
    rows = "".join(_row(item) for item in result.checks)
    heads = "".join(f"<th>{name}</th>" for name in ("check", "claimed", "measured", "verdict"))
    image = base64.b64encode(picture).decode()
    return (
        f"<p><b>{escape(_verdict(result))}</b><br>{escape(result.title)}<br>"
        f"{escape(facts(result))}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f'<img alt="{escape(result.title)}" src="data:image/png;base64,{image}">'
    )


def _row(item: CheckResult) -> str:
    return "".join(["<tr>", *(f"<td>{escape(words)}</td>" for words in _cells(item)), "</tr>"])


def _cells(item: CheckResult) -> Iterator[str]:
    numbers = item.outcome.numbers
    yield item.check.name
    yield claim_words(item.check, numbers)
    yield measured_words(numbers)
    yield verdict_words(item.verdict)
