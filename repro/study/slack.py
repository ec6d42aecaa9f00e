"""How much sharper a one-sided claim could be before a run fails it, and the pin of that.

``slack`` of an inequality, a frequency or a bound is a factor, of a slope the distance to the
exponent that is claimed.  ``conf/slack.json`` keeps it for checks that draw nothing, with a hash of
the numbers that it belongs to: a run with other numbers is not held to it.
``python -m tools.slack --write`` writes the file.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from repro.base.places import conf_dir
from repro.core.claims import DeclaredCheck
from repro.core.door import DEFAULT_INSTANCE
from repro.core.fingerprint import fingerprint
from repro.study.plan import Plan

PINS = "slack.json"


@cache
def pins() -> dict[str, dict[str, dict[str, Any]]]:
    """By experiment and check: ``of``, the hash of its numbers, and ``slack``."""
    return json.loads((conf_dir() / PINS).read_text(encoding="utf-8"))


def numbers_of(plan: Plan, check: DeclaredCheck) -> str:
    """A short hash of the numbers in force of a check; empty where they are another instance's."""
    if plan.setting.instance_kind != DEFAULT_INSTANCE:
        return ""
    sweep = plan.config["sweeps"][check.name]
    worlds = plan.config["worlds"]
    world = worlds.get(sweep.get("world"), worlds)  # of one world alone a sweep names none
    return fingerprint((sweep, world, dict(check.settings), check.grid))[:8]


def pinned(plan: Plan, check: DeclaredCheck) -> float | None:
    """The slack that a check is pinned to at these numbers, if it is."""
    pin = pins().get(plan.slug, {}).get(check.name)
    return pin["slack"] if pin and pin["of"] == numbers_of(plan, check) else None
