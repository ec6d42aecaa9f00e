"""The ledger's file: an SQLite database that is checked when it is opened, and sealed.

Tables are WITHOUT ROWID and filled in order of their keys, so that neither rows nor pages tell in
which order comparisons were read.  Every table has a seal, a keyed hash of its rows: SQLite's own
check sees a broken structure, the seal a flipped bit in a value.  The key is the salt in the same
file, so seals are against accidents.  They do not protect against somebody who may write the file
and computes them anew, nor against an older copy put in its place, nor against its deletion.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from repro.base.errors import BadInput
from repro.base.files import regular_file, unreadable
from repro.release.scratch import Draft, flush_folder

KEY = "ledger"
MAGIC = b"SQLite format 3\0"
APPLICATION, VERSION = 0x72706C67, 1
PATIENCE = 600_000
"""Milliseconds to wait for a release that is being published: minutes at 1e8 comparisons."""

LOST = "restore it from a copy: a new ledger would not know what was released"
TABLES = {
    "salt": "number INTEGER PRIMARY KEY, salt BLOB",
    "releases": "number INTEGER PRIMARY KEY, release TEXT, epsilon TEXT, comparisons INTEGER, "
    "output TEXT",
    "fingerprints": "fingerprint INTEGER, number INTEGER, PRIMARY KEY (fingerprint, number)",
    "pending": "number INTEGER PRIMARY KEY, release TEXT, output BLOB, manifest BLOB",
    "seals": "sealed TEXT PRIMARY KEY, seal BLOB",
}
SEALED = tuple(name for name in TABLES if name != "seals")
SCHEMA = [f"CREATE TABLE {name} ({columns}) WITHOUT ROWID" for name, columns in TABLES.items()]
SETTINGS = (
    # A rollback journal and not a write-ahead log: one file remains, it works on network file
    # systems, and nobody reads while a release is written.
    "ledger.journal_mode=DELETE",
    # FULL, and the folder is flushed too when the journal goes: a journal that came back after a
    # power failure would undo a release that has been published.
    "ledger.synchronous=EXTRA",
    "ledger.secure_delete=ON",  # of a release that was discarded nothing remains in free pages
    f"busy_timeout={PATIENCE}",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)
ROWS = 4096


def create(path: Path, salt: bytes) -> None:
    """Write a new ledger, whole or not at all.

    Raises:
        FileExistsError: somebody else was faster.
        OSError: it cannot be written.
    """
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as rows:
        for statement in SCHEMA:
            rows.execute(statement)
        rows.execute(f"PRAGMA application_id={APPLICATION}")
        rows.execute(f"PRAGMA user_version={VERSION}")
        rows.execute("INSERT INTO salt VALUES (1, ?)", (salt,))
        _seal(rows, SEALED)
        content = rows.serialize()
    with Draft(path.parent, 0o600) as draft:
        draft.file.write(content)
        draft.name(path)
    flush_folder(path.parent)


@contextlib.contextmanager
def opened(path: Path, rows: sqlite3.Connection) -> Iterator[None]:
    """A ledger for oneself alone, checked, with its tables in reach of a connection.

    Waits for another release to end.

    Args:
        path: the ledger.
        rows: a connection without a transaction.

    Raises:
        BadInput: others may read it, it is none, it is damaged, or it cannot be read.
    """
    _refuse_foreign(path)
    refuse_strangers(path, 0o600)
    try:
        with _refusals(path):
            rows.execute("ATTACH ? AS ledger", (f"{path.absolute().as_uri()}?mode=rw",))
            _check(rows, path)
        yield
    finally:
        for statement in ("ROLLBACK", "DETACH ledger"):
            with contextlib.suppress(sqlite3.Error):  # there may be nothing to undo
                rows.execute(statement)


@contextlib.contextmanager
def transaction(rows: sqlite3.Connection, *changed: str) -> Iterator[None]:
    """All of what is written within, sealed, or nothing.

    Args:
        rows: an open ledger.
        changed: the tables that are written to.
    """
    rows.execute("BEGIN IMMEDIATE")
    try:
        yield
        _seal(rows, changed)
        rows.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself
            rows.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def trouble_told(place: str) -> Iterator[None]:
    """What the system does to a database that is written to, as the OSError that it is."""
    try:
        yield
    except sqlite3.Error as problem:
        raise _trouble(place, problem) from None


def refuse_strangers(place: Path, mode: int) -> None:
    """Others who may read the ledger learn what was released; who may write it undoes it.

    Raises:
        BadInput: more is permitted than ``mode``, or it cannot be reached.
    """
    try:
        found = stat.S_IMODE(os.stat(place).st_mode)
    except OSError as problem:
        raise unreadable(KEY, place, problem) from None
    if found & 0o077 & ~mode:
        raise BadInput(KEY, place, f"is open to other users; allowed: mode {mode:o} (chmod)")


def _refuse_foreign(path: Path) -> None:
    """Before SQLite opens it; to close a file takes away SQLite's locks on it."""
    size = regular_file(KEY, path)
    try:
        with open(path, "rb") as file:
            found = file.read(len(MAGIC))
    except OSError as problem:
        raise unreadable(KEY, path, problem) from None
    if size == 0 or found != MAGIC:
        raise BadInput(KEY, path, f"is no ledger of releases, or damaged; {LOST}")


