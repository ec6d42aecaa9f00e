"""The numbers of short runs against ``tests/theorems/short_numbers.json``.

python -m tools.short_numbers [EXPERIMENT …]            name those that have moved; exit 1
python -m tools.short_numbers --write [EXPERIMENT …]    record them anew

A short run has few replicates.  Of long experiments it leaves out checks; of these the first swept
value is measured with fewer replicates still.  ``--write`` measures each experiment twice, the
second time on plainer kernels: a number that other rounding moves is not recorded.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import repro
from repro.api import Run
from repro.core.fingerprint import fingerprint
from repro.core.results import CheckResult, finite_mean
from repro.core.stream import stream
from repro.core.verdicts import IN_ROUNDING
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.settings import session_of
from repro.study.slack import ROUNDING, draws_now
from tools.slack import PLAIN

RECORD = Path(__file__).parents[1] / "tests" / "theorems" / "short_numbers.json"
DRAWS = "draws"
"""Key of a hash of what numpy and torch drew when the record was written."""
SHORT = "compute.workers=1", "budget.check_error=0.002"
"""Wide intervals: what few replicates cannot decide stays open, so that no row turns by chance."""
USUAL_SIZE = 40, 5
SIZES = {
    "channels_and_divergences": (160, 5),
    "corrected_offline_gap": (160, 5),
    "hybrid_xpo": (160, 5),
    "log_regret_nonprivate": (160, 5),
    "lower_bound": (160, 5),
    "uniform_convergence_log": (160, 5),
}
"""Replicates and blocks; more where so few mislead, or decide nothing."""
EVERY = {
    "central_dp_privacy": 4, "objective_perturbation_privacy": 4, "ctl_ltc_separation": 3,
    "mechanism_comparison": 3, "minimax_floor": 3, "loss_comparison": 2, "kwise_gap": 2,
    "private_chipo": 2, "private_robust_dpo": 2,
    "square_xpo": 2,
}  # fmt: skip
"""Of long experiments every second, third or fourth check."""
FEW = 4
"""Replicates of a check that a short run leaves out."""
PLAINEST = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F", **PLAIN}
"""Kernels of linear algebra without wide vectors, and a plainer exp and log."""
REPEATED = ("by_point", "by_point_ci95", "slack_pinned", "off_curve", "cases")
"""Numbers of an outcome that its curve or another record holds."""
STEADY, WITHIN = 1e-5, 1e-4
"""The largest share by which other rounding may move a recorded number; and a run."""
PRINTED = 0.02, 1e-9
"""Share of a number in words, and size, by which rounding may move its few digits."""
ASSUMED = "assumptions"

Group = list[tuple[str, float]]
"""Numbers of one kind, each with words that say what it is."""
Numbers = dict[str, list[Group]]
"""By check its groups: the curve of each algorithm, then what was fitted or held to the claim."""


def short_run(slug: str, output_dir: Path) -> Run:
    """An experiment with few replicates; of long ones only some checks."""
    replicates, blocks = SIZES.get(slug, USUAL_SIZE)
    checks = [check.name for check in find(slug).checks]
    return repro.run(
        slug, budget="smoke", output_dir=output_dir, only=checks[:: EVERY.get(slug, 1)],
        overrides=[*SHORT, f"budget.replicates={replicates}", f"budget.blocks={blocks}"],
    )  # fmt: skip


def numbers_of(run: Run) -> Numbers:
    """All numbers of a short run, and some of the checks that it has left out."""
    checks = run.result.checks
    numbers = {check.check.name: list(_groups(check)) for check in checks}
    numbers[ASSUMED] = [
        [
            (f"{each.name}: {each.detail}", float(digits))
            for each in run.result.assumptions
            for digits in re.findall(r"\d+\.?\d*(?:e[+-]?\d+)?", each.detail)
        ]
    ]
    return numbers | _left_out(run.result.theorem, {check.check.name for check in checks})


def _groups(check: CheckResult) -> Iterator[Group]:
    in_rounding = check.check.quantity.endswith(IN_ROUNDING)
    for outcome in check.controls if in_rounding else (check.outcome, *check.controls):
        at = [f"{outcome.method} at {value:g}" for value in outcome.series.grid]
        yield list(zip(at, map(float, outcome.series.means), strict=True))
    fitted = {k: v for k, v in check.outcome.numbers.items() if k not in REPEATED}
    yield [] if in_rounding else [*_named("", fitted)]


def _named(name: str, value: object) -> Iterator[tuple[str, float]]:
    """The numbers within a value of JSON."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _named(f"{name} {key}".strip(), inner)
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _named(f"{name} {place}", inner)
    elif isinstance(value, int | float):
        yield name, float(value)


