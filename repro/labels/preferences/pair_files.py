"""Preference pairs from files and folders, or from the Hugging Face hub.

Formats are those of ``pair_rows``, layouts those of ``layouts``.  Whatever is wrong is one line
naming the file and the line.  It never repeats a text, because which of the two responses was
chosen is the private label.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from repro.base.errors import BadInput
from repro.labels.preferences.conversation import NotUnderstood
from repro.labels.preferences.hub_pairs import HUB_ID, hub_pairs
from repro.labels.preferences.layouts import three_texts
from repro.labels.preferences.pair_records import KEY, PreferencePair, checked_pair
from repro.labels.preferences.pair_rows import ENDINGS, rows
from repro.labels.preferences.tables import saved_files

FEWEST_PAIRS = 20
FILE_ENDINGS = (".jsonl", ".json", ".gz", ".csv", ".parquet", ".txt")


def read_pairs(path: str | Sequence[str]) -> list[PreferencePair]:
    """Every pair of a file, a folder, a glob, a hub id, or a list of these.

    A folder is one that ``datasets`` has saved, or holds .jsonl, .jsonl.gz, .csv and .parquet.

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
    place, paths, complaint = os.path.expanduser(name), [], "there is no such file or folder"
    if os.path.isdir(place):
        paths = [place] if saved_files(Path(place), KEY) else _files_of(place)
        complaint = f"a folder without {', '.join(ENDINGS)} files"
    elif os.path.lexists(place):
        paths = [place]
    elif HUB_ID.fullmatch(name) and not name.lower().endswith(FILE_ENDINGS):
        return [name]
    elif glob.has_magic(place) and "\0" not in place:
        paths = [match for match in glob.glob(place, recursive=True) if not os.path.isdir(match)]
        complaint = "no file matches"
    if not paths:
        raise BadInput(KEY, name, complaint)
    return [os.path.abspath(file) for file in sorted(paths)]


def _files_of(folder: str) -> list[str]:
    every = glob.glob(os.path.join(glob.escape(folder), "*"))
    return [file for file in every if file.lower().endswith(ENDINGS)]


def _file_pairs(path: str) -> Iterator[PreferencePair]:
    """Pairs of one file, or of a folder that ``datasets`` has saved."""
    empty = True
    word, numbered = rows(path, KEY)
    for number, value in numbered:
        empty = False
        try:
            record = three_texts(value)
        except NotUnderstood as fault:
            raise BadInput(KEY, path, f"{word} {number}: {fault}") from None
        yield checked_pair(path, f"{word} {number}", record)
    if empty:
        raise BadInput(KEY, path, "holds no pairs")
