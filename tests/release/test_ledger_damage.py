"""A ledger that is damaged, foreign or of an earlier format is refused; no flipped bit passes."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from decimal import Decimal

import pytest

from repro.base.errors import BadInput
from repro.release.canonical import comparison, fingerprint
from repro.release.ledger import NAME, Ledger
from repro.release.ledger_file import opened
from repro.release.privatise import privatise


def content(folder):
    """Every row that counts."""
    connection = sqlite3.connect("", isolation_level=None, uri=True)
    with contextlib.closing(connection) as rows, opened(folder / NAME, rows):
        tables = ("salt", "releases", "fingerprints", "pending")
        return [rows.execute(f"SELECT * FROM {name}").fetchall() for name in tables]


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
        privatise(write_input(records[:60]), tmp_path / "two.jsonl", Decimal(1), one, compose=True)
    assert not (tmp_path / "two.jsonl").exists()


def test_a_ledger_of_the_earlier_format_is_refused_with_what_to_do(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    (folder / "salt").write_bytes(bytes(32))
    (folder / "releases.jsonl").write_text("")
    with pytest.raises(BadInput, match="the format before SQLite, which cannot be carried over"):
        Ledger(folder)
