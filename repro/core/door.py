"""The config door: ``conf/theorem/NAME.yaml`` becomes worlds, and worlds become checks in force.

``worlds`` holds fields by name, ``sweeps`` holds for every check its world, its grid, and numbers
that replace fields of that world; ``instances`` the sweeps on another instance than the default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

from pydantic import AfterValidator, ConfigDict, Field

from repro.base.axis_domains import domain_of
from repro.base.errors import BadInput, among
from repro.base.schema import Blocks, Model, Positive, validate, validate_union
from repro.core.check import Check, SweptCheck, Theorem
from repro.core.worlds import FIELD_OF, NO_PLAIN_VALUE, Sweep, field_values, put

DEFAULT_INSTANCE = "linear"
"""The kind of instance that ``sweeps`` are for."""


def _increasing(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(a >= b for a, b in pairwise(values)):
        raise ValueError("values that increase")
    return values


class SweepNumbers(Model):
    """One of ``sweeps``; what else it gives are fields of its world.

    ``replicates`` multiplies the budget's replicates.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    world: str = ""
    grid: Annotated[tuple[Positive, ...], Field(min_length=1), AfterValidator(_increasing)]
    replicates: Positive = 1.0


class TheoremNumbers(Model):
    """What ``conf/theorem/NAME.yaml`` holds.

    Attributes:
        name: of the theorem.
        worlds: by name, fields of one of the theorem's classes of worlds; ``kind`` says which.
        sweeps: by check.
        instances: by another kind of instance, what its sweeps have in place of these; only the
            checks that are named run there.
        laptop_seeds: blocks of budget=laptop, which reads them here; a theorem whose blocks are
            trainings has more, as an interval that misses once in 10⁵ is too wide with twenty.
    """

    name: str
    worlds: dict[str, dict[str, Any]] = {}
    sweeps: dict[str, dict[str, Any]]
    instances: dict[str, dict[str, dict[str, Any]]] = {}
    laptop_seeds: Blocks = 20


def swept_checks(
    theorem: Theorem, numbers: TheoremNumbers, kind: str, only: Sequence[str] | None = None
) -> tuple[SweptCheck, ...]:
    """The checks of a theorem on their worlds: all on the default instance, on another its own.

    Args:
        theorem: what is claimed.
        numbers: the config group.
        kind: of the instance.
        only: names of the checks to build; None for all.

    Raises:
        BadInput: the first wrong key, its value and what is allowed; ``only`` names a check that
            the instance does not have.
    """
    known = [check.name for check in theorem.checks]
    refuse_unknown("theorem.sweeps", numbers.sweeps, known)
    for other, sweeps in numbers.instances.items():
        refuse_unknown(f"theorem.instances.{other}", sweeps, known)
    place, own = sweeps_in_use(numbers, kind)
    for name in known:
        if name not in numbers.sweeps:
            raise BadInput(f"theorem.sweeps.{name}", "(missing)", "a sweep is required")
    worlds = {name: _world(theorem, name, given) for name, given in numbers.worlds.items()}
    for name, sweep in numbers.sweeps.items():
        _numbers(sweep, worlds, f"theorem.sweeps.{name}")
    for other in numbers.instances:  # checked also where another instance is in use
        there, given = sweeps_in_use(numbers, other)
        for name, sweep in given.items():
            _numbers(sweep, worlds, f"{there}.{name}")
    names = [name for name in known if name in own]
    _refuse_unknown_checks(only or (), names)
    return tuple(
        SweptCheck(check, _sweep(check, own[check.name], worlds, f"{place}.{check.name}"))
        for check in theorem.checks
        if check.name in (names if only is None else only)
    )


def _refuse_unknown_checks(only: Iterable[str], names: Sequence[str]) -> None:
    for name in only:
        if name not in names:
            check, _, control = name.partition("/")
            hint = "a control runs with its check; " if control and check in names else ""
            raise BadInput("only", name, hint + among(check if hint else name, names))


def sweeps_in_use(
    numbers: TheoremNumbers, kind: str
) -> tuple[str, Mapping[str, Mapping[str, Any]]]:
    """Where the sweeps on a kind of instance stand in the config, and the sweeps."""
    if kind == DEFAULT_INSTANCE:
        return "theorem.sweeps", numbers.sweeps
    others = numbers.instances.get(kind, {})
    merged = {name: {**numbers.sweeps[name], **more} for name, more in others.items()}
    return f"theorem.instances.{kind}", merged


