"""A forked command is what ``python -m`` would be: folder, words, streams, status, code, end."""

import os
import signal
import subprocess
import sys
import time

import pytest

SAYS = """
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ.get("GIVEN"), sys.stdin.read(), __name__)
print("é", file=sys.stderr)
import helper
raise SystemExit(helper.STATUS)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "helper.py").write_text("STATUS = 3\n")
    return tmp_path


def run(words, folder, **given):
    return subprocess.run([*words, "said", "a", "b c"], cwd=folder, capture_output=True, **given)


def test_words_folder_environment_streams_and_status_are_those_of_python_m(python_m, folder):
    (folder / "said.py").write_text(SAYS)
    given = {"input": b"in", "env": {**os.environ, "GIVEN": "1"}}
    forked, real = (run(one, folder, **given) for one in (python_m, [sys.executable, "-m"]))
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        real.returncode, real.stdout, real.stderr,
    )  # fmt: skip
    assert forked.returncode == 3


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("", 0),
        ("raise SystemExit(None)", 0),
        ("raise SystemExit('words')", 1),
        ("1 / 0", 1),
        ("import os; os._exit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import atexit, os; atexit.register(os._exit, 5)", 5),
        ("import threading, os; threading.Timer(0.1, os._exit, (6,)).start()", 6),
    ],
)
def test_however_it_ends(python_m, folder, code, status):
    (folder / "said.py").write_text(code)
    assert run(python_m, folder).returncode == status


def test_nothing_is_left_to_the_next_one(python_m, folder):
    (folder / "said.py").write_text(
        "import os, sys, signal, gc\n"
        "print(os.environ.get('LEFT'), 'helper' in sys.modules, gc.get_freeze_count(),"
        " signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)\n"
        "os.environ['LEFT'] = '1'; import helper; gc.freeze()\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    )
    first, second = (run(python_m, folder).stdout for _ in range(2))
    assert first == second == b"None False 0 True\n"


def test_the_projects_code_is_that_of_the_search_path(python_m, folder):
    (folder / "repro").mkdir()
    (folder / "repro" / "__init__.py").write_text("")
    (folder / "repro" / "said.py").write_text("raise SystemExit(9)")
    done = subprocess.run([*python_m, "repro.said"], cwd=folder, check=False)
    assert done.returncode == 9


def test_it_ends_with_who_has_asked(python_m, folder):
    (folder / "said.py").write_text(
        "import os, time; open('pid', 'w').write(f'{os.getpid()} '); time.sleep(60)"
    )
    asking = subprocess.Popen([*python_m, "said"], cwd=folder)
    path = folder / "pid"
    while not (path.exists() and path.read_text().endswith(" ")):
        time.sleep(0.01)
    asking.kill()
    asking.wait()
    assert asking.returncode == -signal.SIGKILL
    while _runs(int(path.read_text())):  # within the limit of all tests
        time.sleep(0.01)


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
