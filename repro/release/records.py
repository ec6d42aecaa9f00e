"""A strict reader of preference records, a few lines in memory at a time.

Its complaints name the line but treat chosen and rejected alike: which of two responses was
chosen is the private label, and an error message is an output too.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from typing import Any

from repro.base.errors import BadInput, at_most_ten
from repro.labels.preferences.conversation import NoPreference, NotUnderstood
from repro.labels.preferences.layouts import COLUMNS, LABELS, three_texts
from repro.labels.preferences.pair_records import FIELDS
from repro.labels.preferences.pair_rows import rows
from repro.release.annotators import UnitField
from repro.release.tables import rows_of

NO_TEXT = "not a text or a chat list"
NO_RESPONSES = "two responses are missing"
COLUMNS_PAGE = (
    "allowed: the fields prompt, chosen and rejected, or a layout of "
    "docs/howto/own_preference_data.md"
)
RELEASED = {"response_1", "response_2", "label"}
"""Fields of a line of a release."""
ALIKE, MOST_NAMED = 0.8, 3
"""How alike a misspelt name is, as difflib measures it; how many are named."""
Record = tuple[str, str, str]
"""prompt, chosen, rejected"""


def read_records(source: Any, key: str = "IN") -> Iterator[Record]:
    """Records of a file, a folder that ``datasets`` has saved, or a table, in their order.

    Raises:
        BadInput: names the file, the first faulty line and what is wrong, never a text.
    """
    return (record for record, _ in read_owned(source, key))


def read_owned(source: Any, key: str = "IN", unit: str = "") -> Iterator[tuple[Record, str]]:
    """Records, each with its value of the field ``unit``: whose label it is; "" without a unit.

    Raises:
        BadInput: as ``read_records``; a value of ``unit`` is blank, or neither text nor whole
            number; or the field holds responses or labels.
    """
    annotators = UnitField(unit) if unit else None
    word, numbered_rows = given_rows(source, key, (*COLUMNS, unit.strip().casefold()))
    shown, empty, owner = shown_source(source), True, ""
    for number, value in numbered_rows:
        try:
            record = fields(value)
        except NoPreference as problem:  # its line is not named: that would tell its label
            raise BadInput(key, shown, str(problem)) from None
        if isinstance(record, str):
            names = _names(source, number) if record.startswith(NO_RESPONSES) else ""
            raise BadInput(key, shown, f"{word} {number}: {record}{names}")
        if annotators:
            owner = annotators.value(value, record)
            if owner is None:
                wrong = f"field {unit!r} is missing or blank; allowed: a text or a whole number"
                names = _names(source, number, unit)
                raise BadInput(key, shown, f"{word} {number}: {wrong}{names}")
        empty = False
        yield record, owner
    if empty:
        raise BadInput(key, shown, "holds no records")
    if annotators:
        annotators.refuse_answers()


def _names(source: Any, number: int, near: str = "") -> str:
    """Fields of a row, but for those whose presence may tell the label; ten are nearest a name."""
    _, numbered_rows = given_rows(source, "IN", None)
    row = next(row for place, row in numbered_rows if place == number)
    named = [str(name) for name in row if str(name).strip().casefold() not in LABELS]
    names = sorted(name[:60] for name in named)
    return f"; fields beside the responses: {at_most_ten(near, names)}" if names else ""


def given_rows(
    source: Any, key: str, columns: tuple[str, ...] | None
) -> tuple[str, Iterator[tuple[int, Any]]]:
    """What a row is called, and number and value of each, of a file or of a table in memory.

    ``columns`` are those that are read of a table of columns; None: all.
    """
    if is_path(source):
        return rows(os.fspath(source), key, columns)
    return "row", enumerate(rows_of(source, key), 1)


def shown_source(source: Any) -> str:
    """A name for messages that holds no text of a table."""
    return os.fspath(source) if is_path(source) else f"({type(source).__name__})"


def is_path(source: Any) -> bool:
    """Whether it names a file or folder, and is not a table itself."""
    return isinstance(source, str | os.PathLike)


def fields(value: Any) -> Record | str:
    """The three texts of a record, or what is wrong with it.

    Raises:
        NoPreference: what is wrong is its label.
    """
    if not isinstance(value, dict):
        return "not a JSON object with the fields prompt, chosen and rejected"
    try:
        texts = three_texts(value)
    except NoPreference:
        raise
    except NotUnderstood as problem:
        return str(problem)
    prompt, chosen, rejected = map(texts.get, FIELDS)
    if chosen is None and rejected is None:
        if value.keys() >= RELEASED:
            return "a line of a release, whose labels are randomised already; allowed: raw pairs"
        return f"{NO_RESPONSES}{_misspelt(value)}; {COLUMNS_PAGE}"
    if not (isinstance(chosen, str) and isinstance(rejected, str)):
        return f"one of the fields 'chosen' and 'rejected' {_wrong(value, FIELDS[1:])}"
    if not isinstance(prompt, str):
        return f"field 'prompt' {_wrong(value, FIELDS[:1])}"
    return fault(prompt, chosen, rejected) or (prompt, chosen, rejected)


def _wrong(value: dict[str, Any], names: tuple[str, ...]) -> str:
    """What is wrong with one of these fields, the same whichever it is."""
    if any(value.get(name, "") is None for name in names):
        return "is null"
    if all(name in value for name in names):
        return f"is given twice or {NO_TEXT}"
    return f"is missing, given twice or {NO_TEXT}{_misspelt(value)}; {COLUMNS_PAGE}"


def _misspelt(value: dict[str, Any]) -> str:
    """Fields that are named nearly like one that is missing; of names alone, not of what they hold.

    >>> _misspelt({"prompt": "p", "choosen": "a", "rejected": "b"})
    "; 'choosen' is there, and 'chosen' is not"
    """
    names = {name: name.strip().casefold() for name in value if isinstance(name, str)}
    missing = [name for name in COLUMNS if name not in names.values()]
    near = [
        f"; {name!r} is there, and {match!r} is not"
        for name, folded in names.items()
        if folded not in COLUMNS
        for match in difflib.get_close_matches(folded, missing, 1, ALIKE)
    ]
    return "".join(near[:MOST_NAMED])


def fault(prompt: str, first: str, other: str) -> str:
    """What keeps three texts from being a comparison, or nothing; symmetric in both responses."""
    if "\0" in prompt or "\0" in first or "\0" in other:
        return "a field holds characters that are not text"
    if not prompt.strip():
        return "the prompt is empty"
    if not (first.strip() and other.strip()):
        return "a response is empty"
    if not (prompt.isascii() and first.isascii() and other.isascii()):
        try:
            f"{prompt}{first}{other}".encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            return "a field holds characters that are not text"
    return "both responses are equal" if first == other else ""
