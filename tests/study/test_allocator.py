"""Freed memory stays with a process that measures blocks, and page faults go with it."""

import subprocess
import sys

import pytest

from repro.study import parallel as allocator

ARRAYS = """
import ctypes
import resource
import torch
from repro.study import parallel
from repro.study import parallel as allocator

ctypes.CDLL(None).mallopt(allocator.MMAP_THRESHOLD, 2**17)
torch.set_num_threads(1)

def pages_fetched():
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        arrays = [torch.ones(3 * 2**20, dtype=torch.float64) for _ in range(5)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start

pages_fetched()
plain = pages_fetched()
parallel.ready_to_measure()
pages_fetched()
print(plain, pages_fetched())
"""
"""Arrays of 24 MiB.  glibc fetches each from the kernel and gives it back; told to begin at its
usual 128 KiB, it does so whatever has been freed before."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc")
def test_a_process_that_measures_fetches_no_page_twice():
    if not allocator.keep_freed_memory():
        pytest.skip("not glibc")
    found = subprocess.run(
        [sys.executable, "-c", ARRAYS], capture_output=True, text=True, check=True
    )
    plain, kept = map(int, found.stdout.split())
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
