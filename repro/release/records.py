"""A strict reader of preference records, one line in memory at a time.

Its complaints name the line but treat chosen and rejected alike: which of two responses was
chosen is the private label, and an error message is an output too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from repro.base.errors import BadInput
from repro.preferences.layouts import three_texts
from repro.preferences.pair_records import FIELDS
from repro.preferences.pair_rows import rows

NO_TEXT = "neither a text nor a chat list"
Record = tuple[str, str, str]
"""prompt, chosen, rejected"""


def read_records(path: str, key: str = "IN") -> Iterator[Record]:
    """Records of a file, or of a folder that ``datasets`` has saved, in their order.

    Raises:
        BadInput: names the file, the first faulty line and what is wrong, never a text.
    """
    empty = True
    word, found = rows(path, key)
    for number, value in found:
        record = fields(value)
        if isinstance(record, str):
            raise BadInput(key, path, f"{word} {number}: {record}")
        empty = False
        yield record
    if empty:
        raise BadInput(key, path, "holds no records")


def fields(value: Any) -> Record | str:
    """The three texts of a record, or what is wrong with it."""
    if not isinstance(value, dict):
        return "not a JSON object with the fields prompt, chosen and rejected"
    prompt, chosen, rejected = value.get("prompt"), value.get("chosen"), value.get("rejected")
    if not (isinstance(prompt, str) and isinstance(chosen, str) and isinstance(rejected, str)):
        prompt, chosen, rejected = map(three_texts(value).get, FIELDS)
    if not isinstance(prompt, str):
        return f"field 'prompt' is missing, given twice or {NO_TEXT}"
    if not (isinstance(chosen, str) and isinstance(rejected, str)):
        return f"one of the fields 'chosen' and 'rejected' is missing, given twice or {NO_TEXT}"
    if "\0" in prompt or "\0" in chosen or "\0" in rejected:
        return "a field holds characters that are not text"
    if not (prompt.strip() and chosen.strip() and rejected.strip()):
        return "a field is empty"
    if chosen == rejected:
        return "chosen and rejected are equal"
    return prompt, chosen, rejected
