"""Typed configuration: number types, the base model, and one clear line for a wrong value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from repro.base.errors import BadInput, among, nearest

MAX_PAIRS = 10**15
"""Counts up to here are exact in float64."""
LARGEST = 1e18
"""Beyond this a number is a slip, and products of a few such numbers overflow."""
LEAST_BUDGET = 1e-6
MAX_BUDGET = 100.0
"""A finite budget; beyond it no float64 tells randomized response from none: ask for inf."""


def _a_number(value: Any) -> Any:
    """Refuse booleans and text where a number is meant."""
    if isinstance(value, bool | str):
        raise ValueError("a number")
    return value


def _whole(value: Any) -> Any:
    value = _a_number(value)
    if isinstance(value, float) and not (math.isfinite(value) and value == int(value)):
        raise ValueError("a whole number")
    return int(value) if isinstance(value, float) else value


FINITE_BUDGETS = f"1e-6 to {MAX_BUDGET:g}"
BUDGETS = f"{FINITE_BUDGETS}, or inf for no privacy"


def _finite_budget(value: float) -> float:
    if not LEAST_BUDGET <= value <= MAX_BUDGET:
        raise ValueError(f"{_too(value)}; allowed: {FINITE_BUDGETS}")
    return value


def _budget(value: float) -> float:
    if not (LEAST_BUDGET <= value <= MAX_BUDGET or value == math.inf):
        raise ValueError(f"{_too(value)}; allowed: {BUDGETS}")
    return value


def _too(value: float) -> str:
    return "too small" if value < LEAST_BUDGET else "too large" if value > 0 else "not a number"


def _a_budget(words: str) -> BeforeValidator:
    """Say of text which budgets are allowed: ``.inf`` is a word to a command, and none to YAML."""

    def read(value: Any) -> Any:
        if isinstance(value, bool | str):
            raise ValueError(f"not a number; allowed: {words}")
        return value

    return BeforeValidator(read)


def _file_name(value: str) -> str:
    if not value.isprintable():
        raise ValueError("a name of printable characters")
    return value


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a finite number")
    return value


Number = Annotated[float, BeforeValidator(_a_number)]
Whole = Annotated[int, BeforeValidator(_whole)]
Epsilon = Annotated[
    float,
    Field(description="privacy budget, in [1e-6, 100] or inf"),
    AfterValidator(_budget),
    _a_budget(BUDGETS),
]
FiniteEpsilon = Annotated[
    float,
    Field(description="privacy budget, in [1e-6, 100]"),
    AfterValidator(_finite_budget),
    _a_budget(FINITE_BUDGETS),
]
Pairs = Annotated[Whole, Field(ge=1, le=MAX_PAIRS, description="number of labels")]
KLWeight = Annotated[Number, Field(gt=1e-6, lt=1e6, description="weight of KL in the objective")]
Blocks = Annotated[Whole, Field(ge=5, le=1000, description="independent blocks of replicates")]
Probability = Annotated[Number, Field(gt=0, lt=1)]
Share = Annotated[Number, Field(gt=0, lt=1)]
Positive = Annotated[Number, Field(gt=0, le=LARGEST), BeforeValidator(_finite)]
RewardBound = Annotated[Number, Field(gt=0, le=150)]
"""B, of whose e^(4B) doubles still have all digits."""
GridRatio = Annotated[Number, Field(gt=1, le=1000)]
"""Of neighbouring values that lie in equal ratios."""
Finite = Annotated[Number, Field(ge=-LARGEST, le=LARGEST), BeforeValidator(_finite)]
Corruption = Annotated[Number, Field(ge=0, lt=0.5, description="share of labels")]
Count = Annotated[Whole, Field(ge=1, le=10**4)]
FileName = Annotated[str, Field(min_length=1), AfterValidator(_file_name)]


class Model(BaseModel):
    """Base of all configuration: immutable, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T", bound=BaseModel)

LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}
"""pydantic's errors of the length of a list, in our words."""


TYPES = {
    "tuple_type": "a list in brackets",
    "list_type": "a list in brackets",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
    "string_type": "text, in quotes where it has a colon",
}
"""The same of its errors of types, as people write YAML."""


def validate(model: type[T], values: object, prefix: str = "") -> T:
    """Build a model from plain values.

    Args:
        model: the pydantic class.
        values: nested plain containers.
        prefix: where the values stand in the whole config, e.g. ``theorem``.

    Raises:
        BadInput: names the first bad key, its value and what is allowed.
    """
    try:
        return model.model_validate(values)
    except ValidationError as problem:
        raise _bad_input(model, problem, values, prefix) from None


