"""Measurements in long form, the content of ``measurements.parquet``."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from repro.core.results import CheckResult, Result

if TYPE_CHECKING:
    from pandas import DataFrame

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
    where there are too few and inf where they are above the largest float64; ``failed`` replicates
    are those without a finite value.
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
                # beyond 1e154 a square is no float64 any more: the variance is inf
                with np.errstate(over="ignore"):
                    mean = seen.mean() if seen.size else np.nan
                    variance = seen.var(ddof=1) if seen.size > 1 else np.nan
                failed = replicates.size - seen.size
                yield (*head, float(value), block, mean, variance, seen.size, failed)


def parquet_bytes(result: Result) -> bytes:
    """Depend on the measurements only: no pandas metadata."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pandas(measurements_frame(result), preserve_index=False)
    content = BytesIO()
    parquet.write_table(table.replace_schema_metadata(None), content)
    return content.getvalue()
