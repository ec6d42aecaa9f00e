"""Every algorithm, right and wrong, is a function of a world."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing

from repro.study.discovery import find, slugs

SIGNATURES = (1, 3)
"""(world), or (world, rng, replicates)."""


def kinds_of(algorithm) -> list[type]:
    """The classes that the first parameter of an algorithm is annotated with."""
    of = inspect.unwrap(algorithm)
    first = next(iter(inspect.signature(of).parameters))
    hint = typing.get_type_hints(of).get(first)
    if isinstance(hint, typing.TypeVar):
        hint = hint.__bound__ or typing.Union[hint.__constraints__]  # noqa: UP007
    several = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return [typing.get_origin(one) or one for one in several]


def is_frozen(kind: object) -> bool:
    return dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[union-attr]


def test_algorithms_are_functions_of_a_world():
    wrong = []
    every = [(slug, check) for slug in slugs() for check in find(slug).checks]
    for slug, check in every:
        for algorithm in (check.right, *check.wrong):
            name = f"{slug}, {check.name}: {algorithm.__name__}"
            parameters = inspect.signature(algorithm).parameters.values()
            if sum(one.default is one.empty for one in parameters) not in SIGNATURES:
                wrong.append(f"{name} has {inspect.signature(algorithm)}")
            elif not all(map(is_frozen, kinds_of(algorithm))):
                wrong.append(f"{name}: {kinds_of(algorithm)} is no frozen dataclass")
    assert wrong == []


def test_worlds_are_frozen_dataclasses():
    worlds = [world for slug in slugs() for world in find(slug).worlds.values()]
    assert [world for world in worlds if not is_frozen(world)] == []
