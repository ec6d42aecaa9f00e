"""An override that changes nothing is a mistake worth a line: which do, found out by building.

Every value that differs from the shipped config is put back, alone, and every top-level number is
exchanged for another; if what the run would measure and judge stays the same to the last bit, the
override has no effect.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from repro.base.errors import BadInput
from repro.study.config import Overrides
from repro.study.fingerprint import fingerprint
from repro.study.plan import Plan, built
from repro.study.row import INSTANCE

Path = tuple[str, ...]


def refuse_without_effect(plan: Plan, shipped: Mapping[str, Any], instance: Mapping[str, Any]):
    """Refuse the first value of a plan that changes nothing in it.

    Args:
        plan: checked.
        shipped: the experiment's config as it is shipped.
        instance: the composed kind of instance as it is shipped.

    Raises:
        BadInput: the key, its value, and that it has no effect.
    """
    meant = _identity(plan)
    for key, value, changed in _each_changed(plan, shipped, instance):
        if _would_be(changed) == meant:
            raise BadInput(key, value, f"changes nothing in {plan.slug}; {_usable(plan)}")


def _each_changed(plan: Plan, shipped, instance) -> Iterator[tuple[str, Any, Plan]]:
    """Key, value and the plan with another value there, for all that was given."""
    setting = plan.setting
    for name, value in setting.overrides:
        if value is not None:
            # Not put back: a number may be given that is in force anyway.
            other = 2 * value if math.isfinite(value) else 1.0
            given = setting.overrides.model_copy(update={name: other})
            yield name, value, replace(plan, setting=replace(setting, overrides=given))
    for name in ("channel", "regulariser", "reward_class"):
        if (chosen := getattr(setting, name)) is not None:
            yield name, str(chosen), replace(plan, setting=replace(setting, **{name: None}))
    for path, value, old in _differences(plan.config, shipped):
        yield (
            ".".join(("theorem", *path)),
            value,
            replace(plan, config=_with(plan.config, path, old)),
        )
    if not any(trial.row.on == INSTANCE for trial in built(plan).trials):
        for path, value, _ in _differences(setting.instance, instance):
            yield ".".join(("instance", *path)), value, plan


def _would_be(plan: Plan) -> str | None:
    """The identity of a plan; None where it cannot be built: then the value counts."""
    try:
        return _identity(plan)
    except BadInput:
        return None


def _identity(plan: Plan) -> str:
    """What is measured and how it is judged; settings that nobody reads do not count."""
    judged = [replace(trial.check, settings={}) for trial in built(plan).trials]
    return fingerprint([[trial.identity for trial in built(plan).trials], judged])


def _differences(given: Mapping[str, Any], meant: Mapping[str, Any], at: Path = ()):
    """Path, value and shipped value of every leaf that both have and that differs."""
    for key, old in meant.items():
        if key not in given or given[key] == old:
            continue
        if isinstance(old, Mapping) and isinstance(given[key], Mapping):
            yield from _differences(given[key], old, (*at, key))
        else:
            yield (*at, key), given[key], old


def _with(config: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy with the value at a path."""
    found = copy.deepcopy(dict(config))
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return found


def _usable(plan: Plan) -> str:
    """The top-level numbers that have an effect in some row."""
    there = {
        name
        for trial in built(plan).trials
        for name in Overrides.model_fields
        if name not in trial.row.fixed and trial.check.settings.get(name) is not None
    }
    return f"allowed: {', '.join(sorted(there)) or 'none of epsilon, n_pairs, horizon'}"
