"""Slack and curve of every check against ``conf/slack.json``, at smoke.

python -m tools.slack [EXPERIMENT …]            name those that have left their pin; exit 1
python -m tools.slack --write [EXPERIMENT …]    write the pins anew
python -m tools.slack --seed=3 [EXPERIMENT …]   compare at another seed

``--write`` runs each experiment twice, the second time in a process whose libraries are told to use
their plainest kernels: what this other rounding moves is held to its numbers less closely.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

import repro
from repro.base.places import conf_dir
from repro.core.results import CheckResult
from repro.core.verdicts import off_its_pin
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import Plan
from repro.study.settings import session_of
from repro.study.slack import PINS, SEED, curve_and_beside, new_pin, pins

PLAIN = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
}
"""Kernels without vectors of 256 and 512 bits: they add in another order."""


def plan_of(slug: str) -> Plan:
    """The plan of an experiment as it is configured, at smoke."""
    return session_of({**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}).plan


def main(arguments: Sequence[str]) -> int:
    """Compare or write."""
    words = _parser().parse_args(arguments)
    if words.points:
        print(json.dumps({slug: _points(slug) for slug in words.experiments}))
        return 0
    every, left = {slug: dict(own) for slug, own in pins().items()}, []
    named = words.experiments or [slug for slug in slugs() if not find(slug).extra]
    plain = _with_plain_kernels(named) if words.write else {}
    for slug in named:
        plan = plan_of(slug)
        checks = _run(slug, words.seed)
        for result in checks:
            numbers = result.outcome.numbers
            if off_its_pin(numbers):
                shown = {key: numbers.get(key) for key in ("slack", "slack_pinned", "off_curve")}
                left.append(f"{slug} {result.check.name}: has left its pin, {shown}")
                print(left[-1], flush=True)
        if words.write:
            every[slug] = {
                result.check.name: new_pin(plan, result, plain[slug][result.check.name])
                for result in checks
            }
            _write(every)
    return 1 if left and not words.write else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.slack",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="by default all")
    parser.add_argument("--write", action="store_true", help="write the pins anew")
    parser.add_argument("--seed", type=int, default=SEED, help=f"by default {SEED}")
    parser.add_argument("--points", action="store_true", help=argparse.SUPPRESS)
    return parser


def _run(slug: str, seed: int) -> Sequence[CheckResult]:
    return repro.run(
        slug, budget="smoke", tracking="none", seed=seed, overrides=["compute.workers=1"]
    ).result.checks


Numbers = dict[str, tuple[list[float], list[float]]]


def _points(slug: str) -> Numbers:
    """All numbers that the checks of an experiment are pinned to, by check."""
    plan = plan_of(slug)
    return {check.check.name: curve_and_beside(plan, check) for check in _run(slug, SEED)}


def _with_plain_kernels(experiments: Sequence[str]) -> dict[str, Numbers]:
    """Those of experiments, measured in a process of its own with ``PLAIN`` kernels."""
    command = [sys.executable, "-m", "tools.slack", "--points", *experiments]
    env = {**os.environ, **PLAIN}
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _write(every: Mapping[str, Mapping[str, object]]) -> None:
    """A line for each check."""
    blocks = []
    for slug, own in sorted(every.items()):
        lines = [f"    {json.dumps(name)}: {json.dumps(pin)}" for name, pin in own.items()]
        blocks += [f"  {json.dumps(slug)}: {{\n" + ",\n".join(lines) + "\n  }"] if lines else []
    (conf_dir() / PINS).write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
