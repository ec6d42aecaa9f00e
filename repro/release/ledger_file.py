"""The ledger's file: who may read it, waiting for it, and what is said when it cannot be used.

Tables are WITHOUT ROWID and filled in order of their keys, so that neither rows nor pages tell in
which order comparisons were read.  A seal, a hash of all rows, sees what SQLite's own check does
not: a flipped bit in a value.  It is against accidents.  It does not protect against somebody who
may write the file, nor against an older copy put in its place; that the ledger no longer knows a
release does ``audit_release`` with ``ledger=`` tell.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from repro.base.errors import OF_THE_MACHINE, BadInput
from repro.base.files import regular_file, unreadable
from repro.release.drafts import Draft, flush_folder

KEY, NAME = "ledger", "ledger.sqlite"
APPLICATION, VERSION = 0x72706C67, 4
PAUSE = 0.05
"""Seconds between two looks at a ledger that another release holds."""

LOST = "allowed: an undamaged copy of it; a new ledger would not know what was released"
TABLES = {
    "debits": "number INTEGER PRIMARY KEY, epsilon TEXT, earlier TEXT, unit_size INTEGER, "
    "lines INTEGER, plus INTEGER, sha256 TEXT, answers BLOB, delta TEXT, earlier_delta TEXT, "
    "identity INTEGER",
    "prints": "print INTEGER, number INTEGER, PRIMARY KEY (print, number)",
    "seal": "one INTEGER PRIMARY KEY, seal TEXT",
}
SCHEMA = [f"CREATE TABLE {name} ({columns}) WITHOUT ROWID" for name, columns in TABLES.items()]
SETTINGS = (
    # A rollback journal and not a write-ahead log: one file remains, it works on network file
    # systems, and nobody reads while a release is written.
    "journal_mode=DELETE",
    # FULL, and the folder is flushed too when the journal goes: a journal that came back after a
    # power failure would undo a debit whose release can be read.
    "synchronous=EXTRA",
    "secure_delete=ON",  # of answers that are forgotten nothing remains in free pages
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "cache_size=-8192",
    "temp_store=FILE",
)
BEFORE_SQLITE = (
    "holds releases in the format before SQLite, which cannot be carried over: it knew comparisons "
    "by their exact bytes; keep it for its budgets (releases.jsonl), and name another folder for "
    "data that it has not released"
)
MACHINE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""Nothing is wrong with the ledger: the disk is full, fails, or takes no journal beside it."""

Place = tuple[int, int]
"""Device and number of a file, whatever its name."""


@contextlib.contextmanager
def locked(
    path: Path, tell: Callable[[str], object]
) -> Iterator[tuple[sqlite3.Connection, Place | None]]:
    """A checked ledger that nobody else reads or writes until the end, and where it lies.

    Waiting is a loop, as SQLite's own would not hear Ctrl-C.
    """
    _refuse_folder(path.parent)
    created: list[Path] = []
    waiting_is_shown = False
    while True:
        if not os.path.lexists(path):
            created += _create(path)
        place, rows = place_of(path), _connected(path)
        try:
            if _held(rows) and place_of(path) == place:
                _check(rows, path)
                try:
                    yield rows, place
                finally:
                    _remove_unused(rows, path, created)
                return
        finally:
            rows.close()
        if not waiting_is_shown:
            tell(f"waiting for {path}, which another release holds")
        waiting_is_shown = True
        time.sleep(PAUSE)


