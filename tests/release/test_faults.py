"""A fault at every single call on the disk: nothing can be read before it is paid for.

After each the ledger, the folder of OUT and a second run are held against one rule: there are never
two answers for one debit, and what was paid for can be published, with the very same bytes.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import privatize as releasing
from repro.commands.process.command import status_of
from repro.release import drafts, exports
from repro.release.ledger import Ledger, held_ledger
from repro.release.ledger_file import NAME
from tests.faults.injection import KILLED, Writers, compiled
from tests.faults.processes import as_from_a_shell

pytestmark = pytest.mark.slow

MODULE = Path(__file__).with_name("writers.py")
FAULTS = ("kill", "ENOSPC", "EIO", "EINTR", "full")
LINES = 12
NAMES = ["out.manifest.json", "out.jsonl", "out.jsonl.gz"]


@pytest.fixture(scope="module")
def writers(tmp_path_factory):
    """Runs ``privatize`` with a fault; skipped where there is no compiler for the shim."""
    folder = tmp_path_factory.mktemp("shim")
    process = Writers(compiled(folder), MODULE, folder / "log")
    yield process
    process.close()


class Place:
    """A folder with an input, a ledger, and what may become of a release."""

    def __init__(self, folder, writers, start):
        shutil.copytree(start, folder)
        self.folder, self.writers = folder, writers

    def run(self, writer="release", kind="kill", at=0):
        return self.writers.write(writer, self.folder, kind, at)

    def debits(self):
        with held_ledger(self.folder / "state") as book:
            return [one for one in book.debits() if one.manifest.lines == LINES]

    def readable(self):
        """Every name in OUT's folder, in the order in which they must appear, and its bytes."""
        found = {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}
        return dict(sorted(found.items(), key=lambda one: [*NAMES, one[0]].index(one[0])))

    def faults(self, ended):
        """What is wrong after a fault, in words."""
        status, said, left, spent = ended.status, ended.said, self.readable(), self.debits()
        if list(left) != NAMES[: len(left)]:
            yield f"left {list(left)}"
        if left and not spent:
            yield "something can be read that was not paid for"
        if len(spent) > 1:
            yield "paid twice"
        unopened = status == 2 and "readonly database" in said  # as SQLite calls it
        allowed = status in (KILLED, 0, 74) or (unopened and not left and not spent)
        if not allowed or "Traceback" in said or said.count("error: ") > 1:
            yield f"status {status}: {said}"
        if status == 0 and (len(left) < len(NAMES) or spent[0].answers):
            yield "told of a release that is not there"
        if status == 74 and spent and not ("resume=true" in said or len(left) == len(NAMES)):
            yield f"did not tell that it is spent: {said}"
        kept = {path.name for path in (self.folder / "state").glob("*")}
        if not kept <= {NAME, f"{NAME}-journal"}:
            yield f"in the ledger's folder: {kept}"
        yield from self._finished(left, spent)

    def _finished(self, left, spent):
        """A second run: the same bytes if they were paid for, else new ones."""
        waiting = bool(spent and spent[0].answers is not None)
        again = self.run("resume" if waiting else "release")
        if again.status != (0 if waiting or not spent else 2):
            yield f"afterwards {again.status}: {again.said}"
        after, paid = self.readable(), self.debits()
        if len(paid) != 1 or paid[0].answers is not None or list(after) != NAMES:
            yield f"in the end {list(after)}, {len(paid)} debits"
        if any(after[name] != content for name, content in left.items()):
            yield "two answers for one debit"
        if hashlib.sha256(after["out.jsonl"]).hexdigest() != paid[0].manifest.sha256:
            yield "other bytes than were paid for"


def write(path, records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))


def start_fresh(folder, writers, records):
    """No ledger yet."""


def start_known(folder, writers, records):
    """A ledger that knows another release."""
    write(folder / "other.jsonl", records[LINES:30])
    assert writers.write("other", folder).status == 0


def start_waiting(folder, writers, records):
    """A ledger with a release of other labels that was spent and never published."""
    write(folder / "other.jsonl", records[LINES:30])
    for k in range(1, 1000):
        shutil.rmtree(folder / "state", ignore_errors=True)
        assert writers.write("other", folder, "kill", k).status == KILLED
        with held_ledger(folder / "state") as book:
            if any(one.answers is not None for one in book.debits()):
                return


