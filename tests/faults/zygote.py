"""A process that has imported everything and forks runs on demand, so that a kill is cheap.

Lines on stdin: a JSON list ``[log, word, …]`` starts ``python -m repro word …`` and answers its
process id; a number waits for that process and answers its exit status (−9 for SIGKILL).
"""

import atexit
import contextlib
import importlib
import json
import os
import sys


def _warm():
    import matplotlib
    import pyarrow.parquet  # noqa: F401
    import torch

    matplotlib.use("Agg")
    torch.set_num_threads(1)
    for name in ("api", "__main__", "cli.job", "cli.validation", "study.runner"):
        importlib.import_module(f"repro.{name}")
    for name in ("files", "figure", "terminal", "tracking", "progress"):
        importlib.import_module(f"repro.report.{name}")


def _run(log, words):
    from repro.__main__ import main

    os.setsid()
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    sys.argv = ["repro", *words]
    status = 70
    with contextlib.suppress(SystemExit):
        status = main()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)


def serve():
    """Answer lines until stdin ends."""
    _warm()
    for line in sys.stdin:
        order = json.loads(line)
        if isinstance(order, int):
            print(os.waitstatus_to_exitcode(os.waitpid(order, 0)[1]), flush=True)
            continue
        child = os.fork()
        if child == 0:
            _run(order[0], order[1:])
        print(child, flush=True)


if __name__ == "__main__":
    serve()
