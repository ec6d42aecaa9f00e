"""Tables that are cut, circular or very wide: one line, soon, and no process killed."""

import json
import os
import time

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.chat import is_nothing, is_printed_nothing
from repro.labels.preferences.pair_rows import rows
from repro.labels.preferences.tables import arrow_rows, csv_rows, parquet_rows, saved_files

COLUMNS = ("prompt", "chosen", "rejected")


@pytest.fixture
def arrow(tmp_path):
    """A stream of three batches."""
    import pyarrow

    table = pyarrow.table({name: [f"{name} {i}" * 50 for i in range(3000)] for name in COLUMNS})
    path = tmp_path / "data.arrow"
    with pyarrow.ipc.new_stream(str(path), table.schema) as writer:
        for batch in table.to_batches(max_chunksize=1000):
            writer.write_batch(batch)
    return path


@pytest.mark.parametrize("left", [5000, -8])
def test_a_stream_that_is_cut_while_it_is_read_is_refused(arrow, left):
    rows = arrow_rows(str(arrow), "IN", COLUMNS)
    next(rows)
    os.truncate(arrow, left if left > 0 else arrow.stat().st_size + left)
    with pytest.raises(BadInput, match="not a whole stream of Arrow"):
        list(rows)


def test_case_and_white_space_of_a_column_are_no_difference(tmp_path):
    from pyarrow import parquet, table

    path = tmp_path / "a.parquet"
    parquet.write_table(table({" Prompt": ["p"], "CHOSEN ": ["c"], "score": [1.0]}), path)
    assert list(parquet_rows(str(path), "IN", COLUMNS)) == [(1, {" Prompt": "p", "CHOSEN ": "c"})]


def test_splits_that_name_each_other_are_no_dataset(tmp_path):
    (tmp_path / "a").mkdir()
    for folder, split in ((tmp_path, "a"), (tmp_path / "a", "..")):
        (folder / "dataset_dict.json").write_text(json.dumps({"splits": [split]}))
    assert saved_files(tmp_path, "IN") == []
    with pytest.raises(BadInput, match="holds 0 splits"):
        saved_files(tmp_path / "a", "IN")


def test_a_wide_header_is_read_in_less_than_a_second(tmp_path):
    names = [f"c{i}" for i in range(60_000)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join(names) + "\n")
    began = time.process_time()
    assert len(list(csv_rows(str(tmp_path / "wide.csv"), "IN"))) == 1
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("Prompt;chosen;Rejected;id", "a semicolon: allowed: commas between values, and columns n"),
        ("prompt\tchosen", "line 1 has no comma but a tab: allowed: commas between values"),
        ("frage;antwort", "line 1 has no comma but a semicolon: allowed: commas between values"),
        ("frage,antwort", "rename the columns to prompt, chosen and rejected, or begin"),
        ("prompt;secret", "line 1 has no comma but a semicolon"),
        ("secret,words", "line 1 is taken as the names of the columns, and none of them is known"),
    ],
)
def test_a_first_line_that_names_no_column_is_refused_without_its_words(head, words, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{head}\na,b,c\n")
    with pytest.raises(BadInput, match=words) as refused:
        list(csv_rows(str(path), "IN", COLUMNS))
    assert "secret" not in str(refused.value)


def test_line_ends_inside_of_a_quoted_text_stay_as_they_are(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'prompt,chosen,rejected\r\n"p\r\nq",c,r\r\n')
    (row,) = csv_rows(str(path), "IN", COLUMNS)
    assert row == (3, {"prompt": "p\r\nq", "chosen": "c", "rejected": "r"})


@pytest.mark.parametrize(
    ("value", "nothing", "printed"),
    [(None, True, True), ("  ", True, True), ([], True, True), ({}, True, True),
     (float("nan"), True, True), ("NaN", False, True), ("null", False, True), ("[]", False, True),
     ("{}", False, True), ("None", False, True), ("nan", False, True), ("no", False, False),
     (0, False, False), ([0], False, False), (False, False, False)],
)  # fmt: skip
def test_what_says_nothing(value, nothing, printed):
    assert (is_nothing(value), is_printed_nothing(value)) == (nothing, printed)


def test_pandas_nothing_is_nothing():
    pandas = pytest.importorskip("pandas")
    assert is_nothing(pandas.NA)
    assert is_nothing(pandas.NaT)


@pytest.mark.parametrize(
    ("name", "way"),
    [("a.json", "; to convert it: python -c"), ("a.jsonl", ""), ("a b.json", "")],
)
def test_a_file_that_is_one_list_is_refused_with_a_way_to_convert_it(name, way, tmp_path):
    path = tmp_path / name
    path.write_text('[{"prompt": "p", "chosen": "c", "rejected": "r"}]\n')
    with pytest.raises(BadInput) as refused:
        rows(str(path), "IN")
    said = str(refused.value).removeprefix(f"IN={path}: ")
    assert said.startswith("line 1: a list, and not one object a line" + way)
    assert ("read_json" in said) == bool(way)
