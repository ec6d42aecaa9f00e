"""A strict reader of preference records, one line in memory at a time.

Its complaints name the line but treat chosen and rejected alike: which of two responses was
chosen is the private label, and an error message is an output too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import regular_file, unreadable
from repro.preferences.pair_files import LONGEST_LINE
from repro.preferences.pair_records import FIELDS
from repro.release.chat import plain

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TOO_LONG = f"not text, or longer than {LONGEST_LINE} bytes"
NO_TEXT = "neither a text nor a chat list"
Record = tuple[str, str, str]
"""prompt, chosen, rejected"""


def file_size(path: str, key: str) -> int:
    """Bytes of a regular file.

    Raises:
        BadInput: it cannot be read, or is a folder, a pipe or a device.
    """
    return regular_file(key, Path(path))


def json_lines(path: str, key: str) -> Iterator[tuple[int, Any]]:
    """Line number and JSON value of every line that is not blank; a byte order mark may lead.

    Raises:
        BadInput: no regular file, or the first line that is too long, not UTF-8 or not JSON.
    """
    file_size(path, key)
    decoder = json.JSONDecoder(object_pairs_hook=_without_repeats)
    scan = decoder.scan_once  # pyright: ignore[reportAttributeAccessIssue]
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                text = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                if b"\0" in line or len(line) == LONGEST_LINE:
                    raise BadInput(key, path, f"line {number}: {TOO_LONG}")
                if text := text.strip(b" \t\r\n"):
                    yield number, _value(path, key, number, text, scan)
    except OSError as problem:
        raise unreadable(key, path, problem) from None


def read_records(path: str, key: str = "IN") -> Iterator[Record]:
    """Records of a file in its order.

    Raises:
        BadInput: names the file, the first faulty line and what is wrong, never a text.
    """
    empty = True
    for number, value in json_lines(path, key):
        record = fields(value)
        if isinstance(record, str):
            raise BadInput(key, path, f"line {number}: {record}")
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
        prompt, chosen, rejected = map(plain(value).get, FIELDS)
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


def _value(path: str, key: str, number: int, line: bytes, scan) -> Any:
    try:
        text = line.decode("utf-8")
        value, end = scan(text, 0)
        if end != len(text):
            raise ValueError("more than one value")
        if "\\u" in text and ("\\ud" in text or "\\uD" in text):
            _refuse_surrogates(value)
        return value
    except UnicodeError:
        raise BadInput(key, path, f"line {number}: not UTF-8 text") from None
    except (ValueError, RecursionError, StopIteration):
        raise BadInput(key, path, f"line {number}: not valid JSON") from None


def _refuse_surrogates(value: Any) -> None:
    """Half of a surrogate pair is no character: it could not be written again."""
    json.dumps(value, ensure_ascii=False).encode("utf-8")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found
