"""A pytest plugin that runs every mutant in place of the test loop, each in a fork of its own."""

from __future__ import annotations

import gc
import importlib
import math
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import coverage
import pytest

from tools.mutation.exchange import exchange, functions_by_file
from tools.mutation.mutants import Mutant
from tools.mutation.score import (
    CANNOT,
    EQUIVALENT,
    FAILED,
    KILLED,
    NOT_REACHED,
    SURVIVED,
    TIMEOUT,
    UNFIT,
)

OWN_TESTS = 0.1
"""Tests named after the mutated file are tried as if they took this share of their time."""


class Killing:
    """Tries mutants against collected tests.

    Args:
        chosen: mutants to try.
        reasons: why some of them cannot be seen; they are printed and not tried.
        data: which test reaches which line.
        seconds: processor time of one mutant, or three times what its tests take, if that is more.
    """

    def __init__(
        self,
        chosen: list[Mutant],
        reasons: dict[Mutant, str],
        data: coverage.CoverageData,
        seconds: int,
    ) -> None:
        self._chosen, self._reasons = chosen, reasons
        self._data, self._seconds = data, seconds
        self._times, self._log = {}, -1
        self._child = False
        self.found: list[tuple[Mutant, str]] = []

    def pytest_runtest_logreport(self, report) -> None:
        if self._child and report.failed:
            os._exit(FAILED)
        if self._log >= 0:
            os.write(self._log, f"{report.duration!r} {report.nodeid}\n".encode())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session) -> bool:
        self._load(session)
        self._unchanged(session.items)
        for mutant in self._chosen:
            start = time.monotonic()
            items = self._reaching(mutant, session.items)
            fate = self._verdict(mutant, items)
            self.found.append((mutant, fate))
            spent = f"[{len(items)} tests, {time.monotonic() - start:.1f} s]"
            self._say(mutant, fate, self._reasons.get(mutant, spent))
        return True

    def _load(self, session) -> None:
        """Have every mutated module in memory before the first fork."""
        for path in {mutant.path for mutant in self._chosen}:
            parts = path.relative_to(Path.cwd()).with_suffix("").parts
            importlib.import_module(".".join(parts))
        session.config.pluginmanager.unregister(name="terminalreporter")
        self._functions = functions_by_file()
        gc.freeze()

    def _unchanged(self, items: list) -> None:
        """The code as it is must survive; how long each test takes orders the others."""
        with tempfile.TemporaryFile() as log:
            self._log = log.fileno()
            fate = self._fate(None, items)
            self._log = -1
            log.seek(0)
            for line in log.read().decode().splitlines():
                took, _, name = line.partition(" ")
                self._times[name] = self._times.get(name, 0.0) + float(took)
        if fate != SURVIVED:
            raise pytest.UsageError("the tests fail on the code as it is")

    def _say(self, mutant: Mutant, fate: str, end: str) -> None:
        place = f"{mutant.path.relative_to(Path.cwd())}:{mutant.line}"
        line = f"{fate:<11} {place:<44} {mutant.text}   {end}"
        print(line, file=sys.__stdout__, flush=True)

    def _reaching(self, mutant: Mutant, items: list) -> list:
        """Tests that run the mutant's line, cheap ones and those of the file first."""
        contexts = self._data.contexts_by_lineno(str(mutant.path))
        lines = contexts.values() if mutant.of_module else [contexts.get(mutant.line, [])]
        names = {name.partition("|")[0] for line in lines for name in line}

        def cost(item) -> float:
            own = OWN_TESTS if mutant.path.stem in item.path.stem else 1.0
            return own * self._times.get(item.nodeid, 0.0)

        return sorted((item for item in items if item.nodeid in names), key=cost)

    def _verdict(self, mutant: Mutant, items: list) -> str:
        if mutant in self._reasons:
            return EQUIVALENT
        return self._fate(mutant, items) if items else NOT_REACHED

    def _fate(self, mutant: Mutant | None, items: list) -> str:
        pid = os.fork()
        if pid == 0:
            self._child = True
            self._run(mutant, items)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            return TIMEOUT if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM) else KILLED
        return {0: SURVIVED, CANNOT: UNFIT}.get(os.WEXITSTATUS(status), KILLED)

    def _run(self, mutant: Mutant | None, items: list) -> None:
        if mutant is not None:
            usual = sum(self._times.get(item.nodeid, 0.0) for item in items)
            most = max(self._seconds, math.ceil(3 * usual))
            resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
            signal.alarm(10 * most)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            fits = mutant is None or exchange(mutant, self._functions)
        except BaseException:  # noqa: BLE001 - the tool's own trouble kills no mutant
            fits = False
        if not fits:
            os._exit(CANNOT)
        try:
            for item, after in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        except BaseException:  # noqa: BLE001 - a fork must not return into the parent's loop
            os._exit(FAILED)
        os._exit(0)