def refuse_unknown(place: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Refuse the first name that is not known.

    Raises:
        BadInput: with the nearest that is.
    """
    for name in names:
        if name not in known:
            raise BadInput(f"{place}.{name}", "(unknown)", among(name, sorted(known)))


def _sweep(check: Check, values: Mapping[str, Any], worlds: Mapping[str, Any], place: str) -> Sweep:
    numbers, world = _numbers(values, worlds, place)
    if len(numbers.grid) < check.claim.fewest:
        least = f"allowed: at least {check.claim.fewest} values"
        raise BadInput(f"{place}.grid", list(numbers.grid), least)
    domain = domain_of(check.axis)
    for order, value in enumerate(numbers.grid):
        if not domain.allows(value):
            raise BadInput(f"{place}.grid.{order}", f"{value:g}", f"allowed: {domain.words}")
    more = {field: meant(type(world), field, value, place)
            for field, value in (numbers.model_extra or {}).items()}  # fmt: skip
    world = put(world, more, place) if more else world
    axis = check.at or check.axis
    if axis.partition(".")[0] not in field_values(world) and axis not in FIELD_OF:
        allowed = f"{type(world).__name__} has no such field; {among(axis, field_values(world))}"
        raise BadInput(f"{check.name}.{'at' if check.at else 'axis'}", axis, allowed)
    given = numbers.grid, numbers.replicates, check.at, f"{place}.grid"
    return Sweep.of(world, check.axis, *given)


def _numbers(
    values: Mapping[str, Any], worlds: Mapping[str, Any], place: str
) -> tuple[SweepNumbers, Any]:
    """The numbers of a sweep, and its world."""
    numbers = validate(SweepNumbers, values, place)
    name = numbers.world or _only(worlds, place)
    if name not in worlds:
        raise BadInput(f"{place}.world", name, among(name, worlds))
    known = field_values(worlds[name])
    for field in numbers.model_extra or {}:
        if field.partition(".")[0] not in known:
            raise BadInput(f"{place}.{field}", "(unknown)", among(field, known))
    return numbers, worlds[name]


def _only(worlds: Mapping[str, Any], place: str) -> str:
    """The world of a config that has one."""
    if len(worlds) == 1:
        return next(iter(worlds))
    known = ", ".join(worlds) or "a world that is written below theorem.worlds"
    raise BadInput(f"{place}.world", "(missing)", f"allowed: {known}")


def _world(theorem: Theorem, name: str, values: Mapping[str, Any]) -> Any:
    """A world of one of the theorem's classes."""
    given, place = dict(values), f"theorem.worlds.{name}"
    kind = given.pop("kind", None)
    if kind is None and len(theorem.worlds) == 1:
        kind = next(iter(theorem.worlds))
    if kind is None:
        raise BadInput(f"{place}.kind", "(missing)", f"write kind: {' or '.join(theorem.worlds)}")
    if not isinstance(kind, str) or kind not in theorem.worlds:
        raise BadInput(f"{place}.kind", kind, f"allowed: {', '.join(theorem.worlds)}")
    return from_values(theorem.worlds[kind], given, place)


def from_values(kind: type, given: Mapping[str, Any], place: str) -> Any:
    """An object of a frozen dataclass from plain values.

    Raises:
        BadInput: an unknown field, a value that it does not allow, or one that is missing.
    """
    known = [field.name for field in fields(kind) if field.init]
    for name in given:
        if name not in known:
            raise BadInput(f"{place}.{name}", "(unknown)", among(name, known))
    for field in fields(kind):
        needed = field.init and field.default is MISSING and field.default_factory is MISSING
        if needed and given.get(field.name) is None:
            raise BadInput(f"{place}.{field.name}", "(missing)", "a value is required")
    values = {name: meant(kind, name, value, place) for name, value in given.items()}
    return put(kind, values, place)


def meant(kind: type, field: str, value: Any, place: str) -> Any:
    """What a word, or a mapping, means as a field of a world; a number is itself.

    A mapping is the fields of the dataclass that the field's annotation names, or what the class
    makes of it (``words``: by field, (word → object) or a function of the mapping).

    Raises:
        BadInput: a word that is not known, or a field of the mapping that is wrong.
    """
    words = words_of(kind).get(field)
    if isinstance(value, str) and isinstance(words, Mapping):
        if value not in words:
            raise BadInput(f"{place}.{field}", value, among(value, words))
        return words[value]
    if isinstance(value, Mapping):
        if callable(words):
            return words(value)
        if "." in field:
            return value
        hint = _hints(kind).get(field)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            return from_values(hint, value, f"{place}.{field}")
        if hint is not None:
            try:
                return validate_union(hint, value, f"{place}.{field}")
            except NO_PLAIN_VALUE:
                allowed = "allowed: an object, from Python"
                raise BadInput(f"{place}.{field}", dict(value), allowed) from None
    return value


@lru_cache(maxsize=1024)
def _hints(kind: type) -> Mapping[str, Any]:
    """The annotations of a class, which are text until they are asked for."""
    return get_type_hints(kind, include_extras=True)


def words_of(kind: type) -> Mapping[str, Any]:
    """By field, what a word of the config stands for; of a class and those it derives from."""
    words: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        words |= vars(base).get("words", {})
    return words
