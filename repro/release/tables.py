"""Lists of dictionaries, pandas, pyarrow and ``datasets``: rows out of them, and rows into them.

None of the libraries is imported for a table of another kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from repro.base.errors import BadInput

TOGETHER = 1000
"""Rows that are decoded at once."""


def kind_of(table: Any) -> str:
    """ "pandas", "pyarrow", "datasets", or "list" for any other sequence of rows."""
    library, name = type(table).__module__.partition(".")[0], type(table).__name__
    known = {("pandas", "DataFrame"), ("pyarrow", "Table"), ("datasets", "Dataset")}
    return library if (library, name) in known else "list"


def rows_of(table: Any, key: str) -> Iterator[Any]:
    """Rows as dictionaries.

    Raises:
        BadInput: it is no table, or a column appears twice.
    """
    kind = kind_of(table)
    shown = f"({type(table).__name__})"
    if kind in ("list", "datasets"):
        if kind == "list" and not isinstance(table, list | tuple):
            allowed = "a file, a list of dicts, or a table of pandas, pyarrow or datasets"
            raise BadInput(key, shown, f"allowed: {allowed}")
        return iter(table)
    columns = list(table.columns if kind == "pandas" else table.column_names)
    if len(set(columns)) < len(columns):
        raise BadInput(key, shown, "a column appears twice")
    if kind == "pandas":
        starts = range(0, len(table), TOGETHER)
        parts = (table.iloc[at : at + TOGETHER].to_dict("records") for at in starts)
    else:
        parts = (part.to_pylist() for part in table.to_batches(max_chunksize=TOGETHER))
    return (row for part in parts for row in part)


def table_like(table: Any, rows: list[dict[str, Any]]) -> Any:
    """Rows as a table of the kind of another; a list where that is a file."""
    kind = kind_of(table)
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(rows)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_pylist(rows)
    return type(table).from_list(rows) if kind == "datasets" else rows
