"""Algorithms of P4 and deliberately wrong versions of them, as changes of a case.

A method takes a case and returns the one that is measured in its place: with another reading,
order or adversary.  The wrong ones are the controls: a verdict that they pass is no verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from repro.corruption import debiasing
from repro.families.robust.adversaries import HUBER, MASK, STRONG, UNIFORM
from repro.families.robust.cases import RobustCase
from repro.study.row import Method, method, privacy_mistake

AnyCase = TypeVar("AnyCase", bound=RobustCase)


def as_it_is(case: AnyCase) -> AnyCase:
    """The case itself: nothing is done wrong."""
    return case


def swapped(case: AnyCase) -> AnyCase:
    """The case under the other order."""
    return replace(case, order=case.order.swapped)


algorithm_1 = Method("algorithm_1", as_it_is)
orders_swapped = Method("orders_swapped", swapped, privacy_mistake=True)


@privacy_mistake
def no_debias(case: AnyCase) -> AnyCase:
    """Wrong: privatised labels taken as clean."""
    return replace(case, reading=debiasing.no_debias)


@privacy_mistake
def shift_without_scale(case: AnyCase) -> AnyCase:
    """Wrong: z + σ(ε) − 1 without the factor c(ε)."""
    return replace(case, reading=debiasing.shift_without_scale)


@privacy_mistake
def cost_squared(case: AnyCase) -> AnyCase:
    """Wrong: c(ε)² in the place of c(ε)."""
    return replace(case, reading=debiasing.cost_squared)


@method
def biased_reading(case: AnyCase) -> AnyCase:
    """Wrong: a flip probability that is 1 % too high."""
    return replace(case, reading=debiasing.biased)


@method
def random_flips(case: AnyCase) -> AnyCase:
    """Wrong: flips that look at nothing, in the place of an adversary."""
    return replace(case, adversary=UNIFORM)


@method
def mask_process(case: AnyCase) -> AnyCase:
    """Wrong: the masks of P4's Appendix D in the place of an adversary."""
    return replace(case, adversary=MASK)


@method
def strong_adversary(case: AnyCase) -> AnyCase:
    """Wrong where the claim is about Huber's corruption."""
    return replace(case, adversary=STRONG)


@method
def huber_adversary(case: AnyCase) -> AnyCase:
    """Wrong where the claim is about the strong adversary."""
    return replace(case, adversary=HUBER)
