"""What has been released before, so that nobody spends a label's budget twice unawares.

The ledger is a database in a folder of the user's state directory (``ledger=FOLDER`` names
another): a secret salt, a row a release and the 62-bit keyed fingerprints of its comparisons.  A
fingerprint does not depend on the label, so a stolen ledger tells which comparisons were
released, and nothing about who preferred what.  Because comparisons are remembered one by one, an
input that was renamed, reordered, cut or extended is still recognised.  It knows only the
releases made with it: another user, another machine, or a deleted ledger starts anew.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from decimal import Decimal
from pathlib import Path

from repro.base.errors import OF_THE_MACHINE, BadInput
from repro.base.files import expanded
from repro.release.answers import Answers
from repro.release.ledger_file import (
    KEY,
    create,
    opened,
    refuse_strangers,
    transaction,
    trouble_told,
)
from repro.release.publication import Publication
from repro.release.scratch import Draft

NAME = "ledger.sqlite"
SALT_BYTES = 32
EARLIER_FORMAT = (
    "holds releases in the format before SQLite, which cannot be carried over: it knew comparisons "
    "by their exact bytes; keep it for its budgets (releases.jsonl), and name another folder for "
    "data that it has not released"
)


@dataclass(frozen=True)
class Entry:
    """One release: its id, its budget as written, how many comparisons, what file."""

    release: str
    epsilon: str
    comparisons: int
    output: str


def default_folder() -> Path:
    """``$XDG_STATE_HOME/repro/releases``, by default below ``~/.local/state``.

    Raises:
        BadInput: there is no home folder.
    """
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else expanded(KEY, "~/.local/state")
    return home / "repro" / "releases"


class Ledger:
    """The ledger in one folder; a new one is made when the first release is noted, not before.

    Raises:
        BadInput: it cannot be used, or is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self.salt = secrets.token_bytes(SALT_BYTES)
        if os.path.lexists(folder):
            if not folder.is_dir():
                raise BadInput(KEY, folder, "is not a folder")
            refuse_strangers(folder, 0o700)
            self._refuse_earlier_format()
        if os.path.lexists(self.path):
            with Answers() as nothing, self._opened(nothing) as book:
                self.salt = book.salt()

    @contextlib.contextmanager
    def locked(self, answers: Answers) -> Iterator[Book]:
        """Hold the ledger for oneself: two runs must not both find it empty.

        Args:
            answers: of the release that is to be noted.

        Raises:
            BadInput: it cannot be used, or another release has begun it meanwhile.
        """
        self._begin()
        with self._opened(answers) as book:
            if book.salt() != self.salt:
                raise BadInput(KEY, self.folder, "was begun by another release; run again")
            yield book

    def entries(self) -> list[Entry]:
        """All releases so far, oldest first.

        Raises:
            BadInput: the ledger is damaged.
        """
        if not os.path.lexists(self.path):
            return []
        with Answers() as nothing, self._opened(nothing) as book:
            return book.entries()

    @contextlib.contextmanager
    def _opened(self, answers: Answers) -> Iterator[Book]:
        answers.finish()
        with opened(self.path, answers.rows), trouble_told(str(self.path)):
            book = Book(answers)
            book.settle()
            yield book

    def _begin(self) -> None:
        if os.path.lexists(self.path):
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            create(self.path, self.salt)
        except FileExistsError:
            return  # another release was faster, or no folder: both are told on opening
        except OSError as problem:
            if problem.errno in OF_THE_MACHINE:
                raise OSError(problem.errno, problem.strerror, str(self.path)) from None
            where = problem.filename or self.folder
            raise BadInput(KEY, where, f"cannot be used: {problem.strerror}") from None

    def _refuse_earlier_format(self) -> None:
        kept = [self.folder / name for name in ("releases.jsonl", "salt")]
        if any(map(os.path.lexists, kept)) or any(self.folder.glob("*.fingerprints")):
            raise BadInput(KEY, self.folder, EARLIER_FORMAT)


