"""What was answered to each comparison of a file, so that a repeated one is answered the same way.

A temporary SQLite database that has no name and vanishes with the process: memory is bounded by
its page cache, and neither raw labels nor texts are kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

CACHE_KIB = 32 << 10
_SETTINGS = (
    f"cache_size=-{CACHE_KIB}",
    "journal_mode=OFF",  # nothing is ever rolled back: after a fault the database is dropped
    "synchronous=OFF",
    "locking_mode=EXCLUSIVE",
)
_TABLE = "CREATE TABLE answers (fingerprint INTEGER PRIMARY KEY, answer INTEGER) WITHOUT ROWID"
_KEEP = "INSERT OR IGNORE INTO answers VALUES (?, ?)"
_RECALL = "SELECT answer FROM answers WHERE fingerprint = ?"


class Answers:
    """Maps fingerprints to two bits.

    Attributes:
        rows: the connection, with a table ``answers`` (fingerprint, answer).

    Raises:
        sqlite3.Error: the folder for temporary files (``SQLITE_TMPDIR``, ``TMPDIR``, /var/tmp)
            cannot be written to, or is full.
    """

    def __init__(self) -> None:
        self.rows = sqlite3.connect("", isolation_level=None, uri=True)
        for setting in _SETTINGS:
            self.rows.execute(f"PRAGMA {setting}")
        self.rows.execute(_TABLE)
        self.rows.execute("BEGIN")
        self._cursor = self.rows.cursor()
        self._count = 0

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *_: object) -> None:
        self.rows.close()

    def __len__(self) -> int:
        return self._count

    def recall(self, given: Sequence[tuple[int, int]]) -> Iterable[int]:
        """The two bits kept for each comparison; on first sight keep what is fresh.

        Args:
            given: fingerprint and fresh bits of each.
        """
        kept = self._cursor.executemany(_KEEP, given).rowcount
        self._count += kept
        if kept == len(given):
            return (fresh for _, fresh in given)
        return [self._kept(fingerprint) for fingerprint, _ in given]

    def known(self, fingerprint: int) -> bool:
        """Whether a comparison has been answered."""
        return self._cursor.execute(_RECALL, (fingerprint,)).fetchone() is not None

    def _kept(self, fingerprint: int) -> int:
        return self._cursor.execute(_RECALL, (fingerprint,)).fetchone()[0]

    def finish(self) -> None:
        """No more is to come; now ``rows`` can be attached a ledger."""
        self.rows.execute("COMMIT")
