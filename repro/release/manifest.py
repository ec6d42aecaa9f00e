"""The manifest beside a release: what is promised, every byte of it determined.

All values follow from the release and ε but two: budgets of earlier releases, which the ledger
knows, and how many comparisons one annotator has, which follows from the original.  No number says
anything of a raw label: flips are not counted, since with the released labels their number would
tell how many raw ones are +1; copies and their disagreement are not counted either.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from numbers import Real
from pathlib import Path
from typing import Any

from repro.base.files import small_text
from repro.labels.preferences.pair_rows import ENDINGS
from repro.labels.privacy.exact_response import WORD_BITS, ExactResponse, parse_epsilon
from repro.release.canonical import FORM

FORMAT = "repro-release/1"
MECHANISM = "randomized response on the label of each comparison, coins of the operating system"
ORDER = (
    "responses and lines by SHA-256 of their canonical form; of copies the label of the first, the"
    " shortest texts, of these the least"
)
_ORDER_OF_UNITS = ORDER.replace(
    "of the first", "of one annotator, by SHA-256 of comparison and name"
)
_COMPARISON = (
    "the label of one comparison (prompt and unordered pair of responses); texts are public"
)
_UNIT = (
    "all labels of one annotator in this file, of {size} comparisons at most, {size} times epsilon"
    " together; texts, and who compared what, are public"
)
OF_ANNOTATOR = "epsilon_of_one_annotator_in_this_file"
"""What all labels of an annotator cost together in one release; others are not known here."""
_UNIT_SIZE = re.compile(_UNIT.partition("{size}")[0] + "([1-9][0-9]{0,8}) ")


@dataclass(frozen=True)
class Manifest:
    """What a manifest states.

    Attributes:
        epsilon: budget of each label.
        earlier: budgets of earlier releases that share a comparison.
        unit_size: most comparisons of one annotator, where annotators are protected.
        lines: released lines.
        plus: of these with label +1.
        sha256: of the release, in hexadecimal.
        earlier_delta: sum of the δ of earlier releases (of rewards) that share a comparison.
    """

    epsilon: Decimal
    earlier: tuple[Decimal, ...] = ()
    unit_size: int | None = None
    lines: int = 0
    plus: int = 0
    sha256: str = ""
    earlier_delta: Decimal = Decimal(0)

    @property
    def total(self) -> Decimal:
        """What one label has cost so far."""
        return sum(self.earlier, self.epsilon)

    @property
    def content(self) -> bytes:
        """The file."""
        coin = ExactResponse.at(self.epsilon)
        protects = _UNIT.format(size=self.unit_size) if self.unit_size else _COMPARISON
        values = {
            "format": FORMAT,
            "mechanism": MECHANISM,
            "protects": protects,
            "canonical_form": FORM,
            "order": _ORDER_OF_UNITS if self.unit_size else ORDER,
            "epsilon": float(self.epsilon),
            "flip_probability": f"{coin.threshold}/2^{WORD_BITS}",
            "earlier_epsilons": [float(budget) for budget in sorted(self.earlier)],
            "total_epsilon": float(self.total),
            "lines": self.lines,
            "released_plus_labels": self.plus,
            "sha256": self.sha256,
        }
        if self.earlier_delta:
            values["total_delta"] = float(self.earlier_delta)
        if self.unit_size:
            values[OF_ANNOTATOR] = float(self.unit_size * self.epsilon)
        return content_of(values)

    @property
    def contents(self) -> tuple[bytes, ...]:
        """The file, and as older versions wrote it where annotators are protected."""
        values = {**json.loads(self.content), "order": ORDER}
        older = content_of(values)
        values.pop(OF_ANNOTATOR, None)
        return self.content, older, content_of(values)


def content_of(values: dict[str, Any]) -> bytes:
    """The file of a manifest's values."""
    return (json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode()


def manifest_path(release: Path) -> Path:
    """``OUT.manifest.json`` beside ``OUT.jsonl`` and its exports.

    >>> [manifest_path(Path(f"a/out{ending}")).name for ending in (".jsonl", ".parquet", "")]
    ['out.manifest.json', 'out.manifest.json', 'out.manifest.json']
    """
    return release.with_name(name_of(release) + ".manifest.json")


def name_of(release: Path) -> str:
    """``OUT`` of ``OUT.jsonl`` and of its exports.

    >>> name_of(Path("a/out.jsonl.gz"))
    'out'
    """
    ending = next((ending for ending in ENDINGS if release.name.endswith(ending)), "")
    return release.name.removesuffix(ending)


def read_manifest(path: Path) -> bytes:
    """The bytes of a manifest; none where there is no such file.

    Raises:
        BadInput: it cannot be read.
    """
    return small_text("manifest", path).encode() if os.path.lexists(path) else b""


def parsed_manifest(content: bytes) -> Manifest | None:
    """The values of a manifest that is one of ours, or nearly; whether it is, ``content`` tells."""
    try:
        content_read = json.loads(content)
        size = _UNIT_SIZE.match(content_read["protects"])
        earlier = tuple(exact_epsilon(budget) for budget in content_read["earlier_epsilons"])
        counts = content_read["lines"], content_read["released_plus_labels"], content_read["sha256"]
        epsilon, unit_size = exact_epsilon(content_read["epsilon"]), int(size[1]) if size else None
        former = Decimal(repr(float(content_read.get("total_delta", 0)))).normalize()
        return Manifest(epsilon, earlier, unit_size, *counts, former)
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError):
        return None


def exact_epsilon(value: object) -> Decimal:
    """A budget from Python or JSON: a text as it is, of a number the shortest decimal.

    Raises:
        BadInput: no budget.

    >>> exact_epsilon(0.5), exact_epsilon("1.0"), exact_epsilon(1e-6)
    (Decimal('0.5'), Decimal('1'), Decimal('0.000001'))
    """
    text = str(value)  # the repr of numpy's numbers names their type
    if isinstance(value, Real):
        with suppress(InvalidOperation):
            text = format(Decimal(text), "f").removesuffix(".0")
    return parse_epsilon(text)
