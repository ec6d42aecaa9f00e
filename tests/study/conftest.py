"""A small experiment of its own, so that the engine is tested without any theorem."""

import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from repro.study.case import PointCase
from repro.study.row import Evidence, Measure, Row, method

from repro.base.places import shipped
from repro.base.schema import Finite
from repro.study.claims import Ratio, Slope
from repro.study.config import Budget, Overrides, Probes
from repro.study.experiment import Experiment, Setting
from repro.study.plan import Plan
from repro.study.results import AssumptionResult

CALLS = []
"""Row and grid value of every measurement."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ToyCase(PointCase):
    row: str
    exponent: float


class ToyConfig(Probes):
    exponent: Finite
    claimed: Finite
    holds: bool = True


@method
def right(case, noise):
    return case.value**case.exponent * noise


@method
def flat(case, noise):
    return noise


@method
def one(case, noise):
    return noise


@method
def two(case, noise):
    return 2 * noise


def noisy(case, rng, replicates):
    CALLS.append((case.row, case.value))
    noise = rng.chisquare(4, replicates) / 4
    return {m.name: m.run(case, noise) for m in case.methods}


def rows_of(claimed):
    gap, ratio = (Measure(name, noisy, Evidence.MEASURED) for name in ("gap", "ratio"))
    return (
        Row("n_pairs", "n_pairs", Slope(claimed, "gap {rate}", tolerance=0.1), gap, right, (flat,)),
        Row("constant", "n_pairs", Ratio("one", tolerance=0.2), ratio, one, (two,)),
    )


class Toy(Experiment[ToyCase]):
    """values = n^exponent · chi-square; the control has exponent 0."""

    slug = "toy"
    title = "a power law"
    settles = ("p1.thm_0",)
    rows = rows_of(-1)
    config_type = ToyConfig
    calls: ClassVar[list[tuple[str, float]]] = CALLS

    def __init__(self, config, setting):
        super().__init__(config, setting)
        self.rows = rows_of(config.claimed)

    def case(self, point):
        common = {"methods": point.methods, "value": point.value, "n_pairs": point.n_pairs}
        return ToyCase(**common, row=point.row.name, exponent=self.config.exponent)

    def assumptions(self):
        return (AssumptionResult("holds", self.config.holds, "by config"),)


PROBES = {
    "n_pairs": {"grid": [1e3, 1e4, 1e5, 1e6]},
    "constant": {"grid": [1e3, 1e4]},
}


@pytest.fixture
def toy(monkeypatch):
    """Make ``toy`` discoverable; returns the class with its calls forgotten."""
    module = types.ModuleType("theorems.toy")
    module.Toy = Toy
    monkeypatch.setattr(Toy, "__module__", "theorems.toy")
    monkeypatch.setitem(sys.modules, "theorems.toy", module)
    monkeypatch.setattr("repro.study.discovery.place_of", lambda *given: shipped())
    Toy.calls.clear()
    return Toy


@pytest.fixture
def plan_of(toy, tmp_path):
    """Builds plans of the toy experiment."""

    def build(seed=0, blocks=10, **config):
        values = {"name": "toy", "probes": PROBES, "exponent": -1.0, "claimed": -1.0} | config
        setting = Setting(Overrides(), {"kind": "linear"}, "cpu", Path(tmp_path))
        budget = Budget(name="smoke", replicates=400, blocks=blocks, row_error=0.05)
        return Plan("toy", values, setting, budget, seed)

    return build


@pytest.fixture
def same_values():
    """Whether two judged runs have the same bytes of measurements."""

    def same(first, second):
        return all(
            np.array_equal(a.outcome.series.values, b.outcome.series.values)
            for a, b in zip(first, second, strict=True)
        )

    return same