def _left_out(slug: str, run: set[str]) -> Numbers:
    """The mean of every algorithm at the first value of each check that was not run."""
    if EVERY.get(slug, 1) == 1:
        return {}
    values = {**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}
    experiment = built(session_of(values).plan)
    numbers: Numbers = {}
    with experiment.building():
        for swept in experiment.swept:
            if swept.name in run or swept.check.quantity.words.endswith(IN_ROUNDING):
                continue
            means = swept.at(0, stream(0, slug, swept.name), FEW)
            at = swept.sweep.grid[0]
            numbers[swept.name] = [
                [(f"{method} at {at:g}", float(finite_mean(found, 0)))]
                for method, found in means.items()
            ]
    return numbers


def moved(slug: str, numbers: Numbers) -> list[str]:
    """A line for each number that is not the recorded one; none where libraries draw others."""
    record = json.loads(RECORD.read_text("utf-8"))
    if record[DRAWS] != drawn():
        return []
    recorded, lines = record.get(slug, {}), []
    for check in sorted({*recorded, *numbers}):
        now, then = numbers.get(check, []), recorded.get(check, [])
        if [*map(len, now)] != [*map(len, then)]:
            lines.append(f"{slug}: {check}: not as many numbers as recorded")
            continue
        for group, wanted in zip(now, then, strict=True):
            lines += [
                f"{slug}: {check}: {what}: recorded {old:.6g}, now {new:.6g}"
                for (what, new), old in zip(group, wanted, strict=True)
                if old is not None and not _close(new, old, *_within(check, wanted))
            ]
    return lines


def renewal(slug: str) -> str:
    """What to do where the change is meant."""
    return f"if it is meant: python -m tools.short_numbers --write {slug}"


def drawn() -> str:
    """A hash of what numpy and torch draw from a seed: other versions may draw other numbers."""
    normal = torch.randn(3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return fingerprint([draws_now(), [f"{number:.6g}" for number in normal.tolist()]])[:8]


def _within(check: str, group: Sequence[float | None]) -> tuple[float, float]:
    """By what share, and by how much, a number may leave the recorded one."""
    if check == ASSUMED:
        return PRINTED
    finite = [abs(number) for number in group if number is not None and math.isfinite(number)]
    return WITHIN, ROUNDING * max(finite, default=0.0)


def _close(one: float, other: float, share: float, least: float) -> bool:
    return bool(np.isclose(one, other, rtol=share, atol=least, equal_nan=True))


def steady(check: str, place: int, each: Sequence[Numbers]) -> list[float | None]:
    """A group as it is recorded: None for what moves with the kernels; a curve is steady whole."""
    groups = [[number for _, number in numbers[check][place]] for numbers in each]
    own, *others = groups
    _, least = _within(check, own)
    same = [
        all(_close(new, old, STEADY, least) for new in at)
        for old, *at in zip(own, *others, strict=True)
    ]
    if check != ASSUMED and place < len(each[0][check]) - 1:
        same = [all(same)] * len(own)
    return [float(f"{n:.6g}") if kept else None for n, kept in zip(own, same, strict=True)]


def _measured(slug: str) -> Numbers:
    with tempfile.TemporaryDirectory() as folder:
        return numbers_of(short_run(slug, Path(folder)))


def _on(kernels: Mapping[str, str], names: Sequence[str]) -> dict[str, Any]:
    """The numbers of experiments, measured in a process of its own."""
    command = [sys.executable, "-m", "tools.short_numbers", "--print", *names]
    env = {**os.environ, "OMP_NUM_THREADS": "1", **kernels}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _write(names: Sequence[str]) -> None:
    """A line for each check."""
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    each = [_on(kernels, names) for kernels in ({}, PLAINEST)]
    for slug in names:
        own = [numbers[slug] for numbers in each]
        record[slug] = {
            check: [steady(check, place, own) for place in range(len(groups))]
            for check, groups in own[0].items()
        }
    record[DRAWS] = drawn()
    lines = []
    for slug, checks in sorted(record.items()):
        rows = (
            [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in checks.items()]
            if slug != DRAWS
            else []
        )
        lines.append(
            f"{json.dumps(slug)}: "
            + ("{\n" + ",\n".join(rows) + "\n}" if rows else json.dumps(checks))
        )
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Compare or write."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.short_numbers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="by default all")
    parser.add_argument("--write", action="store_true", help="record the numbers anew")
    parser.add_argument("--print", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    torch.set_num_threads(1)
    names = words.experiments or [slug for slug in slugs() if not find(slug).extra]
    if words.print:
        print(json.dumps({slug: _measured(slug) for slug in names}))
        return 0
    if words.write:
        _write(names)
        return 0
    lines = [line for slug in names for line in moved(slug, _measured(slug))]
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
