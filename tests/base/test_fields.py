"""What every field of every configuration takes, at its bounds and on both sides of them."""

from __future__ import annotations

import importlib
import math
import pkgutil
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

import repro
from repro.base.schema import Model

USUAL = (-1, 0, 0.5, 1e-6, 1, 2, 2.5, 100, 100.5, 1e18, 1.1e18, math.inf, -math.inf, math.nan)
NO_NUMBERS = (True, "1")
BOUNDS = ("ge", "gt", "le", "lt", "multiple_of")


def models() -> list[type[Model]]:
    """All configurations of the project, by where they stand."""
    for module in pkgutil.walk_packages(repro.__path__, "repro."):
        importlib.import_module(module.name)
    return sorted(set(below(Model)), key=place)


def below(model: type[Model]) -> Iterator[type[Model]]:
    for child in model.__subclasses__():
        if child.__module__.startswith("repro."):
            yield child
            yield from below(child)


def place(model: type) -> str:
    return f"{model.__module__.removeprefix('repro.')}.{model.__qualname__}"


def parts(annotation: Any, metadata: typing.Sequence[Any]) -> Iterator[Any]:
    """Constraints and plain types of an annotation, those inside of it too."""
    for item in metadata:
        if isinstance(item, FieldInfo):
            yield from parts(None, item.metadata)
        else:
            yield item
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        yield from parts(inner, more)
    elif get_origin(annotation) is Literal:
        yield annotation
    elif get_args(annotation):
        for inner in get_args(annotation):
            yield from parts(inner, ())
    else:
        yield annotation


def probes(constraints: list[Any]) -> list[Any]:
    """The usual numbers, each bound, and the next number on both sides of it."""
    values: list[Any] = [*USUAL]
    whole = float not in constraints
    for item in constraints:
        for bound in [getattr(item, name) for name in BOUNDS if hasattr(item, name)]:
            near = (math.nextafter(bound, -math.inf), math.nextafter(bound, math.inf))
            values += [bound, *((bound - 1, bound + 1) if whole else near)]
    return [*sorted(set(values), key=lambda value: (math.isnan(value), value)), *NO_NUMBERS]


def takes(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


def said(name: str, field: FieldInfo) -> str:
    """A field, its default, and which probes it takes; of no number what its type says."""
    inside = list(parts(field.annotation, field.metadata))
    holds = "" if field.is_required() else f" = {field.get_default(call_default_factory=True)!r}"
    plain = get_origin(field.annotation) in (None, typing.Union, types.UnionType)
    if plain and {int, float} & {item for item in inside if isinstance(item, type)}:
        adapter = TypeAdapter(Annotated[field.annotation, field])
        taken = [repr(value) for value in probes(inside) if takes(adapter, value)]
        refused = [repr(value) for value in probes(inside) if not takes(adapter, value)]
        return f"{name}{holds}: {' '.join(taken)}; not {' '.join(refused)}"
    limits = [item for item in inside if isinstance(item, annotated_types.BaseMetadata)]
    choices = [get_args(item) for item in inside if get_origin(item) is Literal]
    patterns = [item.pattern for item in inside if getattr(item, "pattern", None)]
    return f"{name}{holds}: {' '.join(map(str, [*choices, *limits, *patterns]))}".rstrip(": ")


def test_every_field_takes_what_it_took_at_its_bounds_and_beside_them(snapshot):
    """A bound or default that is changed by one number, in any configuration, is seen here."""
    lines = [
        said(f"{place(model)}.{name}", field)
        for model in models()
        for name, field in model.model_fields.items()
    ]
    assert "\n".join(lines) == snapshot
