"""Algorithms of P4 and deliberately wrong versions of them, as changes of a case.

A method takes a case and returns the one that is measured in its place: with another reading,
order or adversary.  The wrong ones are the controls: a verdict that they pass is no verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from repro.corruption import debiasing
from repro.families.robust.adversaries import MASK, UNIFORM
from repro.families.robust.cases import RobustCase
from repro.study.row import Method, method

AnyCase = TypeVar("AnyCase", bound=RobustCase)


def as_it_is(case: AnyCase) -> AnyCase:
    """The case itself: nothing is done wrong."""
    return case


def swapped(case: AnyCase) -> AnyCase:
    """The case under the other order."""
    return replace(case, order=case.order.swapped)


orders_swapped = Method("orders_swapped", swapped, privacy_mistake=True)


def with_fields(name: str, privacy_mistake: bool = False, **fields: Any) -> Method:
    """A wrong version by its name: the case with some fields at other values."""
    return Method(name, lambda case: replace(case, **fields), privacy_mistake)


no_debias = with_fields("no_debias", True, reading=debiasing.no_debias)
"""Wrong: privatised labels taken as clean."""
shift_without_scale = with_fields(
    "shift_without_scale", True, reading=debiasing.shift_without_scale
)
"""Wrong: z + σ(ε) − 1 without the factor c(ε)."""
cost_squared = with_fields("cost_squared", True, reading=debiasing.cost_squared)
"""Wrong: c(ε)² in the place of c(ε)."""
random_flips = with_fields("random_flips", adversary=UNIFORM)
"""Wrong: flips that look at nothing, in the place of an adversary."""
mask_process = with_fields("mask_process", adversary=MASK)
"""Wrong: the masks of P4's Appendix D in the place of an adversary."""


@method
def half_more_flips(case: AnyCase) -> AnyCase:
    """Wrong: α half as large again."""
    return replace(case, corruption=1.5 * case.corruption)
