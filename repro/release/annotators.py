"""The field of ``unit=``: one that names annotators, and not what they have answered.

A unit that follows the label would let the label decide which comparisons are kept.  What is read
here never depends on which response was chosen: a refusal must not tell that either.  A field that
follows the label in other words, such as the name of the model that won, cannot be seen.
"""

from __future__ import annotations

import re
from typing import Any

from repro.base.errors import BadInput
from repro.base.text_form import canonical
from repro.labels.preferences.layouts import COLUMNS, LABELS

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
        BadInput: it holds a part of the comparison, or its label.
    """

    def __init__(self, name: str) -> None:
        if name.strip().casefold() in (*COLUMNS, *LABELS):
            part = "holds a part of the comparison, or its label"
            raise BadInput("unit", name[:60], f"{part}; {ALLOWED}")
        self._name, self._values = name, set[str]()
        self._repeats = self._positions = True

    def value(self, record: dict[str, Any], texts: tuple[str, str, str]) -> str | None:
        """The annotator of a record with these texts, the same for each spelling of a name.

        None if it is none.
        """
        owner = record.get(self._name)
        if isinstance(owner, bool) or not isinstance(owner, str | int):
            return None
        name = one_spelling(str(owner))
        if not name:
            return None
        self._repeats &= str(owner).strip() in (texts[1].strip(), texts[2].strip())
        self._positions &= bool(_POSITION.fullmatch(name))
        if self._positions:
            self._values.add(name)
        return name

    def refuse_answers(self) -> None:
        """Once all records were seen.

        Raises:
            BadInput: every value is a response of its record, or a place such as 0, 1 or left.
        """
        if self._repeats:
            raise BadInput("unit", self._name[:60], f"repeats a response; {ALLOWED}")
        few = len(self._values) < FEWEST or any(name[0] == "-" for name in self._values)
        if self._positions and few:
            holds = "holds nothing but places such as 0, 1, left or tie, as a label does"
            raise BadInput("unit", self._name[:60], f"{holds}; {ALLOWED} (rename 0 to ann0)")


def one_spelling(name: str) -> str:
    """A name as a text is compared, without case too: two people may be one, never one two.

    >>> one_spelling(" Anna@X.org"), one_spelling("ＡＮＮＡ@x.ORG\\u200b"), one_spelling("\\u00a0")
    ('anna@x.org', 'anna@x.org', '')
    """
    form = canonical(name.encode("utf-8", "replace").decode())
    return canonical(form.decode().casefold()).decode()
