"""One fault at the k-th call of a writer that changes the disk, for any writer.

``Writers`` starts a process with ``shim.c`` preloaded that imports a module of writers, forks for
each order and answers how the fork ended.  A writer is a function of a folder; it returns an exit
status.  Every writer of the project can be tried this way: see ``writers.py``, ``commands.py``.
"""

import ctypes
import errno
import gc
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT", "EFBIG", "EMFILE")
KINDS = {
    **{name: (getattr(errno, name), False) for name in ERRORS},
    "EINTR": (errno.EINTR, False),
    "full": (errno.ENOSPC, True),
    "kill": (0, False),
}
"""errno, or 0 for SIGKILL; whether it stays so for all that needs room, as on a full disk."""
KILLED = -9


def compiled(folder):
    """The preloadable shim; skips where there is no compiler, or no preloading."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and Linux to inject faults into system calls")
    target = folder / "shim.so"
    words = [compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(HERE / "shim.c"), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    return target


@dataclass(frozen=True)
class Ended:
    """How a writer ended: its status (−9 for a kill), what it printed, its calls if it lived."""

    status: int
    said: str
    calls: int


class Writers:
    """A warm process whose forks write with a fault."""

    def __init__(self, shim, module, log):
        self.log = log
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "injection.py"), str(module)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=log.parent,
            env=os.environ | {"PYTHONPATH": str(ROOT), "LD_PRELOAD": str(shim)},
        )  # fmt: skip

    def write(self, writer, folder, kind="ENOSPC", at=0):
        """Let a writer write below a folder, with a fault at a call; none at 0."""
        number, sticky = KINDS[kind]
        order = [writer, str(folder), number, at, sticky, str(self.log)]
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        said, _, calls = self.log.read_text(errors="replace").rpartition("calls:")
        return Ended(status, said, int(calls)) if calls.isdigit() else Ended(status, calls, 0)

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def _fork(writer, folder, number, at, sticky, log):
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    shim = ctypes.CDLL(None)
    shim.fault_arm(number, ctypes.c_long(at), sticky, os.fsencode(folder))
    try:
        status = writer(Path(folder))
    except BaseException:  # noqa: BLE001 - this is what is looked for
        import traceback

        traceback.print_exc()
        status = 99
    sys.stdout.flush()
    sys.stderr.flush()
    shim.fault_count.restype = ctypes.c_long
    os.write(1, f"calls:{shim.fault_count()}".encode())
    os._exit(status)


def serve(path):
    """Answer orders until stdin ends."""
    import runpy

    found = runpy.run_path(path)
    writers = found["WRITERS"]
    found["warm"]()
    gc.collect()
    gc.freeze()  # a fork that looks through all that is imported copies it
    for line in sys.stdin:
        name, *order = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                _fork(writers[name], *order)
            finally:
                os._exit(98)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
