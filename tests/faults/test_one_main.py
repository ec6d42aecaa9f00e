"""Every command's process: signals, streams, encodings, homes, memory, files, bugs.

0 to 3 are verdicts and refusals; none of them ever comes of a fault.
"""

import ast
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.processes import (
    QUICK,
    ROOT,
    as_from_a_shell,
    begun,
    ended,
    handles,
    in_shell,
    wait_for,
)

LIGHT, REFUSED = "$PY -m repro.commands.new_theorem --help", "$PY -m repro.report --no"
RUN = f"$PY -m repro theorem=label_masks {' '.join(QUICK)}"
MACHINE, BROKEN_PIPE = 74, 141


def commands():
    """Modules that ``python -m`` runs."""
    found = sorted((ROOT / "repro").rglob("*.py"))
    return [path for path in found if '__name__ == "__main__"' in path.read_text()]


@pytest.mark.parametrize("path", commands(), ids=lambda path: path.parent.name + "/" + path.stem)
def test_every_command_goes_through_the_one_main(path):
    last = ast.parse(path.read_text()).body[-1]
    (call,) = last.body
    assert ast.unparse(call).startswith(("run_command(main", "python_m()"))


def test_the_installed_script_is_ready_before_hydra_is_imported():
    heavy = "sys.exit('hydra' in sys.modules or 'torch' in sys.modules)"
    code = f"import sys, repro.commands.process.start; {heavy}"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
    assert 'repro = "repro.commands.process.start:main"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (f"{LIGHT} > /dev/full", MACHINE, "standard output: No space left on device"),
        (f"{LIGHT} >&-", MACHINE, "standard output: closed"),
        (f"{REFUSED} 2> /dev/full", MACHINE, None),
        (f"{REFUSED} 2>&-", MACHINE, None),
        (f"{LIGHT} <&-", 0, None),
        (f"{LIGHT} < /dev/full", 0, None),
        (f"{LIGHT} | (exec <&-; sleep 3); exit ${{PIPESTATUS[0]}}", BROKEN_PIPE, None),
        ("$PY -m repro privatize --help > /dev/full", MACHINE, "standard output: No space left"),
        ("$PY -m repro.commands.audit_release 2>&-", MACHINE, None),
        ("$PY -m repro.catalogue | head -n 1; exit ${PIPESTATUS[0]}", BROKEN_PIPE, None),
        (f"{RUN} 2> /dev/full", MACHINE, None),
        (f"{RUN} | true; exit ${{PIPESTATUS[0]}}", BROKEN_PIPE, None),
    ],
)
def test_a_stream_that_fails_is_no_verdict(line, status, said, tmp_path):
    found, _, err = in_shell(line, tmp_path)
    assert found == status, err
    errors = [one for one in err.splitlines() if not one.startswith("running ")]
    assert len(errors) == (said is not None), err
    if said:
        assert errors[0].startswith("error: ")
        assert said in errors[0]


def test_files_of_a_run_are_whole_although_its_last_words_are_lost(tmp_path):
    status, _, err = in_shell(f"{RUN} > /dev/full", tmp_path)
    assert status == MACHINE
    assert err.splitlines()[1:] == ["error: standard output: No space left on device"]
    (verdict,) = tmp_path.glob("outputs/label_masks/*/verdict.json")
    assert json.loads(verdict.read_text())["theorem"] == "label_masks"


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1:strict"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LANG": "C"},
    ],
    ids=["ascii", "latin", "windows", "C_without_utf8", "C"],
)
def test_any_encoding_gives_the_same_json(env, tmp_path):
    text = r"'a \u03b5 \u00e9 \U0001d6fc'"  # in ASCII: an odd locale spoils the words of -c itself
    body = f"import json; print(json.dumps({text}, ensure_ascii=False)); return 0"
    done = process_of(body, tmp_path, **env)
    assert (done.returncode, done.stderr) == (0, b"")
    encoding = env.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    assert json.loads(done.stdout.decode(encoding)) == "a ε é 𝛼"


