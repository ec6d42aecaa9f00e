"""What was paid for gets its name, or reaches its caller, wherever and however that fails."""

from __future__ import annotations

import errno
import os

import pytest

import repro
from repro.release import drafts
from repro.release.ledger import held_ledger


@pytest.mark.parametrize("nameless", [True, False])
def test_a_file_system_without_links_is_published_to(
    tmp_path, ledger, records, monkeypatch, nameless
):
    """As FAT and some FUSE mounts: neither hard links nor modes."""
    really = os.open

    def no_nameless(path, flags, *more, **words):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return really(path, flags, *more, **words)

    def refused(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    repro.privatize(records[60:70], 1, ledger=ledger)  # the ledger lies elsewhere
    for name in ("link", "fchmod"):
        monkeypatch.setattr(drafts.os, name, refused)
    if not nameless:
        monkeypatch.setattr(os, "open", no_nameless)
    repro.privatize(records[:60], 1, output=tmp_path / "o.jsonl", ledger=ledger)
    assert repro.audit(tmp_path / "o.jsonl", records[:60], ledger=ledger).lines == 60
    words = {"output": tmp_path / "r.json", "ledger": ledger, "compose": True}
    made = repro.private_reward(records[:60], 1, 1e-6, 1, weak=True, **words)
    assert (tmp_path / "r.json").read_bytes() == made.content
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"o.jsonl", "o.manifest.json", "r.json", ledger.name}


@pytest.mark.parametrize("problem", [KeyboardInterrupt, MemoryError])
def test_a_release_in_memory_is_kept_until_it_was_read_back(ledger, records, monkeypatch, problem):
    def stopped(*_):
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr("repro.release.tables.table_like", stopped)
        with pytest.raises(problem):
            repro.privatize(records[:60], 1, ledger=ledger)
    with held_ledger(ledger) as book:
        (debit,) = book.debits()
    done = repro.privatize(records[:60], resume=True, ledger=ledger)
    assert done.manifest["sha256"] == debit.manifest.sha256
    assert len(done.records) == 60


def test_a_name_that_is_taken_stays_where_there_are_no_links(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    (tmp_path / "o.jsonl").write_text("mine")
    monkeypatch.setattr(drafts.os, "link", refused)
    with drafts.Draft(tmp_path) as draft:
        draft.file.write(b"other")
        with pytest.raises(FileExistsError):
            draft.place(tmp_path / "o.jsonl")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("linkable", [True, False])
def test_the_bytes_of_a_draft_and_then_its_name_reach_the_disk(tmp_path, monkeypatch, linkable):
    really, flushed = os.fsync, []

    def flush(descriptor):
        status = os.fstat(descriptor)
        flushed.append((status.st_ino, status.st_size, (tmp_path / "name").exists()))
        really(descriptor)

    monkeypatch.setattr(drafts.os, "fsync", flush)
    with drafts.Draft(tmp_path) as draft:
        draft._linkable &= linkable
        draft.file.write(b"bytes")
        draft.place(tmp_path / "name")
    (of_file, size, early), (of_folder, _, late) = flushed[-2:]
    assert (of_file, size, early) == ((tmp_path / "name").stat().st_ino, 5, False)
    assert (of_folder, late) == (tmp_path.stat().st_ino, True)
