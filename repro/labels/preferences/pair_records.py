"""One preference record: three texts, checked, never shown.

A message never repeats a text, because which of the two responses was chosen is the private
label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from repro.base.errors import BadInput

KEY = "instance.path"
FIELDS = ("prompt", "chosen", "rejected")


@dataclass(frozen=True, repr=False)
class PreferencePair:
    """One comparison; it has no repr of its own, so that no log or traceback shows the label."""

    prompt: str
    chosen: str
    rejected: str


def checked_pair(source: str, place: str, record: object) -> PreferencePair:
    """The pair of a record read from ``place`` in ``source``; BadInput names its first fault."""
    fault = shape_fault(record) or content_fault(record)
    if fault:
        raise BadInput(KEY, source, f"{place}: {fault}")
    return PreferencePair(*(record[name] for name in FIELDS))  # pyright: ignore[reportIndexIssue]


def shape_fault(record: object) -> str:
    """What keeps a record from being three texts, or nothing."""
    if not isinstance(record, dict):
        return "not a JSON object with the fields prompt, chosen and rejected"
    for name in FIELDS:
        if name not in record:
            return f"field {name!r} is missing"
        if not isinstance(record[name], str):
            return f"field {name!r} is not a string"
        if re.search("[\0\ud800-\udfff]", record[name]):
            return f"field {name!r} holds characters that are not text"
    return ""


def content_fault(record: Any) -> str:
    """What keeps three texts from being a comparison, or nothing."""
    empty = [name for name in FIELDS if not record[name].strip()]
    if empty:
        return f"field {empty[0]!r} is empty"
    return "chosen and rejected are equal" if record["chosen"] == record["rejected"] else ""