def validate_union(union: Any, values: Mapping[str, object], prefix: str = "") -> Any:
    """One of several models, told apart by a tag among its values.

    Args:
        union: the models.
        values: nested plain containers.
        prefix: where the values stand in the whole config.

    Raises:
        BadInput: names the first bad key, its value and what is allowed.
    """
    try:
        return _adapter(union).validate_python(values)
    except ValidationError as problem:
        raise _bad_input(Model, problem, values, prefix) from None


@cache
def _adapter(union: Any) -> TypeAdapter[Any]:
    """Built once a union: a validator's schema takes a thousand times as long as its use."""
    return TypeAdapter(union)


def _bad_input(
    model: type[BaseModel], problem: ValidationError, values: object, prefix: str
) -> BadInput:
    first = problem.errors(include_url=False)[0]
    parts = _without_tags(first["loc"], values, first["type"] == "missing")
    key = ".".join(str(part) for part in (prefix, *parts) if part != "")
    if first["type"] == "missing":
        return _misspelt(model, parts, values, key) or BadInput(
            key, "(missing)", "a value is required"
        )
    if first["type"] in LENGTHS:
        return BadInput(key, _short(first["input"]), f"allowed: {_length_words(first)}")
    if first["type"] in TYPES:
        shown = "" if isinstance(first["input"], dict | list) else _short(first["input"])
        return BadInput(key, shown, f"allowed: {TYPES[first['type']]}")
    value = "" if isinstance(first["input"], dict | list) else _short(first["input"])
    if first["type"] == "extra_forbidden":
        known = _fields_beside(model, parts)
        allowed = f"; {among(str(parts[-1]), known)}" if known else ""
        return BadInput(key, value, f"unknown key{allowed}")
    if first["type"] == "literal_error":
        expected = first.get("ctx", {}).get("expected", "")
        names = re.findall("'([^']*)'", expected)
        return BadInput(key, value, f"{nearest(str(value), names)}allowed: {expected}")
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return BadInput(key, value, message if "allowed: " in message else f"allowed: {message}")


def _misspelt(
    model: type[BaseModel], parts: list[int | str], values: object, key: str
) -> BadInput | None:
    """A key that is near the missing one and that no field has; nothing where there is none."""
    *outer, absent = parts
    for part in outer:
        values = _item(values, part)
    if not isinstance(values, dict):
        return None
    fields = _fields_beside(model, parts)
    unknown = [str(name) for name in values if name not in fields]
    close = next((name for name in unknown if nearest(name, [str(absent)])), None)
    if close is None:
        return None
    place = key.removesuffix(str(absent))
    return BadInput(f"{place}{close}", "", f"unknown key; {among(close, fields or [str(absent)])}")


def _fields_beside(model: type[BaseModel], parts: list[int | str]) -> list[str]:
    """The fields of the model in which a location ends; none where it is not known."""
    kind: Any = model
    for part in parts[:-1]:
        fields = getattr(kind, "model_fields", {})
        kind = fields[part].annotation if part in fields else _of_values(kind)
    return list(getattr(_bare(kind), "model_fields", {}))


def _of_values(kind: Any) -> Any:
    """What the values of a mapping, or the items of a list, are annotated with."""
    kind = _bare(kind)
    arguments = get_args(kind)
    if not arguments:
        return None
    return _bare(arguments[1] if get_origin(kind) is dict else arguments[0])


def _bare(kind: Any) -> Any:
    """An annotation without ``Annotated`` and without ``| None``."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        others = [member for member in get_args(kind) if member is not NoneType]
        return _bare(others[0]) if len(others) == 1 else None
    return kind


def _length_words(error: Mapping[str, Any]) -> str:
    word, bound = LENGTHS[error["type"]]
    number = error["ctx"][bound]
    return f"{word} {number} {'value' if number == 1 else 'values'}"


def _without_tags(
    parts: tuple[int | str, ...], values: object, last_is_absent: bool
) -> list[int | str]:
    """A location without the names of union members, which the user never wrote."""
    kept: list[int | str] = []
    for place, part in enumerate(parts):
        inside = _item(values, part)
        if inside is not _ABSENT or (last_is_absent and place == len(parts) - 1):
            kept.append(part)
            values = inside
    return kept


_ABSENT = object()


def _item(values: object, part: int | str) -> object:
    if isinstance(values, dict):
        return values.get(part, _ABSENT)
    if isinstance(values, list | tuple) and isinstance(part, int) and part < len(values):
        return values[part]
    return _ABSENT


def _short(value: object) -> object:
    """A value in a message: a number, or text that is not longer than a line."""
    text = str(value)
    if isinstance(value, float):
        return value
    return text if len(text) <= 60 else text[:57] + "..."
