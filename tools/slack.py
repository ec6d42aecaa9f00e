"""Slack of every one-sided check that draws nothing, against ``conf/slack.json``.

python -m tools.slack [EXPERIMENT …]            name those that have left their pin; exit 1
python -m tools.slack --write [EXPERIMENT …]    write the pins anew
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

import numpy as np

import repro
from repro.base.places import conf_dir
from repro.core.results import CheckResult
from repro.core.verdicts import off_its_pin
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import Plan, built
from repro.study.settings import session_of
from repro.study.slack import PINS, numbers_of, pins

CERTAIN = ("exact", "proved", "computed")
"""Evidence of checks whose numbers are the same at every seed, unless some of their cases drew."""


def plan_of(slug: str) -> Plan:
    """The plan of an experiment as it is configured, at smoke."""
    return session_of({**compose_values(slug, {"budget": "smoke"}), "output_dir": "unused"}).plan


def measured(plan: Plan) -> Sequence[CheckResult]:
    """Its checks that draw nothing and are one-sided, judged."""
    one_sided = [
        one.name
        for one, check in zip(built(plan).swept, built(plan).checks, strict=True)
        if one.check.quantity.evidence in CERTAIN
        and getattr(check, "direction", "at_most") != "two_sided"
    ]
    if not one_sided:
        return ()
    found = repro.run(plan.slug, budget="smoke", tracking="none", only=one_sided)
    return [one for one in found.result.checks if _constant(one.outcome.series.values)]


def main(arguments: Sequence[str]) -> int:
    """Compare or write."""
    write = "--write" in arguments
    named = [one for one in arguments if one != "--write"]
    kept, left = {slug: dict(own) for slug, own in pins().items()}, []
    for slug in named or [slug for slug in slugs() if not find(slug).extra]:
        plan = plan_of(slug)
        found = measured(plan)
        left += [f"{slug} {one.check.name}" for one in found if off_its_pin(one.outcome.numbers)]
        kept[slug] = {
            one.check.name: {"of": numbers_of(plan, one.check), "slack": _short(slack)}
            for one in found
            if isinstance(slack := one.outcome.numbers.get("slack"), float)
        }
        if write:
            _write(kept)
    if write:
        return 0
    print("\n".join(f"{one}: its slack has left its pin" for one in left))
    return 1 if left else 0


def _constant(values: np.ndarray) -> bool:
    return not np.ptp(np.nan_to_num(values.reshape(len(values), -1)), axis=1).any()


def _write(kept: Mapping[str, Mapping[str, object]]) -> None:
    """A line for each check."""
    blocks = []
    for slug, own in sorted(kept.items()):
        lines = [f"    {json.dumps(name)}: {json.dumps(pin)}" for name, pin in own.items()]
        blocks += [f"  {json.dumps(slug)}: {{\n" + ",\n".join(lines) + "\n  }"] if lines else []
    (conf_dir() / PINS).write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


def _short(slack: float) -> float:
    return float(f"{slack:.4g}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
