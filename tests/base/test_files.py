"""Drafts of killed processes go, drafts of living ones and other files stay."""

import os
import subprocess
import sys

import pytest

from repro.base.files import _node, atomic_write, remove_stale
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
