"""Ledgers of format 3, carried over: they knew comparisons by another identity."""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path

from repro.base.errors import BadInput
from repro.release.ledger_file import KEY, LOST, SCHEMA, VERSION, seal

FORMAT, IDENTITY = 3, 1
DEBITS = (
    "CREATE TABLE debits (number INTEGER PRIMARY KEY, epsilon TEXT, earlier TEXT, "
    "unit_size INTEGER, lines INTEGER, plus INTEGER, sha256 TEXT, answers BLOB, delta TEXT, "
    "earlier_delta TEXT) WITHOUT ROWID"
)


def carry_over(rows: sqlite3.Connection, path: Path) -> None:
    """Make a sound ledger of format 3 one of this format, wholly or not at all.

    Pairs that a reward has read are forgotten, because a reward counts for every input now.

    Raises:
        BadInput: it is damaged, or knows releases by the fingerprints of format 1.
    """
    rows.execute("BEGIN IMMEDIATE")
    schema = {words for (words,) in rows.execute("SELECT sql FROM sqlite_schema")}
    if DEBITS not in schema or rows.execute("SELECT seal FROM seal").fetchone() != (_sum(rows),):
        raise BadInput(KEY, path, f"is damaged; {LOST}")
    if rows.execute("SELECT 1 FROM former_prints LIMIT 1").fetchone():
        allowed = (
            "knows releases by fingerprints of format 1, which are read no more; keep it for its "
            "budgets, and name another folder for data that it has not released"
        )
        raise BadInput(KEY, path, allowed)
    debits = rows.execute("SELECT *, ? FROM debits ORDER BY number", (IDENTITY,)).fetchall()
    for name in ("debits", "former_prints", "former_salt"):
        rows.execute(f"DROP TABLE {name}")
    rows.execute(next(words for words in SCHEMA if words.startswith("CREATE TABLE debits ")))
    rows.executemany("INSERT INTO debits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", debits)
    rewards = "SELECT number FROM debits WHERE delta <> '0'"
    rows.execute(f"DELETE FROM prints WHERE number IN ({rewards})")
    rows.execute(f"PRAGMA user_version={VERSION}")
    seal(rows)
    rows.execute("COMMIT")


def _sum(rows: sqlite3.Connection) -> str:
    """The hash that the seal of format 3 holds."""
    digest = sha256()
    for name in ("debits", "former_salt"):
        for row in rows.execute(f"SELECT * FROM {name} ORDER BY 1"):
            digest.update(repr(row).encode("utf-8", "surrogateescape"))
    for name in ("prints", "former_prints"):
        words = "print >> 31", "print & 0x7fffffff", "number", "print % 65521 * number"
        sums = ", ".join(f"sum({word})" for word in words)
        totals = rows.execute(f"SELECT count(*), {sums} FROM {name}").fetchone()
        digest.update(repr(totals).encode())
    return digest.hexdigest()
