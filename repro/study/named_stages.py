"""Stages that the command line knows by name, e.g. ``stages.labels=fair_coins``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from repro.base.errors import BadInput, nearest
from repro.study.fingerprint import fingerprint
from repro.study.stages import STAGES

NUMBERS = frozenset({"bonus", "optimism", "pessimism"})
"""Stages that are a multiple and no object."""
LARGEST = 1e6
"""A bonus times more than this is no question about the bonus, and overflows in exponents."""


@cache
def _named() -> Mapping[str, Mapping[str, Any]]:
    """Every stage that has a name; imported when a stage is given, since torch takes a second."""
    from repro.preferences import label_law as law
    from repro.privacy.central_noise import GAUSSIAN, NO_NOISE

    bonus = {"as_printed": 1.0, "none": 0.0, "reversed": -1.0}
    return {
        "labels": {"bradley_terry": law.bradley_terry, "fair_coins": law.fair_coins},
        "channel": {
            "randomized_response": law.randomized_response,
            "no_randomizer": law.no_randomizer,
        },
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE},
        "estimate": {"as_fitted": law.as_fitted, "the_truth": law.the_truth},
        "bonus": bonus,
        "optimism": bonus,
        "pessimism": bonus,
        "reference": {"as_stated": "as_stated", "uniform": "uniform"},
    }


def named_stages(given: Mapping[str, Any]) -> dict[str, Any]:
    """The stages of a config: a name stands for the object of that name, an object for itself.

    Raises:
        BadInput: no such stage, or no object of that name.
    """
    for name, value in given.items():
        if name not in STAGES:
            allowed = f"{nearest(name, STAGES)}allowed: {', '.join(STAGES)}"
            raise BadInput(f"stages.{name}", value, allowed)
    return {name: _stage(name, value) for name, value in given.items() if value is not None}


def _stage(name: str, value: Any) -> Any:
    if type(value) is not str:  # an object of a StrEnum is the object itself, not a name
        return _object(name, value)
    known = _named().get(name, {})
    if value not in known:
        allowed = ", ".join(known) or "an object, from Python"
        raise BadInput(f"stages.{name}", value, f"{nearest(value, known)}allowed: {allowed}")
    return known[value]


def _object(name: str, value: Any) -> Any:
    """An object that can stand for a stage; what only YAML could have given is refused."""
    if isinstance(value, bool | list | dict) or (
        isinstance(value, int | float) != (name in NUMBERS)
    ):
        known = ", ".join(_named().get(name, {})) or "an object, from Python"
        raise BadInput(f"stages.{name}", value, f"allowed: {known}")
    if name in NUMBERS and not abs(value) <= LARGEST:  # nan is refused too
        raise BadInput(f"stages.{name}", value, f"allowed: a number within ±{LARGEST:g}")
    return value


def in_words(stages: Mapping[str, Any]) -> dict[str, str]:
    """The stages as config.yaml shows them: what each is, and a hash of its content."""
    return {
        name: f"{type(one).__qualname__} {fingerprint(one)[:12]}" for name, one in stages.items()
    }
