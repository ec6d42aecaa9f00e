"""Slack and curve of every check against ``conf/slack.json``, at smoke.

python -m tools.slack [EXPERIMENT …]            name those that have left their pin; exit 1
python -m tools.slack --write [EXPERIMENT …]    write the pins anew
python -m tools.slack --seed=3 [EXPERIMENT …]   compare at another seed
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

import repro
from repro.base.places import conf_dir
from repro.core.verdicts import off_its_pin
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import Plan
from repro.study.settings import session_of
from repro.study.slack import PINS, new_pin, pins


def plan_of(slug: str) -> Plan:
    """The plan of an experiment as it is configured, at smoke."""
    return session_of({**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}).plan


def main(arguments: Sequence[str]) -> int:
    """Compare or write."""
    write = "--write" in arguments
    named = [word for word in arguments if not word.startswith("--")]
    seed = next((int(word[7:]) for word in arguments if word.startswith("--seed=")), 0)
    every, left = {slug: dict(own) for slug, own in pins().items()}, []
    for slug in named or [slug for slug in slugs() if not find(slug).extra]:
        plan = plan_of(slug)
        checks = repro.run(
            slug, budget="smoke", tracking="none", seed=seed, overrides=["compute.workers=1"]
        ).result.checks
        for result in checks:
            numbers = result.outcome.numbers
            if off_its_pin(numbers):
                words = {key: numbers.get(key) for key in ("slack", "slack_pinned", "off_curve")}
                left.append(f"{slug} {result.check.name}: has left its pin, {words}")
                print(left[-1], flush=True)
        if write:
            every[slug] = {result.check.name: new_pin(plan, result) for result in checks}
            _write(every)
    return 1 if left and not write else 0


def _write(every: Mapping[str, Mapping[str, object]]) -> None:
    """A line for each check."""
    blocks = []
    for slug, own in sorted(every.items()):
        lines = [f"    {json.dumps(name)}: {json.dumps(pin)}" for name, pin in own.items()]
        blocks += [f"  {json.dumps(slug)}: {{\n" + ",\n".join(lines) + "\n  }"] if lines else []
    (conf_dir() / PINS).write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
