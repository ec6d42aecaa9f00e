"""Rows of a preference file, whatever its format: JSON lines, gzip, CSV, Parquet, Arrow."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import regular_file, unreadable
from repro.labels.preferences.json_lines import json_lines
from repro.labels.preferences.layouts import COLUMNS
from repro.labels.preferences.tables import arrow_rows, csv_rows, parquet_rows, saved_files

ENDINGS = (".jsonl", ".jsonl.gz", ".csv", ".parquet")
"""Of the files that are read from a folder; by name a file may have any."""

READ_BY_PANDAS = {
    ".json": "read_json('{0}', dtype=False)",
    ".tsv": "read_csv('{0}', sep='\\t', dtype=str, keep_default_na=False)",
    ".xlsx": "read_excel('{0}', dtype=str, keep_default_na=False)",
    ".xls": "read_excel('{0}', dtype=str, keep_default_na=False)",
    ".feather": "read_feather('{0}')",
    ".arrow": "read_feather('{0}')",
    ".orc": "read_orc('{0}')",
}
"""Formats that are not read here, and how pandas reads them."""


def rows(
    path: str, key: str, columns: Iterable[str] | None = COLUMNS
) -> tuple[str, Iterator[tuple[int, Any]]]:
    """What a row is called ("line", "row"), and the number and value of each.

    A value is a dictionary in one of the layouts of ``layouts``, or else faulty.

    Args:
        path: a file, or a folder that ``datasets`` has saved.
        key: what the user calls it, for messages.
        columns: names, in lower case, of those that are read from a table of columns; None: all.

    Raises:
        BadInput: it cannot be read, then or while rows are taken; never with a text of it.
    """
    files = saved_files(Path(path), key)
    if files:
        return "row", (row for file in files for row in arrow_rows(file, key, columns))
    if _begins(path, key, b"PAR1"):
        return "row", parquet_rows(path, key, columns)
    if path.lower().endswith(".csv"):
        return "line", csv_rows(path, key, columns)
    return "line", _lines(path, key)


def _lines(path: str, key: str) -> Iterator[tuple[int, Any]]:
    """JSON lines; where the first is none, the message says how to make some of another format."""
    lines = json_lines(path, key)
    try:
        first = list(islice(lines, 1))
        if first and isinstance(first[0][1], list):
            raise BadInput(key, path, f"line {first[0][0]}: a list, and not one object a line")
    except BadInput as problem:
        if way := conversion(path):
            raise BadInput(key, path, f"{problem.allowed}; to convert it: {way}") from None
        raise
    return chain(first, lines)


def conversion(path: str) -> str:
    """A command that makes JSON lines of a file, or nothing where none is known.

    >>> conversion("a.tsv")[:44]
    'python -c "import pandas; pandas.read_csv(\\'a'
    """
    reader = READ_BY_PANDAS.get(Path(path).suffix.lower(), "")
    if not reader or shlex.quote(path) != path:
        return ""
    code = f"import pandas; pandas.{reader.format(path)}"
    return f"python -c \"{code}.to_json('pairs.jsonl', orient='records', lines=True)\""


def _begins(path: str, key: str, mark: bytes) -> bool:
    regular_file(key, path)
    try:
        with open(path, "rb") as file:
            return file.read(len(mark)) == mark
    except OSError as problem:
        raise unreadable(key, path, problem) from None
