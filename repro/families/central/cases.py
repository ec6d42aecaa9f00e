"""From a grid point of P3's results to its case: a trusted curator, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from repro.base.errors import BadInput
from repro.base.schema import Model, Positive, Probability
from repro.families.central.algorithms_budget import CentralBudget
from repro.study.case import Point
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Assumed, C, Experiment, Setting
from repro.study.row import Row

MOST = "allowed: at most 1 (input of P3's Algorithm 1)"


class Curator(Model):
    """What Algorithms 1–3 take besides the data (P3, section 4).

    Attributes:
        dp_delta: δ, at most 1/n² at every n of the sweeps.
        failure_prob: η.
        feature_norm: L.
        radius: B.
        ridge_scale: C of Lemma A.9, in the units L².
    """

    dp_delta: Probability
    failure_prob: Probability
    feature_norm: Positive
    radius: Positive
    ridge_scale: Positive


class CentralProbes(Probes):
    """Probes of an experiment with a curator."""

    curator: Curator


class CentralExperiment(Experiment[C]):
    """Sweeps n, ε, d, K or log(1/δ) of a curator.

    Attributes:
        places: by what a row is measured on, (experiment, grid point) → its case.
    """

    config: Any
    places: ClassVar[Mapping[str, Callable[[Any, Point], Any]]]

    def __init__(self, config: CentralProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.curator = config.curator
        self.failure_prob = config.curator.failure_prob
        _refuse_above_one("epsilon", setting.overrides.epsilon)
        for name, probe in config.probes.items():
            _refuse_above_one(f"theorem.probes.{name}.epsilon", probe.epsilon)

    def case(self, point: Point) -> C:
        """World, n and budget of one grid point, or a step of the proof."""
        return self.places[point.row.on](self, point)

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """Errors depend on ε·n: at another ε as many labels as keep it."""
        if probe.epsilon is None or given.epsilon is None:
            return 1.0
        return probe.epsilon / given.epsilon

    def budget(self, point: Point) -> CentralBudget:
        """The curator's constants at one grid point."""
        given = self.curator
        return CentralBudget(
            epsilon=point.epsilon,
            log_inverse_delta=point.swept("log_inverse_delta", math.log(1 / given.dp_delta)),
            failure_prob=given.failure_prob,
            feature_norm=given.feature_norm,
            radius=given.radius,
            ridge_scale=given.ridge_scale,
        )

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """The curator's constants, and the numbers that the worlds are built from."""
        apart = {"name", "probes", "instances"}
        return {"world_fields": self.config.model_dump(mode="json", exclude=apart)}


class OfBudget(Protocol):
    """A case of n labels on a curator's constants."""

    @property
    def n_pairs(self) -> int: ...

    @property
    def budget(self) -> CentralBudget: ...


def inputs_of_algorithm_1(case: OfBudget) -> Iterator[Assumed]:
    """ε ≤ 1 and δ ≤ 1/n²."""
    budget, most = case.budget, -2 * math.log(case.n_pairs)
    holds = budget.epsilon <= 1 and -budget.log_inverse_delta <= most
    detail = f"ε {budget.epsilon:.3g}, log δ {-budget.log_inverse_delta:.1f} ≤ {most:.1f}"
    yield "ε ≤ 1 and δ ≤ 1/n²", holds, detail


def _refuse_above_one(key: str, epsilon: float | None) -> None:
    if epsilon is not None and epsilon > 1:
        raise BadInput(key, epsilon, MOST)
