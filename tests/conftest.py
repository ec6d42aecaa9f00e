"""What holds for all tests: tiers, one thread of linear algebra, a ledger of their own."""

import atexit
import gc
import os
import shutil
import tempfile
from collections import Counter

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # read by libraries when they are imported
os.environ.pop("PYTHONUNBUFFERED", None)  # a full disk is met by another call where it is set
STATE = tempfile.mkdtemp(prefix="state")
os.environ["XDG_STATE_HOME"] = STATE  # no test may spend from the user's own ledger
atexit.register(shutil.rmtree, STATE, ignore_errors=True)

import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import settings  # noqa: E402

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


@pytest.fixture(scope="session")
def thorough(request):
    """Whether all sizes of a test are wanted, as by ``--thorough``."""
    return request.config.option.thorough


@pytest.fixture(autouse=True)
def collector_as_before():
    """A study of language models sets aside all that is there; the next test finds it again."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    if gc.get_freeze_count():
        gc.unfreeze()


SLOW = "slow: left out unless --thorough is given, -m names it, or file::test names the test"
SOME = "some(n): n values, spread evenly, are tried; all of them with --thorough"
LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser):
    """As in pytest's documentation, where the option is called --runslow."""
    text = "run every test: those marked slow, and all values of each parametrisation"
    parser.addoption("--thorough", "--runslow", action="store_true", help=text)


def pytest_configure(config):
    for marker in (SLOW, SOME):
        config.addinivalue_line("markers", marker)
    config.stash[LEFT_OUT] = 0
    settings.register_profile("same_examples", derandomize=True, deadline=None)
    settings.register_profile("fresh_examples", derandomize=False, deadline=None)
    settings.load_profile("fresh_examples" if config.option.thorough else "same_examples")


def runs_everything(config):
    return config.option.thorough or "slow" in config.option.markexpr


def is_named(item):
    """Whether the command line names this test, as file::test."""
    _, _, test = item.nodeid.partition("::")
    for argument in item.config.args:
        path, _, name = argument.partition("::")
        same_file = (item.config.invocation_params.dir / path).resolve() == item.path
        if name and same_file and (test == name or test.startswith((name + "[", name + "::"))):
            return True
    return False


def spread(count, most):
    """Places of ``most`` values among ``count``, at even distances."""
    return {int((i + 0.5) * count / most) for i in range(most)} if most < count else range(count)


def left_out(items):
    """Tests of the thorough tier alone."""
    parametrised = {}
    for item in items:
        if is_named(item):
            continue
        if item.get_closest_marker("slow"):
            yield item
        elif mark := item.get_closest_marker("some"):
            _, values = parametrised.setdefault((item.path, item.originalname), (mark.args[0], []))
            values.append(item)
    for most, values in parametrised.values():
        tried = spread(len(values), most)
        yield from (item for place, item in enumerate(values) if place not in tried)


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session):
    """The last line says what was left out; a worker tells its controller, which prints it."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = config.stash[LEFT_OUT]
    outcome = yield
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and config.stash[LEFT_OUT]:
        reporter.ensure_newline()
        reporter.write_line(
            f"{config.stash[LEFT_OUT]} slow tests left out; python -m pytest --thorough runs all"
        )
    return outcome


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Every worker leaves out the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_xdist_auto_num_workers(config):
    """All cores for whole folders; none but this process for files and tests by name."""
    by_name = any(".py" in argument for argument in config.args)
    return 0 if by_name else min(MOST_PROCESSES, os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(config, items):
    """What is about one theorem, else in one file, shares runs: one process, unless it says."""
    if not runs_everything(config):
        slow = set(left_out(items))
        config.stash[LEFT_OUT] = len(slow)
        config.hook.pytest_deselected(items=[item for item in items if item in slow])
        items[:] = [item for item in items if item not in slow]
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