def test_a_run_in_ascii_without_a_home_has_the_same_status(tmp_path):
    words = ("repro", "theorem=label_masks", *QUICK)
    env = {"PYTHONIOENCODING": "ascii", "HOME": None}
    status, out, err = ended(words, tmp_path, env)
    assert status == 0, err
    assert out.isascii()


@pytest.mark.parametrize("limit", ["-n 16", "-v 70000"])
def test_too_few_files_or_too_little_memory_is_no_verdict(limit, tmp_path):
    status, _, err = in_shell(f"ulimit {limit}; {RUN}", tmp_path)
    assert "Traceback" not in err
    if status == 0:  # it was enough
        assert len(list(tmp_path.glob("outputs/label_masks/*/verdict.json"))) == 1
    else:
        assert status in (MACHINE, 70), err
        assert err.splitlines()[-1].startswith("error: ")


BUG = """
import sys
import time
from repro.commands.process.command import run_command
def main(words):
    {body}
run_command(main, private={private})
"""


def process_of(body, folder, private=False, **env):
    """A finished command whose ``main`` has a body."""
    return subprocess.run(
        [sys.executable, "-c", BUG.format(body=body, private=private)], cwd=folder,
        capture_output=True, timeout=60, preexec_fn=as_from_a_shell,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin", "TMPDIR": str(folder), **env},
    )  # fmt: skip


def bug(body, folder, private=False, **env):
    """(status, err) of such a command."""
    done = process_of(body, folder, private, **env)
    return done.returncode, done.stderr.decode()


def test_a_bug_is_status_70_and_one_line_that_names_its_details(tmp_path):
    status, err = bug("{}['a secret']", tmp_path)
    assert status == 70
    (name,) = re.findall(r"^error: internal: KeyError in <string>:6; details are in (\S+)\n$", err)
    details = Path(name)
    assert details.parent == tmp_path
    assert details.stat().st_mode & 0o777 == 0o600
    assert "KeyError: 'a secret'" in details.read_text()


def test_the_details_of_a_command_with_labels_quote_nothing(tmp_path):
    status, err = bug("raise RuntimeError('a secret') from KeyError('another')", tmp_path, True)
    assert status == 70
    (details,) = tmp_path.glob("repro-error-*")
    assert "secret" not in err + details.read_text()
    assert "another" not in details.read_text()
    assert "RuntimeError" in details.read_text()


@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        ("raise MemoryError", 74, "error: out of memory; "),
        ("[0] * 10**18", 74, "error: out of memory; "),
        ("raise OSError(24, 'Too many open files', 'a.txt')", 74, "error: a.txt: Too many"),
        ("raise OSError(13, 'Permission denied', 'a.txt')", 2, "error: a.txt: Permission denied"),
        ("raise OSError(10, 'No child processes')", 70, "error: internal: "),
        ("raise ValueError('no')", 70, "error: internal: ValueError"),
        ("raise RecursionError", 70, "error: internal: RecursionError"),
        ("raise BaseException('odd')", 70, "error: internal: BaseException"),
        ("raise BrokenPipeError(32, 'Broken pipe')", 141, ""),
        ("sys.exit('words')", 70, "words"),
        ("return 'none'", 70, "error: internal: "),
        ("return 3", 3, ""),
    ],
)
def test_what_main_raises_has_its_status(body, status, line, tmp_path):
    found, err = bug(body, tmp_path)
    assert found == status, err
    assert err.startswith(line)
    assert err.count("\n") == bool(line)


def test_details_that_cannot_be_kept_are_said_to_be_lost(tmp_path):
    body = "import tempfile; tempfile.tempdir = '/proc/none'; {}['x']"
    status, err = bug(body, tmp_path)
    assert status == 70
    assert "the details could not be kept (No such file or directory)" in err