def _check(rows: sqlite3.Connection, path: Path) -> None:
    rows.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    for setting in SETTINGS:
        rows.execute(f"PRAGMA {setting}")
    rows.execute("BEGIN EXCLUSIVE")
    # Held until the connection is closed: between the transactions of one release nobody else may
    # take its pending row for one that a killed process has left.  Not before this transaction:
    # a setting that reads the file would keep a shared lock, and two runs that keep one wait for
    # each other as long as they have patience.
    rows.execute("PRAGMA ledger.locking_mode=EXCLUSIVE")
    _refuse_other_tables(rows, path)
    sound = rows.execute("PRAGMA ledger.integrity_check").fetchone() == ("ok",)
    if not sound or dict(rows.execute("SELECT * FROM seals")) != _seals(rows, SEALED):
        raise BadInput(KEY, path, f"is damaged; {LOST}")
    rows.execute("COMMIT")


def _refuse_other_tables(rows: sqlite3.Connection, path: Path) -> None:
    marks = [
        rows.execute(f"PRAGMA ledger.{name}").fetchone()
        for name in ("application_id", "user_version")
    ]
    schema = [words for (words,) in rows.execute("SELECT sql FROM ledger.sqlite_schema")]
    if marks != [(APPLICATION,), (VERSION,)] or schema != SCHEMA:
        raise BadInput(KEY, path, f"is no ledger of this version, or damaged; {LOST}")


def _seal(rows: sqlite3.Connection, names: tuple[str, ...]) -> None:
    rows.executemany("INSERT OR REPLACE INTO seals VALUES (?, ?)", _seals(rows, names).items())


def _seals(rows: sqlite3.Connection, names: tuple[str, ...]) -> dict[str, bytes]:
    """A keyed hash of the rows of each table, in order of their keys."""
    salts = rows.execute("SELECT salt FROM salt").fetchall()
    key = salts[0][0] if len(salts) == 1 and isinstance(salts[0][0], bytes) else b""
    return {name: _hash(rows, name, key) for name in names}


def _hash(rows: sqlite3.Connection, name: str, key: bytes) -> bytes:
    digest = blake2b(name.encode(), key=key[:64])
    found = rows.execute(f"SELECT * FROM {name} ORDER BY 1, 2")
    for some in iter(lambda: found.fetchmany(ROWS), []):
        digest.update(repr(some).encode("utf-8", "surrogateescape"))
    return digest.digest()


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """What SQLite says of a ledger that is opened, in one line."""
    try:
        yield
    except UnicodeError:  # it quotes a broken schema
        raise BadInput(KEY, path, f"is damaged; {LOST}") from None
    except sqlite3.Error as problem:
        known = {
            sqlite3.SQLITE_CORRUPT: f"is damaged; {LOST}",
            sqlite3.SQLITE_NOTADB: f"is damaged; {LOST}",
            sqlite3.SQLITE_BUSY: "is in use by another release; run again when that has ended",
        }
        if _code(problem) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR) and not _unread(problem):
            raise _trouble(str(path), problem) from None
        why = known.get(_code(problem), f"cannot be used: {problem}")
        raise BadInput(KEY, path, why) from None


def _trouble(place: str, problem: sqlite3.Error) -> OSError:
    number = errno.ENOSPC if _code(problem) == sqlite3.SQLITE_FULL else errno.EIO
    return OSError(number, os.strerror(number), place)


def _unread(problem: sqlite3.Error) -> bool:
    """Whether the file itself cannot be read, as one that is no ledger."""
    return problem.sqlite_errorcode == sqlite3.SQLITE_IOERR_READ


def _code(problem: sqlite3.Error) -> int:
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF
