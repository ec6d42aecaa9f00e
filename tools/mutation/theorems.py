"""``python -m tools.mutation.room theorems``: wrong formulas against the verdicts of checks.

  python -m tools.mutation.room theorems --size 300 --seed 7 --log sample.jsonl [EXPERIMENT …]

Mutants are drawn from the files of the experiments and of the papers' rooms, among the lines that a
check's algorithm under test runs at smoke.  Lines that only a control runs, wrong on purpose, or
only an assumption, are outside.  Each mutant is tried in a fork, against all checks that run its
line: those of its own experiment, then others, until one notices it or ``--cap`` is used up.
Noticed is another verdict than the pinned one, a slack off its pin, an error, or, asked where these
say nothing, a control that is not caught or an assumption that fails.  With ``--log`` a stopped
sample is taken up.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import coverage
import numpy as np
from scipy import stats

from repro.core.check import WITHOUT_DRAWS, SweptCheck
from repro.core.rates import point_estimates
from repro.core.results import CheckResult
from repro.core.verdicts import off_its_pin
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import Plan, blocks_of, built
from repro.study.runner import run_plan
from repro.study.settings import session_of
from repro.study.slack import pins
from repro.study.sources import closure
from tools.mutation.equivalent import equivalents
from tools.mutation.exchange import Functions, exchange, functions_by_file
from tools.mutation.mutants import Mutant, formula_mutants
from tools.mutation.score import EQUIVALENT, KILLED, SURVIVED, TIMEOUT, UNFIT

LISTED = Path(__file__).with_name("equivalent_formulas.yaml")
MATHEMATICS = ("p1", "p2", "p3", "p4")
SECONDS, TOGETHER, CONTROLS = 30, 2.0, 6.0
"""Least processor time of a process that tries a mutant; traced time of the checks in it, and of
those whose controls are asked."""
MEMORY = 8 << 30
SAME, MOVED, NOTICED = "same", "moved", "noticed"
"""What a check sees of a mutant: no number, a number but not its verdict, or enough."""
SAME_SHARE = 2e-6
"""Share of a pinned number by which it has not moved: older pins have six digits."""
Record = dict[str, Any]
Seen = dict[str, str] | str


class _NoStore:
    """Finished blocks are not kept: a mutant's numbers are not those of the file on disk."""

    def tidy(self) -> None: ...

    def read(self, block: Any, shape: Any) -> None: ...

    def write(self, block: Any, values: Any) -> None: ...

    def kept(self, blocks: Any) -> int:
        return 0


@cache
def plan_of(slug: str) -> Plan:
    """The experiment as it is configured, at smoke; with its blocks, whose keys take a while."""
    values = {**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}
    plan = session_of(values).plan
    blocks_of(plan)
    return plan


def measured(plan: Plan, names: Sequence[str]) -> Sequence[CheckResult]:
    """Checks measured and judged in this process."""

    def mapper(measure: Callable[[Any], Any], blocks: Sequence[Any]) -> Any:
        return ((block, measure(block)) for block in blocks)

    some = replace(plan, only=tuple(names))
    return run_plan(some, _NoStore(), mapper, lambda count: None)[0]  # type: ignore[arg-type]


def as_pinned(check: CheckResult) -> bool:
    """Whether nothing is noticed."""
    pinned = check.verdict == check.check.expected and check.caught
    return pinned and not off_its_pin(check.outcome.numbers)


def in_a_fork(work: Callable[[], Any], seconds: int) -> Any:
    """What a function returns in a fork; the exception that ends it, or ``TIMEOUT``."""
    with tempfile.TemporaryFile() as file:
        pid = os.fork()
        if pid == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
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


def _kind(check: CheckResult) -> str:
    """The claim's kind, as the table of the page has it."""
    declared = check.check
    if declared.kind == "inequality":
        return f"{'exact ' * (declared.evidence in WITHOUT_DRAWS)}inequality"
    one_sided = getattr(declared, "direction", "") != "two_sided"
    return f"{declared.kind}, {'one-sided' if one_sided else 'two-sided'}"


def _moved(slug: str, check: CheckResult) -> bool:
    """Whether the curve of the algorithm under test is another than the pinned one."""
    points = [at.value for at in point_estimates(check.outcome.series)]
    pin = pins().get(slug, {}).get(check.check.name, {}).get("curve", [])[: len(points)]
    curve = np.array(pin, dtype=float)
    return len(pin) != len(points) or not np.allclose(points, curve, SAME_SHARE, 0, equal_nan=True)


def traced(slug: str) -> list[Record]:
    """Of each check that comes out as pinned: kind, usual time, and the lines it runs."""
    plan = plan_of(slug)

    def lines(name: str) -> Record:
        _without_controls(batches=True)
        rooms = [f"{Path.cwd()}/repro/{room}/*" for room in MATHEMATICS]
        within = [f"{Path.cwd()}/theorems/*", *rooms]
        tracer = coverage.Coverage(data_file=None, config_file=False, include=within)
        tracer.start()
        measured(plan, [name])
        tracer.stop()
        data = tracer.get_data()
        ran = {str(Path(f).relative_to(Path.cwd())): data.lines(f) for f in data.measured_files()}
        return {"lines": {file: sorted(numbers) for file, numbers in ran.items() if numbers}}

    def usual(name: str) -> Record:
        _without_controls()
        (check,) = measured(plan, [name])
        return {
            "pinned": as_pinned(check), "kind": _kind(check),
            "contradicted": check.check.expected == "contradicted",
            "seconds": round(time.process_time(), 2),
        }  # fmt: skip

    records = []
    for name in [check.name for check in find(slug).checks]:
        answer = in_a_fork(lambda name=name: usual(name), 20 * SECONDS)
        if isinstance(answer, dict) and answer.pop("pinned"):
            answer |= in_a_fork(lambda name=name: lines(name), 20 * SECONDS)
        else:
            answer = {"left out": str(answer)[:200]}
        records.append({"slug": slug, "check": name, **answer})
    return records


def _without_controls(batches: bool = False) -> None:
    """In a fork: only the algorithm under test is measured.

    Args:
        batches: whether also where all algorithms are one batch, so that its numbers are others
            without the controls.
    """
    every: Any = SweptCheck.algorithms

    def algorithms(swept: SweptCheck) -> tuple[Any, ...]:
        apart = batches or swept.check.quantity.together is None
        return (swept.check.right,) if apart else every.fget(swept)

    SweptCheck.algorithms = property(algorithms)  # type: ignore


def tried(slug: str, mutant: Mutant, checks: Sequence[Record], controls: bool) -> Seen:
    """By check what it sees of a mutant, with the reason where it is noticed; or a fate.

    Args:
        controls: whether controls and assumptions are asked, too.
    """
    plan, names = plan_of(slug), [record["check"] for record in checks]
    limit = int(SECONDS + 5 * sum(record["seconds"] for record in checks))
    functions = _functions(len(sys.modules))

    def seen(check: CheckResult) -> str:
        if not as_pinned(check):
            return f"{NOTICED}: {_reason(check)}"
        return MOVED if _moved(slug, check) else SAME

    def work() -> Seen:
        if not controls:
            _without_controls()
        if not exchange(mutant, functions):
            return UNFIT
        try:
            answers = {check.check.name: seen(check) for check in measured(plan, names)}
        except Exception:  # noqa: BLE001 - which of the checks ends in an error?
            return {name: _alone(plan, name, seen) for name in names}
        if controls:
            assumed = built(replace(plan, only=tuple(names))).assumptions()
            failing = [assumption.name for assumption in assumed if not assumption.holds]
            answers |= dict.fromkeys(failing, f"{NOTICED}: fails")
        return answers

    answers = in_a_fork(work, 5 * limit if controls else limit)
    if isinstance(answers, RuntimeError):
        return dict.fromkeys(names, f"{NOTICED}: error {answers}"[:120])
    return answers


@lru_cache(maxsize=1)
def _functions(modules: int) -> Functions:
    """All functions of this process, which has so many modules."""
    return functions_by_file()


def _noticed(word: str) -> bool:
    return word.startswith(NOTICED)


def _reason(check: CheckResult) -> str:
    if check.verdict != check.check.expected:
        return check.verdict
    return "slack" if check.caught else "control"


def _alone(plan: Plan, name: str, seen: Callable[[CheckResult], str]) -> str:
    try:
        return seen(measured(plan, [name])[0])
    except Exception as problem:  # noqa: BLE001 - an error is noticed
        return f"{NOTICED}: error {type(problem).__name__}"


def running(mutant: Mutant, checks: Sequence[Record], cap: float) -> list[list[Record]]:
    """Checks that run a mutant's line, by process: those of its own experiment, by their time; then
    the quickest of each other experiment, the next of each, and so on."""
    name, own = str(mutant.path.relative_to(Path.cwd())), mutant.path.stem
    ran = [record for record in checks if mutant.line in record["lines"].get(name, ())]
    ran.sort(key=lambda record: record["seconds"])
    before: Counter[str] = Counter()
    rounds: list[tuple[bool, int, Record]] = []
    for record in ran:
        other = record["slug"] != own
        rounds.append((other, before[record["slug"]] * other, record))
        before[record["slug"]] += 1
    rounds.sort(key=lambda at: at[:2])
    groups: list[list[Record]] = []
    spent = [0.0, 0.0]
    for _, _, record in rounds:
        spent = [used + record["seconds"] for used in spent]
        if not groups or record["slug"] != groups[-1][0]["slug"] or spent[1] > TOGETHER:
            if groups and spent[0] > cap:
                break
            spent[1] = record["seconds"]
            groups.append([])
        groups[-1].append(record)
    return groups


def fate_of(mutant: Mutant, groups: Sequence[Sequence[Record]]) -> Record:
    """What becomes of a mutant: its fate and what each check sees.

    Controls and assumptions are asked where no check notices, since they take longer, and of fewer.
    """
    answers: dict[str, str] = {}
    for controls in (False, True):
        spent = 0.0
        for group in groups:
            spent += sum(record["seconds"] for record in group)
            if controls and spent > CONTROLS and group is not groups[0]:
                break
            slug = group[0]["slug"]
            answer = tried(slug, mutant, group, controls)
            if isinstance(answer, str):
                return {"fate": answer, "seen": answers}
            seen = {f"{slug}: {check}": word for check, word in answer.items()}
            noticed = {check: word for check, word in seen.items() if _noticed(word)}
            answers |= noticed if controls else seen
            if noticed:
                return {"fate": KILLED, "seen": answers}
    return {"fate": SURVIVED, "seen": answers}


def records_of(log: Path | None) -> list[Record]:
    """What a log holds: checks that were traced (``lines``), mutants that were tried (``fate``)."""
    text = log.read_text("utf-8") if log and log.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def share(hits: Sequence[bool]) -> str:
    """How many are true, with the share's 95 % Wilson interval in per cent.

    >>> share([True, True, False])
    '2 of 3, 67% [21, 94]'
    """
    count, of = sum(hits), len(hits)
    ci = stats.binomtest(count, of).proportion_ci(0.95, method="wilson")
    return f"{count} of {of}, {count / of:.0%} [{100 * ci.low:.0f}, {100 * ci.high:.0f}]"


def tables(records: Sequence[Record]) -> str:
    """Scores: of all, by kind of change, by file, and of checks whose numbers a change moved."""
    fates = [record for record in records if "fate" in record]
    could = [record for record in fates if record["fate"] in (KILLED, SURVIVED, TIMEOUT)]
    groups: dict[str, list[bool]] = {}
    kinds = {
        f"{record['slug']}: {record['check']}": [
            f"checks, {record['kind']}", f"checks, pinned contradicted {record['contradicted']}"
        ]
        for record in records
        if "lines" in record
    }  # fmt: skip
    for record in could:
        words, noticed = record["seen"].items(), record["fate"] != SURVIVED
        names = ["all", f"change, {record['change']}", f"file, {_place(record['file'])}"]
        if not (noticed and all("error" in word for _, word in words if word != SAME)):
            names.append("all without errors")
        for name in names:
            groups.setdefault(name, []).append(noticed)
        for check, word in words:
            for kind in kinds.get(check, ()) if word != SAME else ():
                groups.setdefault(kind, []).append(_noticed(word))
    left = [f"{fate}: {sum(r['fate'] == fate for r in fates)}" for fate in (EQUIVALENT, UNFIT)]
    return "\n".join([*(f"{name}: {share(hits)}" for name, hits in sorted(groups.items())), *left])


def _place(file: str) -> str:
    """The experiment, or the paper of a room."""
    parts = Path(file).parts
    return parts[1] if parts[0] == "repro" else Path(file).stem


