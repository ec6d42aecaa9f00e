"""Drafts of killed processes go, drafts of living ones and other files stay."""

import os
import subprocess
import sys

import pytest

from repro.base.files import _node, atomic_write, remove_stale, write_together
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
        make(".e.draft-elsewhere-1.npy"),
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
