"""Ledgers of format 1, carried over: what they spent stays spent, under their own fingerprints.

They knew comparisons by 62-bit fingerprints with a salt, and nothing of the files that were
released; every table had a seal.  A release that a kill had cut short counts as spent if it was
noted, and its named drafts, which others could read, go.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from repro.base.errors import BadInput
from repro.release.ledger_file import KEY, LOST, SCHEMA, VERSION, seal

FORMAT = 1
SEALED = ("salt", "releases", "fingerprints", "pending")


def carry_over(rows: sqlite3.Connection, path: Path) -> None:
    """Make a sound ledger of format 1 one of this format, wholly or not at all.

    Raises:
        BadInput: it is damaged.
    """
    rows.execute("BEGIN IMMEDIATE")
    try:
        sealed = dict(rows.execute("SELECT * FROM seals")) == _seals(rows)
    except sqlite3.Error:
        sealed = False
    if not sealed:
        raise BadInput(KEY, path, f"is damaged; {LOST}")
    for _, release, output, _ in rows.execute("SELECT * FROM pending").fetchall():
        folder = Path(os.fsdecode(output)).parent
        for ending in ("partial", "manifest.partial"):
            with suppress(OSError):
                os.unlink(folder / f".{release}.{ending}")
    for statement in SCHEMA:
        rows.execute(statement)
    rows.execute("INSERT INTO former_salt SELECT * FROM salt")
    rows.execute("INSERT INTO former_prints SELECT * FROM fingerprints")
    rows.execute(
        "INSERT INTO debits SELECT number, epsilon, '[]', NULL, comparisons, NULL, NULL, NULL,"
        " '0', '0' FROM releases"
    )
    for name in (*SEALED, "seals"):
        rows.execute(f"DROP TABLE {name}")
    rows.execute(f"PRAGMA user_version={VERSION}")
    seal(rows)
    rows.execute("COMMIT")


def _seals(rows: sqlite3.Connection) -> dict[str, bytes]:
    """A keyed hash of the rows of each table, in order of their keys, as that format had it."""
    (key,) = rows.execute("SELECT salt FROM salt").fetchone()
    found = {}
    for name in SEALED:
        digest = blake2b(name.encode(), key=key[:64])
        some = rows.execute(f"SELECT * FROM {name} ORDER BY 1, 2")
        for part in iter(lambda some=some: some.fetchmany(4096), []):
            digest.update(repr(part).encode("utf-8", "surrogateescape"))
        found[name] = digest.digest()
    return found
