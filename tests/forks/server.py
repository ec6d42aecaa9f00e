"""A process that has imported the libraries, not the project, and forks commands on demand.

A connection to its socket brings words, folder and environment of a ``python -m``, and standard
input, output and error; it gets the exit status back.  The command runs as in a fresh interpreter
of that folder and environment, but for what an interpreter reads of the environment as it starts
(encodings, hash seed, numbers of threads) and for libraries that are there already.
"""

import atexit
import contextlib
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading

LIBRARIES = """
    hydra hydra.utils hydra._internal.utils hydra.core.global_hydra hydra.core.plugins
    joblib matplotlib.pyplot matplotlib.backends.backend_agg matplotlib.backends.backend_svg
    omegaconf pandas psutil pyarrow.parquet pydantic rich.console rich.progress rich.table
    scipy.integrate scipy.linalg scipy.optimize scipy.special scipy.stats seaborn
    statsmodels.stats.proportion torch torch.nn.functional torch.optim yaml
    sklearn.decomposition sklearn.linear_model pydantic.networks cloudpickle mpmath
"""
"""What commands import of others, a few seconds' work."""


def serve(address):
    """Answer connections until standard input ends."""
    for name in LIBRARIES.split():
        with contextlib.suppress(ImportError):  # one that an extra installs
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the minders
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    print("ready", flush=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _mind(connection)
        connection.close()


def _end_with_parent():
    os.read(0, 1)  # no lock is held that a fork would find taken
    os._exit(0)


def _mind(connection):
    """Fork the command of a connection and answer its status; returns in the command's process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sent, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not sent.endswith(b"\n"):
        sent += connection.recv(1 << 20)
    order = json.loads(sent)
    command = os.fork()
    if command == 0:
        connection.close()
        _run(order, streams)
    for stream in streams:
        os.close(stream)
    status = _status_of(command, connection)
    with contextlib.suppress(OSError):  # nobody waits for it any more
        connection.sendall(str(status).encode())
    os._exit(0)


def _status_of(command, connection):
    """Wait for a command; who has asked may be ended, by a limit of time say: then so is it."""
    asked = [connection]
    while True:
        if select.select(asked, [], [], 0.01)[0]:
            os.kill(command, signal.SIGKILL)
            asked = []
        ended, status = os.waitpid(command, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)


def _run(order, streams):
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.FileIO(0, closefd=False), "utf-8")
    sys.stdout = sys.__stdout__ = _writer(1, "strict")
    sys.stderr = sys.__stderr__ = _writer(2, "backslashreplace")
    sys.path[:1] = [order["folder"], *filter(None, os.environ.get("PYTHONPATH", "").split(":"))]
    importlib.invalidate_caches()
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")
    module, *words = order["words"]
    sys.argv[:] = [module, *words]
    status = 1
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as left:
        status = _of_exit(left)
    except BaseException:  # noqa: BLE001 - as an interpreter ends
        sys.excepthook(*sys.exc_info())
    threading._shutdown()  # what an interpreter does at its end, in its order
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(status)


def _writer(number, errors):
    raw = io.FileIO(number, "w", closefd=False)
    lines = number == 2 or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=lines)


def _of_exit(left):
    if left.code is None or isinstance(left.code, int):
        return (left.code or 0) & 0xFF
    print(left.code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    serve(sys.argv[1])
