"""Runs of blanks and long values are read wherever they stand."""

from __future__ import annotations

import json

import pytest

from repro.base.errors import BadInput
from repro.release.matching import match_release
from repro.release.one_place import one_place
from tests.release.encodings.rows import rows, write

RECORDS = [(f"ask {i}", f"yes {i}", f"no {i}") for i in range(30)]
BITS = " \t" * 20


def places(tmp_path, write_input, texts):
    target = write(tmp_path / "out.jsonl", texts)
    return one_place(target, match_release(target, write_input(RECORDS)).lines)


@pytest.fixture
def lines():
    return [json.dumps(row.values()) + "\n" for row in rows(RECORDS)]


@pytest.mark.parametrize(
    ("at", "words"), [(0, "blanks of one line"), (17, "blanks of one line"), (30, "blanks after")]
)
def test_blanks_between_lines(tmp_path, write_input, lines, at, words):
    lines.insert(at, BITS if at else BITS.replace("\t", "\n"))
    found = places(tmp_path, write_input, lines)
    assert [type(value) for _, value in found] == [str, int]
    assert all(name.startswith(words) for name, _ in found)
    assert found[0][1].strip(" \t\n") == ""
    assert 39 <= found[1][1] <= 41


def test_blanks_within_a_line_but_not_within_its_texts(tmp_path, write_input, lines):
    lines[3] = lines[3].replace(": ", f": {BITS}", 1)
    lines[4] = lines[4].replace("}", ', "note": "' + " " * 100 + '"}')
    found = dict(places(tmp_path, write_input, lines))
    assert found["field 'note' of one line"] == " " * 100
    assert found["blanks of one line"] == 41


def test_the_longest_values_are_read_from_objects_too(tmp_path, write_input, lines):
    bits = [k % 2 for k in range(40)]
    lines[3] = lines[3].replace("}", f', "a": {{"b": {json.dumps(bits)}, "c": 7}}}}')
    lines[5] = lines[5].replace("}", f', "n": {1 << 100}}}')
    assert places(tmp_path, write_input, lines) == [
        ("field 'n' of one line", 1 << 100),
        ("field 'a' of one line", bits),
    ]


def test_a_plain_release_holds_nothing(tmp_path, write_input, lines):
    assert places(tmp_path, write_input, lines) == []
    assert places(tmp_path, write_input, [line.replace("\n", "\r\n") for line in lines]) == []


def test_a_file_that_is_gone_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        one_place(tmp_path / "none.jsonl", [])
