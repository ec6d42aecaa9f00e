"""The numbers that the code names: what each field takes at its bounds, each constant and default.

All are read off the code as it runs and compared with a record.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import math
import pkgutil
import types
import typing
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

import repro
from repro.base.schema import Model

USUAL = (-1, 0, 0.5, 1e-6, 1, 2, 2.5, 100, 100.5, 1e18, 1.1e18, math.inf, -math.inf, math.nan)
NO_NUMBERS = (True, "1")
BOUNDS = ("ge", "gt", "le", "lt", "multiple_of")


def modules() -> list[ModuleType]:
    names = [module.name for module in pkgutil.walk_packages(repro.__path__, "repro.")]
    return [importlib.import_module(name) for name in sorted(names)]


def models() -> list[type[Model]]:
    """All configurations of the project, by where they stand."""
    modules()
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


OTHERWISE_HELD = {"OF_THE_MACHINE", "_LATER", "_VISIBLE"}
"""Numbers of errors, which each system has its own of; tables of Unicode, as Python knows it."""


def has_number(value: object) -> bool:
    """Whether a plain value is a number or holds one, and nothing that is not plain."""
    if isinstance(value, dict):
        return has_number([*value, *value.values()])
    if isinstance(value, tuple | list | set | frozenset):
        plain = all(isinstance(item, str) or has_number(item) for item in value)
        return plain and any(has_number(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return has_number([getattr(value, field.name) for field in dataclasses.fields(value)])
    plain = value is None or isinstance(value, bool | int | float | Decimal | Fraction)
    return plain and not isinstance(value, Enum)


def digits(value: Any) -> str:
    """A number to twelve digits, the same on every machine; what holds numbers, in order."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {digits(item)}' for key, item in value.items())}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(digits, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(digits, value)))}}}"
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        inside = (f"{field.name}={digits(getattr(value, field.name))}" for field in fields)
        return f"{type(value).__name__}({', '.join(inside)})"
    return repr(value)


def named_numbers(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Constants of a module, defaults of its functions, methods and fields of dataclasses."""
    for statement in ast.parse(inspect.getsource(module)).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets += [statement.target] if isinstance(statement, ast.AnnAssign) else []
        constants = (node.id for node in _names(targets) if node.id.isupper())  # others may move
        for name in constants:
            yield name, getattr(module, name, None)
    own = [thing for thing in vars(module).values() if _is_of(module, thing)]
    for thing in own:
        if isinstance(thing, FunctionType):
            yield from _defaults(thing)
        elif isinstance(thing, type):
            for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
                if field.name in vars(thing).get("__annotations__", {}):
                    yield f"{thing.__qualname__}.{field.name}", field.default
            for part in vars(thing).values():
                if isinstance(part, FunctionType) and part.__name__ != "__init__":
                    yield from _defaults(part)


def _names(targets: list[ast.expr]) -> Iterator[ast.Name]:
    for target in targets:
        yield from (node for node in ast.walk(target) if isinstance(node, ast.Name))


def _is_of(module: ModuleType, thing: object) -> bool:
    return getattr(thing, "__module__", "") == module.__name__


def _defaults(function: FunctionType) -> Iterator[tuple[str, object]]:
    for name, parameter in inspect.signature(function).parameters.items():
        yield f"{function.__qualname__}.{name}", parameter.default


def test_every_number_that_the_code_names_is_the_recorded_one(snapshot):
    """Levels, shares, sizes, tolerances: fixed before a run, and changed on purpose or not at all.

    A number that is changed on purpose is recorded anew by ``pytest --snapshot-update``.
    """
    lines = sorted({
        f"{module.__name__.removeprefix('repro.')}.{name} = {digits(value)}"
        for module in modules()
        for name, value in named_numbers(module)
        if value is not None and has_number(value) and name not in OTHERWISE_HELD
    })  # fmt: skip
    assert "\n".join(lines) == snapshot
