"""Reading preference pairs: what is accepted, and one clear line for everything else."""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.base.places import install_hint
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.pair_records import PreferencePair

REAL = Path(__file__).parents[3].parent / "shared/data/hh_rlhf"
SECRET = "zebra-secret"


def record(number: int = 0, **changes: object) -> dict[str, object]:
    fields = {"prompt": f"q{number}", "chosen": f"{SECRET} a{number}", "rejected": f"b{number}"}
    return {**fields, **changes}


def good_lines(count: int = 20, start: int = 0) -> list[str]:
    return [json.dumps(record(k)) for k in range(start, start + count)]


def write(path: Path, lines: list[str], end: str = "\n") -> str:
    path.write_bytes("".join(line + end for line in lines).encode())
    return str(path)


def complaint(path: object) -> str:
    """The message about a bad path, checked for form and for leaks."""
    with pytest.raises(BadInput) as caught:
        read_pairs(path)  # pyright: ignore[reportArgumentType]
    message = str(caught.value)
    assert caught.value.key == "instance.path"
    assert "\n" not in message
    assert SECRET not in message
    return message


def test_reads_fields_in_file_order(tmp_path):
    pairs = read_pairs(write(tmp_path / "a.jsonl", good_lines()))
    assert pairs[3] == PreferencePair("q3", f"{SECRET} a3", "b3")
    assert [p.prompt for p in pairs] == [f"q{k}" for k in range(20)]


def test_a_pair_never_shows_its_texts():
    pair = PreferencePair("q", SECRET, "b")
    assert SECRET not in f"{pair!r} {pair}"


@pytest.mark.parametrize(
    ("head", "end"),
    [
        pytest.param(b"\xef\xbb\xbf", "\n", id="byte_order_mark"),
        pytest.param(b"", "\r\n", id="crlf"),
        pytest.param(b"\n \n", "\n\n", id="blank_lines"),
    ],
)
def test_harmless_differences_of_layout(tmp_path, head, end):
    path = tmp_path / "a.jsonl"
    write(path, good_lines(), end)
    path.write_bytes(head + path.read_bytes())
    assert len(read_pairs(str(path))) == 20


def test_separators_inside_a_text_do_not_split_a_line(tmp_path):
    lines = [*good_lines(19), json.dumps(record(prompt="a\u2028b\x85c"), ensure_ascii=False)]
    assert read_pairs(write(tmp_path / "a.jsonl", lines))[-1].prompt == "a\u2028b\x85c"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("{0}", id="folder"),
        pytest.param("{0}/*.jsonl", id="glob"),
        pytest.param("{0}/[ab].jsonl", id="glob_of_letters"),
        pytest.param(["{0}/a.jsonl", "{0}/b.jsonl"], id="list_of_files"),
        pytest.param(["{0}/a.jsonl", "{0}", "{0}/../{1}/b.jsonl"], id="each_file_once"),
    ],
)
def test_several_files(tmp_path, name):
    write(tmp_path / "b.jsonl", good_lines(10, start=10))
    write(tmp_path / "a.jsonl", good_lines(10))
    write(tmp_path / "notes.txt", ["not a record"])
    names = [name] if isinstance(name, str) else name
    filled = [text.format(tmp_path, tmp_path.name) for text in names]
    pairs = read_pairs(filled[0] if isinstance(name, str) else filled)
    assert [p.prompt for p in pairs] == [f"q{k}" for k in range(20)]


BAD_LINES = {
    "bad_json": (b'{"prompt": "zebra-secret", ', "not valid JSON"),
    "deep_json": (b"[" * 100_000, "not valid JSON"),
    "huge_number": (b"9" * 10_000, "not valid JSON"),
    "not_an_object": (b'["zebra-secret"]', "not a JSON object"),
    "missing_field": (b'{"prompt": "zebra-secret", "chosen": "a"}', "field 'rejected' is missing"),
    "wrong_type": (json.dumps(record(chosen=[SECRET])).encode(), "field 'chosen' is not a string"),
    "null_field": (json.dumps(record(prompt=None)).encode(), "field 'prompt' is not a string"),
    "empty_field": (json.dumps(record(chosen=" \n")).encode(), "field 'chosen' is empty"),
    "equal": (json.dumps(record(chosen=SECRET, rejected=SECRET)).encode(), "are equal"),
    "escaped_nul": (json.dumps(record(chosen=SECRET + "\0")).encode(), "not text"),
    "lone_surrogate": (json.dumps(record(chosen=SECRET + "\ud800")).encode(), "not UTF-8 text"),
    "not_utf8": (b'{"prompt": "zebra-secret \xe9"}', "not UTF-8"),
    "binary": (b"\x89PNG\0\0zebra-secret", "not text"),
    "second_byte_order_mark": (b"\xef\xbb\xbf{}", "not valid JSON"),
}


@pytest.mark.parametrize(("line", "expected"), BAD_LINES.values(), ids=BAD_LINES)
def test_bad_line_is_named(tmp_path, line, expected):
    path = tmp_path / "pairs.jsonl"
    write(path, good_lines())
    path.write_bytes(path.read_bytes() + b"\n" + line + b"\n")
    message = complaint(str(path))
    assert message.startswith(f"instance.path={path}: line 22: ")
    assert expected in message


def test_a_line_without_end_is_not_slurped(tmp_path, monkeypatch):
    monkeypatch.setattr("repro.labels.preferences.json_lines.LONGEST_LINE", 1000)
    path = write(tmp_path / "a.jsonl", ["x" * 5000])
    assert "line 1: not text" in complaint(path)


def test_utf16_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(good_lines()), encoding="utf-16")
    assert "line 1: not text" in complaint(str(path))


def make_loop(folder: Path) -> str:
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    return str(folder / "loop.jsonl")


