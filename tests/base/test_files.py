"""Drafts of killed processes go, drafts of living ones and other files stay."""

import os
import re
import subprocess
import sys

import pytest

from repro.base.errors import BadInput
from repro.base.files import (
    LARGEST_YAML,
    _node,
    atomic_write,
    remove_stale,
    small_text,
    write_together,
    yaml_mapping,
)
from repro.study.blocks import BlockStore


def _dead():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@pytest.fixture
def make(tmp_path):
    def make(name, age=0.0):
        path = tmp_path / name
        path.write_text("half")
        os.utime(path, (path.stat().st_mtime - age,) * 2)
        return path

    return make


def test_only_what_nobody_will_finish_is_removed(make, tmp_path):
    gone = [
        make(f".a.draft-{_node()}-{_dead()}.npy"),
        make(f".b.draft-{_node()}-{os.getpid()}.npy", age=2 * 86400),
        make(".c.draft-elsewhere-1", age=2 * 86400),
    ]
    kept = [
        make(f".d.draft-{_node()}-{os.getpid()}.npy"),
        make(f".e.draft-elsewhere-{_dead()}.npy"),
        make(f".f.draft-{_node()}-{10**30}.npy"),
        make(".draft-notes"),
        make("plain.npy", age=2 * 86400),
    ]
    remove_stale(tmp_path)
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)


def test_another_users_process_counts_as_alive(make, tmp_path, monkeypatch):
    def refuse(pid, sign):
        raise PermissionError

    path = make(f".a.draft-{_node()}-1.npy")
    monkeypatch.setattr(os, "kill", refuse)
    remove_stale(tmp_path)
    assert path.exists()


def test_a_store_is_tidied_shard_by_shard(tmp_path):
    shard = tmp_path / "ab"
    shard.mkdir()
    draft = shard / f".abc.draft-{_node()}-{_dead()}.npy"
    draft.write_text("half")
    BlockStore(tmp_path).tidy()
    assert list(shard.iterdir()) == []
    BlockStore(tmp_path / "none").tidy()


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), atomic_write(path) as draft:
        (draft.parent / "no" / "such" / "file").write_text("new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text() == "old"


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a: 1\n\tb: 2\n", "is not valid YAML: line 2: found "),
        (b"a: [1\n", "is not valid YAML: line 2: "),
        (b"a: !!python/object/apply:os.system [id]\n", "is not valid YAML: line 1: could not"),
        (b"a: 1\nb: 2\na: 3\n", "is not valid YAML: line 3: a stands twice"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"a: " + b"[" * 200_000, "is not valid YAML: nested more than 200 deep"),
        (BOMB.encode(), "is not valid YAML: more than 1000000 values"),
        (b"a: &b {c: *b}\n", "is not valid YAML: b holds itself"),
        (b"- 1\n", "holds something else; allowed: a YAML mapping"),
        (b"x" * (LARGEST_YAML + 1), "is too large"),
    ],
    ids=["tab", "bracket", "code", "twice", "bytes", "deep", "bomb", "cycle", "list", "large"],
)
def test_a_yaml_file_that_is_refused(content, line, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=f"^theorem={path}: {re.escape(line)}"):
        yaml_mapping("theorem", path)


def test_a_yaml_file_with_aliases_and_merged_keys(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]\n")
    both = {"x": 1, "y": 2}
    assert yaml_mapping("a", path) == {"a": both, "b": {"x": 1, "y": 3}, "c": [both, both]}


@pytest.fixture
def earlier(tmp_path):
    """Three files that are there."""
    found = {tmp_path / name: name.encode() for name in ("a", "b", "last")}
    for path, content in found.items():
        path.write_bytes(content)
    return found


@pytest.mark.parametrize("at", range(1, 7))
def test_files_that_belong_together_are_all_new_or_all_as_they_were(earlier, monkeypatch, at):
    replaced, calls = os.replace, []

    def failing(source, target):
        calls.append(target)
        if len(calls) == at:
            raise OSError(28, "No space left on device", str(source))
        return replaced(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        write_together(dict.fromkeys(earlier, b"new"))
    (folder,) = {path.parent for path in earlier}
    assert {path: path.read_bytes() for path in folder.iterdir()} == earlier


def test_while_the_last_file_is_there_the_others_belong_to_it(earlier, monkeypatch):
    """Whoever reads between two moves, or after a kill there, meets no mixture."""
    replaced, met = os.replace, []

    def watched(source, target):
        replaced(source, target)
        met.append([path.read_bytes() if path.exists() else b"" for path in earlier])

    monkeypatch.setattr(os, "replace", watched)
    write_together(dict.fromkeys(earlier, b"new"))
    whole = [[*earlier.values()], [b"new"] * len(earlier)]
    assert all(contents in whole for contents in met if contents[-1])
    assert met[-1] == whole[1]


def test_what_cannot_be_put_back_stays_aside(earlier, monkeypatch):
    replaced, calls = os.replace, []

    def failing(source, target):
        calls.append(target)
        if len(calls) > 3:
            raise OSError(28, "No space left on device", str(source))
        return replaced(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        write_together(dict.fromkeys(earlier, b"new"))
    (folder,) = {path.parent for path in earlier}
    assert sorted(path.read_bytes() for path in folder.iterdir()) == sorted(earlier.values())


def test_a_file_of_as_many_bytes_as_are_allowed_is_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("12345")
    assert small_text("a", path, 5) == "12345"
    with pytest.raises(BadInput, match="at most 4 bytes"):
        small_text("a", path, 4)
