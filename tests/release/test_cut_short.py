"""Releases that are cut short are undone, or spent; what cannot be told is not spent."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from repro import privatize
from repro.base.errors import BadInput
from repro.release.answers import Answers
from repro.release.ledger import Book, Ledger
from repro.release.privatise import privatise
from repro.release.publication import Publication

ROOT = Path(__file__).parents[2]
HALF = Decimal("0.5")


@contextlib.contextmanager
def killed_at(monkeypatch, owner, name, after=False):
    """As if the process were killed before, or after, one step; nothing is settled."""
    really = getattr(owner, name)

    def stop(*words):
        if after:
            really(*words)
        raise SystemExit

    with monkeypatch.context() as patch, contextlib.suppress(SystemExit):
        patch.setattr(owner, name, stop)
        patch.setattr(Book, "settle", lambda self: None)
        yield


@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (Publication, "stage", False),
        (Publication, "stage", True),
        (Book, "_note", True),
        (Publication, "publish", False),
    ],
)
def test_a_release_killed_before_it_is_published_is_undone(
    tmp_path, ledger, write_input, records, monkeypatch, owner, name, after
):
    source, folder = write_input(records[:60]), tmp_path / "out"
    folder.mkdir()
    with killed_at(monkeypatch, owner, name, after=after):
        privatise(source, folder / "o.jsonl", HALF, ledger)
    assert Ledger(ledger.folder).entries() == []
    assert list(folder.iterdir()) == []
    done = privatise(source, folder / "o.jsonl", HALF, Ledger(ledger.folder))
    assert (done.earlier, done.total) == (0, HALF)


def published(tmp_path, ledger, write_input, records, monkeypatch):
    source, folder = write_input(records[:60]), tmp_path / "out"
    folder.mkdir()
    with killed_at(monkeypatch, Publication, "publish", after=True):
        privatise(source, folder / "o.jsonl", HALF, ledger)
    assert len(list(folder.glob(".*.partial"))) == 2
    return folder


def test_a_release_killed_after_it_was_published_is_spent_and_tidied(
    tmp_path, ledger, write_input, records, monkeypatch
):
    folder = published(tmp_path, ledger, write_input, records, monkeypatch)
    assert len(Ledger(ledger.folder).entries()) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["o.jsonl", "o.manifest.json"]


def test_a_release_that_was_moved_after_the_kill_stays_spent(
    tmp_path, ledger, write_input, records, monkeypatch
):
    folder = published(tmp_path, ledger, write_input, records, monkeypatch)
    (folder / "o.jsonl").rename(tmp_path / "mine.jsonl")
    assert len(Ledger(ledger.folder).entries()) == 1
    assert (tmp_path / "mine.jsonl").exists()


@pytest.mark.parametrize("step", ["publish", "stage"])
def test_a_release_in_a_folder_that_is_out_of_reach_waits(
    tmp_path, ledger, write_input, records, monkeypatch, step
):
    """Spent while it may have been published; undone once the drafts can be seen again."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with killed_at(monkeypatch, Publication, step, after=step == "stage"):
        privatise(write_input(records[:60]), folder / "o.jsonl", HALF, ledger)
    folder.rename(tmp_path / "unmounted")
    assert len(Ledger(ledger.folder).entries()) == (1 if step == "publish" else 0)
    (tmp_path / "unmounted").rename(folder)
    assert Ledger(ledger.folder).entries() == []
    assert list(folder.iterdir()) == []


def test_a_name_that_was_taken_meanwhile_costs_nothing(
    tmp_path, ledger, write_input, records, monkeypatch
):
    for taken in ("o.jsonl", "o.manifest.json"):
        monkeypatch.setattr(
            Publication, "stage", _then(Publication.stage, tmp_path / "out" / taken)
        )
        (tmp_path / "out").mkdir(exist_ok=True)
        with pytest.raises(BadInput, match=f"{taken}: exists; choose a new name"):
            privatise(
                write_input(records[:60]), tmp_path / "out" / "o.jsonl", HALF, Ledger(ledger.folder)
            )
        assert [path.name for path in (tmp_path / "out").iterdir()] == [taken]
        assert (tmp_path / "out" / taken).read_text() == "mine"
        (tmp_path / "out" / taken).unlink()
        monkeypatch.undo()
        assert Ledger(ledger.folder).entries() == []


def _then(stage, path):
    def staged(self, *drafts):
        stage(self, *drafts)
        path.write_text("mine")

    return staged


def test_a_release_waits_for_the_one_that_is_being_published(one):
    """Nobody takes its pending row for one that a killed process has left."""
    seen = []
    with Answers() as answers, one.locked(answers):
        thread = threading.Thread(target=lambda: seen.append(Ledger(one.folder).entries()))
        thread.start()
        time.sleep(0.3)
        assert seen == []
    thread.join(10)
    assert len(seen) == 1


def spent(folder):
    return len(Ledger(folder).entries())


@pytest.mark.parametrize(
    ("where", "status", "said"),
    [
        (">&-", 74, "error: standard output: closed; allowed: an open file, such as /dev/null\n"),
        (">/dev/full", 74, "error: standard output: No space left on device\n"),
        ("| true", 141, ""),
    ],
)
def test_a_standard_output_that_takes_nothing_costs_nothing(
    tmp_path, write_input, records, where, status, said
):
    source, state = write_input(records[:60]), tmp_path / "state"
    command = f"{sys.executable} -m repro.privatize {source} out.jsonl epsilon=1 ledger={state}"
    shell = f"set -o pipefail; (sleep .2; {command}) {where}"
    run = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (status, said)
    assert not (tmp_path / "out.jsonl").exists()
    assert not state.exists()


class Stuffed(io.StringIO):
    """A standard output that takes one line."""

    def write(self, text):
        if "\n" in self.getvalue():
            raise OSError(errno.ENOSPC, "No space left on device", "standard output")
        return super().write(text)


def test_a_release_that_cannot_be_told_of_is_told_of_on_standard_error(
    tmp_path, write_input, records, monkeypatch, capsys
):
    target, source = tmp_path / "out.jsonl", write_input(records[:60])
    words = [str(source), str(target), "epsilon=1", f"ledger={tmp_path / 'state'}"]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Stuffed())
        assert privatize.main(words) == 74
    released, error = capsys.readouterr().err.splitlines()
    assert released.startswith("released 60 lines at epsilon 1")
    assert error == "error: standard output: No space left on device"
    assert target.exists()
    assert spent(tmp_path / "state") == 1


@pytest.mark.parametrize("place", ["ledger=~nosuchuser/x", "no home"])
def test_a_ledger_without_a_home_is_refused(
    tmp_path, write_input, records, monkeypatch, capsys, place
):
    words = [str(write_input(records[:60])), str(tmp_path / "out.jsonl"), "epsilon=1"]
    if place == "no home":  # as in a container whose user has no entry
        monkeypatch.delenv("HOME")
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setattr("os.getuid", lambda: 2**31 - 3)
    else:
        words.append(place)
    assert privatize.main(words) == 2
    said = capsys.readouterr().err
    assert "has no home folder; allowed: a path without ~" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("length", [230, 245, 300])
def test_a_target_name_too_long_costs_nothing(tmp_path, ledger, write_input, records, length):
    target = tmp_path / ("o" * length + ".jsonl")
    if length == 230:  # the longest that leaves room for .manifest.json
        privatise(write_input(records[:60]), target, HALF, ledger)
        return
    with pytest.raises(BadInput, match=r"^OUT=.*cannot be written: File name too long"):
        privatise(write_input(records[:60]), target, HALF, ledger)
    assert not ledger.folder.exists()
