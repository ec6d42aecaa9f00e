"""Ctrl-C, a full disk, a dead tracker, two runs at once: one line each, and nothing lost."""

import os
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.slow

WORDS = ("theorem=kl_contraction",)


@pytest.fixture
def said(zygote):
    """What the runs since the last call have printed."""
    seen = [zygote.log.stat().st_size if zygote.log.exists() else 0]

    def read():
        text = zygote.log.read_bytes()[seen[0] :]
        seen[0] += len(text)
        return text.decode()

    return read


@pytest.fixture
def wanted(zygote, quick, look, tmp_path):
    """Files of an undisturbed run."""
    folder = tmp_path / "undisturbed"
    assert zygote.run(*WORDS, *quick, f"output_dir={folder}")[0] == 0
    return look[0](folder)


def _wait_for(condition, seconds=60.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_says_how_to_go_on(workers, zygote, quick, look, tmp_path, said):
    results, entries, drafts = look
    folder, whole = tmp_path / "stopped", tmp_path / "undisturbed"
    words = (*WORDS, *quick, f"output_dir={folder}", f"compute.workers={workers}")
    assert zygote.run(*WORDS, *quick, f"output_dir={whole}")[0] == 0
    said()
    run = zygote.start("held", "3", *words)
    _wait_for(lambda: len(entries(folder)) >= 3)
    os.killpg(run, signal.SIGINT)
    assert zygote.wait(run) == 130
    text = said()
    assert "Traceback" not in text
    last = text.strip().splitlines()[-1]
    assert last.startswith("interrupted: "), text
    assert last.endswith(" blocks are finished and kept; run the same command to go on")
    assert (results(folder), drafts(folder)) == ({}, [])
    before = entries(folder)
    assert zygote.run(*words)[0] == 0
    assert before.items() <= entries(folder).items()
    assert results(folder) == results(whole)


def test_two_runs_at_once_do_not_disturb_each_other(zygote, quick, look, tmp_path, wanted):
    results, _, drafts = look
    words = (*WORDS, *quick, f"output_dir={tmp_path / 'both'}")
    runs = [zygote.start(*words) for _ in range(3)]
    assert [zygote.wait(run) for run in runs] == [0, 0, 0]
    assert results(tmp_path / "both") == wanted
    assert drafts(tmp_path / "both") == []


def test_a_dead_tracker_costs_a_line(zygote, quick, look, tmp_path, wanted, said):
    words = [word for word in quick if not word.startswith("tracking")]
    store = ("tracking=mlflow", f"tracking.uri=sqlite:///{tmp_path}/no/such/folder/mlflow.db")
    (tmp_path / "no").write_text("in the way")
    said()
    assert zygote.run(*WORDS, *words, *store, f"output_dir={tmp_path / 'run'}")[0] == 0
    assert len([line for line in said().splitlines() if line.startswith("tracking: ")]) == 1
    assert look[0](tmp_path / "run") == wanted


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True
    )
    if made.returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(
    small_disk, zygote, quick, look, wanted, said
):
    results, entries, drafts = look
    words = (*WORDS, *quick, f"output_dir={small_disk}")
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(180_000))
    said()
    assert zygote.run(*words)[0] == 74
    lines = said().strip().splitlines()
    assert lines[-1].startswith("error: output_dir")
    assert lines[-1].endswith("No space left on device")
    assert "Traceback" not in "\n".join(lines)
    assert drafts(small_disk) == []
    assert not [name for name in results(small_disk) if name.endswith("verdict.json")]
    before = entries(small_disk)
    assert before
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert zygote.run(*words)[0] == 0
    assert before.items() <= entries(small_disk).items()
    assert results(small_disk) == wanted
