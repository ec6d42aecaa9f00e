"""Peak memory counts this process and its children."""

import builtins
import subprocess
import sys

import pytest

from repro.report import run_facts as memory
from repro.report.run_facts import peak_rss

HOLD = "held = b'x' * (200 * 2**20); print(1, flush=True); input()"


def test_a_childs_memory_is_counted_while_it_lives():
    before = peak_rss()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        assert 190 < peak_rss() - before < 300
        child.stdin.close()
    assert peak_rss() < before + 100


def test_without_proc_this_process_alone_is_counted(monkeypatch, tmp_path):
    with_proc = memory._peak(memory.os.getpid()) / 1024
    monkeypatch.setattr(memory, "PROC", tmp_path / "none")
    assert peak_rss() == pytest.approx(with_proc, rel=0.2)


def test_where_the_system_does_not_say_it_is_zero(monkeypatch, tmp_path):
    real = builtins.__import__

    def without(name, *rest):
        if name == "resource":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(memory, "PROC", tmp_path / "none")
    monkeypatch.setattr(builtins, "__import__", without)
    assert peak_rss() == 0.0


def test_a_process_that_has_gone_counts_nothing():
    assert memory._peak(2**30) == 0