def stopped(words, cwd, number, after, env=None):
    """(status, err) of a command that gets a signal so many seconds after it can handle one."""
    process, _ = begun(words, cwd, env)
    wait_for(lambda: handles(process.pid, signal.SIGTERM))
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("after", [0.0, 0.1, 0.4, 0.9])
def test_a_signal_during_imports_ends_with_its_status(number, after, tmp_path):
    status, err = stopped(("repro", "theorem=offline_gap"), tmp_path, number, after)
    assert (status, err.count("\n")) == (128 + number, 1), err
    assert err.startswith("interrupted: ")


@pytest.mark.parametrize("path", commands(), ids=lambda path: path.parent.name + "/" + path.stem)
def test_every_command_is_ready_for_ctrl_c_before_its_imports(path, tmp_path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    status, err = stopped((name,), tmp_path, signal.SIGINT, 0.02)
    # a light command may have refused its missing words by then
    assert (status, err.count("\n")) == (130, 1), err
    assert err == "interrupted: nothing was begun\n" or err.startswith("error: "), err


def test_what_the_parent_ignored_stays_ignored(tmp_path):
    """As under ``nohup``: a hang-up does not end the run."""
    body = "import os, signal; os.kill(os.getpid(), signal.SIGHUP); return 0"
    line = f"trap '' HUP; exec $PY -c \"{BUG.format(body=body, private=False)}\""
    assert in_shell(line, tmp_path)[::2] == (0, "")


def test_a_signal_into_an_import_waits_for_its_end(tmp_path):
    (tmp_path / "slow.py").write_text("import time\nfor _ in range(40): time.sleep(0.01)\ndone = 1")
    body = (
        "import os, signal, threading; "
        "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start(); import slow; "
        "print(slow.done, file=sys.stderr, flush=True); import time; time.sleep(30)"
    )
    status, err = bug(body, tmp_path, PYTHONPATH=f"{ROOT}:{tmp_path}")
    assert (status, err) == (143, "1\ninterrupted\n")


LONG = "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10**8)"
"""Half a minute inside of a library, which hears no signal."""


@pytest.mark.parametrize(
    "body",
    [
        f"import hashlib; hashlib.sha256(); print(1, file=sys.stderr, flush=True); {LONG}",
        "import one_slow",
    ],
    ids=["library", "import"],
)
def test_what_hears_no_signal_is_ended_within_a_second(body, tmp_path):
    slow = f"import hashlib, sys\nprint(1, file=sys.stderr, flush=True)\n{LONG}"
    (tmp_path / "one_slow.py").write_text(slow)
    process = subprocess.Popen(
        [sys.executable, "-c", BUG.format(body=body, private=False)], stderr=subprocess.PIPE,
        cwd=tmp_path, text=True, preexec_fn=as_from_a_shell,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "/usr/bin"},
    )  # fmt: skip
    assert process.stderr.readline() == "1\n"
    time.sleep(0.2)  # a signal into the print itself would have it written again
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "interrupted\n")
    assert time.monotonic() - began < 5  # 1 where nothing else runs; half a minute before


def test_a_signal_into_a_destructor_is_not_lost(tmp_path):
    body = (
        "import os, signal, time\n"
        "    class A:\n"
        "        def __del__(self): os.kill(os.getpid(), signal.SIGINT); time.sleep(0.1)\n"
        "    a = A(); del a; time.sleep(30)"
    )
    assert bug(body, tmp_path) == (130, "interrupted\n")


def test_a_deleted_current_folder_is_refused_in_one_line(tmp_path):
    line = "mkdir gone; cd gone; rmdir ../gone; exec $PY -m repro theorem=label_masks"
    status, out, err = in_shell(line, tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("error: the current folder: deleted")


def test_a_path_of_1500_folders_is_refused_in_one_line(tmp_path):
    status, _, err = in_shell(f"{RUN} output_dir={'a/' * 1500}", tmp_path)
    assert (status, err.count("\n")) == (2, 1), err
    assert "1500 folders deep; allowed: 200" in err
    assert not list(tmp_path.iterdir())
