"""The ledger as a file: one database, for its owner alone, that tells a thief nothing of labels."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import sqlite3
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from repro.base.errors import BadInput
from repro.release.canonical import comparison, fingerprint
from repro.release.ledger import NAME, Ledger
from repro.release.ledger_file import opened
from repro.release.privatise import privatise

HALF = Decimal("0.5")
SALT = b"s" * 32


def connection():
    return contextlib.closing(sqlite3.connect("", isolation_level=None, uri=True))


def test_it_is_one_database_without_row_ids_that_only_its_owner_reads(tmp_path, one):
    assert [path.name for path in one.folder.iterdir()] == [NAME]
    assert stat.S_IMODE(one.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(one.path.stat().st_mode) == 0o600
    with connection() as rows, opened(one.path, rows):
        tables = rows.execute("SELECT sql FROM ledger.sqlite_schema").fetchall()
        assert all(sql.endswith("WITHOUT ROWID") for (sql,) in tables)
        assert rows.execute("PRAGMA ledger.synchronous").fetchone() == (3,)
        assert rows.execute("PRAGMA ledger.journal_mode").fetchone() == ("delete",)
        assert rows.execute("PRAGMA ledger.locking_mode").fetchone() == ("exclusive",)


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_permissions_do_not_depend_on_the_umask(tmp_path, ledger, write_input, records, mask):
    before = os.umask(mask)
    try:
        privatise(write_input(records[:5]), tmp_path / "one.jsonl", HALF, ledger)
    finally:
        os.umask(before)
    assert stat.S_IMODE(ledger.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("place", "mode"), [("", 0o750), ("", 0o705), (NAME, 0o640), (NAME, 0o602)]
)
def test_a_ledger_that_others_may_read_or_write_is_refused(one, place, mode):
    (one.folder / place).chmod(mode)
    with pytest.raises(BadInput, match="is open to other users; allowed: mode [67]00"):
        Ledger(one.folder)


def test_a_folder_of_the_user_that_others_may_read_is_refused_and_left(tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(BadInput, match="is open to other users"):
        Ledger(tmp_path / "open")
    assert list((tmp_path / "open").iterdir()) == []


# What a stolen ledger tells


def sorted_by_label(records):
    """First all comparisons whose chosen response comes first."""
    return sorted(records, key=lambda record: comparison(record)[1])


@pytest.fixture
def stolen(tmp_path, monkeypatch, write_input):
    """The bytes of a ledger with a known salt that has seen one release of some records."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)

    def steal(records, name="state"):
        ledger, folder = Ledger(tmp_path / name), tmp_path / f"out of {name}"
        ledger.salt = SALT
        folder.mkdir()
        privatise(write_input(records, f"{name}.in"), folder / "o.jsonl", HALF, ledger)
        return ledger.path.read_bytes()

    return steal


def test_its_bytes_depend_neither_on_labels_nor_on_the_order_of_lines(stolen, records):
    flipped = [(p, b, a) for p, a, b in records]
    orders = [records, records[::-1], sorted_by_label(records), flipped]
    assert len({stolen(lines, f"state{number}") for number, lines in enumerate(orders)}) == 1


def places(database, records):
    """Where the fingerprint of each comparison lies in the bytes of a stolen ledger."""
    prints = [fingerprint(SALT, comparison(record)[0]) for record in records]
    found = [database.find(one.to_bytes(8, "big")) for one in prints]
    assert min(found) > 0
    return prints, found


def guessing(right, said):
    """Whether so many right answers are within 5 standard errors of a coin's."""
    return abs(right - said / 2) < 5 * (said / 4) ** 0.5


def test_slot_order_of_a_stolen_ledger_is_worth_a_guess(stolen, records):
    """The input is sorted by label: who learns the order of lines has every label."""
    records = sorted_by_label(records)
    labels = [comparison(record)[1] for record in records]
    prints, found = places(stolen(records), records)
    early = sorted(found)[labels.count(0)]
    right = sum((place >= early) == label for place, label in zip(found, labels, strict=True))
    assert guessing(right, len(records))
    slots = sorted(zip(prints, found, labels, strict=True))
    pairs = [(one, two) for one, two in itertools.pairwise(slots) if one[2] != two[2]]
    for after in (True, False):  # in order of their keys, and displaced by an earlier one
        some = [(one, two) for one, two in pairs if (one[1] < two[1]) == after]
        assert guessing(sum(one[2] < two[2] for one, two in some), len(some))


def test_two_ledgers_do_not_know_of_each_other(tmp_path, write_input, records):
    """What the documentation says about them."""
    source = write_input(records[:60])
    for name in ("a", "b"):
        done = privatise(
            source, tmp_path / f"{name}.jsonl", HALF, Ledger(tmp_path / f"state {name}")
        )
        manifest = json.loads(done.manifest.read_text())
        assert manifest["total_epsilon"] == 0.5


def test_who_waits_for_the_ledger_holds_nothing_that_its_owner_waits_for(one):
    """Two runs that opened at the same moment once waited ten minutes for each other."""
    asked = threading.Event()

    class Told(sqlite3.Connection):
        def execute(self, words, *values):
            if words == "BEGIN EXCLUSIVE":
                asked.set()
            return super().execute(words, *values)

    def wait_for_it():
        rows = sqlite3.connect("", isolation_level=None, uri=True, factory=Told)
        with contextlib.closing(rows), opened(one.path, rows):
            return rows.execute("SELECT count(*) FROM salt").fetchone()

    owner = sqlite3.connect(one.path, isolation_level=None, timeout=5)
    with contextlib.closing(owner), ThreadPoolExecutor(1) as pool:
        owner.execute("BEGIN IMMEDIATE")
        waiting = pool.submit(wait_for_it)
        assert asked.wait(60)
        time.sleep(0.2)  # it is refused a lock, and asks again
        owner.execute("UPDATE salt SET salt = salt")
        owner.execute("COMMIT")
        assert waiting.result(60) == (1,)
