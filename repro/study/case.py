"""One grid point of a row: everything that a measurement may read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.study.config import Overrides, Probe
from repro.study.row import Method, Row


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """What a measurement reads, and nothing else; a family adds its own fields.

    Fields that are stages (``repro.study.stages``) can be replaced from outside.

    Attributes:
        methods: the method under test, then the wrong versions.
        epsilon: privacy budget in (0, inf], where the row has one.
        n_pairs: labels n, likewise.
        horizon: rounds T, likewise.
        idle_adversary: corrupts nothing; of a family whose cases have an adversary.
    """

    idle_adversary: ClassVar[Any] = None
    methods: tuple[Method, ...]
    epsilon: float = math.nan
    n_pairs: int = 0
    horizon: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class PointCase(Case):
    """A case that is one number: the swept value itself."""

    value: float


@dataclass(frozen=True)
class Point:
    """One grid point before the family has made a case of it.

    Attributes:
        row: whose point it is.
        probe: how the row is probed.
        grid: all values of the sweep in force.
        value: the one at this point.
        given: the numbers in force besides the swept one (epsilon, n_pairs, horizon).
        methods: the method under test and the wrong versions in force.
    """

    row: Row
    probe: Probe
    grid: tuple[float, ...]
    value: float
    given: Overrides
    methods: tuple[Method, ...]

    def swept(self, axis: str, otherwise: Any) -> Any:
        """The grid value where the row sweeps that axis, else ``otherwise``."""
        return self.value if self.row.over == axis else otherwise

    @property
    def epsilon(self) -> float:
        """ε of this point, whichever axis it is swept on.

        Raises:
            BadInput: the probe gives none.
        """
        on_axis = EPSILON_OF.get(self.row.over)
        return float(on_axis(self.value) if on_axis else self._needed("epsilon"))

    @property
    def n_pairs(self) -> int:
        """n of this point.

        Raises:
            BadInput: the probe gives none.
        """
        return int(self.swept("n_pairs", None) or self._needed("n_pairs"))

    @property
    def horizon(self) -> int:
        """T of this point.

        Raises:
            BadInput: the probe gives none.
        """
        return int(self.swept("horizon", None) or self._needed("horizon"))

    def _needed(self, name: str) -> float:
        value = getattr(self.given, name)
        if value is None:
            raise BadInput(f"theorem.probes.{self.row.name}.{name}", "(missing)", "required")
        return value


EPSILON_OF = {
    "epsilon": float,
    "privacy_cost": epsilon_of_cost,
    "epsilon_minus_one": math.log1p,
}
"""How ε follows from a value on each axis that fixes it."""
