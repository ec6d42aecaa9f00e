"""What has been released before, so that nobody spends a label's budget twice unawares.

The ledger is an SQLite database in a folder of the user's state directory (``ledger=FOLDER`` names
another).  A **debit** is one release: its ε and δ, what its manifest needs and the SHA-256 of its
file.  It is durable before anything can be read.  Until the release has its name the debit also
holds the randomised answers, one bit a line, or the file of a reward, never a coin or a raw label:
whoever steals them has what was paid for.  Afterwards they are forgotten.

A release of labels notes 63 bits of the hash of each comparison too, and 63 of the hash without
case and punctuation.  It costs what shares either with it: texts are public there, so a refusal or
total that follows from them tells nothing of a label.  A reward protects texts as well.  Of its
pairs nothing is noted or looked up: it counts the whole ledger, and every later release counts it.

Each debit says by which identity its comparisons are known.  An input is looked up under the keys
that it had by an earlier identity, too, where there are such debits.

A stolen ledger tells which of the comparisons that the thief already knows had their labels
released, and when relative to others, nothing of labels.  It knows only what was released with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from repro.base.errors import BadInput, number_of
from repro.base.files import expanded
from repro.release.canonical import IDENTITY
from repro.release.former_keys import former_keys
from repro.release.ledger_file import KEY, NAME, Place, locked, place_of, refusals, seal
from repro.release.manifest import Manifest


@dataclass(frozen=True)
class Debit:
    """A release that was paid for; ``answers`` are there while it has yet to be published.

    A release of labels has a δ of 0, one of a reward a larger one.
    """

    number: int
    manifest: Manifest
    answers: bytes | None
    delta: Decimal = Decimal(0)


def default_folder() -> Path:
    """``$XDG_STATE_HOME/repro/releases``, by default below ``~/.local/state``.

    Raises:
        BadInput: there is no home folder.
    """
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else expanded(KEY, "~/.local/state")
    return home / "repro" / "releases"


class Ledger:
    """A ledger that this process alone holds."""

    def __init__(self, path: Path, rows: sqlite3.Connection, place: Place | None) -> None:
        self.path, self._rows, self._place = path, rows, place
        self._has_former = False

    def debits(self) -> list[Debit]:
        """All releases, oldest first."""
        rows = self._rows.execute("SELECT * FROM debits ORDER BY number")
        return [_debit(row) for row in rows]

    def begin(self) -> int:
        """Begin a debit, in a transaction that ``spend`` ends; its number."""
        self._rows.execute("BEGIN IMMEDIATE")
        columns = "own INTEGER, print INTEGER, PRIMARY KEY (own, print)"
        self._rows.execute(f"CREATE TEMP TABLE former ({columns}) WITHOUT ROWID")
        self._rows.execute(
            "CREATE TEMP TABLE near (print INTEGER PRIMARY KEY, place INTEGER) WITHOUT ROWID"
        )
        query = "SELECT EXISTS (SELECT 1 FROM debits WHERE identity < ?)"
        (self._has_former,) = self._rows.execute(query, (IDENTITY,)).fetchone()
        (last,) = self._rows.execute("SELECT max(number) FROM debits").fetchone()
        return (last or 0) + 1

    def look_up(self, key: bytes, prompt: str, response: str, other: str) -> None:
        """Look a comparison up by the keys that it had, among debits of a former identity."""
        if self._has_former:
            own = _print(key)
            prints = ((own, _print(former)) for former in former_keys(prompt, response, other))
            self._rows.executemany("INSERT OR IGNORE INTO former VALUES (?, ?)", prints)

    def note(self, number: int, keys: Sequence[bytes]) -> int:
        """Add comparisons, by their keys, to the debit that has begun; how many it had before."""
        prints = [(_print(key), number) for key in keys]
        new = self._rows.executemany("INSERT OR IGNORE INTO prints VALUES (?, ?)", prints)
        return len(prints) - new.rowcount

    def note_near(self, key: bytes, place: int | None) -> int | None:
        """Add the key that near-copies share; the place of the one that came first, if one did.

        Without a place it is the key of a last question alone, which is no line of this input.
        """
        row = _print(key), place
        query = (
            "INSERT INTO near VALUES (?, ?) ON CONFLICT (print) DO UPDATE SET place = "
            "excluded.place WHERE place IS NULL AND excluded.place IS NOT NULL"
        )
        if self._rows.execute(query, row).rowcount:
            return None
        (first,) = self._rows.execute("SELECT place FROM near WHERE print = ?", row[:1]).fetchone()
        return first

    def add_near(self, number: int) -> None:
        """Let near-copies of what the debit that has begun releases count as released by it."""
        self._rows.execute("INSERT OR IGNORE INTO prints SELECT print, ? FROM near", (number,))

    def earlier(self, number: int) -> list[Debit]:
        """Debits that count for the labels of the one that has begun.

        Label releases that share a comparison with it, and every reward: whether a reward has read
        one of these pairs is nobody's business.
        """
        query = (
            "SELECT DISTINCT theirs.number FROM prints AS ours JOIN prints AS theirs USING (print)"
            " WHERE ours.number = ?1 AND theirs.number < ?1 UNION"
            " SELECT number FROM prints JOIN former USING (print) JOIN debits USING (number)"
            " WHERE identity < ?2"
        )
        shared = {other for (other,) in self._rows.execute(query, (number, IDENTITY))}
        return [debit for debit in self.debits() if debit.delta or debit.number in shared]

    def knows(self, number: int, key: bytes, others: Sequence[bytes]) -> bool:
        """Whether a debit before this one has released a comparison.

        Args:
            key: of the comparison.
            others: keys under which it is known, too.
        """
        prints = [_print(known) for known in (key, *others)]
        places = ", ".join("?" * len(prints))
        query = (
            f"SELECT EXISTS (SELECT 1 FROM prints WHERE print IN ({places}) AND number < ?"
            " UNION ALL SELECT 1 FROM former JOIN prints USING (print) JOIN debits USING (number)"
            " WHERE own = ? AND identity < ?)"
        )
        values = (*prints, number, prints[0], IDENTITY)
        return bool(self._rows.execute(query, values).fetchone()[0])

    def spend(self, debit: Debit) -> None:
        """Make a debit durable, with the answers that it pays for.

        Raises:
            BadInput: the ledger has been moved or exchanged meanwhile.
        """
        manifest = debit.manifest
        row = (
            debit.number,
            str(manifest.epsilon),
            json.dumps([str(budget) for budget in manifest.earlier]),
        )
        counts = (manifest.unit_size, manifest.lines, manifest.plus, manifest.sha256, debit.answers)
        deltas = str(debit.delta), str(manifest.earlier_delta)
        values = (*row, *counts, *deltas, IDENTITY)
        self._rows.execute("INSERT INTO debits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        seal(self._rows)
        self.refuse_moved("nothing was spent")
        self._rows.execute("COMMIT")
        self.refuse_moved("the budget is spent in it: move it back and give resume=true")

    def abandon(self) -> None:
        """Take back the debit that has begun."""
        self._rows.rollback()

    def forget_answers(self, number: int) -> None:
        """The release has its name."""
        self._rows.execute("BEGIN IMMEDIATE")
        self._rows.execute("UPDATE debits SET answers = NULL WHERE number = ?", (number,))
        seal(self._rows)
        self._rows.execute("COMMIT")

    def refuse_moved(self, what_now: str) -> None:
        """A ledger elsewhere would not know of what is written to this one.

        Raises:
            BadInput: another file, or none, has its name.
        """
        if place_of(self.path) != self._place:
            raise BadInput(KEY, self.path, f"was moved or exchanged meanwhile; {what_now}")


@dataclass(frozen=True)
class AnnotatorCost:
    """What all labels or pairs of one annotator have cost at most, in releases with a unit."""

    epsilon: Decimal
    delta: Decimal
    releases: int

    @classmethod
    def of(cls, debits: Sequence[Debit]) -> AnnotatorCost:
        """In those of the releases that protect annotators.

        ε of a reward is that of all pairs of an annotator, ε of labels that of each label.
        """
        with_unit = [debit for debit in debits if debit.manifest.unit_size]
        epsilons = (
            debit.manifest.epsilon * (1 if debit.delta else debit.manifest.unit_size or 1)
            for debit in with_unit
        )
        return cls(sum(epsilons, Decimal(0)), spent_delta(with_unit), len(with_unit))

    @property
    def in_words(self) -> str:
        """The sum, and of how many releases."""
        counted = number_of(self.releases, "release")
        return f"{cost_in_words(self.epsilon, self.delta)} in {counted} with unit="


ANY_TOTAL = "allowed: compose=true, or compose=TOTAL, the largest total epsilon that you accept"
_TOTAL = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,6})?")


def accepted_total(value: object) -> bool | Decimal:
    """``compose=``: whether labels may be released again, or the largest ε that they may cost.

    Raises:
        BadInput: neither true or false, nor a positive number.

    >>> accepted_total("true"), accepted_total(False), accepted_total(6.5)
    (True, False, Decimal('6.5'))
    """
    text = str(value)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    total = Decimal(text).normalize() if _TOTAL.fullmatch(text) else Decimal(0)
    if not total:
        allowed = "allowed: true, false, or the largest total epsilon that you accept, such as 6"
        raise BadInput("compose", text[:60], allowed)
    return total


def refuse_total(accepted: bool | Decimal, epsilon: Decimal, cost: str) -> None:
    """Before anything is spent.

    Raises:
        BadInput: ε is above a total that was named; ``cost`` says what costs it.
    """
    if not isinstance(accepted, bool) and epsilon > accepted:
        allowed = "allowed: a smaller epsilon, or a larger compose="
        raise BadInput("compose", f"{accepted:f}", f"{cost}; {allowed}")


def cost_in_words(epsilon: Decimal, delta: Decimal) -> str:
    """ε, and δ where there is one.

    >>> cost_in_words(Decimal("0.5"), Decimal(0)), cost_in_words(Decimal(1), Decimal("1e-6"))
    ('epsilon 0.5', 'epsilon 1 and delta 0.000001')
    """
    return f"epsilon {epsilon.normalize():f}" + (f" and delta {delta:f}" if delta else "")


def spent_delta(debits: Sequence[Debit]) -> Decimal:
    """What rewards have added to δ."""
    return sum((debit.delta for debit in debits), Decimal(0)).normalize()


def holds_ledger(folder: Path) -> bool:
    """Whether a folder has a ledger, usable or not."""
    return os.path.lexists(folder / NAME)


def debits_of(folder: Path, tell: Callable[[str], object] = lambda words: None) -> list[Debit]:
    """All releases that the ledger of a folder knows, oldest first.

    Args:
        folder: must hold a ledger.
        tell: called with a line once if a release has to be waited for.

    Raises:
        BadInput: there is no ledger in the folder, or it cannot be used.
    """
    if not holds_ledger(folder):
        raise BadInput(KEY, folder, "holds no ledger")
    with held_ledger(folder, tell) as ledger:
        return ledger.debits()


def _print(key: bytes) -> int:
    """63 bits of a key."""
    return int(key[:16], 16) >> 1


def _debit(row: tuple) -> Debit:
    number, epsilon, earlier, unit_size, lines, plus, digest, answers, delta, former, _ = row
    budgets = tuple(map(Decimal, json.loads(earlier)))
    counts = lines, plus or 0, digest or ""
    manifest = Manifest(Decimal(epsilon), budgets, unit_size, *counts, Decimal(former))
    return Debit(number, manifest, answers, Decimal(delta))


@contextlib.contextmanager
def held_ledger(
    folder: Path, tell: Callable[[str], object] = lambda words: None
) -> Iterator[Ledger]:
    """The ledger of a folder for oneself alone, checked; made where there is none.

    One that was made goes again where nothing was spent.

    Args:
        folder: only its owner may read it.
        tell: called with a line once if another release has to be waited for.

    Raises:
        BadInput: it cannot be used, is open to others, or is damaged.
        OSError: the disk is full, or fails.
    """
    path = folder / NAME
    with refusals(path), locked(path, tell) as (rows, place):
        try:
            yield Ledger(path, rows, place)
        finally:
            with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                rows.rollback()
