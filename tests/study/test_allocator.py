"""Freed memory stays with a process that measures blocks, and page faults go with it."""

import subprocess
import sys

import pytest

from repro.study import allocator

FITS = """
import resource
import torch
from repro.estimators.mixture_mle import mixture_mle
from repro.preferences.label_counts import LabelCounts
from repro.study import parallel
from repro.study.blocks import Block

torch.set_num_threads(1)
x = torch.linspace(-1, 1, 144, dtype=torch.float64).reshape(36, 4)
x[:4] += torch.eye(4)
wins = torch.arange(36 * 8000, dtype=torch.float64).reshape(8000, 36) % 50
counts = LabelCounts(torch.full_like(wins, 50), wins)

def fits(block):
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        mixture_mle(counts, x, 1.0, 1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start

block = Block(0, 0, "")
fits(block)
plain = fits(block)
parallel.ready_to_measure()
fits(block)
print(plain, fits(block))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc")
def test_a_block_fetches_no_page_twice():
    if not allocator.keep_freed_memory():
        pytest.skip("not glibc")
    found = subprocess.run([sys.executable, "-c", FITS], capture_output=True, text=True, check=True)
    plain, kept = map(int, found.stdout.split())
    assert plain > 10_000
    assert kept < plain / 20


@pytest.mark.parametrize(("platform", "library"), [("darwin", None), ("linux", object())])
def test_other_systems_are_left_alone(platform, library, monkeypatch):
    monkeypatch.setattr(allocator.sys, "platform", platform)
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda name: library)
    assert allocator.keep_freed_memory.__wrapped__() is False


@pytest.mark.parametrize("refused", [allocator.TRIM_THRESHOLD, allocator.MMAP_THRESHOLD])
def test_a_refused_option_is_said(refused, monkeypatch):
    class Library:
        @staticmethod
        def mallopt(option, value):
            return int(option != refused)

    monkeypatch.setattr(allocator.sys, "platform", "linux")
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda name: Library)
    assert allocator.keep_freed_memory.__wrapped__() is False
