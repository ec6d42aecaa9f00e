"""The field of ``unit=``: one that names annotators, and not what they have answered.

A unit that follows the label would let the label decide which comparisons are kept.  What is read
here never depends on which response was chosen: a refusal must not tell that either.  A field that
follows the label in other words, such as the name of the model that won, cannot be seen.
"""

from __future__ import annotations

import re
from typing import Any

from repro.base.errors import BadInput
from repro.labels.preferences.layouts import LABELS

ALLOWED = "allowed: a field that names the annotator, and was known before any label"
FEWEST = 4
"""Names of annotators that may look like positions."""
_POSITION = re.compile(
    r"((response|answer|completion|option|model|assistant)[ _-]?)?(-?\d|[ab]|first|second)"
    r"|left|right|chosen|rejected|tie|both|neither|yes|no|true|false"
)


class UnitField:
    """A field, and what its values have in common.

    Args:
        name: as it stands in the records.

    Raises:
        BadInput: a response or the label is read from it.
    """

    def __init__(self, name: str) -> None:
        if name.strip().casefold() in LABELS:
            raise BadInput("unit", name[:60], f"holds a response or the label; {ALLOWED}")
        self._name, self._values = name, set[str]()
        self._repeats = self._positions = True

    def value(self, record: dict[str, Any], texts: tuple[str, str, str]) -> str | None:
        """The annotator of a record with these texts, without blanks around; None if it is none."""
        owner = record.get(self._name)
        if isinstance(owner, bool) or not isinstance(owner, str | int):
            return None
        shown = str(owner).strip()
        if not shown:
            return None
        self._repeats &= shown in (texts[1].strip(), texts[2].strip())
        self._positions &= bool(_POSITION.fullmatch(shown.casefold()))
        if self._positions:
            self._values.add(shown)
        return shown

    def refuse_answers(self) -> None:
        """Once all records were seen.

        Raises:
            BadInput: every value is a response of its record, or a place such as 0, 1 or left.
        """
        if self._repeats:
            raise BadInput("unit", self._name[:60], f"repeats a response; {ALLOWED}")
        few = len(self._values) < FEWEST or any(shown[0] == "-" for shown in self._values)
        if self._positions and few:
            holds = "holds nothing but places such as 0, 1, left or tie, as a label does"
            raise BadInput("unit", self._name[:60], f"{holds}; {ALLOWED} (rename 0 to ann0)")