def place_of(path: Path) -> Place | None:
    """None where there is no such file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def seal(rows: sqlite3.Connection) -> None:
    """Keep a hash of all rows, for the next ``locked`` to compare."""
    rows.execute("INSERT OR REPLACE INTO seal VALUES (1, ?)", (sum_of(rows),))


def sum_of(rows: sqlite3.Connection) -> str:
    """The hash that the seal holds while nothing has changed."""
    digest = sha256()
    for row in rows.execute("SELECT * FROM debits ORDER BY number"):
        digest.update(repr(row).encode("utf-8", "surrogateescape"))
    # Prints are added up by SQLite, ten million rows a second.
    words = "print >> 31", "print & 0x7fffffff", "number", "print % 65521 * number"
    sums = ", ".join(f"sum({word})" for word in words)
    totals = rows.execute(f"SELECT count(*), {sums} FROM prints").fetchone()
    digest.update(repr(totals).encode())
    return digest.hexdigest()


def refuse_strangers(place: Path, mode: int) -> None:
    """Others who may read the ledger learn what was released; who may write it undoes it.

    Raises:
        BadInput: more is permitted than ``mode``, or it cannot be reached.
    """
    try:
        mode_bits = stat.S_IMODE(os.stat(place).st_mode)
    except OSError as problem:
        raise unreadable(KEY, place, problem) from None
    if not mode_bits & 0o400:
        raise BadInput(KEY, place, "cannot be read: Permission denied")
    if mode_bits & 0o077 & ~mode:
        raise BadInput(KEY, place, f"is open to other users; allowed: mode {mode:o} (chmod)")


@contextlib.contextmanager
def refusals(path: Path) -> Iterator[None]:
    """What SQLite says of a ledger, in one line."""
    try:
        yield
    except UnicodeDecodeError:  # it quotes a broken schema
        raise BadInput(KEY, path, f"is damaged; {LOST}") from None
    except sqlite3.Error as problem:
        code = getattr(problem, "sqlite_errorcode", 0)
        if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise BadInput(KEY, path, f"is damaged; {LOST}") from None
        unread = code == sqlite3.SQLITE_IOERR_READ  # as a file that is none of a disk
        if code & 0xFF in MACHINE and not unread:
            full = code & 0xFF == sqlite3.SQLITE_FULL
            number = errno.ENOSPC if full else errno.EIO
            raise OSError(number, os.strerror(number), str(path)) from None
        moved = code == sqlite3.SQLITE_READONLY_DBMOVED
        why = "was moved or exchanged meanwhile" if moved else f"cannot be used: {problem}"
        raise BadInput(KEY, path, why) from None


def _connected(path: Path) -> sqlite3.Connection:
    if regular_file(KEY, path) == 0:  # SQLite would take it for a new database
        raise BadInput(KEY, path, f"is empty, and so no ledger; {LOST}")
    refuse_strangers(path, 0o600)
    address = f"file:{quote(os.fsencode(path))}?mode=rw"
    rows = sqlite3.connect(address, uri=True, isolation_level=None, timeout=0)
    rows.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    return rows


def _held(rows: sqlite3.Connection) -> bool:
    """Take the ledger for as long as it is connected; False where somebody else has it."""
    try:
        for setting in SETTINGS:
            rows.execute(f"PRAGMA {setting}")
        rows.execute("BEGIN EXCLUSIVE")
        rows.execute("PRAGMA locking_mode=EXCLUSIVE")
        rows.execute("COMMIT")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def _check(rows: sqlite3.Connection, path: Path) -> None:
    from repro.release import ledger_format_3

    (application,) = rows.execute("PRAGMA application_id").fetchone()
    (version,) = rows.execute("PRAGMA user_version").fetchone()
    sound = rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if sound and (application, version) == (APPLICATION, ledger_format_3.FORMAT):
        ledger_format_3.carry_over(rows, path)
        version = VERSION
    schema = [words for (words,) in rows.execute("SELECT sql FROM sqlite_schema")]
    if (application, version) != (APPLICATION, VERSION) or set(schema) != set(SCHEMA):
        raise BadInput(KEY, path, f"is of another version, or damaged; {LOST}")
    if not sound or rows.execute("SELECT seal FROM seal").fetchone() != (sum_of(rows),):
        raise BadInput(KEY, path, f"is damaged; {LOST}")


def _create(path: Path) -> list[Path]:
    """Write a new ledger, whole or not at all; what was made, in that order."""
    folders = [
        folder for folder in (path.parent, *path.parent.parents) if not os.path.lexists(folder)
    ]
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as rows:
        for statement in SCHEMA:
            rows.execute(statement)
        rows.execute(f"PRAGMA application_id={APPLICATION}")
        rows.execute(f"PRAGMA user_version={VERSION}")
        seal(rows)
        content = rows.serialize()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with Draft(path.parent) as draft:
            draft.file.write(content)
            with contextlib.suppress(FileExistsError):  # another release was faster
                draft.place(path, 0o600)
    except OSError as problem:
        if problem.errno in OF_THE_MACHINE:
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        where = problem.filename or path.parent
        raise BadInput(KEY, where, f"cannot be used: {problem.strerror}") from None
    return [*reversed(folders), path]


def _remove_unused(rows: sqlite3.Connection, path: Path, created: list[Path]) -> None:
    """What was made for a release that was not, before anybody else can have spent in it."""
    if not created:
        return
    with contextlib.suppress(sqlite3.Error, OSError):
        if rows.execute("SELECT 1 FROM debits LIMIT 1").fetchone():
            return
        path.unlink()
        rows.close()  # its journal goes, too
        for folder in reversed([created_path for created_path in created if created_path != path]):
            folder.rmdir()
        flush_folder(path.parent.parent)


def _refuse_folder(folder: Path) -> None:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise BadInput(KEY, folder, "is not a folder")
    refuse_strangers(folder, 0o700)
    kept = [folder / name for name in ("releases.jsonl", "salt")]
    if any(map(os.path.lexists, kept)) or any(folder.glob("*.fingerprints")):
        raise BadInput(KEY, folder, BEFORE_SQLITE)
