"""A hash of what a measurement reads: equal content, equal hash, on any day and in any process."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
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
    digest = hashlib.blake2b(digest_size=16)
    for part in _parts(thing):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


def _parts(thing: Any) -> Iterator[bytes]:
    """The content as bytes, each with its type, so that 1 and "1" differ."""
    yield type(thing).__qualname__.encode()
    if thing is None or isinstance(thing, bool | int | float | str | bytes | Path):
        yield repr(thing).encode()
    elif isinstance(thing, Enum):
        yield thing.name.encode()
    elif isinstance(thing, np.generic | np.ndarray):
        yield _array(np.asarray(thing))
    elif isinstance(thing, BaseModel):
        yield from _named({name: getattr(thing, name) for name in type(thing).model_fields})
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        content = (f.name for f in dataclasses.fields(thing) if f.compare)
        yield from _named({name: getattr(thing, name) for name in content})
    elif isinstance(thing, Mapping):
        yield from _named({repr(key): value for key, value in thing.items()})
    elif isinstance(thing, Sequence):
        yield str(len(thing)).encode()  # [[1, 2]] is not [[1], 2]
        yield from (part for item in thing for part in _parts(item))
    elif isinstance(thing, AbstractSet):
        yield from (item.encode() for item in sorted(fingerprint(item) for item in thing))
    elif isinstance(thing, functools.partial):
        yield from _parts((thing.func, thing.args, thing.keywords))
    elif callable(thing):
        yield from _code(thing)
    elif hasattr(thing, "numpy"):  # a tensor, on whatever device
        yield _array(thing.detach().cpu().numpy())
    else:
        raise TypeError(f"no content to hash in a {type(thing).__qualname__}")


def _named(fields: Mapping[str, Any]) -> Iterator[bytes]:
    yield str(len(fields)).encode()
    for name in sorted(fields):
        yield name.encode()
        yield from _parts(fields[name])


def _array(values: np.ndarray) -> bytes:
    return f"{values.dtype}{values.shape}".encode() + np.ascontiguousarray(values).tobytes()


def _code(function: Callable[..., Any]) -> Iterator[bytes]:
    """Where a function is defined, and what it has closed over; its text is hashed elsewhere."""
    yield f"{function.__module__}.{getattr(function, '__qualname__', type(function))}".encode()
    for cell in getattr(function, "__closure__", None) or ():
        yield from _parts(cell.cell_contents)
    if isinstance(function, MethodType):
        yield from _parts(function.__self__)
