"""A hash of what a measurement reads: equal content, equal hash, on any day and in any process."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from operator import itemgetter
from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np
from pydantic import BaseModel


def fingerprint(thing: object) -> str:
    """128 bits over plain values, arrays, tensors, dataclasses, models and functions.

    A dataclass field with ``compare=False`` is no content: a folder, say, where results are kept.

    Raises:
        TypeError: something in it has no content to hash (an open file, a generator).

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    >>> fingerprint(1) == fingerprint(1.0)
    False
    """
    parts: list[bytes] = []  # one hash of many small parts is slower
    _feed(parts.append, thing)
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


Update = Callable[[bytes], None]
PLAIN = (type(None), bool, int, float, str, bytes, Path)


def _feed(update: Update, thing: Any) -> None:
    """The content as bytes, each with its type, so that 1 and "1" differ, and closed by a zero."""
    kind = type(thing)
    update(_kind(kind))
    if kind in PLAIN or isinstance(thing, PLAIN):
        update(repr(thing).encode() + b"\0")
    elif isinstance(thing, Enum):
        update(thing.name.encode() + b"\0")
    elif isinstance(thing, np.generic | np.ndarray):
        _feed_array(update, np.asarray(thing))
    elif (names := _content(kind)) is not None:
        _feed_named(update, [(name, getattr(thing, name)) for name in names])
    elif isinstance(thing, Mapping):
        _feed_named(update, sorted(((repr(key), thing[key]) for key in thing), key=itemgetter(0)))
    elif isinstance(thing, Sequence):
        update(b"%d\0" % len(thing))  # [[1, 2]] is not [[1], 2]
        for item in thing:
            _feed(update, item)
    elif isinstance(thing, AbstractSet):
        for digest in sorted(map(fingerprint, thing)):
            update(digest.encode() + b"\0")
    elif isinstance(thing, functools.partial):
        _feed(update, (thing.func, thing.args, thing.keywords))
    elif callable(thing):
        _feed_code(update, thing)
    elif hasattr(thing, "numpy"):  # a tensor, on whatever device
        _feed_array(update, thing.detach().cpu().numpy())
    else:
        raise TypeError(f"no content to hash in a {kind.__qualname__}")


@functools.lru_cache(maxsize=1024)
def _kind(kind: type) -> bytes:
    return kind.__qualname__.encode() + b"\0"


@functools.lru_cache(maxsize=1024)
def _content(kind: type) -> Sequence[str] | None:
    """Names of the fields of a model or dataclass, sorted; None for another class."""
    if issubclass(kind, BaseModel):
        return sorted(kind.model_fields)
    if dataclasses.is_dataclass(kind):
        return sorted(field.name for field in dataclasses.fields(kind) if field.compare)
    return None


def _feed_named(update: Update, fields: Sequence[tuple[str, Any]]) -> None:
    update(b"%d\0" % len(fields))
    for name, value in fields:
        update(name.encode() + b"\0")
        _feed(update, value)


def _feed_array(update: Update, values: np.ndarray) -> None:
    update(f"{values.dtype}{values.shape}".encode())
    update(np.ascontiguousarray(values).tobytes())
    update(b"\0")


def _feed_code(update: Update, function: Callable[..., Any]) -> None:
    """Where a function is defined, and what it has closed over; its text is hashed elsewhere."""
    name = getattr(function, "__qualname__", type(function))
    update(f"{function.__module__}.{name}".encode() + b"\0")
    for cell in getattr(function, "__closure__", None) or ():
        _feed(update, cell.cell_contents)
    if isinstance(function, MethodType):
        _feed(update, function.__self__)
