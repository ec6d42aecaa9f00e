"""A process that has imported everything and forks runs on demand, so that a kill is cheap.

Lines on stdin: a JSON list ``[log, word, …]`` starts ``python -m repro word …`` and answers its
process id; a number waits for that process and answers its exit status (−9 for SIGKILL).  With
``bare`` as its first word a run starts after composition and draws no figure: it measures, judges
and writes the other files, a tenth of the whole command's time.  With ``held`` and a number it is
the whole command, which waits for a signal once it has kept that many blocks.
"""

import atexit
import contextlib
import functools
import importlib
import json
import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path


def _warm():
    import matplotlib
    import pyarrow.parquet  # noqa: F401
    import torch

    matplotlib.use("Agg")
    torch.set_num_threads(1)
    for name in ("run", "runs.validation"):
        importlib.import_module(f"repro.commands.{name}")
    for name in ("files", "figure", "terminal", "tracking", "progress"):
        importlib.import_module(f"repro.report.{name}")


@functools.cache
def _session(theorem, words):
    from repro.study.composition import compose_values
    from repro.study.plan import built
    from repro.study.settings import session_of

    session = session_of(compose_values(theorem, {}, words))
    built(session.plan)
    return session


def _bare(words):
    """Theorem, overrides and, last, the output folder."""
    from repro.api import execute
    from repro.report import files

    files._figures = lambda result: {"figure.png": b"png", "figure.svg": b"svg"}
    folder = Path(words[-1].removeprefix("output_dir="))
    session = replace(_session(words[0], words[1:-1]), output_dir=folder)
    done = execute(session)
    files.write_files(done.result, folder / words[0], done.seconds, done.workers, "cpu")
    return 0 if done.result.as_expected else 1


def _whole(words):
    from repro.commands.run import main

    sys.argv = ["repro", *words]
    return main(list(words))


def _held(words):
    """Number of blocks, then the words of the command."""
    from repro.study.blocks import BlockStore

    inner, most, kept = BlockStore.write, int(words[0]), []

    def write(store, block, values):
        inner(store, block, values)
        kept.append(block)
        if len(kept) == most:
            time.sleep(LONGEST)  # a signal ends it

    BlockStore.write = write
    return _whole(words[1:])


WAYS = {"bare": _bare, "held": _held}
LONGEST = 300.0
"""Seconds that a held run waits for its signal."""


def _run(log, words):
    os.setsid()
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    status = 70
    with contextlib.suppress(SystemExit):
        status = WAYS[words[0]](words[1:]) if words[0] in WAYS else _whole(words)
    threading._shutdown()  # what an interpreter does at its end, in its order: pools, then atexit
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
        log, *words = order
        if words[0] == "bare":
            _session(words[1], tuple(words[2:-1]))
        child = os.fork()
        if child == 0:
            _run(log, tuple(words))
        print(child, flush=True)


if __name__ == "__main__":
    serve()