class Book:
    """An open ledger that nobody else reads or writes, beside the answers of one release."""

    def __init__(self, answers: Answers) -> None:
        self._rows, self._answers = answers.rows, answers

    def salt(self) -> bytes:
        """The key of all fingerprints."""
        return self._rows.execute("SELECT salt FROM salt").fetchone()[0]

    def entries(self) -> list[Entry]:
        """All releases so far, oldest first."""
        return list(self._releases().values())

    def overlapping(self) -> list[Entry]:
        """Releases that share a comparison with the answers."""
        releases = self._releases()
        query = "SELECT DISTINCT number FROM answers JOIN fingerprints USING (fingerprint)"
        return [releases[number] for number in sorted(n for (n,) in self._rows.execute(query))]

    def carry_out(
        self, publication: Publication, epsilon: Decimal, drafts: tuple[Draft, Draft]
    ) -> None:
        """Note a release and publish it: both, or neither.

        Wherever the process ends or a call fails, ``settle`` brings it to one of the two, here or
        when the ledger is opened next.

        Args:
            publication: where to.
            epsilon: budget that its answers cost.
            drafts: output and manifest.

        Raises:
            BadInput: a final name has been taken.
            OSError: the disk is full, or fails.
        """
        try:
            number = self._announce(publication)
            publication.stage(*drafts)
            self._note(number, publication, epsilon)
            publication.publish()
        finally:
            with contextlib.suppress(OSError, sqlite3.Error):
                self.settle()

    def settle(self) -> None:
        """Bring releases that were cut short to their end, or undo them.

        One whose folder cannot be reached now stays as it is: spent, if it may have been published.
        """
        for number, publication in self._pending():
            with contextlib.suppress(OSError):
                if publication.in_reach():
                    self._settle(number, publication)

    def _settle(self, number: int, publication: Publication) -> None:
        """The drafts are the evidence: they go after a release is forgotten, never before."""
        noted = number in self._releases()
        if noted and publication.published():
            publication.tidy()
        else:
            if noted:
                self._forget(number)
            publication.discard()
        with transaction(self._rows, "pending"):
            self._rows.execute("DELETE FROM pending WHERE number = ?", (number,))

    def _announce(self, publication: Publication) -> int:
        """Keep the final names, before drafts lie beside them; the number of the release."""
        number = 1 + max((*self._releases(), *(number for number, _ in self._pending())), default=0)
        names = os.fsencode(publication.output), os.fsencode(publication.manifest)
        with transaction(self._rows, "pending"):
            row = (number, publication.release, *names)
            self._rows.execute("INSERT INTO pending VALUES (?, ?, ?, ?)", row)
        return number

    def _note(self, number: int, publication: Publication, epsilon: Decimal) -> None:
        """In order of fingerprints, so that pages do not tell in which order they came."""
        output = os.fsencode(publication.output.name).decode("utf-8", "backslashreplace")
        entry = Entry(publication.release, str(epsilon), len(self._answers), output)
        with transaction(self._rows, "releases", "fingerprints"):
            self._rows.execute(
                "INSERT INTO releases VALUES (?, ?, ?, ?, ?)", (number, *astuple(entry))
            )
            self._rows.execute(
                "INSERT INTO fingerprints SELECT fingerprint, ? FROM answers ORDER BY fingerprint",
                (number,),
            )

    def _forget(self, number: int) -> None:
        with transaction(self._rows, "releases", "fingerprints"):
            for table in ("releases", "fingerprints"):
                self._rows.execute(f"DELETE FROM {table} WHERE number = ?", (number,))

    def _releases(self) -> dict[int, Entry]:
        found = self._rows.execute("SELECT * FROM releases ORDER BY number")
        return {number: Entry(*words) for number, *words in found}

    def _pending(self) -> list[tuple[int, Publication]]:
        found = self._rows.execute("SELECT number, release, output, manifest FROM pending")
        return [
            (number, Publication(release, *(Path(os.fsdecode(name)) for name in names)))
            for number, release, *names in found
        ]
