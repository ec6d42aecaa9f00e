"""Tables, exports and files of more rows than are held at once: none is lost, none comes twice."""

import json
from decimal import Decimal
from hashlib import sha256

import pandas as pd
import pyarrow
import pytest

from repro.base.errors import BadInput
from repro.release import drafts, exports, released, tables
from repro.release.drafts import Draft
from repro.release.exports import write_export
from repro.release.manifest import Manifest, parsed_manifest
from repro.release.released import fingerprint, read_release

ROWS = [
    {"prompt": f"p{k}", "response_1": f"a{k}", "response_2": f"b{k}", "label": 1 if k % 3 else -1}
    for k in range(7)
]
AT_ONCE = pytest.mark.parametrize("at_once", [3, 7, 20])


@AT_ONCE
def test_every_row_of_a_table_is_read_once_and_in_order(at_once, monkeypatch):
    monkeypatch.setattr(tables, "TOGETHER", at_once)
    for table in (ROWS, tuple(ROWS), pd.DataFrame(ROWS), pyarrow.Table.from_pylist(ROWS)):
        assert list(tables.rows_of(table, "IN")) == ROWS


def test_a_table_has_each_column_once_and_is_no_mere_sequence():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(BadInput, match=r"IN=\(DataFrame\): a column appears twice"):
        tables.rows_of(twice, "IN")
    with pytest.raises(BadInput, match=r"IN=\(str\): allowed: a file, a list of dicts"):
        tables.rows_of("text", "IN")


@AT_ONCE
@pytest.mark.parametrize("ending", exports.ENDINGS)
@pytest.mark.parametrize("layout", exports.LAYOUTS)
def test_every_line_is_exported_once_and_in_order(at_once, ending, layout, tmp_path, monkeypatch):
    monkeypatch.setattr(exports, "TOGETHER", at_once)
    release, target = tmp_path / "out.jsonl", tmp_path / f"out{ending}"
    release.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    write_export(release, target, layout)
    answers = list(read_release(target, trl=True))
    found = [tuple(answer[:4]) for answer in answers]
    rows = [(row["prompt"], row["response_1"], row["response_2"], row["label"]) for row in ROWS]
    if layout == "trl":  # which response is the first follows from the texts
        rows = [
            row if (row[1], row[2]) == answer[1:3] else (row[0], row[2], row[1], -row[3])
            for row, answer in zip(rows, answers, strict=True)
        ]
    assert found == [(p, a, b, int(label == 1)) for p, a, b, label in rows]


@pytest.mark.parametrize("at_once", [5, 64, 1 << 20])
def test_a_fingerprint_is_of_every_byte(at_once, tmp_path, monkeypatch):
    monkeypatch.setattr(released, "TOGETHER", at_once)
    path = tmp_path / "out.jsonl"
    path.write_bytes(bytes(range(65, 91)) * 3)
    assert fingerprint(path) == sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("at_once", [2, 1 << 20])
def test_a_name_that_is_taken_is_as_good_only_with_every_byte_the_same(
    at_once, tmp_path, monkeypatch
):
    monkeypatch.setattr(drafts, "TOGETHER", at_once)
    for number, (there, same) in enumerate(
        ((b"abcde", True), (b"abcdf", False), (b"abcd", False), (b"abcdef", False), (b"", False))
    ):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(there)
        with Draft(tmp_path) as draft:
            draft.file.write(b"abcde")
            if same:
                draft.place(path)
                continue
            with pytest.raises(FileExistsError):
                draft.place(path)
        assert path.read_bytes() == there


def test_a_manifest_comes_back_with_every_value():
    stated = Manifest(
        Decimal("0.5"), (Decimal("0.25"), Decimal("1")), 4, 9, 5, "d" * 64, Decimal("0.000001")
    )
    assert parsed_manifest(stated.content) == stated
    assert stated.total == Decimal("1.75")
    assert json.loads(stated.content)["epsilon_of_one_annotator_in_this_file"] == 2.0
