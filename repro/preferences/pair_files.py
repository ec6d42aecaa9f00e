"""Preference pairs from files of JSON lines, or from the Hugging Face hub.

A record is one JSON object a line with the text fields ``prompt``, ``chosen`` and ``rejected``.
Whatever is wrong is one line naming the file and the line number.  It never repeats a text,
because which of the two responses was chosen is the private label.
"""

from __future__ import annotations

import glob
import importlib
import json
import logging
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from repro.errors import BadInput

KEY = "instance.path"
FIELDS = ("prompt", "chosen", "rejected")
FEWEST_PAIRS = 20
LONGEST_LINE = 1 << 24  # bytes; a longer line is not a preference record
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(:[\w\[\]:%+-]+)?", re.ASCII)
FILE_ENDINGS = (".jsonl", ".json", ".gz", ".csv", ".parquet", ".txt")
TURN = "\n\nAssistant:"
log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class PreferencePair:
    """One comparison; it has no repr of its own, so that no log or traceback shows the label."""

    prompt: str
    chosen: str
    rejected: str


def read_pairs(path: str | Sequence[str]) -> list[PreferencePair]:
    """Every pair of a file, a folder of .jsonl files, a glob, a hub id, or a list of these.

    A hub id is ``owner/name`` or ``owner/name:split`` (default train) with nothing of that
    name on disk.  Files are read in the order named (folders and globs: sorted), each once.
    Raises BadInput naming file and line for any fault, and below 20 pairs in total.
    """
    names = [path] if isinstance(path, str | os.PathLike) else path
    if not isinstance(names, Sequence) or not all(isinstance(n, str | os.PathLike) for n in names):
        raise BadInput(KEY, type(path).__name__, "needs a path, or a list of paths")
    sources = dict.fromkeys(source for name in names for source in _sources(str(name)))
    readers = (_file_pairs(s) if os.path.isabs(s) else _hub_pairs(s) for s in sources)
    pairs = [pair for reader in readers for pair in reader]
    if len(pairs) < FEWEST_PAIRS:
        raise BadInput(KEY, path, f"needs at least {FEWEST_PAIRS} pairs, found {len(pairs)}")
    return pairs


def _sources(name: str) -> list[str]:
    """Absolute paths of the files a name stands for, or the name itself where it is a hub id."""
    place, found, complaint = os.path.expanduser(name), [], "there is no such file or folder"
    if os.path.isdir(place):
        found = glob.glob(os.path.join(glob.escape(place), "*.jsonl"))
        complaint = "a folder without .jsonl files"
    elif os.path.lexists(place):
        found = [place]
    elif HUB_ID.fullmatch(name) and not name.lower().endswith(FILE_ENDINGS):
        return [name]
    elif glob.has_magic(place) and "\0" not in place:
        found = [match for match in glob.glob(place, recursive=True) if not os.path.isdir(match)]
        complaint = "no file matches"
    if not found:
        raise BadInput(KEY, name, complaint)
    return [os.path.abspath(file) for file in sorted(found)]


def _file_pairs(path: str) -> Iterator[PreferencePair]:
    """Pairs of one file; blank lines are skipped, a byte order mark is allowed."""
    empty = True
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise BadInput(KEY, path, "is not a regular file")
        with open(path, "rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    empty = False
                    yield _pair(path, f"line {number}", _parse(path, number, text))
    except OSError as error:
        raise BadInput(KEY, path, f"cannot be read: {error.strerror}") from None
    if empty:
        raise BadInput(KEY, path, "holds no pairs")


def _parse(path: str, number: int, line: bytes) -> object:
    """The JSON value of one line."""
    if b"\0" in line or len(line) == LONGEST_LINE:
        raise BadInput(KEY, path, f"line {number}: not text, this looks like a binary file")
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadInput(KEY, path, f"line {number}: not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise BadInput(KEY, path, f"line {number}: not valid JSON") from None


def _pair(source: str, place: str, record: object) -> PreferencePair:
    fault = _shape_fault(record) or _content_fault(record)
    if fault:
        raise BadInput(KEY, source, f"{place}: {fault}")
    return PreferencePair(*(record[name] for name in FIELDS))  # pyright: ignore[reportIndexIssue]


def _shape_fault(record: object) -> str:
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


def _content_fault(record: Any) -> str:
    """What keeps three texts from being a comparison, or nothing."""
    empty = [name for name in FIELDS if not record[name].strip()]
    if empty:
        return f"field {empty[0]!r} is empty"
    return "chosen and rejected are equal" if record["chosen"] == record["rejected"] else ""


def _hub_pairs(hub_id: str) -> Iterator[PreferencePair]:
    """Pairs of a hub dataset; rows that compare nothing are skipped, as no user can mend them."""
    skipped = 0
    for number, row in enumerate(_hub_rows(hub_id), 1):
        record = _with_prompt(row)
        if not _shape_fault(record) and _content_fault(record):
            skipped += 1
        else:
            yield _pair(hub_id, f"row {number}", record)
    if skipped:
        log.warning("%s: skipped %d rows with empty or equal texts", hub_id, skipped)


def _hub_rows(hub_id: str) -> Iterator[object]:
    name, _, split = hub_id.partition(":")
    try:
        load_dataset = importlib.import_module("datasets").load_dataset
    except (ImportError, AttributeError):
        hint = "not on disk; to read it from the hub: pip install 'repro[hub]'"
        raise BadInput(KEY, hub_id, hint) from None
    try:
        yield from load_dataset(name, split=split or "train")
    except Exception as error:  # noqa: BLE001 - the library raises many unrelated kinds
        hint = "check name, split and network; if it is gated, log in with `hf auth login`"
        kind = type(error).__name__
        raise BadInput(KEY, hub_id, f"not on disk, and the hub fails ({kind}): {hint}") from None


def _with_prompt(row: Any) -> Any:
    """Split whole dialogues (as in Anthropic/hh-rlhf) after the last turn they share."""
    if not isinstance(row, dict) or row.get("prompt") is not None:
        return row
    chosen, rejected = row.get("chosen"), row.get("rejected")
    if not (isinstance(chosen, str) and isinstance(rejected, str)):
        return row
    prompt, turn, _ = os.path.commonprefix([chosen, rejected]).rpartition(TURN)
    start = len(prompt) + len(turn)
    texts = (text.strip() for text in (prompt, chosen[start:], rejected[start:]))
    return dict(zip(FIELDS, texts, strict=True)) if turn else row
