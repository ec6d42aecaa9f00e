"""Stages: fields of a world that hold an object of the domain, and that can be taken away by name.

Replacing one changes what happens, never what the algorithm believes.  The command line knows some
by name, e.g. ``stages.labels=fair_coins``; from Python any object may stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from repro.base.errors import BadInput, nearest
from repro.core.fingerprint import fingerprint

STAGES = {
    "world": "the instance itself, with the reference that responses are drawn from",
    "labels": "true win probabilities → the law that labels are drawn from",
    "channel": "the local randomizer between labels and learner",
    "noise": "the central mechanism's noise",
    "adversary": "who corrupts labels",
    "order": "corruption before or after the randomizer",
    "reading": "how reports are debiased",
    "optimism": "multiple of the bonus of an optimistic learner: 1 as printed, 0 none, −1 reversed",
    "pessimism": "the same of a pessimistic learner",
    "reference": "as_stated, or uniform: what responses are drawn from",
    "estimate": "what the estimator returns, given the truth",
}
"""Name and meaning of every stage."""
NUMBERS = frozenset({"optimism", "pessimism"})
"""Stages that are a multiple and no object."""
LARGEST = 1e6
"""A bonus times more than this is no question about the bonus, and overflows in exponents."""


@cache
def _named() -> Mapping[str, Mapping[str, Any]]:
    """Every stage that has a name; imported when a stage is given, since torch takes a second."""
    from repro.labels.preferences import label_law as law
    from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE

    bonus = {"as_printed": 1.0, "none": 0.0, "reversed": -1.0}
    return {
        "labels": {"bradley_terry": law.bradley_terry, "fair_coins": law.fair_coins},
        "channel": {
            "randomized_response": law.randomized_response,
            "no_randomizer": law.no_randomizer,
        },
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE},
        "estimate": {"as_fitted": law.as_fitted, "the_truth": law.the_truth},
        "optimism": bonus,
        "pessimism": bonus,
        "reference": {"as_stated": "as_stated", "uniform": "uniform"},
    }


def named_stages(given: Mapping[str, Any]) -> dict[str, Any]:
    """The stages of a config: a name stands for the object of that name, an object for itself.

    Raises:
        BadInput: no such stage, or no object of that name.
    """
    refuse_unknown(given, STAGES)
    return {name: _stage(name, value) for name, value in given.items() if value is not None}


def refuse_unknown(given: Mapping[str, Any], there: Iterable[str]) -> None:
    """Refuse the first stage that is none, or that no world of the run has.

    Raises:
        BadInput: its name, with what is allowed.
    """
    known = [name for name in STAGES if name in there]
    for name, stage in given.items():
        if name not in known:
            description = stage if isinstance(stage, str) else _name(stage)
            allowed = ", ".join(known) or "none: nothing here is drawn"
            raise BadInput(
                f"stages.{name}", description, f"{nearest(name, known)}allowed: {allowed}"
            )


def _name(stage: Any) -> str:
    return getattr(stage, "__qualname__", type(stage).__qualname__)


def _stage(name: str, value: Any) -> Any:
    words = _named().get(name, {})
    allowed = ", ".join(words) or "an object, from Python"
    if type(value) is str:  # an object of a StrEnum is the object itself, not a name
        if value not in words:
            raise BadInput(f"stages.{name}", value, f"{nearest(value, words)}allowed: {allowed}")
        return words[value]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # what only YAML could have given is no object of the domain
    if isinstance(value, bool | list | dict) or number != (name in NUMBERS):
        raise BadInput(f"stages.{name}", value, f"allowed: {allowed}")
    if number and not abs(value) <= LARGEST:  # nan is refused too
        raise BadInput(f"stages.{name}", value, f"allowed: a number within ±{LARGEST:g}")
    return value


def in_words(stages: Mapping[str, Any]) -> dict[str, str]:
    """The stages as config.yaml shows them: what each is, and a hash of its content."""
    return {
        name: f"{type(stage).__qualname__} {fingerprint(stage)[:12]}"
        for name, stage in stages.items()
    }
