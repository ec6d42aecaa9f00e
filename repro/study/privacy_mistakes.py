"""Sweeps some of whose controls are mistakes about privacy, and none without it."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from repro.study.legacy import Row, SweepExperiment


class PrivacyMistakes(SweepExperiment):
    """Drops the controls in ``privacy_mistakes`` where a row runs at ε = ∞ and they are right."""

    privacy_mistakes: ClassVar[frozenset[str]]

    def controls(self, row: Row, claim: Any) -> tuple[str, ...]:
        """The row's controls that are wrong at the budget in use."""
        if self.row_epsilon(row, claim) != math.inf:
            return row.controls
        return tuple(name for name in row.controls if name not in self.privacy_mistakes)
