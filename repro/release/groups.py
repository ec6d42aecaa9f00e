"""Groups of the lines of an original: one value of a field, whatever the field is."""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np

from repro.labels.preferences.layouts import COLUMNS
from repro.release.records import given_rows

MOST_FIELDS, RANKS = 64, 10
"""Fields that are looked at; groups of a field of numbers that hardly ever repeat."""


def field_groups(source: Any) -> dict[str, np.ndarray]:
    """Of each field but those of the conversation, (n,) the number of each record's group.

    Numbers that hardly ever repeat are grouped by rank, in tenths.

    Args:
        source: the original, which has been read before: a file or table.

    Raises:
        BadInput: it cannot be read any more.
    """
    values: dict[str, array[int]] = {}
    numbers: dict[str, array[float]] = {}
    place = 0
    for place, (_, row) in enumerate(given_rows(source, "original", None)[1], 1):
        for name, value in row.items():
            column = values.get(name)
            if column is None:
                if len(values) >= MOST_FIELDS or name.strip().casefold() in COLUMNS:
                    continue
                column = values[name] = array("q")
                numbers[name] = array("d")
            missing = place - 1 - len(column)
            column.extend([hash(None)] * missing)
            numbers[name].extend([np.nan] * missing)
            column.append(_hash(value))
            numbers[name].append(value if isinstance(value, int | float) else np.nan)
    groups = {}
    for name, column in values.items():
        missing = place - len(column)
        column.extend([hash(None)] * missing)
        numbers[name].extend([np.nan] * missing)
        distinct, group = np.unique(np.array(column), return_inverse=True)
        numeric = np.array(numbers[name])
        if distinct.size > numeric.size / 2 and not np.isnan(numeric).any():
            group = np.argsort(np.argsort(numeric, kind="stable")) * RANKS // numeric.size
        groups[name] = group
    return groups


def _hash(value: Any) -> int:
    try:
        return hash(value)
    except TypeError:  # a list, a dictionary or an array
        return hash(json.dumps(value, sort_keys=True, default=str))
