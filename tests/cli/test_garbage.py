"""Garbage of a command's process: looked for rarely, gone before the next run of a sweep."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

from repro.cli.garbage import NEW_OBJECTS, between_runs, look_rarely


@pytest.fixture
def as_before():
    """The collector as a process begins with it, whatever other tests of this one have run."""
    before = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


class _Circle:
    def __init__(self) -> None:
        self.me = self


def test_what_a_run_has_left_is_freed_and_what_it_imported_set_aside_once(as_before):
    first = weakref.ref(_Circle())
    between_runs()
    assert first() is None
    assert gc.get_freeze_count() == 0  # no command's process
    look_rarely()
    between_runs()
    aside = gc.get_freeze_count()
    assert aside > NEW_OBJECTS
    kept = [_Circle() for _ in range(100)]
    left = weakref.ref(_Circle())
    between_runs()
    assert left() is None
    assert gc.get_freeze_count() <= aside
    assert len(kept) == 100


@pytest.mark.parametrize(
    ("first", "threshold"), [("from repro.cli.process import begin; begin()", NEW_OBJECTS), ("", 0)]
)
def test_only_a_command_looks_rarely(first, threshold):
    words = f"import gc; before = gc.get_threshold()[0]; import repro; {first}\n"
    words += f"assert gc.get_threshold()[0] == ({threshold} or before), gc.get_threshold()"
    subprocess.run([sys.executable, "-c", words], check=True)
