"""Records whose numbers may differ in digits that are a machine's own."""

from __future__ import annotations

import math
import re
from typing import Any

from syrupy.extensions.amber import AmberSnapshotExtension

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
COUNT = re.compile(r"-?\d{1,5}")
"""A number of six digits may be a rounded one."""
WITHIN = 1e-4
"""Far above what other kernels of linear algebra change, far below what another formula does."""


class NearNumbers(AmberSnapshotExtension):
    """As ``snapshot``, but numbers are compared as numbers: ``snapshot.use_extension(...)``."""

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        found, recorded = (NUMBER.findall(str(text)) for text in (serialized_data, snapshot_data))
        words = [NUMBER.sub("#", str(text)) for text in (serialized_data, snapshot_data)]
        same = all(map(near, found, recorded))
        return words[0] == words[1] and len(found) == len(recorded) and same


def near(number: str, recorded: str) -> bool:
    """Whether two numbers are the same to rounding; what is counted is the same altogether."""
    if COUNT.fullmatch(number) and COUNT.fullmatch(recorded):
        return number == recorded
    return math.isclose(float(number), float(recorded), rel_tol=WITHIN)
