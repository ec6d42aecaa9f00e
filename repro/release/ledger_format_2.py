"""Ledgers of format 2, carried over: they knew label releases only, which have no δ."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from repro.base.errors import BadInput
from repro.release.ledger_file import KEY, LOST, SCHEMA, VERSION, seal, sum_of

FORMAT = 2
DEBITS = (
    "CREATE TABLE debits (number INTEGER PRIMARY KEY, epsilon TEXT, earlier TEXT, "
    "unit_size INTEGER, lines INTEGER, plus INTEGER, sha256 TEXT, answers BLOB) WITHOUT ROWID"
)


def carry_over(rows: sqlite3.Connection, path: Path) -> None:
    """Make a sound ledger of format 2 one of this format, wholly or not at all.

    Raises:
        BadInput: it is damaged.
    """
    rows.execute("BEGIN IMMEDIATE")
    schema = {words for (words,) in rows.execute("SELECT sql FROM sqlite_schema")}
    if DEBITS not in schema or rows.execute("SELECT seal FROM seal").fetchone() != (sum_of(rows),):
        raise BadInput(KEY, path, f"is damaged; {LOST}")
    kept = rows.execute("SELECT *, '0', '0' FROM debits ORDER BY number").fetchall()
    rows.execute("DROP TABLE debits")
    (made,) = (one for one in SCHEMA if one.startswith("CREATE TABLE debits "))
    rows.execute(made)
    rows.executemany("INSERT INTO debits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", kept)
    rows.execute(f"PRAGMA user_version={VERSION}")
    seal(rows)
    rows.execute("COMMIT")
