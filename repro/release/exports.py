"""Copies of a release in other formats and layouts, for tools that do not read the canonical file.

They are made from the published release, so they cost nothing, and are not themselves canonical: a
compressed file has levels and places of its own choice.  What is audited is OUT.jsonl.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from repro.base.errors import BadInput
from repro.release.drafts import Draft

ENDINGS = (".jsonl.gz", ".parquet")
LAYOUTS = ("pairs", "trl")
"""prompt, response_1, response_2, label; and prompt, chosen, rejected by the released label."""
TOGETHER = 1000
"""Lines in memory at a time; a group of rows of Parquet."""


def refuse_layout(layout: object) -> None:
    """Before anything is spent.

    Raises:
        BadInput: there is no such layout.
    """
    if layout not in LAYOUTS:
        raise BadInput("layout", str(layout)[:60], f"allowed: {', '.join(LAYOUTS)}")


def in_layout(row: dict[str, Any], layout: str) -> dict[str, Any]:
    """A line of a release in a layout.

    >>> in_layout({"prompt": "p", "response_1": "a", "response_2": "b", "label": -1}, "trl")
    {'prompt': 'p', 'chosen': 'b', 'rejected': 'a'}
    """
    if layout == LAYOUTS[0]:
        return row
    pair = row["response_1"], row["response_2"]
    chosen, rejected = pair if row["label"] == 1 else pair[::-1]
    return {"prompt": row["prompt"], "chosen": chosen, "rejected": rejected}


def write_export(release: Path, target: Path, layout: str = LAYOUTS[0]) -> None:
    """Write a published release once more, whole or not at all.

    Args:
        release: OUT.jsonl.
        target: a name with one of ``ENDINGS``.
        layout: one of ``LAYOUTS``.

    Raises:
        OSError: it cannot be written.
    """
    with open(release, "rb") as file, Draft(target.parent) as draft:
        rows = (in_layout(json.loads(line), layout) for line in file)
        writer = _write_parquet if target.name.endswith(ENDINGS[1]) else _write_gzip
        writer(rows, draft.file)
        draft.place(target)


def refuse_without_library(ending: str) -> None:
    """Before anything is spent.

    Raises:
        BadInput: pyarrow is not installed.
    """
    if ending == ENDINGS[1] and find_spec("pyarrow") is None:
        raise BadInput("OUT", ending, "needs pyarrow (pip install pyarrow)")


def _write_gzip(rows: Iterator[dict[str, Any]], file: BinaryIO) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed:
        for row in rows:
            packed.write(
                json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            )


def _write_parquet(rows: Iterator[dict[str, Any]], file: BinaryIO) -> None:
    import pyarrow
    from pyarrow import parquet

    some = list(islice(rows, TOGETHER))
    schema = pyarrow.Table.from_pylist(some).schema
    with parquet.ParquetWriter(cast(Any, file), schema) as writer:
        while some:
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))
            some = list(islice(rows, TOGETHER))
