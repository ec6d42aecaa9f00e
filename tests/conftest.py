"""One thread of linear algebra: as in a run, and quicker where tests share the cores."""

import gc
import os
from collections import Counter

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # read by libraries when they are imported

import pytest  # noqa: E402
import torch  # noqa: E402

from tests.forks.session import forked_commands  # noqa: E402

torch.set_num_threads(1)
MOST_PROCESSES = 8
"""Each takes up to a gigabyte."""
FAULTS = "faults injected"
"""Property that a test of faults records: writer, and how many were tried."""


@pytest.fixture(scope="session")
def python_m():
    """First words of a command in the stead of ``python -m``, which starts it in no time.

    For tests of what a command says and writes; where the start of its process, its encodings or
    its signals are what is tested, ``sys.executable`` it is.
    """
    with forked_commands() as words:
        yield words


@pytest.fixture(scope="session")
def kept_blocks(tmp_path_factory):
    """Folder below which all processes of a session keep finished blocks, and find them.

    A block's name holds all that its numbers depend on, so that an experiment that one test has
    run at a budget is not measured again by another.
    """
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kept_blocks"


@pytest.fixture(autouse=True)
def collector_as_before():
    """A study of language models sets aside all that is there; the next test finds it again."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    if gc.get_freeze_count():
        gc.unfreeze()


def pytest_xdist_auto_num_workers(config):
    """All cores for whole folders; none but this process for files and tests by name."""
    by_name = any(".py" in argument for argument in config.args)
    by_name |= config.getoption("benchmark_only", False)
    return 0 if by_name else min(MOST_PROCESSES, os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items):
    """What is about one theorem, else in one file, shares runs: one process, unless it says."""
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        values = item.callspec.params if hasattr(item, "callspec") else {}
        about = values.get("slug") or values.get("run_slug") or item.path.stem.removeprefix("test_")
        item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{about}"))


def pytest_terminal_summary(terminalreporter):
    """Say how many faults were injected and did no harm, by writer."""
    done = Counter()
    for report in terminalreporter.stats.get("passed", ()):
        for writer, count in (value for name, value in report.user_properties if name == FAULTS):
            done[writer] += count
    if done:
        each = ", ".join(f"{writer} {count}" for writer, count in sorted(done.items()))
        terminalreporter.write_line(f"{FAULTS} without harm: {each}; {done.total()} in all")
