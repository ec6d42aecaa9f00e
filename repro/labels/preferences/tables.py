"""Rows of tables: CSV, Parquet, and folders saved by the library ``datasets``.

A row is a dictionary from column to value, numbered from 1; a line of CSV has the number of the
line that it ends on.  A few thousand rows are in memory at a time.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import regular_file, small_text, unreadable
from repro.labels.preferences.json_lines import LONGEST_LINE

SEPARATORS = {";": "a semicolon", "\t": "a tab", "|": "a bar"}
"""Marks that stand between values in files that are no CSV here."""
TOGETHER = 1000
"""Rows that are decoded at once."""

AT_ONCE, FEW = 128, 16
"""Rows of a Parquet file that are unpacked, and of these decoded, at once."""

END = bytes.fromhex("ffffffff00000000")
"""What a stream of Arrow ends with."""

STATE, SPLITS = "state.json", "dataset_dict.json"
"""Files that ``datasets`` leaves in the folder of a dataset, and of one with several splits."""


def csv_rows(path: str, key: str, wanted: Iterable[str] | None = None) -> Iterator[tuple[int, Any]]:
    """Rows of a CSV file in UTF-8 whose first line names the columns.

    Args:
        path: a regular file.
        key: what the user calls it, for messages.
        wanted: names in lower case, of which one at least must be there; None: any will do.

    Raises:
        BadInput: no regular file, not UTF-8, a quote that does not end, a column named twice, or
            a row with more or fewer values than there are columns.
    """
    regular_file(key, path)
    csv.field_size_limit(LONGEST_LINE)  # of the whole process; the default refuses long texts
    reader = None
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            columns = next(reader, [])
            _refuse_unnamed(columns, wanted, path, key)
            refuse_repeated(columns, path, key)
            for values in filter(None, reader):
                if len(values) != len(columns):
                    expected = f"{len(values)} values for {len(columns)} columns"
                    raise BadInput(key, path, f"line {reader.line_num}: {expected}")
                yield reader.line_num, dict(zip(columns, values, strict=True))
    except UnicodeDecodeError:
        raise BadInput(key, path, "not UTF-8 text") from None
    except csv.Error:
        number = reader.line_num if reader else 1
        raise BadInput(key, path, f"line {number}: not valid CSV") from None
    except OSError as problem:
        raise unreadable(key, path, problem) from None


def _refuse_unnamed(columns: list[str], wanted: Iterable[str] | None, path: str, key: str) -> None:
    """A first line that names nothing may be a record: none of its words is shown."""
    if wanted is None or not columns:
        return
    known, names = sorted(filter(None, wanted)), [_folded(name) for name in columns]
    if not set(known).isdisjoint(names):
        return
    other = [mark for mark in SEPARATORS if mark in columns[0]] if len(columns) == 1 else []
    if other:
        what = (
            f"line 1 has no comma but {SEPARATORS[other[0]]}: allowed: commas between values, and "
            "columns named prompt, chosen and rejected (docs/howto/own_preference_data.md)"
        )
    else:
        what = (
            "line 1 is taken as the names of the columns, and none of them is known: rename the "
            "columns to prompt, chosen and rejected, or begin with a line of these names"
        )
    raise BadInput(key, path, what)


def parquet_rows(path: str, key: str, wanted: Iterable[str] | None) -> Iterator[tuple[int, Any]]:
    """Rows of a Parquet file, with the wanted columns alone.

    Args:
        path: a regular file.
        key: what the user calls it, for messages.
        wanted: names of columns in lower case; upper case and white space are no difference; None:
            all.

    Raises:
        BadInput: it cannot be read.
    """
    from pyarrow import parquet, types

    regular_file(key, path)
    with _told(path, key, "Parquet file"):
        schema = parquet.read_schema(path)
        columns = _wanted(schema.names, wanted, path, key)
        # A text that is named often is stored once, and so it must stay: a hundred kilobytes may
        # stand for gigabytes.
        texts = [name for name in columns if types.is_string(schema.field(name).type)]
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            batches = file.iter_batches(AT_ONCE, columns=columns)
            parts = (b.slice(at, FEW) for b in batches for at in range(0, b.num_rows, FEW))
            yield from enumerate((row for part in parts for row in part.to_pylist()), 1)


def saved_files(folder: Path, key: str) -> list[str]:
    """Files of Arrow in a folder that ``datasets`` has saved; none in any other folder.

    Raises:
        BadInput: it holds several splits, or its state cannot be read.
    """
    if (folder / SPLITS).is_file():
        folder = _only_split(folder, key)  # where a list of splits would be of no dataset
    if not (folder / STATE).is_file():
        return []
    state = _parsed(folder / STATE, key)
    listed = state.get("_data_files") if isinstance(state, dict) else None
    names = [str(entry.get("filename")) for entry in listed or [] if isinstance(entry, dict)]
    if not names or any(name != Path(name).name for name in names):
        raise BadInput(key, folder, f"{STATE} names no data files of this folder")
    return [str(folder / name) for name in names]


def arrow_rows(path: str, key: str, wanted: Iterable[str] | None) -> Iterator[tuple[int, Any]]:
    """Rows of a stream of Arrow batches on disk, with the wanted columns alone.

    It is not mapped into memory: a file that is cut while it is read would kill the process.

    Raises:
        BadInput: it cannot be read.
    """
    import pyarrow

    regular_file(key, path)
    with _told(path, key, "stream of Arrow"), pyarrow.OSFile(path) as file:
        stream = pyarrow.ipc.open_stream(file)
        columns = _wanted(stream.schema.names, wanted, path, key)
        batches = (batch.select(columns) for batch in stream)
        parts = (b.slice(at, TOGETHER) for b in batches for at in range(0, b.num_rows, TOGETHER))
        yield from enumerate((row for part in parts for row in part.to_pylist()), 1)
        if _last(path, len(END)) != END:  # cut between two batches it would only be shorter
            raise pyarrow.ArrowInvalid


def _last(path: str, count: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(max(0, os.stat(path).st_size - count))
        return file.read()


def refuse_repeated(columns: list[str], path: str, key: str) -> None:
    """Of a column given twice one reader takes the first value and another the last."""
    twice = sorted(name for name, times in Counter(columns).items() if times > 1)
    if twice:
        raise BadInput(key, path, f"column {twice[0]!r} appears twice")


def _wanted(columns: list[str], wanted: Iterable[str] | None, path: str, key: str) -> list[str]:
    refuse_repeated(columns, path, key)
    known = {_folded(name) for name in columns} if wanted is None else set(wanted)
    return [name for name in columns if _folded(name) in known]


def _folded(name: str) -> str:
    return name.strip().casefold()


def _only_split(folder: Path, key: str) -> Path:
    """The folder of the one split that there is."""
    info = _parsed(folder / SPLITS, key)
    listed = info.get("splits") if isinstance(info, dict) else None
    texts = [str(name) for name in listed or []]
    names = [name for name in texts if name == Path(name).name != ".."]
    if len(names) != 1:
        allowed = ", ".join(str(folder / name) for name in names)
        raise BadInput(key, folder, f"holds {len(names)} splits; allowed: {allowed or 'one split'}")
    return folder / names[0]


def _parsed(path: Path, key: str) -> Any:
    try:
        return json.loads(small_text(key, path))
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, BadInput):
            raise
        raise BadInput(key, path, "is not valid JSON") from None


@contextmanager
def _told(path: str, key: str, what: str) -> Iterator[None]:
    """What pyarrow finds wrong, as one line without its words: they may quote a text."""
    import pyarrow

    try:
        yield
    except pyarrow.ArrowException:
        raise BadInput(key, path, f"not a whole {what}, or not one that can be read") from None
    except OSError as problem:
        if problem.strerror is None:  # of pyarrow: it ends too soon
            raise BadInput(key, path, f"not a whole {what}") from None
        raise unreadable(key, path, problem) from None
