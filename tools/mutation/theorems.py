"""``python -m tools.mutation.room theorems``: wrong formulas against the verdicts of checks.

  python -m tools.mutation.room theorems --size 60 --seed 7 [EXPERIMENT …]

Mutants of an experiment's file and of the mathematics that its checks run, each in a fork, against
the checks that run its line, at smoke.  Noticed is another verdict than the pinned one, a control
that is not caught, a slack that leaves its pin, an assumption that fails, or a run that ends in an
error.  One line each, then the score by experiment and by kind of the claims that ran the line.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import resource
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import coverage

from repro.core.results import CheckResult
from repro.core.verdicts import off_its_pin
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import Plan
from repro.study.runner import run_plan
from repro.study.settings import session_of
from tools.mutation.equivalent import LISTED, equivalents
from tools.mutation.exchange import exchange, functions_by_file
from tools.mutation.mutants import Mutant, mutants
from tools.mutation.score import EQUIVALENT, KILLED, SURVIVED, TIMEOUT, UNFIT, line_of

MATHEMATICS = ("p1", "p2", "p3", "p4")
CRASHES = "value → None"
"""Changes that end in an error wherever they are: no formula is wrong."""
SECONDS = 120
"""Processor time of one mutant."""
Reached = dict[str, set[int]]
"""By file, the lines that a check runs."""


class _NoStore:
    """Finished blocks are not kept: a mutant's numbers are not those of the file on disk."""

    def tidy(self) -> None: ...

    def read(self, block: Any, shape: Any) -> None: ...

    def write(self, block: Any, values: Any) -> None: ...

    def kept(self, blocks: Any) -> int:
        return 0


def plan_of(slug: str) -> Plan:
    """The experiment as it is configured, at smoke."""
    return session_of({**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}).plan


def measured(plan: Plan, names: Sequence[str]) -> Sequence[CheckResult]:
    """Checks measured and judged in this process."""
    some = replace(plan, only=tuple(names))

    def mapper(measure: Callable[[Any], Any], blocks: Sequence[Any]) -> Any:
        return ((block, measure(block)) for block in blocks)

    checks, experiment = run_plan(some, _NoStore(), mapper, lambda count: None)  # type: ignore[arg-type]
    if not all(one.holds for one in experiment.assumptions()):
        raise AssertionError("an assumption fails")
    return checks


def as_pinned(check: CheckResult) -> bool:
    """Whether nothing is noticed."""
    pinned = check.verdict == check.check.expected and check.caught
    return pinned and not off_its_pin(check.outcome.numbers)


def in_a_fork(work: Callable[[], object], seconds: int) -> object:
    """What a function returns in a fork; the exception that ends it, or ``TIMEOUT``."""
    with tempfile.TemporaryFile() as file:
        pid = os.fork()
        if pid == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            try:
                answer = work()
            except BaseException as problem:  # noqa: BLE001 - a fork must not return into the loop
                answer = RuntimeError(f"{type(problem).__name__}: {problem}"[:200])
            pickle.dump(answer, file)
            file.flush()
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            return TIMEOUT if os.WTERMSIG(status) == signal.SIGXCPU else RuntimeError("killed")
        file.seek(0)
        return pickle.load(file)


def reached(slug: str) -> dict[str, tuple[str, Reached]]:
    """By check its kind and the lines that it runs; of checks that come out as pinned."""
    plan, found = plan_of(slug), {}
    for name in (one.name for one in find(slug).checks):
        tracer = coverage.Coverage(data_file=None, include=[f"{Path.cwd()}/*"])
        tracer.start()
        (check,) = measured(plan, [name])
        tracer.stop()
        data = tracer.get_data()
        lines = {file: set(data.lines(file) or ()) for file in data.measured_files()}
        if as_pinned(check):
            kind = f"{check.check.kind}, {getattr(check.check, 'direction', 'at_most')}"
            kind += ", contradicted" if check.check.expected == "contradicted" else ""
            found[name] = (kind, lines)
    return found


def candidates(slug: str, checks: dict[str, tuple[str, Reached]]) -> list[Mutant]:
    """Mutants on lines that some check runs."""
    rooms = [Path.cwd() / "repro" / one for one in MATHEMATICS]
    files = {file for _, lines in checks.values() for file in lines}
    own = [Path(one) for one in sorted(files) if Path(one).stem == slug or _within(one, rooms)]
    every = (one for path in own for one in mutants(path) if not one.of_module)
    return [one for one in every if not one.text.endswith(CRASHES) and _runs(checks, one)]


def _within(file: str, rooms: Sequence[Path]) -> bool:
    return any(Path(file).is_relative_to(room) for room in rooms)


def _runs(checks: dict[str, tuple[str, Reached]], mutant: Mutant) -> list[str]:
    place = str(mutant.path), mutant.line
    return [name for name, (_, lines) in checks.items() if place[1] in lines.get(place[0], ())]


def fate_of(slug: str, mutant: Mutant, names: Sequence[str]) -> tuple[str, str]:
    """What becomes of a mutant, and why."""

    def work() -> object:
        if not exchange(mutant, functions_by_file()):
            return UNFIT
        checks = measured(plan_of(slug), names)
        return [one.check.name for one in checks if not as_pinned(one)]

    answer = in_a_fork(work, SECONDS)
    if isinstance(answer, RuntimeError):
        return KILLED, str(answer)
    if isinstance(answer, str):
        return answer, ""
    assert isinstance(answer, list)
    return (KILLED if answer else SURVIVED), ", ".join(answer)


def main(words: Sequence[str]) -> int:
    """Try a sample; 0 where the score is at least ``--least``."""
    asked = _asked(words)
    each = -(-asked.size // len(asked.experiments))
    by_experiment, by_kind = {}, {}
    for slug in asked.experiments:
        _ = find(slug)
        checks = in_a_fork(lambda slug=slug: reached(slug), 10 * SECONDS)
        if not isinstance(checks, dict):
            print(f"{slug}: {checks}", flush=True)
            continue
        every = candidates(slug, checks)
        paths = {one.path for one in every}
        reasons = equivalents(paths, listed=LISTED)
        chosen = random.Random(f"{asked.seed}:{slug}").sample(every, min(each, len(every)))
        for mutant in chosen:
            names = _runs(checks, mutant)
            known = mutant in reasons
            fate, why = (EQUIVALENT, reasons[mutant]) if known else fate_of(slug, mutant, names)
            place = f"{mutant.path.relative_to(Path.cwd())}:{mutant.line}"
            print(f"{fate:<11} {slug}: {place} {mutant.text}   [{why}]", flush=True)
            by_experiment.setdefault(slug, []).append((mutant, fate))
            for kind in {checks[name][0] for name in names}:
                by_kind.setdefault(kind, []).append((mutant, fate))
    for groups in (by_experiment, by_kind):
        for name, fates in sorted(groups.items()):
            print(line_of(name, fates))
    everything = [one for fates in by_experiment.values() for one in fates]
    print(line_of("all", everything))
    left = sum(fate == SURVIVED for _, fate in everything)
    return 0 if left <= (1 - asked.least) * len(everything) else 1


def _asked(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [slug for slug in slugs() if not find(slug).extra]
    parser.add_argument("experiments", nargs="*", default=usual)
    parser.add_argument("--size", type=int, default=300, help="mutants in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.88)
    return parser.parse_args(list(words))
