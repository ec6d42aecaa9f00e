"""The ledger as a file: for its owner alone, held by one, waited for, checked, carried over."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import privatize as releasing
from repro.commands.process.command import status_of
from repro.release import ledger_format_3
from repro.release.canonical import compared
from repro.release.ledger import Ledger, held_ledger
from repro.release.ledger_file import NAME
from tests.faults.processes import as_from_a_shell
from tests.release.conftest import ROOT

HERE = Path(__file__).parent


@pytest.fixture
def one(ledger, records):
    """A ledger that knows one release of the first 60 records."""
    repro.privatize(records[:60], 0.5, ledger=ledger)
    return ledger


def debits(folder):
    with held_ledger(folder) as book:
        return book.debits()


def test_it_is_one_database_without_row_ids_that_only_its_owner_reads(one):
    assert [path.name for path in one.iterdir()] == [NAME]
    assert stat.S_IMODE(one.stat().st_mode) == 0o700
    assert stat.S_IMODE((one / NAME).stat().st_mode) == 0o600
    with contextlib.closing(sqlite3.connect(one / NAME)) as rows:
        tables = rows.execute("SELECT sql FROM sqlite_schema").fetchall()
        assert all(sql.endswith("WITHOUT ROWID") for (sql,) in tables)
        assert rows.execute("SELECT answers FROM debits").fetchall() == [(None,)]
    with held_ledger(one) as book:
        for name, value in (("synchronous", 3), ("journal_mode", "delete"), ("secure_delete", 1)):
            assert book._rows.execute(f"PRAGMA {name}").fetchone() == (value,)


@pytest.mark.parametrize(
    ("place", "mode"), [("", 0o750), ("", 0o705), (NAME, 0o640), (NAME, 0o602)]
)
def test_a_ledger_that_others_may_read_or_write_is_refused(one, place, mode, records):
    (one / place).chmod(mode)
    with pytest.raises(BadInput, match="is open to other users; allowed: mode [67]00"):
        repro.privatize(records[100:110], 1, ledger=one)


def test_its_bytes_depend_neither_on_labels_nor_on_the_order_of_lines(
    tmp_path, records, fixed_coins
):
    """With answers that are the same; the order of lines may tell the label of a sorted file."""
    turned = [{**r, "chosen": r["rejected"], "rejected": r["chosen"]} for r in records]
    found = set()
    for number, rows in enumerate((records, records[::-1], turned, sorted(turned, key=str))):
        ledger = tmp_path / str(number)
        repro.privatize(rows, "0.000001", ledger=ledger)
        with contextlib.closing(sqlite3.connect(ledger / NAME)) as book:
            found.add(repr(book.execute("SELECT * FROM prints").fetchall()))
    assert len(found) == 1


@pytest.mark.parametrize("name", ["state", "a/state/of/mine"])
def test_what_is_refused_leaves_no_ledger(tmp_path, records, name):
    with pytest.raises(BadInput, match="row 61: not a JSON object"):
        repro.privatize([*records[:60], 7], 1, ledger=tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["ledger=~nosuchuser/x", "no home"])
def test_a_ledger_without_a_home_is_refused(
    tmp_path, write_input, records, monkeypatch, capsys, place
):
    words = [str(write_input(records[:60])), str(tmp_path / "out.jsonl"), "epsilon=1"]
    if place == "no home":  # as in a container whose user has no entry
        monkeypatch.delenv("HOME")
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setattr("os.getuid", lambda: 2**31 - 3)
    else:
        words.append(place)
    assert status_of(releasing.main, words) == 2
    assert "has no home folder; allowed: a path without ~" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_an_unusable_ledger_is_found_before_the_input_is_read(one, tmp_path):
    (one / NAME).write_bytes(b"mine")
    with pytest.raises(BadInput, match=f"{NAME}: is damaged"):
        repro.privatize(tmp_path / "missing", 1, ledger=one)


# Held by one


def test_a_second_release_waits_and_knows_of_the_first(one, records):
    code = (
        "import repro, time\nsleep = time.sleep\n"
        "time.sleep = lambda seconds: (print('waits', flush=True), sleep(seconds))\n"
        f"repro.privatize({records[100:103]!r}, 1, ledger={str(one)!r})"
    )
    with held_ledger(one) as book:
        other = subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "waits\n"
        assert len(book.debits()) == 1
    other.communicate(timeout=300)
    assert other.returncode == 0
    assert len(debits(one)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_waiting_is_told_and_ends_while_the_ledger_is_held(
    one, tmp_path, write_input, records, number, command_environment
):
    source = write_input(records[:60])
    words = [sys.executable, "-m", "repro", "privatize", str(source), str(tmp_path / "o.jsonl")]
    with held_ledger(one):
        run = subprocess.Popen(
            [*words, "epsilon=1", f"ledger={one}"], cwd=tmp_path, env=command_environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=as_from_a_shell,
        )  # fmt: skip
        assert run.stdout is not None
        assert any(str(one / NAME) in line for line in run.stdout)
        run.send_signal(number)
        _, said = run.communicate(timeout=300)
    assert run.returncode == 128 + number
    assert said == "interrupted: nothing was released\n"


def test_a_question_to_a_ledger_that_is_held_says_that_it_waits(one, capsys):
    said = ""
    with held_ledger(one):
        asking = Thread(target=status_of, args=(releasing.main, ["spent=true", f"ledger={one}"]))
        asking.start()
        ends = time.monotonic() + 60
        while not said and time.monotonic() < ends:
            time.sleep(0.02)
            said = capsys.readouterr().out
    asking.join()
    assert " ".join(said.split()).startswith(f"waiting for {one / NAME}, which")
    assert "one label has cost epsilon" in capsys.readouterr().out


@pytest.mark.parametrize("when", ["begin", "spend"])
def test_a_ledger_that_moves_is_refused(one, tmp_path, records, monkeypatch, when):
    really = getattr(Ledger, when)

    def moved(self, *words):
        one.rename(tmp_path / "elsewhere")
        monkeypatch.undo()
        return really(self, *words)

    monkeypatch.setattr(Ledger, when, moved)
    with pytest.raises(BadInput, match="was moved or exchanged meanwhile"):
        repro.privatize(records[100:110], 1, output=tmp_path / "o.jsonl", ledger=one)
    assert not list(tmp_path.glob("o.*"))
    assert len(debits(tmp_path / "elsewhere")) == 1


def test_a_ledger_that_moves_just_after_the_debit_publishes_nothing(
    one, tmp_path, records, monkeypatch
):
    really = Ledger.refuse_moved

    def moved(self, what):
        if "resume" in what:
            one.rename(tmp_path / "elsewhere")
        really(self, what)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "refuse_moved", moved)
        with pytest.raises(BadInput, match="spent in it: move it back and give resume=true"):
            repro.privatize(records[100:110], 1, output=tmp_path / "o.jsonl", ledger=one)
    assert not list(tmp_path.glob("o.*"))
    (tmp_path / "elsewhere").rename(one)
    done = repro.privatize(records[100:110], output=tmp_path / "o.jsonl", resume=True, ledger=one)
    assert done.manifest["lines"] == 10


# Damage


def content(folder):
    with held_ledger(folder) as book:
        names = ("debits", "prints")
        return [book._rows.execute(f"SELECT * FROM {name}").fetchall() for name in names]


def flipped(path, bit):
    good = path.read_bytes()
    spoilt = bytearray(good)
    spoilt[bit // 8] ^= 1 << bit % 8
    path.write_bytes(spoilt)
    return good


def test_a_flipped_bit_is_refused_or_changes_nothing_that_counts(one):
    path, before, refused = one / NAME, content(one), 0
    for bit in random.Random(1).sample(range(8 * path.stat().st_size), 500):
        good = flipped(path, bit)
        try:
            assert content(one) == before, bit
        except BadInput as problem:
            refused += 1
            assert "\n" not in str(problem)  # noqa: PT017 - refusing is one of two right answers
        path.write_bytes(good)
    assert refused > 20


def test_every_bit_of_a_print_and_of_the_digest_counts(one, records):
    path = one / NAME
    row = records[3]
    key = compared(row["prompt"], row["chosen"], row["rejected"])[0]
    printed = (int(key[:16], 16) >> 1).to_bytes(8, "big")
    for value in (printed, debits(one)[0].manifest.sha256.encode()):
        start = path.read_bytes().find(value)
        assert start > 0
        for bit in range(8 * start, 8 * (start + len(value)), 3):
            good = flipped(path, bit)
            with pytest.raises(BadInput, match="ledger=.*damaged; allowed: an undamaged copy"):
                debits(one)
            path.write_bytes(good)


def another_database(path):
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as rows, rows:
        rows.execute("CREATE TABLE salt (number INTEGER PRIMARY KEY, salt BLOB)")
    path.chmod(0o600)


def statement(words):
    def spoil(path):
        with contextlib.closing(sqlite3.connect(path)) as rows, rows:
            rows.execute(words)

    return spoil


def cut(share):
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


@pytest.mark.parametrize(
    "spoil",
    [
        cut(0), cut(0.001), cut(0.3), cut(0.5), cut(0.75), cut(0.99), another_database,
        statement("DELETE FROM prints WHERE print % 7 = 0"),
        statement("UPDATE debits SET epsilon = '0.1'"),
        statement("CREATE TABLE more (one INTEGER)"),
        lambda path: path.write_bytes(b"mine"),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)  # fmt: skip
def test_a_truncated_altered_or_foreign_file_is_refused(one, records, spoil):
    spoil(one / NAME)
    with pytest.raises(BadInput, match=r"ledger=.*ledger\.sqlite"):
        repro.privatize(records[:60], 1, ledger=one, compose=True)


# Formats of before


def test_a_ledger_before_sqlite_is_refused_with_what_to_do(tmp_path, records):
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    (folder / "salt").write_bytes(bytes(32))
    (folder / "releases.jsonl").write_text("")
    with pytest.raises(BadInput, match="the format before SQLite, which cannot be carried over"):
        repro.privatize(records[:9], 1, ledger=folder)


QUESTION = {"prompt": "Which?", "chosen": "An oak.", "rejected": "A rope."}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which?"}]
BRIEF = {
    name: [*ASKED, {"role": "assistant", "content": QUESTION[name]}]
    for name in ("chosen", "rejected")
}
KNOWN_AS = {
    "fc97862c4d13029d": {**QUESTION, "prompt": "Which\u2800?"},
    "45330c1be894b288": BRIEF,
    "41860db40257b67a": {"system": "Be brief.", **QUESTION},
    "f90b55c122feea56": QUESTION,
}
"""First digits of keys of format 3, of a character that it kept, of a whole chat that it took for a
response, as it was and printed, and of texts; and what they are read as now."""


@pytest.fixture
def of_format_3(one):
    """Makes the ledger one of format 3, which knows one release by a key, and one reward."""

    def make(key="0" * 16, former=()):
        with contextlib.closing(sqlite3.connect(one / NAME, isolation_level=None)) as rows:
            values = "number, epsilon, earlier, unit_size, lines, plus, sha256, answers, delta"
            debits = rows.execute(f"SELECT {values}, earlier_delta FROM debits").fetchall()
            rows.execute("DROP TABLE debits")
            rows.execute(ledger_format_3.DEBITS)
            reward = (2, *debits[0][1:8], "0.000001", "0")
            rows.executemany(f"INSERT INTO debits VALUES ({'?, ' * 9}?)", [*debits, reward])
            for name, columns in (
                ("former_prints", "print INTEGER, number INTEGER, PRIMARY KEY (print, number)"),
                ("former_salt", "number INTEGER PRIMARY KEY, salt BLOB"),
            ):
                rows.execute(f"CREATE TABLE {name} ({columns}) WITHOUT ROWID")
            rows.executemany("INSERT INTO former_prints VALUES (?, 1)", former)
            prints = [(int(key, 16) >> 1, 1), (7, 2)]
            rows.executemany("INSERT INTO prints VALUES (?, ?)", prints)
            rows.execute("INSERT OR REPLACE INTO seal VALUES (1, ?)", (ledger_format_3._sum(rows),))
            rows.execute(f"PRAGMA user_version={ledger_format_3.FORMAT}")
        return one

    return make


@pytest.mark.parametrize("key", KNOWN_AS)
def test_a_ledger_of_format_3_still_refuses_what_it_knew(of_format_3, key, records):
    ledger = of_format_3(key)
    for known in (KNOWN_AS[key], records[5]):
        with pytest.raises(
            BadInput, match="shares 1 of 1 comparison with an earlier release, and . reward"
        ):
            repro.privatize([known], 1, ledger=ledger)
    repro.privatize([{**QUESTION, "prompt": "Another?"}], 1, ledger=ledger, compose=True)
    with contextlib.closing(sqlite3.connect(ledger / NAME)) as rows:
        identities = rows.execute("SELECT identity FROM debits ORDER BY number").fetchall()
        assert identities == [(1,), (1,), (2,)]
        assert rows.execute("SELECT * FROM prints WHERE number = 2").fetchall() == []


def test_a_damaged_ledger_of_format_3_is_refused(of_format_3, records):
    ledger = of_format_3()
    with contextlib.closing(sqlite3.connect(ledger / NAME)) as rows, rows:
        rows.execute("DELETE FROM prints WHERE number = 1")
    with pytest.raises(BadInput, match="is damaged"):
        repro.privatize(records[:5], 1, ledger=ledger)


def test_fingerprints_of_format_1_are_not_carried_over(of_format_3, records):
    ledger = of_format_3(former=[(12345,)])
    with pytest.raises(BadInput, match="fingerprints of format 1, which are read no more"):
        repro.privatize(records[:5], 1, ledger=ledger)
