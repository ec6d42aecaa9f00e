"""What the two tables of the terminal have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.core.results import Result
from repro.report.wording import finite

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = {
    "supported": "green",
    "contradicted": "red",
    "inconclusive": "yellow",
    "assumption_failed": "magenta",
}
GIVEN = ("epsilon", "n_pairs", "horizon", "kl_weight")
"""Keys of the config that stand in for the numbers of every check."""


PLAIN = "linear"
"""The instance that is not worth a word."""


def facts(result: Result) -> str:
    """Budget, seed, replicates, a special instance, what the user set or scaled for all checks."""
    words = [f"budget {result.budget}, seed {result.seed}, {result.replicates} replicates"]
    instance = result.config.get("instance")
    if isinstance(instance, dict) and (kind := instance.get("kind", PLAIN)) != PLAIN:
        words.append(f"instance {kind}")
    for name in GIVEN:
        if (value := result.config.get(name)) is not None:
            words.append(f"{name} {value}")
    scales = [finite(c.check.settings.get("labels_scaled_by", 1)) or 1 for c in result.checks]
    if (most := max(scales, default=1)) != 1:
        words.append(f"labels scaled by up to {most:.3g}")
    return ", ".join(words)


def text(words: str, style: str) -> Text:
    """Text as it is: brackets are units and intervals, not markup."""
    from rich.text import Text

    return Text(words, style=style)
