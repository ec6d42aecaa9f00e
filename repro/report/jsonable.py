"""Results as plain data: what JSON and YAML can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """``value`` in builtin dicts, lists, strings and numbers; what is unknown as its ``str``.

    >>> plain({"epsilon": np.float64(0.5), "grid": (1, 2)})
    {'epsilon': 0.5, 'grid': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if value is None or type(value) in (bool, int, float, str):
        return value
    for base in (bool, int, float, str):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, AbstractSet):
        return sorted(plain(item) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(item) for item in value]
    return str(value)


def jsonable(value: Any) -> Any:
    """``plain`` without the floats JSON lacks: NaN as null, infinities as "inf" and "-inf".

    >>> jsonable([math.nan, math.inf, -math.inf, 1.0])
    [None, 'inf', '-inf', 1.0]
    """
    value = plain(value)
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def flatten(value: Any, prefix: str = "") -> dict[str, str]:
    """Nested mappings as dotted keys, every leaf as a string.

    >>> flatten({"check": {"grid": [1, 2], "epsilon": 0.5}, "seed": 0})
    {'check.grid': '[1, 2]', 'check.epsilon': '0.5', 'seed': '0'}
    """
    if not isinstance(value, Mapping):
        return {prefix: str(plain(value))}
    flat: dict[str, str] = {}
    for key, item in value.items():
        flat |= flatten(item, f"{prefix}.{key}" if prefix else str(key))
    return flat
