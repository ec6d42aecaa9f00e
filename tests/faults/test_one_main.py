"""Every command's process: signals, streams, encodings, homes, memory, files, bugs.

0 to 3 are verdicts and refusals; none of them ever comes of a fault.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.commands.process import start
from repro.commands.process.outcome import explained
from repro.commands.process.table import COMMANDS
from tests.faults.processes import QUICK, ROOT, as_from_a_shell, ended, in_shell

LIGHT, REFUSED = "$PY -m repro new_theorem --help", "$PY -m repro report --no"
RUN = f"$PY -m repro theorem=label_masks {' '.join(QUICK)}"
MACHINE, BROKEN_PIPE = 74, 141
MAIN = '\nif __name__ == "__main__":'
UNREAD = f"(until [ -e closed ]; do sleep .05; done; exec {LIGHT}) | (exec <&-; touch closed)"
"""Its output goes to a pipe whose reader has gone before it begins."""


def test_every_command_goes_through_the_one_main():
    texts = {path: path.read_text() for path in (ROOT / "repro").rglob("*.py")}
    programs = [str(path.relative_to(ROOT)) for path, text in texts.items() if MAIN in text]
    assert programs == ["repro/__main__.py"]


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
        (f"{REFUSED} 2>&-", MACHINE, None),
        (f"{LIGHT} <&-", 0, None),
        (f"{LIGHT} < /dev/full", 0, None),
        (f"{UNREAD}; exit ${{PIPESTATUS[0]}}", BROKEN_PIPE, None),
        ("$PY -m repro privatize --help > /dev/full", MACHINE, "standard output: No space left"),
        ("$PY -m repro audit_release 2>&-", MACHINE, None),
        ("$PY -m repro catalogue | head -n 1; exit ${PIPESTATUS[0]}", BROKEN_PIPE, None),
        (f"{RUN} 2> /dev/full", MACHINE, None),
        ("$PY -m repro report --no 2> /dev/full", MACHINE, None),
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
    assert err.splitlines()[-1].endswith("No space left on device")
    (verdict,) = tmp_path.glob("outputs/label_masks/*/verdict.json")
    assert json.loads(verdict.read_text())["theorem"] == "label_masks"


@pytest.mark.some(2)
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
def test_any_encoding_prints_a_text_and_ends_well(env, tmp_path):
    text = r"'a \u03b5 \u00e9 \U0001d6fc'"  # in ASCII: an odd locale spoils the words of -c itself
    done = process_of(f"print({text}); return 0", tmp_path, **env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"a ")


def test_json_of_a_command_is_whole_in_ascii(tmp_path):
    done = process_of(
        "from repro.commands.catalogue import main; return main(['--json'])",
        tmp_path, PYTHONIOENCODING="ascii",
    )  # fmt: skip
    assert json.loads(done.stdout)["items"]


def test_a_run_in_ascii_without_a_home_has_the_same_status(tmp_path):
    words = ("repro", "theorem=label_masks", *QUICK)
    env = {"PYTHONIOENCODING": "ascii", "HOME": None}
    status, out, err = ended(words, tmp_path, env)
    assert status == 0, err
    assert out.isascii()


@pytest.mark.some(1)
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
        capture_output=True, timeout=300, preexec_fn=as_from_a_shell,
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


@pytest.mark.some(6)
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


class Unheard:
    """Standard error whose reader has gone."""

    def write(self, text):
        raise BrokenPipeError

    flush = write


@pytest.mark.parametrize(
    ("problem", "status"), [(RuntimeError("a bug"), 70), (BadInput("key", 1, "allowed: 2"), 141)]
)
def test_a_bug_stays_one_where_nobody_hears_of_it(problem, status, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stderr", Unheard())
    assert explained(problem) == status


def test_details_that_cannot_be_kept_are_said_to_be_lost(tmp_path):
    body = "import tempfile; tempfile.tempdir = '/proc/none'; {}['x']"
    status, err = bug(body, tmp_path)
    assert status == 70
    assert "the details could not be kept (No such file or directory)" in err


AT_IMPORT = """
import os, signal, sys

class Stops:
    looked_for = 0

    def find_spec(self, name, path=None, target=None):
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            self.looked_for += 1
        if os.environ["STOP_AT"] in (name, str(self.looked_for)):
            sys.meta_path.remove(self)
            stop()

def stop():
    os.kill(os.getpid(), int(os.environ["STOP_BY"]))

def set_and_stop(number, handler, set_handler=signal.signal):
    before = set_handler(number, handler)
    if number == signal.SIGHUP and handler is not signal.SIG_DFL:
        stop()
    return before

if os.environ["STOP_AT"] == "0":
    signal.signal = set_and_stop
else:
    sys.meta_path.insert(0, Stops())
"""
"""Of sitecustomize: a signal comes at a place in the code, whatever the speed of the machine."""


def stopped(words, folder, number, at):
    """(status, err) of a command that gets a signal at an import, or as soon as it handles it (0).

    ``at`` names the module, or counts those since the command handles signals.
    """
    (folder / "sitecustomize.py").write_text(AT_IMPORT)
    stop = {"STOP_AT": str(at), "STOP_BY": str(int(number))}
    path = os.pathsep.join([str(folder), str(ROOT)])
    status, _, err = ended(words, folder, {"PYTHONPATH": path, **stop})
    return status, err


@pytest.mark.some(3)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("at", [0, 150, 400, 900])
def test_a_signal_during_imports_ends_with_its_status(number, at, tmp_path):
    status, err = stopped(("repro", "theorem=offline_gap"), tmp_path, number, at)
    assert (status, err.count("\n")) == (128 + number, 1), err
    assert err.startswith("interrupted: ")


def test_ctrl_c_before_anything_is_imported_leaves_no_traceback(tmp_path):
    words = ("repro", "theorem=offline_gap")
    stopped_at = stopped(words, tmp_path, signal.SIGINT, "repro.commands")
    assert stopped_at == (-signal.SIGINT, "")


def test_a_signal_that_a_library_swallows_is_said_all_the_same(tmp_path):
    body = """import os, signal
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        pass
    return 0"""
    status, err = bug(body, tmp_path)
    assert (status, err.count("\n")) == (130, 1), err
    assert err.startswith("interrupted: ")


@pytest.mark.parametrize("name", ["privatize", "audit_release", "private_reward", "accuracy"])
def test_a_bug_of_a_command_that_reads_labels_quotes_nothing(name, monkeypatch):
    calls = []
    monkeypatch.setattr(start, "run_command", lambda _, private: calls.append(private))
    start._run([name], listed=False)
    assert calls == [True]


def test_a_second_signal_ends_a_command_that_does_not_stop_at_the_first(tmp_path):
    body = """import os, signal
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGTERM)
    return 0"""
    assert bug(body, tmp_path) == (-signal.SIGTERM, "")


@pytest.mark.some(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_ready_for_ctrl_c_before_its_imports(name, tmp_path):
    at = COMMANDS[name].module
    status, err = stopped(("repro", name), tmp_path, signal.SIGINT, at)
    assert (status, err.count("\n")) == (130, 1), err
    assert err.startswith("interrupted: "), err


def test_what_the_parent_ignored_stays_ignored(tmp_path):
    """As under ``nohup``: a hang-up does not end the run."""
    body = "import os, signal; os.kill(os.getpid(), signal.SIGHUP); return 0"
    line = f"trap '' HUP; exec $PY -c \"{BUG.format(body=body, private=False)}\""
    assert in_shell(line, tmp_path)[::2] == (0, "")


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
