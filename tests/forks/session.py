"""Commands that start in a tenth of a second; see ``server.py``."""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults.processes import as_from_a_shell


@contextlib.contextmanager
def forked_commands():
    """First words of a command line, in the stead of ``python -m``, while a server answers."""
    folder = Path(tempfile.mkdtemp(prefix="forks"))  # short, as addresses of sockets have to be
    address, here = folder / "socket", Path(__file__).parent
    server = subprocess.Popen(
        [sys.executable, str(here / "server.py"), str(address)], cwd=folder, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=as_from_a_shell,
    )  # fmt: skip
    try:
        assert server.stdin
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        yield [sys.executable, "-I", "-S", str(here / "client.py"), str(address)]
    finally:
        server.stdin.close()
        server.wait()
        server.stdout.close()
        shutil.rmtree(folder)
