from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import secrets
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.release.answers import Answers
from repro.release.canonical import comparison, fingerprint
from repro.release.ledger import NAME, Book, Ledger
from repro.release.ledger_file import opened
from repro.release.privatise import privatise
from repro.release.publication import Publication

HALF = Decimal("0.5")
SALT = b"s" * 32
ROOT = Path(__file__).parents[2]


@pytest.fixture
def one(tmp_path, ledger, write_input, records):
    """A ledger that knows one release of the first 60 records."""
    privatise(write_input(records[:60]), tmp_path / "one.jsonl", HALF, ledger)
    return ledger


def content(folder):
    """Every row that counts."""
    with connection() as rows, opened(folder / NAME, rows):
        tables = ("salt", "releases", "fingerprints", "pending")
        return [rows.execute(f"SELECT * FROM {name}").fetchall() for name in tables]


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


# Damage


def flipped(path, bit):
    good = path.read_bytes()
    spoilt = bytearray(good)
    spoilt[bit // 8] ^= 1 << bit % 8
    path.write_bytes(spoilt)
    return good


def test_a_flipped_bit_is_refused_or_changes_nothing_that_counts(one):
    before, size, refused = content(one.folder), one.path.stat().st_size, 0
    for bit in random.Random(1).sample(range(8 * size), 700):
        good = flipped(one.path, bit)
        try:
            assert content(one.folder) == before, bit
        except BadInput as problem:
            refused += 1
            assert "\n" not in str(problem)  # noqa: PT017 - refusing is one of two right answers
        one.path.write_bytes(good)
    assert refused > 50


def test_every_bit_of_a_fingerprint_of_the_salt_and_of_a_release_counts(one, records):
    database = one.path.read_bytes()
    printed = fingerprint(one.salt, comparison(records[3])[0]).to_bytes(8, "big")
    for value in (printed, one.salt, one.entries()[0].release.encode()):
        start = database.find(value)
        assert start > 0
        for bit in range(8 * start, 8 * (start + len(value))):
            good = flipped(one.path, bit)
            with pytest.raises(BadInput, match="ledger=.*damaged; restore it from a copy"):
                Ledger(one.folder)
            one.path.write_bytes(good)
    assert Ledger(one.folder).salt == one.salt


def another_database(path):
    path.unlink()
    with sqlite3.connect(path) as rows:
        rows.execute("CREATE TABLE salt (number INTEGER PRIMARY KEY, salt BLOB)")
    rows.close()
    path.chmod(0o600)


def one_row_less(path):
    with sqlite3.connect(path) as rows:
        rows.execute("DELETE FROM fingerprints WHERE fingerprint % 7 = 0")
    rows.close()


def a_budget_changed(path):
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE releases SET epsilon = '0.1'")
    rows.close()


def cut(share):
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


@pytest.mark.parametrize(
    "spoil",
    [
        cut(0), cut(0.001), cut(0.3), cut(0.5), cut(0.75), cut(0.99), another_database,
        one_row_less, a_budget_changed, lambda path: path.write_bytes(b"mine"),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)  # fmt: skip
def test_a_truncated_altered_or_foreign_file_is_refused(tmp_path, one, write_input, records, spoil):
    spoil(one.path)
    with pytest.raises(BadInput, match=r"ledger=.*ledger\.sqlite"):
        Ledger(one.folder)
    with pytest.raises(BadInput, match=r"ledger=.*ledger\.sqlite"):
        privatise(write_input(records[:60]), tmp_path / "two.jsonl", HALF, one, compose=True)
    assert not (tmp_path / "two.jsonl").exists()


def test_a_ledger_of_the_earlier_format_is_refused_with_what_to_do(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    (folder / "salt").write_bytes(bytes(32))
    (folder / "releases.jsonl").write_text("")
    with pytest.raises(BadInput, match="the format before SQLite, which cannot be carried over"):
        Ledger(folder)


# Releases that are cut short


@contextlib.contextmanager
def killed_at(monkeypatch, owner, name, after=False):
    """As if the process were killed before, or after, one step; nothing is settled."""
    really = getattr(owner, name)

    def stop(*words):
        if after:
            really(*words)
        raise SystemExit

    with monkeypatch.context() as patch, contextlib.suppress(SystemExit):
        patch.setattr(owner, name, stop)
        patch.setattr(Book, "settle", lambda self: None)
        yield


@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (Publication, "stage", False),
        (Publication, "stage", True),
        (Book, "_note", True),
        (Publication, "publish", False),
    ],
)
def test_a_release_killed_before_it_is_published_is_undone(
    tmp_path, ledger, write_input, records, monkeypatch, owner, name, after
):
    source, folder = write_input(records[:60]), tmp_path / "out"
    folder.mkdir()
    with killed_at(monkeypatch, owner, name, after=after):
        privatise(source, folder / "o.jsonl", HALF, ledger)
    assert Ledger(ledger.folder).entries() == []
    assert list(folder.iterdir()) == []
    done = privatise(source, folder / "o.jsonl", HALF, Ledger(ledger.folder))
    assert (done.earlier, done.total) == (0, HALF)


def published(tmp_path, ledger, write_input, records, monkeypatch):
    source, folder = write_input(records[:60]), tmp_path / "out"
    folder.mkdir()
    with killed_at(monkeypatch, Publication, "publish", after=True):
        privatise(source, folder / "o.jsonl", HALF, ledger)
    assert len(list(folder.glob(".*.partial"))) == 2
    return folder


def test_a_release_killed_after_it_was_published_is_spent_and_tidied(
    tmp_path, ledger, write_input, records, monkeypatch
):
    folder = published(tmp_path, ledger, write_input, records, monkeypatch)
    assert len(Ledger(ledger.folder).entries()) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["o.jsonl", "o.manifest.json"]


def test_a_release_that_was_moved_after_the_kill_stays_spent(
    tmp_path, ledger, write_input, records, monkeypatch
):
    folder = published(tmp_path, ledger, write_input, records, monkeypatch)
    (folder / "o.jsonl").rename(tmp_path / "mine.jsonl")
    assert len(Ledger(ledger.folder).entries()) == 1
    assert (tmp_path / "mine.jsonl").exists()


@pytest.mark.parametrize("step", ["publish", "stage"])
def test_a_release_in_a_folder_that_is_out_of_reach_waits(
    tmp_path, ledger, write_input, records, monkeypatch, step
):
    """Spent while it may have been published; undone once the drafts can be seen again."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with killed_at(monkeypatch, Publication, step, after=step == "stage"):
        privatise(write_input(records[:60]), folder / "o.jsonl", HALF, ledger)
    folder.rename(tmp_path / "unmounted")
    assert len(Ledger(ledger.folder).entries()) == (1 if step == "publish" else 0)
    (tmp_path / "unmounted").rename(folder)
    assert Ledger(ledger.folder).entries() == []
    assert list(folder.iterdir()) == []


def test_a_name_that_was_taken_meanwhile_costs_nothing(
    tmp_path, ledger, write_input, records, monkeypatch
):
    for taken in ("o.jsonl", "o.manifest.json"):
        monkeypatch.setattr(
            Publication, "stage", _then(Publication.stage, tmp_path / "out" / taken)
        )
        (tmp_path / "out").mkdir(exist_ok=True)
        with pytest.raises(BadInput, match=f"{taken}: exists; choose a new name"):
            privatise(
                write_input(records[:60]), tmp_path / "out" / "o.jsonl", HALF, Ledger(ledger.folder)
            )
        assert [path.name for path in (tmp_path / "out").iterdir()] == [taken]
        assert (tmp_path / "out" / taken).read_text() == "mine"
        (tmp_path / "out" / taken).unlink()
        monkeypatch.undo()
        assert Ledger(ledger.folder).entries() == []


def _then(stage, path):
    def staged(self, *drafts):
        stage(self, *drafts)
        path.write_text("mine")

    return staged


def test_a_release_waits_for_the_one_that_is_being_published(one):
    """Nobody takes its pending row for one that a killed process has left."""
    seen = []
    with Answers() as answers, one.locked(answers):
        thread = threading.Thread(target=lambda: seen.append(Ledger(one.folder).entries()))
        thread.start()
        time.sleep(0.3)
        assert seen == []
    thread.join(10)
    assert len(seen) == 1


# What cannot be told is not spent


def spent(folder):
    return len(Ledger(folder).entries())


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (">&-", "standard output: closed"),
        (">/dev/full", "No space left"),
        ("| true", "Broken pipe"),
    ],
)
def test_a_standard_output_that_takes_nothing_costs_nothing(
    tmp_path, write_input, records, where, said
):
    source, state = write_input(records[:60]), tmp_path / "state"
    command = f"{sys.executable} -m repro.privatize {source} out.jsonl epsilon=1 ledger={state}"
    shell = f"set -o pipefail; (sleep .2; {command}) {where}"
    run = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert run.returncode not in (0, 1, 2, 3)
    assert run.stderr.startswith("error: standard output: ")
    assert said in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()
    assert not state.exists()


@pytest.mark.parametrize("length", [230, 245, 300])
def test_a_target_name_too_long_costs_nothing(tmp_path, ledger, write_input, records, length):
    target = tmp_path / ("o" * length + ".jsonl")
    if length == 230:  # the longest that leaves room for .manifest.json
        privatise(write_input(records[:60]), target, HALF, ledger)
        return
    with pytest.raises(BadInput, match=r"^OUT=.*cannot be written: File name too long"):
        privatise(write_input(records[:60]), target, HALF, ledger)
    assert not ledger.folder.exists()


def test_two_ledgers_do_not_know_of_each_other(tmp_path, write_input, records):
    """What the documentation says about them."""
    source = write_input(records[:60])
    for name in ("a", "b"):
        done = privatise(
            source, tmp_path / f"{name}.jsonl", HALF, Ledger(tmp_path / f"state {name}")
        )
        manifest = json.loads(done.manifest.read_text())
        assert manifest["total_epsilon"] == 0.5