def main(words: Sequence[str]) -> int:
    """Try a sample; 0 where the score is at least ``--least``."""
    asked = _asked(words)
    records = records_of(asked.log)

    def add(*more: Record) -> None:
        records.extend(more)
        if asked.log:
            with asked.log.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in more)

    def checks_of(path: Path) -> list[Record]:
        """Checks of the experiments that import a file, traced where they are not yet."""
        slugs_of_file = [slug for slug in asked.experiments if path in imported[slug]]
        for slug in slugs_of_file:
            if not any(record.get("slug") == slug for record in records):
                lines = in_a_fork(lambda slug=slug: traced(slug), 100 * SECONDS)
                if not isinstance(lines, list):
                    raise SystemExit(f"{slug}: {lines}")
                add(*lines)
        return [r for r in records if "lines" in r and r["slug"] in slugs_of_file]

    plan_of(asked.experiments[0])  # its libraries are loaded once, before the forks
    imported = {slug: set(closure(find(slug).module).values()) for slug in asked.experiments}
    chosen = [mutant for path in files(asked.experiments) for mutant in formula_mutants(path)]
    reasons = equivalents({mutant.path for mutant in chosen}, listed=LISTED, of=formula_mutants)
    if asked.again:
        survivors = [_known(r) for r in records_of(asked.again) if r.get("fate") == SURVIVED]
        places = {Path(file).name for file, _, _ in survivors}
        chosen = [m for m in chosen if m.path.name in places and _known(_named(m)) in survivors]
    random.Random(asked.seed).shuffle(chosen)
    part, parts = map(int, asked.part.split("/"))
    chosen = chosen[part - 1 :: parts]
    equal = {(str(m.path.relative_to(Path.cwd())), m.number) for m in reasons}
    for record in [r for r in records if r.get("fate") == SURVIVED]:
        if (record["file"], record["number"]) in equal:  # listed since it was tried
            record["fate"] = EQUIVALENT
    fates = {(r["file"], r["number"]): r["fate"] for r in records if "fate" in r}
    for mutant in chosen:
        name = _named(mutant)
        key = name["file"], name["number"]
        if len(fates) >= asked.size:
            break
        if key in fates:
            continue
        if groups := running(mutant, checks_of(mutant.path), asked.cap):
            reason = {"fate": EQUIVALENT, "seen": {}, "reason": reasons.get(mutant)}
            fate = reason if mutant in reasons else fate_of(mutant, groups)
            add({**name, **fate})
            fates[key] = fate["fate"]
            print(f"{fate['fate']:<11} {name['file']}:{mutant.line} {mutant.text}", flush=True)
    print(tables(records))
    left = list(fates.values()).count(SURVIVED)
    return 0 if left <= (1 - asked.least) * len(fates) else 1


def files(experiments: Sequence[str]) -> list[Path]:
    """Files of the experiments and of the papers' rooms."""
    root = Path.cwd()
    rooms = [path for room in MATHEMATICS for path in (root / "repro" / room).rglob("*.py")]
    return sorted([*(root / "theorems" / f"{slug}.py" for slug in experiments), *rooms])


def _named(mutant: Mutant) -> Record:
    kinds = {"value": "number", "op": "operator", "ops": "comparison", "test": "branch"}
    field = mutant.text.rpartition(": ")[2].partition(" → ")[0]
    power = "**" in mutant.text.rpartition(": ")[0] and mutant.text.endswith("Mult")
    return {
        "file": str(mutant.path.relative_to(Path.cwd())),
        "line": mutant.line,
        "number": mutant.number,
        "text": mutant.text,
        "source": mutant.source,
        "change": "exponent" if power else kinds.get(field, "function"),
    }


def _known(record: Record) -> tuple[str, str, str]:
    return record["file"], record["source"], record["text"]


def _asked(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [slug for slug in slugs() if not find(slug).extra]
    parser.add_argument("experiments", nargs="*", default=usual)
    parser.add_argument("--size", type=int, default=300, help="mutants in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=float, default=12, help="seconds of checks, without controls")
    parser.add_argument("--part", default="1/1", help="1/2 or 2/2: half of the draw")
    parser.add_argument("--log", type=Path, help="file of what was tried; it is taken up")
    parser.add_argument("--again", type=Path, help="try the survivors of that log alone")
    parser.add_argument("--least", type=float, default=0.88)
    return parser.parse_args(list(words))
