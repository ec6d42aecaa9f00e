"""Generated pairs in two files, over nobody's file."""

import json
from collections import Counter

import pytest

from repro.commands.example_pairs import main
from repro.commands.process.command import status_of
from repro.labels.preferences.synthetic_pairs import synthetic_pairs


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_files_share_no_pair_and_are_written_over_nobodys(folder, capsys):
    names = ["pairs.jsonl", "held_out.jsonl"]
    assert status_of(main, names) == 0
    texts = [(folder / name).read_text() for name in names]
    assert [text.count("\n") for text in texts] == [2000, 1000]
    assert not set(texts[0].splitlines()) & set(texts[1].splitlines())
    pairs = [json.loads(line) for text in texts for line in text.splitlines()]
    assert Counter(Counter(pair.pop("annotator") for pair in pairs[:2000]).values()) == {10: 200}
    assert pairs[0] == vars(next(iter(synthetic_pairs(1))))
    assert capsys.readouterr().out == "files: pairs.jsonl, held_out.jsonl\n"
    assert status_of(main, ["new.jsonl", names[1]]) == 2
    assert capsys.readouterr().err.startswith("error: HELD_OUT=held_out.jsonl: exists")
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert [(folder / name).read_text() for name in names] == texts


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "PAIRS=(missing): a file name is required"),
        (["a.jsonl"], "HELD_OUT=(missing)"),
        (["a.jsonl", "./a.jsonl"], "HELD_OUT=./a.jsonl: allowed: another name"),
        (["none/a.jsonl", "b.jsonl"], "PAIRS=none/a.jsonl: its folder"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(words, line, folder, capsys):
    assert status_of(main, words) == 2
    assert capsys.readouterr().err.startswith(f"error: {line}")
    assert list(folder.iterdir()) == []


def test_a_link_is_not_written_through_and_home_is_filled_in(folder, monkeypatch, capsys):
    (folder / "link").symlink_to("nowhere")
    assert status_of(main, ["link", "b.jsonl"]) == 2
    assert "PAIRS=link: exists" in capsys.readouterr().err
    monkeypatch.setenv("HOME", str(folder))
    (folder / "same").symlink_to(folder)
    assert status_of(main, ["~/a.jsonl", "same/a.jsonl"]) == 2
    assert "HELD_OUT=same/a.jsonl: allowed: another name" in capsys.readouterr().err
    assert status_of(main, ["~/a.jsonl", "b.jsonl"]) == 0
    assert (folder / "a.jsonl").is_file()
