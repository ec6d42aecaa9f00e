"""Measurements in long form, the content of ``measurements.parquet``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from repro.core.results import CheckResult, Result

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Array

COLUMNS = {
    "check": "str",
    "quantity": "str",
    "method": "str",
    "axis": "str",
    "value": "float64",
    "replicate_block": "int64",
    "mean": "float64",
    "variance": "float64",
    "count": "int64",
    "failed": "int64",
}
"""Columns of ``measurements.parquet`` and their pandas dtypes."""


def measurements_frame(result: Result) -> DataFrame:
    """Long form: a row per check, method, grid value and replicate block, in run order.

    ``mean`` and ``variance`` (ddof 1) are over the ``count`` finite replicates of the block, NaN
    where there are too few; ``failed`` replicates are those without a finite value.
    """
    from pandas import DataFrame

    rows = [row for item in result.checks for row in _rows(item)]
    return DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(item: CheckResult) -> Iterator[tuple[object, ...]]:
    """Rows of one check, the method under test first."""
    check = item.check
    for outcome in (item.outcome, *item.controls):
        head = (check.name, check.quantity, outcome.method, check.axis)
        for value, blocks in zip(outcome.series.grid, outcome.series.values, strict=True):
            for block, replicates in enumerate(blocks):
                seen = replicates[np.isfinite(replicates)]
                mean = seen.mean() if seen.size else np.nan
                variance = seen.var(ddof=1) if seen.size > 1 else np.nan
                failed = replicates.size - seen.size
                yield (*head, float(value), block, mean, variance, seen.size, failed)


def parquet_bytes(result: Result) -> bytes:
    """The same table, NaN as null; depends on the measurements only: no pandas metadata."""
    import pyarrow
    from pyarrow import parquet

    rows = [row for item in result.checks for row in _rows(item)]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    arrays = map(_arrow, columns, COLUMNS.values())
    content = BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(list(arrays), list(COLUMNS)), content)
    return content.getvalue()


def _arrow(column: Sequence[Any], kind: str) -> Array:
    """A column from its buffers: ``pyarrow.array`` takes .3 s for importing pandas."""
    import pyarrow

    if kind == "str":
        words = [word.encode() for word in column]
        ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
        parts = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(words))]
        return pyarrow.Array.from_buffers(pyarrow.large_string(), len(words), parts)
    values = np.array(column, dtype=kind)
    there = np.packbits(values == values, bitorder="little")
    parts = [pyarrow.py_buffer(there), pyarrow.py_buffer(values)]
    return pyarrow.Array.from_buffers(getattr(pyarrow, kind)(), len(values), parts)