def make_broken_link(folder: Path) -> str:
    (folder / "link.jsonl").symlink_to(folder / "gone.jsonl")
    return str(folder)


def make_pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.jsonl")
    return str(folder / "pipe.jsonl")


def make_folder_named_as_file(folder: Path) -> str:
    (folder / "a.jsonl").mkdir()
    return str(folder)


BAD_PATHS = {
    "missing_file": (lambda f: str(f / "no.jsonl"), "no such file or folder"),
    "missing_relative_file": (lambda f: "data/no.jsonl", "no such file or folder"),
    "empty_name": (lambda f: "", "no such file or folder"),
    "name_with_nul": (lambda f: "a\0*", "no such file or folder"),
    "name_too_long": (lambda f: "a" * 5000, "no such file or folder"),
    "folder_without_files": (str, "a folder without .jsonl, .jsonl.gz"),
    "glob_without_match": (lambda f: f"{f}/*.jsonl", "no file matches"),
    "symlink_loop": (make_loop, "cannot be read: Too many levels of symbolic links"),
    "broken_link": (make_broken_link, "link.jsonl: cannot be read: No such file"),
    "pipe": (make_pipe, "is not a regular file"),
    "folder_as_file": (make_folder_named_as_file, "is not a regular file"),
    "empty_file": (lambda f: write(f / "a.jsonl", []), "holds no pairs"),
    "blank_file": (lambda f: write(f / "a.jsonl", ["", " "]), "holds no pairs"),
    "too_few": (lambda f: write(f / "a.jsonl", good_lines(19)), "at least 20 pairs, found 19"),
    "empty_list": (lambda f: [], "needs at least 20 pairs"),
    "number": (lambda f: 3, "needs a path"),
    "list_of_numbers": (lambda f: [3], "needs a path"),
    "bytes": (lambda f: b"a.jsonl", "needs a path"),
    "none": (lambda f: None, "needs a path"),
}


@pytest.mark.parametrize(("make", "expected"), BAD_PATHS.values(), ids=BAD_PATHS)
def test_bad_path(tmp_path, make, expected):
    assert expected in complaint(make(tmp_path))


def fake_hub(monkeypatch, rows: list[dict[str, object]] | Exception) -> list[tuple[str, str]]:
    """Stand in for the library ``datasets``; returns the list of (name, split) asked for."""
    asked = []

    def load_dataset(name, split):
        asked.append((name, split))
        if isinstance(rows, Exception):
            raise rows
        return rows

    module = types.ModuleType("datasets")
    module.load_dataset = load_dataset  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return asked


@pytest.mark.parametrize(
    ("hub_id", "split"),
    [("some/pairs", "train"), ("some/pairs:test", "test"), ("some/pairs:test[:9%]", "test[:9%]")],
)
def test_hub_id(monkeypatch, hub_id, split):
    asked = fake_hub(monkeypatch, [record(k) for k in range(20)])
    assert len(read_pairs(hub_id)) == 20
    assert asked == [("some/pairs", split)]


def test_hub_dialogues_are_split_after_the_shared_turns(monkeypatch):
    start = "\n\nHuman: hi\n\nAssistant: yes?\n\nHuman: why\n\nAssistant:"
    rows = [{"chosen": f"{start} Good {k}", "rejected": f"{start} Gone"} for k in range(20)]
    fake_hub(monkeypatch, rows)
    prompt = "Human: hi\n\nAssistant: yes?\n\nHuman: why"
    assert read_pairs("Anthropic/hh-rlhf")[7] == PreferencePair(prompt, "Good 7", "Gone")


def test_hub_rows_that_compare_nothing_are_skipped(monkeypatch, caplog):
    empty, equal = record(chosen=""), record(chosen=SECRET, rejected=SECRET)
    fake_hub(monkeypatch, [empty, *(record(k) for k in range(20)), equal])
    assert len(read_pairs("some/pairs")) == 20
    assert "skipped 2 rows" in caplog.text
    assert SECRET not in caplog.text


def test_hub_rows_that_say_more_than_texts_can_are_skipped_and_counted(monkeypatch, caplog):
    fake_hub(monkeypatch, [{**record(), "images": [SECRET]}, *(record(k) for k in range(20))])
    assert len(read_pairs("some/pairs")) == 20
    assert "skipped 1 rows: field 'images' is part of what was asked" in caplog.text
    assert SECRET not in caplog.text


HUB_FAULTS = {
    "unreachable": (ConnectionError(SECRET), "the hub fails (ConnectionError)"),
    "gated": (PermissionError(SECRET), "log in with `hf auth login`"),
    "unknown_split": (ValueError(SECRET), "check name, split"),
    "other_columns": ([{"text": SECRET}], "row 1: field 'prompt' is missing"),
    "chat_lists": ([{"chosen": [SECRET], "rejected": []}], "row 1: field 'prompt' is missing"),
    "unmarked_dialogues": ([{"chosen": SECRET, "rejected": "b"}], "'prompt' is missing"),
}


@pytest.mark.parametrize(("rows", "expected"), HUB_FAULTS.values(), ids=HUB_FAULTS)
def test_hub_fault(monkeypatch, rows, expected):
    fake_hub(monkeypatch, rows)
    message = complaint("some/pairs")
    assert message.startswith("instance.path=some/pairs: ")
    assert expected in message


def test_hub_library_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert install_hint("hub") in complaint("some/pairs")


def test_disk_comes_before_the_hub(tmp_path, monkeypatch):
    asked = fake_hub(monkeypatch, [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some").mkdir()
    write(tmp_path / "some/pairs", good_lines())
    assert len(read_pairs("some/pairs")) == 20
    assert asked == []


@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data/hh_rlhf")
def test_real_pairs():
    assert len(read_pairs(str(REAL))) == 4413