@pytest.fixture(scope="module")
def memory():
    """A folder in memory where there is one: thousands of files are written and removed."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        yield Path(folder)


@pytest.fixture(scope="module", params=[start_fresh, start_known, start_waiting])
def start(request, writers, records, memory):
    # in another order of the tests it is asked for again
    folder = Path(tempfile.mkdtemp(prefix=request.param.__name__, dir=memory))
    (folder / "out").mkdir()
    write(folder / "in.jsonl", records[:LINES])
    request.param(folder, writers, records)
    return folder


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_every_call(kind, writers, start, memory, record_property):
    place = Place(memory / "sound", writers, start)
    sound = place.run()
    shutil.rmtree(place.folder)
    assert sound.status == 0, sound.said
    assert sound.calls > 25
    wrong = {}
    for k in range(1, sound.calls + 1):
        place = Place(memory / str(k), writers, start)
        if faults := list(place.faults(place.run("release", kind, k))):
            wrong[k] = faults
        shutil.rmtree(place.folder)
    assert wrong == {}
    record_property("faults injected", ("ledger", sound.calls))


def test_before_the_debit_only_the_owner_can_read_and_nothing_has_a_name(
    tmp_path, ledger, records, monkeypatch
):
    """What a second user who watches the folder could copy."""
    really, seen = Ledger.spend, []

    def watched(self, debit):
        for number in os.listdir("/proc/self/fd"):
            if os.path.lexists(f"/proc/self/fd/{number}"):
                link, mode = os.readlink(f"/proc/self/fd/{number}"), os.stat(int(number)).st_mode
                if link.startswith(str(tmp_path / "out")):
                    seen.append(stat.S_IMODE(mode))
        assert list((tmp_path / "out").iterdir()) == []
        really(self, debit)

    monkeypatch.setattr(Ledger, "spend", watched)
    (tmp_path / "out").mkdir()
    repro.privatize(records[:60], 1, output=tmp_path / "out" / "o.jsonl", ledger=ledger)
    assert [mode for mode in seen if stat.S_ISREG(mode) or mode] == [0o600] or not seen


@pytest.mark.parametrize("taken", ["o.jsonl", "o.manifest.json", "o.jsonl.gz"])
def test_a_name_that_is_taken_after_the_debit_buys_no_second_answer(
    tmp_path, ledger, records, monkeypatch, taken
):
    really = Ledger.spend

    def taking(self, debit):
        really(self, debit)
        (tmp_path / taken).write_text("mine")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "spend", taking)
        with pytest.raises(BadInput, match=f"{taken}: exists; under another name, the budget is"):
            repro.privatize(records[:60], 1, output=tmp_path / "o.jsonl.gz", ledger=ledger)
    assert (tmp_path / taken).read_text() == "mine"
    place = tmp_path / "o.jsonl"
    first = place.read_text() if place.exists() else "mine"
    with pytest.raises(BadInput, match="one is spent and not published: resume=true does that"):
        repro.privatize(records[:60], 1, ledger=ledger)
    with pytest.raises(BadInput, match=r"resume=true: .*not published are of another file"):
        repro.privatize(records[1:60], resume=True, ledger=ledger)
    done = repro.privatize(
        records[:60], output=tmp_path / "p.jsonl", resume=True, ledger=ledger
    ).manifest
    second = (tmp_path / "p.jsonl").read_text()
    assert first in ("mine", second)
    assert hashlib.sha256(second.encode()).hexdigest() == done["sha256"]
    with pytest.raises(BadInput, match="nothing to resume"):
        repro.privatize(records[:60], resume=True, ledger=ledger)


def test_an_export_that_fails_is_written_by_resume(tmp_path, ledger, records, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "o.parquet"
    with monkeypatch.context() as patch:
        patch.setattr(exports, "_write_parquet", full)
        with pytest.raises(OSError, match="No space left on device; the budget is spent"):
            repro.privatize(records[:60], 1, output=target, ledger=ledger)
    before = (tmp_path / "o.jsonl").read_bytes()
    repro.privatize(records[:60], output=target, ledger=ledger, resume=True)
    assert target.exists()
    assert (tmp_path / "o.jsonl").read_bytes() == before


def test_without_nameless_files_a_draft_has_a_mode_of_its_own(
    tmp_path, ledger, records, monkeypatch
):
    really, link, seen = os.open, os.link, []

    def refuse(path, flags, *more, **words):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return really(path, flags, *more, **words)

    def watched(source, *more, **words):
        seen.append(os.path.basename(source)[:7])
        link(source, *more, **words)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(drafts.os, "link", watched)
    repro.privatize(records[:60], 1, output=tmp_path / "o.jsonl", ledger=ledger)
    assert set(seen) == {".repro-"}
    assert not list(tmp_path.glob(".*"))
    assert repro.audit(tmp_path / "o.jsonl", records[:60], ledger=ledger).status == 0


def command(words, folder, environment):
    return subprocess.Popen(
        words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
        stdout=subprocess.PIPE, preexec_fn=as_from_a_shell,
    )  # fmt: skip


@pytest.mark.parametrize("after", [0.1, 0.4])
def test_ctrl_c_ends_a_release(tmp_path, ledger, records, command_environment, after):
    with open(tmp_path / "in.jsonl", "w") as file:
        for k in range(60_000):
            one = records[k % 1200]
            file.write(json.dumps({**one, "prompt": f"{one['prompt']} {k}"}) + "\n")
    words = [sys.executable, "-m", "repro", "privatize", "in.jsonl", "o.jsonl", "epsilon=1"]
    run = command([*words, f"ledger={ledger}"], tmp_path, command_environment)
    while run.poll() is None and not ledger.exists():
        time.sleep(0.01)
    time.sleep(after)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=300)[1]
    assert (run.returncode, said) == (130, "interrupted: nothing was released\n")
    assert not ledger.exists()


def test_a_deleted_current_folder_is_one_line(tmp_path, write_input, records, command_environment):
    source, gone = write_input(records[:20]), tmp_path / "gone"
    gone.mkdir()
    words = f"{sys.executable} -m repro privatize {source} o.jsonl epsilon=1"
    shell = ["bash", "-c", f"cd {gone}; rmdir {gone}; {words} ledger={tmp_path / 'l'}"]
    run = command(shell, tmp_path, command_environment)
    said = run.communicate(timeout=300)[1]
    assert (run.returncode, said.count("\n")) == (2, 1), said
    assert not (tmp_path / "l").exists()


def test_a_file_that_may_not_grow_is_the_machines_trouble(
    tmp_path, ledger, write_input, records, command_environment
):
    source = write_input(records)
    words = f"{sys.executable} -m repro privatize {source} o.jsonl epsilon=1 ledger={ledger}"
    run = command(["bash", "-c", f"ulimit -f 100; {words}"], tmp_path, command_environment)
    said = run.communicate(timeout=300)[1]
    assert (run.returncode, said) == (74, "error: o.jsonl: File too large\n")
    assert not ledger.exists()


@pytest.mark.parametrize(
    ("where", "status", "said"),
    [
        (">&-", 74, "error: standard output: closed; allowed: an open file, such as /dev/null\n"),
        (">/dev/full", 74, "error: standard output: No space left on device\n"),
        ("| true", 141, ""),
    ],
)
def test_a_standard_output_that_takes_nothing_costs_nothing(
    tmp_path, ledger, write_input, records, where, status, said, command_environment
):
    source = write_input(records[:60])
    words = f"{sys.executable} -m repro privatize {source} o.jsonl epsilon=1 ledger={ledger}"
    shell = ["bash", "-c", f"set -o pipefail; (sleep .2; {words}) {where}"]
    run = command(shell, tmp_path, command_environment)
    assert (run.communicate(timeout=300)[1], run.returncode) == (said, status)
    assert list(tmp_path.iterdir()) == [source]


class Stuffed(io.StringIO):
    """A standard output that takes one line."""

    def write(self, text):
        if "\n" in self.getvalue():
            raise OSError(errno.ENOSPC, "No space left on device", "standard output")
        return super().write(text)


def test_a_release_that_cannot_be_told_of_is_told_of_on_standard_error(
    tmp_path, ledger, write_input, records, monkeypatch, capsys
):
    target, source = tmp_path / "out.jsonl", write_input(records[:60])
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Stuffed())
        assert (
            status_of(releasing.main, [str(source), str(target), "epsilon=1", f"ledger={ledger}"])
            == 74
        )
    released, error = capsys.readouterr().err.splitlines()
    assert released.startswith("released 60 comparisons at epsilon 1")
    assert error == "error: standard output: No space left on device"
    assert target.exists()


@pytest.mark.parametrize("length", [230, 245, 300])
def test_a_target_name_too_long_costs_nothing(tmp_path, ledger, records, length):
    target = tmp_path / ("o" * length + ".jsonl")
    if length == 230:  # the longest that leaves room for .manifest.json
        repro.privatize(records[:60], 1, output=target, ledger=ledger)
        return
    with pytest.raises(BadInput, match=r"^OUT=.*cannot be written: File name too long"):
        repro.privatize(records[:60], 1, output=target, ledger=ledger)
    assert not ledger.exists()
