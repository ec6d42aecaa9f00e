"""The one door by which a stage of a case is replaced: by an ablation, or by a user's own object.

A stage is a field of a family's case that holds an object of the domain: the world, the law of the
labels, the channel or the central noise, the adversary and its order, the reading, the bonus.
Replacing it changes what happens, never what the method believes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from repro.base.errors import BadInput, nearest
from repro.study.case import Case

STAGES = {
    "world": "the instance itself, with the reference that responses are drawn from",
    "labels": "true win probabilities → the law that labels are drawn from",
    "channel": "the local randomizer between labels and learner",
    "noise": "the central mechanism's noise",
    "adversary": "who corrupts labels",
    "order": "corruption before or after the randomizer",
    "reading": "how reports are debiased",
    "bonus": "multiple of the bonus or of optimism: 1 as printed, 0 none, −1 reversed",
    "optimism": "multiple of the bonus of an optimistic learner: 1 as printed, 0 none, −1 reversed",
    "pessimism": "the same of a pessimistic learner",
    "reference": "as_stated, or uniform: what responses are drawn from",
    "estimate": "what the estimator returns, given the truth",
}
"""Name and meaning of every stage."""

AnyCase = TypeVar("AnyCase", bound=Case)


@dataclass(frozen=True)
class Instead:
    """What stands for a stage where it depends on the case.

    Attributes:
        of: case → the object.
    """

    of: Callable[[Case], Any]


def replaced(case: AnyCase, stages: Mapping[str, Any]) -> AnyCase:
    """The case with those of the stages that it has replaced."""
    own = {
        name: stage.of(case) if isinstance(stage, Instead) else stage
        for name, stage in stages.items()
        if name in stages_of(case)
    }
    return dataclasses.replace(case, **own) if own else case


def stages_of(case: Case) -> set[str]:
    """Names of the stages that a case has."""
    return {field.name for field in dataclasses.fields(case)} & set(STAGES)


def refuse_unknown(stages: Mapping[str, Any], cases: Iterable[Case]) -> None:
    """Refuse a stage that is none, or that no case of the run has.

    Raises:
        BadInput: the first such name, with what is allowed.
    """
    there = {name for case in cases for name in stages_of(case)} if stages else set()
    for name, stage in stages.items():
        if name not in there:
            allowed = ", ".join(sorted(there)) or "none: nothing here is drawn"
            raise BadInput(
                f"stages.{name}", _name(stage), f"{nearest(name, there)}allowed: {allowed}"
            )


def _name(stage: Any) -> str:
    return getattr(stage, "__qualname__", type(stage).__qualname__)
