"""A seeded sample of wrong versions, each run against the tests that reach its line.

    pytest tests/estimators --cov=repro.estimators --cov-context=test
    python -m tests.mutation.run --coverage .coverage repro/estimators/*.py -- tests/estimators

The tests are collected once; every wrong version is a fork in which the code of the functions is
exchanged in place, and which ends at the first failing test.  The unchanged code goes the same way
first and must survive.  One line each, then the score.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import pytest
from scipy import stats

from tests.mutation.mutants import Mutant, mutants

NOT_REACHED, KILLED, SURVIVED, TIMEOUT, UNFIT = (
    "not reached",
    "killed",
    "SURVIVED",
    "timeout",
    "unfit",
)
FAILED, CANNOT = 1, 7


def sample(paths: list[Path], each: int, seed: int) -> list[Mutant]:
    """At most ``each`` mutants of every file, without replacement."""
    chosen = []
    for path in paths:
        found = mutants(path)
        picked = random.Random(f"{seed}:{path.name}").sample(found, min(each, len(found)))
        chosen += sorted(picked, key=lambda mutant: mutant.number)
    return chosen


def exchange(mutant: Mutant) -> bool:
    """Put the mutant's code into the loaded functions; False where it does not fit."""
    changed = mutant.compiled()
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(changed)}
    name = str(mutant.path)
    for function in [f for f in gc.get_objects() if type(f) is FunctionType]:
        old = function.__code__
        new = codes.get((old.co_qualname, old.co_firstlineno))
        if old.co_filename == name and new is not None and new != old:
            if new.co_freevars != old.co_freevars:
                return False
            function.__code__ = new
    _exchange_constants(mutant)
    return True


def _exchange_constants(mutant: Mutant) -> None:
    ours = [module for name, module in sys.modules.items() if name.startswith("repro.")]
    module = next(m for m in ours if m.__file__ == str(mutant.path))
    scratch = {"__name__": module.__name__, "__file__": str(mutant.path)}
    lines = mutant.path.read_text("utf-8").splitlines()
    if not lines[mutant.line - 1].split(" = ")[0].isupper():
        return
    exec(mutant.compiled(), scratch)
    changed = [n for n in scratch if n.isupper() and scratch[n] != vars(module).get(n)]
    for name in changed:
        old = vars(module)[name]
        for other in [m for m in ours if vars(m).get(name) is old]:
            setattr(other, name, scratch[name])


def _codes(code: CodeType):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


class Killing:
    """Runs every mutant in place of the test loop."""

    def __init__(self, chosen: list[Mutant], data: coverage.CoverageData, seconds: int) -> None:
        self._chosen, self._data, self._seconds = chosen, data, seconds
        self._child = False
        self.found: list[tuple[Mutant, str]] = []

    def pytest_runtest_logreport(self, report) -> None:
        if self._child and report.failed:
            os._exit(FAILED)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session) -> bool:
        if self._fate(None, session.items) != SURVIVED:
            raise pytest.UsageError("the tests fail on the code as it is")
        for mutant in self._chosen:
            start = time.monotonic()
            items = self._reaching(mutant, session.items)
            verdict = self._fate(mutant, items) if items else NOT_REACHED
            self.found.append((mutant, verdict))
            place = f"{mutant.path.relative_to(Path.cwd())}:{mutant.line}"
            took = time.monotonic() - start
            line = f"{verdict:<11} {place:<44} {mutant.text}   [{len(items)} tests, {took:.1f} s]"
            print(line, file=sys.__stdout__, flush=True)
        return True

    def _reaching(self, mutant: Mutant, items: list) -> list:
        contexts = self._data.contexts_by_lineno(str(mutant.path))
        names = {name.partition("|")[0] for name in contexts.get(mutant.line, [])}
        if mutant.path.read_text("utf-8").splitlines()[mutant.line - 1].split(" = ")[0].isupper():
            names = {n.partition("|")[0] for found in contexts.values() for n in found}
        found = [item for item in items if item.nodeid in names]
        return sorted(found, key=lambda item: mutant.path.stem not in item.path.stem)

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
            resource.setrlimit(resource.RLIMIT_CPU, (self._seconds, self._seconds))
            signal.alarm(10 * self._seconds)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            fits = mutant is None or exchange(mutant)
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


def report(found: list[tuple[Mutant, str]]) -> str:
    """Score with a Clopper-Pearson interval, by room and in all."""
    lines = []
    rooms = sorted({mutant.path.parent.name for mutant, _ in found})
    for room in [*rooms, "all"]:
        fates = [v for m, v in found if room in ("all", m.path.parent.name) and v != UNFIT]
        dead = sum(v in (KILLED, TIMEOUT) for v in fates)
        ci = stats.binomtest(dead, max(1, len(fates))).proportion_ci(0.95)
        share = dead / max(1, len(fates))
        lines.append(
            f"{room}: {dead} of {len(fates)} killed, {share:.3f} [{ci.low:.3f}, {ci.high:.3f}]"
        )
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Run the sample; 0 where the score is at least ``--least``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--coverage", required=True, help="data with --cov-context=test")
    parser.add_argument("--each", type=int, default=10, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60, help="processor time of one mutant")
    parser.add_argument("--least", type=float, default=0.85)
    cut = words.index("--")
    asked = parser.parse_args(words[:cut])
    data = coverage.CoverageData(asked.coverage)
    data.read()
    chosen = sample([path.resolve() for path in asked.paths], asked.each, asked.seed)
    plugin = Killing(chosen, data, asked.seconds)
    pytest.main([*words[cut + 1 :], "-q", "-p", "no:cacheprovider"], plugins=[plugin])
    print(report(plugin.found))
    dead = sum(v in (KILLED, TIMEOUT) for _, v in plugin.found)
    return 0 if dead >= asked.least * len(plugin.found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
