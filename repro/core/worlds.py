"""A world is a frozen dataclass: all that a measurement reads; ``put`` is how one becomes another.

Sweeps, numbers of the command line, Hydra groups, stages and ablations all replace fields.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache
from typing import Any, get_type_hints

from pydantic import ConfigDict, StrictBool, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import SchemaError

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.base.schema import MAX_PAIRS, Model, validate

FIELD_OF: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "privacy_cost": ("epsilon", epsilon_of_cost),
    "epsilon_minus_one": ("epsilon", math.log1p),
    "log_inverse_delta": ("failure_prob", lambda value: math.exp(-value)),
    "inverse_reference": ("best_share", lambda value: 1 / value),
    "coverage": ("mass", lambda value: 1 / value),
    "inverse_reward_bound": ("reward_bound", lambda value: 1 / value),
}
"""Axes that set another field of a world that lacks one of their own name, and by what formula."""
PLAIN = (bool, int, float, str, list, tuple)
"""What YAML and the command line give; anything else is an object of the domain already."""
NO_PLAIN_VALUE = (SchemaError, PydanticSchemaGenerationError)
"""Raised for the annotation of a field that holds an object of the domain."""


@cache
def _reader(kind: type, name: str) -> Any:
    """What a field's annotation allows; built once, since that takes longer than its use."""
    hint: Any = get_type_hints(kind, include_extras=True)[name]
    if hint is bool:
        return TypeAdapter(StrictBool)  # 0 and "yes" are not meant as answers
    if dataclasses.is_dataclass(hint) or (isinstance(hint, type) and issubclass(hint, Model)):
        return TypeAdapter(hint)  # type: ignore[arg-type]
    return TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True))


def put(world: Any, values: Mapping[str, Any], place: str = "") -> Any:
    """The world with fields replaced: the one operation behind sweeps, overrides and ablations.

    Args:
        world: an object; or a class of worlds, of which one is made.
        values: by field, ``"truth.kl_weight"`` for one of a field's own; a name that is no field
            of the world is one of its ``instance``.  Numbers and words become what the field's
            annotation says (1e8 labels are a whole number); other objects stay what they are.
        place: where the values stand, for the message.

    Raises:
        BadInput: a value that the field does not allow.

    >>> @dataclass(frozen=True)
    ... class World:
    ...     n_pairs: int = 1
    >>> put(World(), {"n_pairs": 1e3})
    World(n_pairs=1000)
    """
    if isinstance(world, Model):  # the numbers that an instance is built from
        return validate(type(world), dict(world) | dict(values), place)
    kind: Any = world if isinstance(world, type) else type(world)
    own = {field.name for field in fields(kind)}
    read: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        head, _, rest = path.partition(".")
        if rest:
            inner.setdefault(head, {})[rest] = value
        elif head in own:
            read[head] = _read(kind, head, value, place)
        else:
            inner.setdefault("instance", {})[head] = value
    if world is kind:
        return _made(kind, read, place)
    for head, more in inner.items():
        read[head] = put(read.get(head, getattr(world, head)), more, _join(place, head))
    try:
        return replace(world, **read)  # type: ignore[type-var]
    except (ValueError, ArithmeticError) as problem:  # what no annotation can say: __post_init__
        raise _refused(values, problem, place) from problem


def _made(kind: type, values: Mapping[str, Any], place: str) -> Any:
    try:
        return kind(**values)
    except (ValueError, ArithmeticError) as problem:
        raise _refused(values, problem, place) from problem


def _refused(values: Mapping[str, Any], problem: Exception, place: str) -> BadInput:
    words = str(problem)  # those of a __post_init__ begin with the field that they are about
    key = next((name for name in values if words.startswith(f"{name} ")), next(iter(values), ""))
    value = values.get(key, "")
    if not isinstance(problem, BadInput):
        return BadInput(_join(place, key), value, f"allowed: {problem}")
    if not values or problem.key.rpartition(".")[2] in values:
        return problem
    # the field that does not fit is another than the one that was given
    allowed = f"allowed: values at which its world exists ({problem})"
    return BadInput(_join(place, key), value, allowed)


def _join(place: str, key: str) -> str:
    return ".".join(filter(None, (place, key)))


def _read(kind: type, name: str, value: Any, place: str) -> Any:
    if isinstance(value, Enum) or not isinstance(value, PLAIN):
        return value
    try:
        return _reader(kind, name).validate_python(value)
    except NO_PLAIN_VALUE:
        raise BadInput(_join(place, name), value, "allowed: an object, from Python") from None
    except ValidationError as problem:
        words = problem.errors()[0]["msg"].removeprefix("Value error, ")
        words = words.removeprefix("Input should be ")
        allowed = words if "allowed: " in words else f"allowed: {words}"
        raise BadInput(_join(place, name), value, allowed) from None


def field_values(world: Any) -> dict[str, Any]:
    """What of a world can be replaced: its fields, and the numbers of its ``instance``."""
    if isinstance(world, Model):
        return dict(world)
    own = {field.name: getattr(world, field.name) for field in fields(world)}
    return (field_values(own["instance"]) if "instance" in own else {}) | own


def swept_field(axis: str, world: Any) -> tuple[str, Callable[[float], float]]:
    """The field that an axis sets, and the formula."""
    itself = axis, lambda value: value
    known = "." in axis or axis in field_values(world)
    return itself if known else FIELD_OF.get(axis, itself)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Worlds that differ in one field.

    Attributes:
        axis: as it is printed.
        at: the field that is swept, dotted where it is one of a field's own.
        grid: increasing.
        worlds: one for each value.
        replicates: multiplies the budget's replicates.
    """

    axis: str
    at: str
    grid: tuple[float, ...]
    worlds: tuple[Any, ...]
    replicates: float = 1.0

    @classmethod
    def of(
        cls, world: Any, axis: str, grid: Sequence[float], replicates: float = 1.0,
        at: str = "", place: str = "",
    ) -> Sweep:  # fmt: skip
        """The worlds that a world becomes at each value.

        Args:
            world: as it stands between the values.
            axis: a field, or a key of ``FIELD_OF``.
            grid: values on the axis.
            replicates: multiplies the budget's.
            at: dotted place of the field, where it is not the axis itself.
            place: of the values in the config, for messages.

        Raises:
            BadInput: a value that the field does not allow.
        """
        field, formula = swept_field(at or axis, world)
        worlds = tuple(put(world, {field: formula(value)}, place) for value in grid)
        # a class of worlds may say what those of one sweep have in common
        worlds = world.along(worlds) if hasattr(world, "along") else worlds
        return cls(axis, field, tuple(map(float, grid)), worlds, replicates)

    def each(self, change: Callable[[Any], Any]) -> Sweep:
        """The same sweep over changed worlds; where it is over n, n may change too."""
        worlds = tuple(map(change, self.worlds))
        if self.at != "n_pairs":
            return replace(self, worlds=worlds)
        fits = tuple(world for world in worlds if world.n_pairs <= MAX_PAIRS)
        return replace(self, worlds=fits, grid=tuple(float(world.n_pairs) for world in fits))
