"""What has been released before, so that nobody spends a label's budget twice unawares.

The ledger is a folder in the user's state directory (``ledger=PATH`` names another): a secret
salt, one line a release in ``releases.jsonl`` and a file of 62-bit keyed fingerprints of its
comparisons.  A fingerprint does not depend on the label, so a stolen ledger tells which
comparisons were released, and nothing about who preferred what.  Because comparisons are
remembered one by one, an input that was renamed, reordered, cut or extended is still recognised.
It knows only the releases made with it: another user, another machine, or a deleted ledger
starts anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from repro.base.errors import BadInput
from repro.base.files import regular_file, small_text
from repro.release.scratch import Draft
from repro.release.seen import CHUNK, Seen

KEY = "ledger"
SALT_BYTES = 32
LARGEST_LIST = 1 << 30
DAMAGED = "is damaged; restore the ledger or name another"
GONE = "is missing, but releases have been noted; restore the ledger or name another"


@dataclass(frozen=True)
class Entry:
    """One release: its id, its budget as written, how many comparisons, what file."""

    release: str
    epsilon: str
    comparisons: int
    output: str


def default_folder() -> Path:
    """``$XDG_STATE_HOME/repro/releases``, by default below ``~/.local/state``."""
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else Path("~/.local/state").expanduser()
    return home / "repro" / "releases"


class Ledger:
    """The ledger in one folder; a new one is made when the first release is noted, not before.

    Raises:
        BadInput: it cannot be used, or is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.salt = secrets.token_bytes(SALT_BYTES)
        if self._begun():
            with self._clear_errors(), self._lock():
                self.salt = self._kept_salt()
                self.entries()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the ledger for oneself: two runs must not both find it empty."""
        with contextlib.ExitStack() as held:
            with self._clear_errors():
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                held.enter_context(self._lock())
                if not self._begun():
                    self._keep_salt()
                if self._kept_salt() != self.salt:
                    raise BadInput(KEY, self.folder, "was begun by another release; run again")
            yield

    def entries(self) -> list[Entry]:
        """All releases so far, oldest first.

        Raises:
            BadInput: the list is damaged, or is gone while fingerprints of releases are there.
        """
        path = self.folder / "releases.jsonl"
        text = small_text(KEY, path, LARGEST_LIST) if os.path.lexists(path) else ""
        if not text and self._has_fingerprints():
            raise BadInput(KEY, path, GONE)
        try:
            return [_entry(line) for line in text.splitlines()]
        except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
            raise BadInput(KEY, path, DAMAGED) from None

    def overlapping(self, seen: Seen) -> list[Entry]:
        """Releases that share a comparison with ``seen``."""
        with self._clear_errors():
            return [entry for entry in self.entries() if self._shares(entry, seen)]

    def add(self, release: str, epsilon: Decimal, seen: Seen, output: str) -> Entry:
        """Note a release, durably, before it is published."""
        with self._clear_errors():
            entry = Entry(release, str(epsilon), len(seen), output)
            with Draft(self._prints(entry)) as draft:
                for chunk in seen.chunks():
                    draft.file.write(chunk.astype("<u8").tobytes())
                draft.publish()
            with open(self.folder / "releases.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(entry)) + "\n")
                file.flush()
                os.fsync(file.fileno())
            return entry

    def _shares(self, entry: Entry, seen: Seen) -> bool:
        path = self._prints(entry)
        if regular_file(KEY, path) != 8 * entry.comparisons:
            raise BadInput(KEY, path, DAMAGED)
        with open(path, "rb") as file:
            return any(
                seen.holds(np.frombuffer(block, "<u8"))
                for block in iter(lambda: file.read(8 * CHUNK), b"")
            )

    def _has_fingerprints(self) -> bool:
        return any(self.folder.glob("*.fingerprints"))

    def _prints(self, entry: Entry) -> Path:
        return self.folder / f"{entry.release}.fingerprints"

    def _begun(self) -> bool:
        salt = self.folder / "salt"
        return os.path.lexists(salt) or self._has_fingerprints()

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        with open(self.folder / ".lock", "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _keep_salt(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(self.folder / "salt", flags, 0o600), "wb") as file:
            file.write(self.salt)
            os.fsync(file.fileno())

    def _kept_salt(self) -> bytes:
        path = self.folder / "salt"
        if not os.path.lexists(path):
            raise BadInput(KEY, path, GONE)
        if regular_file(KEY, path) != SALT_BYTES:
            raise BadInput(KEY, path, DAMAGED)
        return path.read_bytes()

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            where = problem.filename or self.folder
            raise BadInput(KEY, where, f"cannot be used: {problem.strerror}") from None


def _entry(line: str) -> Entry:
    values = json.loads(line)
    entry = Entry(**values)
    if not (Decimal(entry.epsilon) > 0 and entry.comparisons >= 0 and entry.release.isalnum()):
        raise ValueError("not a release")
    return entry
