"""Experiments that sweep one number at a time: rows in code, numbers in the config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import MAX_PAIRS, Model
from repro.study.checks import Check, FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.study.config import (
    AnyClaim,
    Claim,
    FrequencyClaim,
    InequalityClaim,
    RatioClaim,
    SlopeClaim,
)
from repro.study.experiment import Experiment, Setting
from repro.study.fingerprint import fingerprint

INSTANCE = "instance"
"""World of a row that is measured on the ``instance`` config group."""


@dataclass(frozen=True)
class Row:
    """One check of a sweep experiment; its numbers are the claim of the same name.

    Attributes:
        name: of the check and of its claim in the config.
        axis: swept quantity.
        world: name of the world it is measured on, or ``INSTANCE``.
        method: implementation under test.
        controls: wrong implementations.
        quantity: what is measured.
        claim: the claim in words.
        keeps: top-level overrides that do not apply, because the row is about its own value.
    """

    name: str
    axis: str
    world: str
    method: str
    controls: tuple[str, ...]
    quantity: str
    claim: str
    keeps: tuple[str, ...] = ()


class SweepConfig(Model):
    """Numbers of a sweep experiment.

    Attributes:
        name: the experiment's slug.
        claims: by kind of instance (rows on the instance) and ``built`` (all other rows), then by
            row.
    """

    name: str
    claims: dict[str, dict[str, AnyClaim]]


class LegacyTrial:
    """A check of the old kind, behind the interface of ``Trial``."""

    def __init__(self, experiment: SweepExperiment, check: Check) -> None:
        self.check, self._experiment = check, experiment

    @property
    def identity(self) -> str:
        one = self._experiment
        overrides = one.setting.overrides
        return fingerprint((one.config, overrides, dict(one.setting.instance), repr(self.check)))

    def measure(self, rngs, replicates: int):
        return self._experiment.measure_grid(self.check, rngs, replicates)


class SweepExperiment(Experiment):
    """Turns rows and claims into checks.

    ``allowed_failure`` is the statement's failure probability, for frequency claims.
    """

    rows: ClassVar[tuple[Row, ...]]  # type: ignore[assignment]
    allowed_failure: float = 0.05

    def __init__(self, config: SweepConfig, setting: Setting) -> None:
        self.config, self.setting = config, setting
        self.instance_kind = str(setting.instance["kind"])
        self._refuse_unknown_claims()

    statements: ClassVar[tuple[str, ...]]
    settled_by: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    instances: ClassVar[tuple[str, ...]]
    used_overrides: ClassVar[frozenset[str]]

    @cached_property
    def trials(self):  # type: ignore[override]
        return tuple(LegacyTrial(self, check) for check in self.checks())

    @classmethod
    def statements_of(cls, check: str) -> tuple[str, ...]:
        own = cls.settled_by
        return tuple(one for one in cls.statements if one not in own or check in own[one])

    def case(self, point):
        raise NotImplementedError

    def measure(self, check: Check, value: float, rng, replicates: int) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def measure_grid(self, check: Check, rngs, replicates: int) -> list[dict[str, np.ndarray]]:
        at = zip(check.grid, rngs, strict=True)
        return [self.measure(check, value, rng, replicates) for value, rng in at]

    def checks(self) -> tuple[Check, ...]:
        """Rows on the instance; with the default instance also the rows on built worlds."""
        on_default = self.instance_kind == self.instances[0]
        return tuple(self._check(row) for row in self.rows if row.world == INSTANCE or on_default)

    def size(self, check: Check, value: float) -> tuple[int, float]:
        """Labels n and budget ε of one grid point."""
        n_pairs = value if check.axis == "n_pairs" else self._fixed(check, "n_pairs")
        on_cost = check.axis == "privacy_cost"
        epsilon = epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")
        return int(n_pairs), float(epsilon)

    def _fixed(self, check: Check, name: str) -> float:
        value = check.settings[name]
        if value is None:
            raise BadInput(f"theorem.claims.*.{check.name}.{name}", "(missing)", "required")
        return float(value)  # type: ignore[arg-type]

    def _check(self, row: Row) -> Check:
        claim = self._claim(row)
        common: dict[str, Any] = {
            "name": row.name,
            "axis": row.axis,
            "grid": self._grid(row, claim),
            "quantity": row.quantity,
            "method": row.method,
            "controls": self.controls(row, claim),
            "expected": claim.expected,
            "claim": row.claim,
            "settings": self._settings(row, claim),
            "replicate_factor": claim.replicate_factor,
        }
        return self._of_kind(claim, common)

    def _of_kind(self, claim: Claim, common: dict[str, Any]) -> Check:
        match claim:
            case SlopeClaim():
                return SlopeCheck(
                    **common,
                    claimed=claim.claimed,
                    tolerance=claim.tolerance,
                    direction=claim.direction,
                )
            case RatioClaim():
                return RatioCheck(**common, claimed=claim.claimed, tolerance=claim.tolerance)
            case InequalityClaim():
                return InequalityCheck(**common, tolerance=claim.tolerance)
            case FrequencyClaim():
                return FrequencyCheck(**common, allowed=self.allowed_failure)
        raise TypeError(f"no check for {type(claim).__name__}")

    def controls(self, row: Row, claim: Any) -> tuple[str, ...]:
        """The row's controls; override where one is no mistake at the budget in use."""
        return row.controls

    def row_epsilon(self, row: Row, claim: Any) -> float | None:
        """The budget of a row: the top-level one where it applies, else the claim's own."""
        given = None if "epsilon" in row.keeps else self.setting.overrides.epsilon
        return given if given is not None else claim.epsilon

    def more_labels(self, row: Row, claim: Any) -> float:
        """By how much a top-level override multiplies the labels of a claim.

        At another ε the same effective sample size n/c(ε)² needs (c(ε)/c(own ε))² as many
        labels; without this a strict budget would leave the regime the claim is about.
        """
        epsilon = self.row_epsilon(row, claim)
        if claim.epsilon is None or epsilon is None:
            return 1.0
        return (privacy_cost(epsilon) / privacy_cost(claim.epsilon)) ** 2

    def _grid(self, row: Row, claim: Any) -> tuple[float, ...]:
        """The claim's grid; label counts are multiplied by ``more_labels`` up to the limit."""
        factor = self.more_labels(row, claim)
        if row.axis != "n_pairs" or factor == 1.0:
            return claim.grid
        grid = tuple(float(round(n * factor)) for n in claim.grid if n * factor <= MAX_PAIRS)
        fewest = min(len(claim.grid), 3)
        if len(grid) < fewest:
            raise BadInput(
                "epsilon",
                self.setting.overrides.epsilon,
                f"{row.name} would need more than {MAX_PAIRS:g} labels; allowed: a larger budget",
            )
        return grid

    def _settings(self, row: Row, claim: Any) -> Mapping[str, object]:
        """World, ε, T and n of a row: top-level overrides first, then the claim's own."""
        given = self.setting.overrides
        n_pairs, horizon = given.n_pairs, given.horizon
        if n_pairs is None and claim.n_pairs is not None:
            n_pairs = round(min(claim.n_pairs * self.more_labels(row, claim), MAX_PAIRS))
        return {
            "world": row.world,
            "n_pairs": n_pairs,
            "epsilon": self.row_epsilon(row, claim),
            "horizon": claim.horizon if horizon is None else horizon,
        }

    def _group(self, row: Row) -> str:
        return self.instance_kind if row.world == INSTANCE else "built"

    def _claim(self, row: Row) -> Any:
        group = self._group(row)
        claims = self.config.claims.get(group, {})
        if row.name not in claims:
            raise BadInput(f"theorem.claims.{group}.{row.name}", "(missing)", "a claim is required")
        return claims[row.name]

    def _refuse_unknown_claims(self) -> None:
        known = {row.name for row in self.rows}
        for group, claims in self.config.claims.items():
            for name in claims:
                if name not in known:
                    raise BadInput(
                        f"theorem.claims.{group}.{name}",
                        "(unknown)",
                        f"{nearest(name, known)}allowed: {', '.join(sorted(known))}",
                    )
