"""A small experiment of its own, so that the engine is tested without any theorem."""

import sys
import types
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from repro.base.schema import Finite, Model
from repro.study.checks import RatioCheck, SlopeCheck
from repro.study.config import Budget, Overrides
from repro.study.experiment import Experiment, Setting
from repro.study.plan import Plan
from repro.study.results import AssumptionResult


class ToyConfig(Model):
    exponent: Finite
    claimed: Finite
    holds: bool = True


class Toy(Experiment):
    """values = n^exponent · chi-square; the control has exponent 0."""

    slug = "toy"
    title = "a power law"
    statements = ("p1.thm_0",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon"})
    config_type = ToyConfig
    calls: ClassVar[list[tuple[str, float]]] = []

    def __init__(self, config, setting):
        self.config = config

    def checks(self):
        grid = (1e3, 1e4, 1e5, 1e6)
        return (
            SlopeCheck("n_pairs", "n_pairs", grid, "gap", "right", ("flat",),
                       claimed=self.config.claimed, tolerance=0.1),
            RatioCheck("constant", "n_pairs", grid[:2], "ratio", "one", ("two",), tolerance=0.1),
        )  # fmt: skip

    def assumptions(self):
        return (AssumptionResult("holds", self.config.holds, "by config"),)

    def measure(self, check, value, rng, replicates):
        self.calls.append((check.name, value))
        noise = rng.chisquare(4, replicates) / 4
        if check.name == "constant":
            return {"one": noise, "two": 2 * noise}
        return {"right": value**self.config.exponent * noise, "flat": noise}


@pytest.fixture
def toy(monkeypatch):
    """Make ``toy`` discoverable; returns the class with its calls forgotten."""
    module = types.ModuleType("theorems.toy")
    module.Toy = Toy
    monkeypatch.setattr(Toy, "__module__", "theorems.toy")
    monkeypatch.setitem(sys.modules, "theorems.toy", module)
    monkeypatch.setattr("repro.study.experiment.slugs", lambda: ["toy"])
    Toy.calls.clear()
    return Toy


@pytest.fixture
def plan_of(toy, tmp_path):
    """Builds plans of the toy experiment."""

    def build(seed=0, blocks=10, **config):
        values = {"exponent": -1.0, "claimed": -1.0} | config
        setting = Setting(Overrides(), {"kind": "linear"}, "cpu", Path(tmp_path))
        budget = Budget(name="smoke", replicates=400, blocks=blocks, resamples=300)
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
