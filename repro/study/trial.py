"""A row with its probe: the check that is declared and the cases that are measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from repro.base.errors import BadInput, one_line
from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS
from repro.study.case import EPSILON_OF, Case, Point
from repro.study.checks import Check
from repro.study.config import Overrides, Probe
from repro.study.fingerprint import fingerprint
from repro.study.row import Method, Row
from repro.study.stages import replaced

if TYPE_CHECKING:
    from repro.study.experiment import Experiment


C = TypeVar("C", bound=Case)


class Trial(Generic[C]):
    """One row of a run.

    Attributes:
        row: what is claimed, and how it is measured.
        probe: how it is probed.
        given: the numbers in force besides the swept one.
        grid: the swept values in force.
        methods: the method under test and the wrong versions in force.
    """

    def __init__(self, experiment: Experiment[C], row: Row, probe: Probe) -> None:
        self.row, self.probe = row, probe
        self._experiment = experiment
        overrides = experiment.setting.overrides
        kept = overrides.model_copy(update=dict.fromkeys(row.fixed))
        self.scaled = experiment.more_labels(row, probe, kept)
        self.given = _in_force(probe, kept, self.scaled)
        self.grid = _grid(row, probe, kept, self.scaled)
        without_privacy = row.over not in EPSILON_OF and self.given.epsilon == math.inf
        wrong = tuple(m for m in row.wrong if not (m.privacy_mistake and without_privacy))
        self.methods: tuple[Method, ...] = (row.method, *wrong)

    @property
    def failure_prob(self) -> float:
        """δ of the statement, for claims that may fail with it."""
        return self._experiment.failure_prob

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The grid points, before the family makes cases of them."""
        common = (self.row, self.probe, self.grid)
        return tuple(Point(*common, value, self.given, self.methods) for value in self.grid)

    @cached_property
    def cases(self) -> tuple[C, ...]:
        """One case per grid point, with the run's stages in place.

        Raises:
            BadInput: the axis changes nothing, or a value of it has no case.
        """
        stages = self._experiment.setting.stages
        with self._where_numbers_exist():
            whole = tuple(self._experiment.case(point) for point in self.points)
        # before stages are put in place: without its adversary, a case may well be free of α
        if len(whole) > 1 and fingerprint(whole[0]) == fingerprint(whole[1]):
            raise BadInput(f"{self.row.name}.over", self.row.over, "nothing here depends on it")
        return tuple(replaced(case, stages) for case in whole)

    @contextmanager
    def _where_numbers_exist(self) -> Iterator[None]:
        """A value of the sweep at which a formula has no value is bad input."""
        try:
            yield
        except ArithmeticError as problem:
            key = ".".join(("theorem", *self.place[0], self.row.name, "grid"))
            values = ",".join(f"{value:g}" for value in self.grid)
            allowed = f"allowed: values at which its world exists ({one_line(str(problem))})"
            raise BadInput(key, f"[{values}]", allowed) from problem

    @cached_property
    def check(self) -> Check:
        """What is judged."""
        row = self.row
        common: dict[str, Any] = {
            "name": row.name,
            "axis": row.over,
            "grid": self.grid,
            "quantity": row.measure.quantity,
            "method": row.method.name,
            "controls": tuple(m.name for m in self.methods[1:]),
            "expected": row.expected,
            "claim": row.claim.said(row.over),
            "settings": self.settings,
            "replicate_factor": self.probe.replicates,
            "evidence": row.measure.evidence.value,
            "needs": tuple(need.value for need in row.needs),
            "statements": row.settles or self._experiment.settles,
        }
        with self._where_numbers_exist():
            return row.claim.check(common, self)

    @property
    def settings(self) -> dict[str, object]:
        """The numbers in force besides the grid: the world, and n, ε and T where they are read."""
        first = self.cases[0]
        read = {
            "n_pairs": first.n_pairs or None,
            "epsilon": None if math.isnan(first.epsilon) else first.epsilon,
            "horizon": first.horizon or None,
        }
        swept = {self.row.over, "epsilon" if self.row.over in EPSILON_OF else ""}
        numbers = {name: None if name in swept else value for name, value in read.items()}
        world = self._experiment.world_numbers(self.row)
        return {"world": self.row.on, **numbers, "labels_scaled_by": self.scaled, **world}

    @property
    def place(self) -> tuple[tuple[str, ...], str]:
        """Where the probe stands in the experiment's config: the groups, then the row's name."""
        place, _ = self._experiment.probes_in_use
        return tuple(place.split(".")[1:]), self.row.name

    @property
    def numbers(self) -> dict[str, object]:
        """The probe's numbers in force: the grid, and what stands in for what it gave."""
        given = self.given.model_dump(exclude={"kl_weight"}, exclude_none=True)
        return {"grid": list(self.grid), **given}

    @cached_property
    def identity(self) -> str:
        """A hash of all that its measurements depend on, but for code, seed and replicates."""
        return fingerprint((self.cases, self.grid, self.methods))

    def measure(
        self, rngs: Sequence[np.random.Generator], replicates: int
    ) -> list[Mapping[str, np.ndarray]]:
        """By grid point and method, (replicates,) values."""
        found = self.row.measure.at(self.cases, rngs, replicates)
        return [{name: _column(v, replicates) for name, v in at.items()} for at in found]


def _column(values: Any, replicates: int) -> np.ndarray:
    """(replicates,) of an array or of one number."""
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (replicates,))


def _in_force(probe: Probe, given: Overrides, scaled: float) -> Overrides:
    """Top-level numbers first, then the probe's own; its labels are scaled."""
    n_pairs = given.n_pairs
    if n_pairs is None and probe.n_pairs is not None:
        n_pairs = round(min(probe.n_pairs * scaled, MAX_PAIRS))
    return Overrides(
        epsilon=probe.epsilon if given.epsilon is None else given.epsilon,
        n_pairs=n_pairs,
        horizon=probe.horizon if given.horizon is None else given.horizon,
        kl_weight=given.kl_weight,
    )


def _grid(row: Row, probe: Probe, given: Overrides, scaled: float) -> tuple[float, ...]:
    """The probe's grid; label counts are scaled, up to the most that there can be."""
    if row.over != "n_pairs" or scaled == 1.0:
        return probe.grid
    grid = tuple(float(round(n * scaled)) for n in probe.grid if n * scaled <= MAX_PAIRS)
    if len(grid) < min(len(probe.grid), row.claim.fewest):
        most = f"{row.name} would need more than {MAX_PAIRS:g} labels; allowed: a larger budget"
        raise BadInput("epsilon", given.epsilon, most)
    return grid


def labels_for_epsilon(probe: Probe, given: Overrides) -> float:
    """By how much another ε multiplies the labels of a probe.

    The same effective sample size n/c(ε)² needs (c(ε)/c(own ε))² as many labels; without this a
    strict budget would leave the regime that the claim is about.
    """
    if probe.epsilon is None or given.epsilon is None:
        return 1.0
    return (privacy_cost(given.epsilon) / privacy_cost(probe.epsilon)) ** 2
