"""A strict reader of JSON lines, plain or compressed by gzip, one line in memory at a time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import regular_file, unreadable

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
LONGEST_LINE = 1 << 24
"""Bytes; a longer line is not a preference record."""


def json_lines(path: str, key: str) -> Iterator[tuple[int, Any]]:
    """Line number and JSON value of every line that is not blank; a byte order mark may lead.

    Args:
        path: a regular file; one that begins as gzip's do is decompressed as it is read.
        key: what the user calls it, for messages.

    Raises:
        BadInput: no regular file, or the first line that is too long, not UTF-8 or not JSON; it
            never repeats a text.
    """
    regular_file(key, path)
    decoder = json.JSONDecoder(object_pairs_hook=_without_repeats)
    scan = decoder.scan_once  # pyright: ignore[reportAttributeAccessIssue]
    number = 0
    try:
        with open(path, "rb") as raw:
            packed = raw.peek(len(GZIP)).startswith(GZIP)
            file = gzip.GzipFile(fileobj=raw) if packed else raw
            for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), 1):
                text = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                if b"\0" in line or len(line) == LONGEST_LINE:
                    too_long = f"not text, or longer than {LONGEST_LINE} bytes"
                    raise BadInput(key, path, f"line {number}: {too_long}")
                if text := text.strip(b" \t\r\n"):
                    yield number, _value(path, key, number, text, scan)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadInput(key, path, f"line {number + 1}: not a whole gzip file") from None
    except OSError as problem:
        raise unreadable(key, path, problem) from None


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
        raise BadInput(
            key, path, f"line {number}: not valid JSON, or a field is given twice"
        ) from None


def _refuse_surrogates(value: Any) -> None:
    """Half of a surrogate pair is no character: it could not be written again."""
    json.dumps(value, ensure_ascii=False).encode("utf-8")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key given twice one reader takes the first value and another the last."""
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key appears twice")
    return content
