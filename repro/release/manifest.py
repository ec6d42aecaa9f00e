"""The manifest beside a release: what was done, with numbers that say nothing about any label.

It counts lines, repeated comparisons and released +1 labels.  The number of flips is not stated,
since with the released labels it would tell how many raw labels are +1.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import json_object
from repro.privacy.exact_response import WORD_BITS, ExactResponse

FORMAT = 1


@dataclass(frozen=True)
class Counts:
    """Numbers that say nothing about any raw label.

    Attributes:
        lines: lines released.
        repeated: lines that repeat an earlier comparison.
        joined: comparisons that share the answer of a near-copy.
        plus: released labels that are +1.
    """

    lines: int
    repeated: int
    joined: int
    plus: int


def manifest_path(release: Path) -> Path:
    """``OUT.manifest.json`` beside ``OUT.jsonl``.

    >>> manifest_path(Path("a/out.jsonl")).name
    'out.manifest.json'
    """
    return release.with_name(release.name.removesuffix(".jsonl") + ".manifest.json")


def manifest_text(
    coin: ExactResponse,
    counts: Counts,
    earlier: int,
    total: Decimal,
    release: str,
    group: float | None = None,
) -> str:
    """The manifest as JSON."""
    values = {
        "format": FORMAT,
        "release": release,
        "mechanism": "randomized response on the label of each comparison",
        "privacy_unit": "the label of one comparison (prompt and unordered pair of responses, in"
        " any Unicode form and white space); lines that repeat it share one randomised answer",
        "near_copies_from_similarity": group,
        "epsilon": float(coin.epsilon),
        "flip_probability": float(coin.flip_prob),
        "flip_probability_exact": f"{coin.threshold}/2^{WORD_BITS}",
        "earlier_releases": earlier,
        "total_epsilon": float(total),
        "entropy": "operating system",
        "response_order": "a fair coin, independent of the label",
        "line_order": "a uniformly random permutation",
        "lines": counts.lines,
        "repeated_comparisons": counts.repeated,
        "near_copies": counts.joined,
        "released_plus_labels": counts.plus,
    }
    return json.dumps(values, indent=2) + "\n"


def read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of a release, None where there is none.

    Raises:
        BadInput: it is not one of ours.
    """
    if not os.path.lexists(path):
        return None
    values = json_object("manifest", path)
    try:
        if 0 < float(values["epsilon"]) < float("inf"):
            return values
    except (ValueError, KeyError, TypeError, OverflowError):
        pass
    raise BadInput("manifest", path, "not a manifest with a positive epsilon")
