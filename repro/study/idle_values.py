"""What a user gave, against what is shipped: no key may go or be invented, and each has an effect.

Whether a value has an effect is seen by comparing worlds: put back, or left out, it must change one
of them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput, among
from repro.base.notation import AXES
from repro.base.places import conf_dir
from repro.core.check import SweptCheck
from repro.core.door import sweeps_in_use
from repro.study.experiment import Overrides
from repro.study.plan import Plan, built

REQUIRED = "a value is required"
NAMED_ELSEWHERE = ("instance.path", "instance.digest")
"""Which text pairs a run reads; its instance says that it reads some."""
NUMBERS_STAND_IN = ("theorem.sweeps", "theorem.worlds", "theorem.instances")


@cache
def shipped(path: Path) -> Mapping[str, Any]:
    """A file of a config group without its defaults list, as Hydra reads it: 1e5 is a number to
    it, and a word to plain YAML.
    """
    from omegaconf import OmegaConf

    if not path.is_file():
        return {}
    values = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    return {str(k): v for k, v in values.items() if k != "defaults"}  # type: ignore[union-attr]


def shipped_instance(kind: str) -> Mapping[str, Any]:
    """The file of a kind of instance."""
    return shipped(conf_dir() / "instance" / f"{kind}.yaml")


def refuse_departures(kept: Mapping[str, Any], given: Mapping[str, Any], place: str = "theorem"):
    """Compare the keys of a composed node with those of its file.

    Raises:
        BadInput: a key of the file is missing or null, or a name is not in the file.
    """
    for key, value in kept.items():
        at = f"{place}.{key}"
        if key not in given:
            raise BadInput(at, "(missing)", REQUIRED)
        if value is not None and given[key] is None and place.startswith(NUMBERS_STAND_IN):
            raise BadInput(at, "null", REQUIRED)
        if isinstance(value, Mapping) and isinstance(given[key], Mapping):
            refuse_departures(value, given[key], at)
    # a mapping of mappings holds things by name: worlds, sweeps
    for key in given if all(isinstance(value, Mapping) for value in kept.values()) else ():
        if kept and key not in kept:
            raise BadInput(f"{place}.{key}", "(unknown)", among(str(key), kept))


def refuse_without_effect(plan: Plan, kept: Mapping[str, Any], instance: Mapping[str, Any]) -> None:
    """Refuse the first value of a plan that changes no world.

    Args:
        plan: checked.
        kept: the theorem's config as it is shipped.
        instance: the composed kind of instance as it is shipped.

    Raises:
        BadInput: the key, its value, and that it has no effect.
    """
    for key, value in _idle(plan, kept, instance):
        usable = _usable(built(plan).swept)
        chosen = f" with only={','.join(plan.only)}" if plan.only else ""
        why = _why(plan, key, value)
        raise BadInput(key, value, f"changes nothing in {plan.slug}{chosen}{why}; {usable}")


def _idle(plan: Plan, kept, instance) -> Iterator[tuple[str, Any]]:
    """Key and value of what has no effect."""
    setting, experiment = plan.setting, built(plan)
    checks = experiment.swept
    for name, value in experiment.overrides.items():
        if not any(check.takes(name) for check in checks):
            yield name, value
    for name in ("channel", "regulariser", "reward_class"):
        taken = "response" if name == "channel" else name
        if (chosen := getattr(setting, name)) and not any(check.takes(taken) for check in checks):
            yield name, str(chosen)
    meant = _worlds(plan)
    for path, value, old in _differences(plan.config, kept):
        if _worlds(replace(plan, config=_with(plan.config, path, old))) == meant:
            yield ".".join(("theorem", *path)), value
    if not any(map(experiment.uses_instance, checks)):
        for path, value, _ in _differences(setting.instance, instance):
            yield ".".join(("instance", *path)), value


def _worlds(plan: Plan) -> list[object] | None:
    """What is measured where, and how often; None where it cannot be built: then a value counts."""
    try:
        return [(check.identity, check.sweep.replicates) for check in built(plan).swept]
    except BadInput:
        return None


def _differences(given: Mapping[str, Any], meant: Mapping[str, Any], at: tuple[str, ...] = ()):
    """Path, value and shipped value of every leaf that both have and that differs."""
    for key, old in meant.items():
        if key not in given or given[key] == old:
            continue
        if isinstance(old, Mapping) and isinstance(given[key], Mapping):
            yield from _differences(given[key], old, (*at, key))
        else:
            yield (*at, key), given[key], old


def changed_numbers(values: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """What a composed config has in place of shipped numbers of experiment, instance and budget.

    Top-level keys and groups are not among them: they have words of their own.

    Args:
        values: of the whole config, without the ``hydra`` node.
        kept: the theorem's config as it is shipped.

    Returns:
        By path, such as ``theorem.sweeps.n_pairs.epsilon``, the value of this run.
    """
    from omegaconf import OmegaConf

    instance, budget = values["instance"], values["budget"]
    there = {
        "theorem": kept,
        "instance": shipped_instance(instance["kind"]),
        "budget": shipped(conf_dir() / "budget" / f"{budget['name']}.yaml"),
    }
    whole = OmegaConf.create({group: values[group] for group in there})

    def leaves(given: Any, meant: Any, at: str) -> Iterator[tuple[str, Any]]:
        if isinstance(meant, str) and meant.startswith("${"):  # stands for another part
            meant = OmegaConf.to_container(OmegaConf.merge(whole, {"meant": meant}), resolve=True)
            meant = meant["meant"]  # type: ignore[index]
        if isinstance(given, Mapping) and isinstance(meant, Mapping):
            for key, value in given.items():
                yield from leaves(value, meant.get(key), f"{at}.{key}")
        elif given != meant:
            yield at, given

    changed = {path: value for group in there
               for path, value in leaves(values[group], there[group], group)}  # fmt: skip
    return {path: value for path, value in changed.items() if path not in NAMED_ELSEWHERE}


def _with(config: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy with the value at a path."""
    copied = copy.deepcopy(dict(config))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copied


def _why(plan: Plan, key: str, value: Any) -> str:
    """The path that has the effect of a top-level number; nothing where there is none.

    It is the grid of a check that sweeps the number, or a field of a check whose claim is about
    the number's own value.
    """
    experiment = built(plan)
    place, _ = sweeps_in_use(experiment.numbers, plan.setting.instance_kind)
    swept = [c for c in experiment.swept if key in (c.sweep.axis, c.sweep.at)]
    if swept:
        first, axis = swept[0].name, swept[0].sweep.axis
        names = f"{first} and {len(swept) - 1} more sweep" if swept[1:] else f"{first} sweeps"
        values = "" if axis == key else f" of {AXES.get(axis, axis)}"
        return f": {names} it, so set {place}.{first}.grid=[...]{values}"
    now, typed = _worlds(plan), str(value).removesuffix(".0")
    for check in experiment.swept:
        if key not in experiment.overrides or key not in check.check.keeps:
            continue
        path = (*place.split(".")[1:], check.name, key)
        other = _worlds(replace(plan, config=_with(plan.config, path, value)))
        if other is not None and other != now:
            return f": {check.name} has its own, so set {'.'.join(('theorem', *path))}={typed}"
    return ""


def _usable(checks: Sequence[SweptCheck]) -> str:
    """The top-level numbers that have an effect in some check."""
    there = sorted(
        name for name in Overrides.model_fields if any(check.takes(name) for check in checks)
    )
    return f"allowed: {', '.join(there) or 'none of epsilon, n_pairs, horizon'}"
