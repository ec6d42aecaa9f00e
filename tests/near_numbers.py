"""Records whose numbers may differ in digits that are a machine's own."""

from __future__ import annotations

import math
import re
from typing import Any

from syrupy.extensions.amber import AmberSnapshotExtension

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
WITHIN = 1e-4
"""Far above what other kernels of linear algebra change, far below what another formula does."""


class NearNumbers(AmberSnapshotExtension):
    """As ``snapshot``, but numbers are compared as numbers: ``snapshot.use_extension(...)``."""

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        found, recorded = (NUMBER.findall(str(text)) for text in (serialized_data, snapshot_data))
        words = [NUMBER.sub("#", str(text)) for text in (serialized_data, snapshot_data)]
        near = (
            math.isclose(float(one), float(other), rel_tol=WITHIN)
            for one, other in zip(found, recorded, strict=False)
        )
        return words[0] == words[1] and len(found) == len(recorded) and all(near)
