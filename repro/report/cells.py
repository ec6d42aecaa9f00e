"""What the two tables of the terminal have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from repro.report.record import OVERRIDES, PLAIN, RunRecord

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = {
    "supported": "green",
    "contradicted": "red",
    "inconclusive": "yellow",
    "assumption_failed": "magenta",
}


def facts(run: RunRecord) -> str:
    """Budget, seed, replicates, a special instance or channel, what was set or scaled for all."""
    said, given = run.verdict, run.overrides
    words = [f"budget {said.budget}, seed {said.seed}, {said.replicates} replicates"]
    words += [f"instance {run.instance}"] if run.instance != PLAIN else []
    words += [f"{name} ({_group_words(values)})" for name, values in run.groups.items()]
    words += [f"{name} {given[name]}" for name in OVERRIDES if name in given]
    scales = [check.settings.labels_scaled_by or 1 for check in said.checks]
    if (most := max(scales, default=1)) != 1:
        words.append(f"up to {most:.3g} times as many labels")
    return ", ".join(words)


def _group_words(values: Mapping[str, object]) -> str:
    """Its kind, then its numbers.

    >>> _group_words({"kind": "flips", "p0": 0.35, "p1": 0.4, "epsilon": 1})
    'flips, p0 0.35, p1 0.4, epsilon 1'
    """
    return ", ".join(
        str(value) if key == "kind" else f"{key} {value}" for key, value in values.items()
    )


def text(words: str, style: str) -> Text:
    """Text as it is: brackets are units and intervals, not markup."""
    from rich.text import Text

    return Text(words, style=style)
