"""Commands in processes of their own, as a shell starts them."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = "REPRO_TEST_MARK"
QUICK = ("budget=smoke", "tracking=none", "compute.workers=1")


def environment(**extra):
    """The environment of a command; a value of None removes its variable."""
    given = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | extra
    return {key: value for key, value in given.items() if value is not None}


def as_from_a_shell():
    """Signals as a terminal's shell gives them, whatever started the tests.

    A shell's ``&`` has its command ignore Ctrl-C, which all that it starts would inherit.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begun(words, cwd, env=None, **streams):
    """``python -m`` some words, with a mark by which its children are found."""
    mark = uuid.uuid4().hex
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    process = subprocess.Popen(
        [sys.executable, "-m", *words], cwd=cwd, text=True, encoding="utf-8", errors="replace",
        env=environment(**{MARK: mark}, **(env or {})), start_new_session=True,
        preexec_fn=as_from_a_shell, **given,
    )  # fmt: skip
    return process, mark


def ended(words, cwd, env=None, seconds=300, **streams):
    """(status, out, err) of a command; an unread stream is empty."""
    process, _ = begun(words, cwd, env, **streams)
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out or "", err or ""


def in_shell(line, cwd, env=None, seconds=300):
    """(status, out, err) of a line of bash, for redirections; ``$PY`` is this Python."""
    done = subprocess.run(
        ["bash", "-c", line], cwd=cwd, capture_output=True, text=True, timeout=seconds,
        preexec_fn=as_from_a_shell,
        env=environment(PY=sys.executable, **(env or {})), encoding="utf-8", errors="replace",
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def wait_for(condition, seconds=300.0):
    """Poll until something holds; patient, for a machine may have ten jobs a core."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.005)


def survivors(mark):
    """Living processes that were started, directly or not, with a mark."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
