"""A process that forks a release on demand, with one fault of the disk ahead of it.

Lines on stdin: a JSON list ``[log, k, mode, word, …]`` runs ``releasing.main([word, …])`` whose
k-th call on the disk meets the fault, and answers ``[status, calls]``; calls is −1 after a kill.
"""

import ctypes
import json
import os
import sys
import traceback

from repro.commands import privatize as releasing
from repro.release import exports, privatise  # noqa: F401 - imported before any fault

SHIM = ctypes.CDLL(None)


def run(log, k, mode, words, answer):
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    status = 99
    try:
        SHIM.fault_arm(k, mode)
        status = releasing.main(words)
    except BaseException:  # noqa: BLE001 - whatever it is, it is the finding
        SHIM.fault_disarm()
        traceback.print_exc()
    calls = SHIM.fault_count()
    SHIM.fault_disarm()
    os.write(answer, json.dumps([status, calls]).encode())
    os._exit(0)


def serve():
    for line in sys.stdin:
        log, k, mode, *words = json.loads(line)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            run(log, k, mode, words, writer)
        os.close(writer)
        said = os.read(reader, 100)
        os.close(reader)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(said.decode() or json.dumps([ended, -1]), flush=True)


if __name__ == "__main__":
    serve()
