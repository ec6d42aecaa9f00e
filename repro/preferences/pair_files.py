"""Preference pairs from files of JSON lines, or from the Hugging Face hub.

A record is one JSON object a line with the text fields ``prompt``, ``chosen`` and ``rejected``.
Whatever is wrong is one line naming the file and the line number.  It never repeats a text,
because which of the two responses was chosen is the private label.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Sequence

from repro.base.errors import BadInput
from repro.base.files import regular_file, unreadable
from repro.preferences.hub_pairs import HUB_ID, hub_pairs
from repro.preferences.pair_records import KEY, PreferencePair, checked_pair

FEWEST_PAIRS = 20
LONGEST_LINE = 1 << 24  # bytes; a longer line is not a preference record
FILE_ENDINGS = (".jsonl", ".json", ".gz", ".csv", ".parquet", ".txt")


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
    readers = (_file_pairs(s) if os.path.isabs(s) else hub_pairs(s) for s in sources)
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
    regular_file(KEY, path)
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    empty = False
                    yield checked_pair(path, f"line {number}", _parse(path, number, text))
    except OSError as error:
        raise unreadable(KEY, path, error) from None
    if empty:
        raise BadInput(KEY, path, "holds no pairs")


def _parse(path: str, number: int, line: bytes) -> object:
    """The JSON value of one line."""
    if b"\0" in line or len(line) == LONGEST_LINE:
        raise BadInput(KEY, path, f"line {number}: not text, this looks like a binary file")
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        raise BadInput(KEY, path, f"line {number}: not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise BadInput(KEY, path, f"line {number}: not valid JSON") from None


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of a key given twice one reader takes the first value and another the last."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found
