"""A small theorem of its own, so that the engine is tested without any that is shipped."""

import dataclasses
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from repro.base.places import shipped
from repro.base.schema import Epsilon, Finite, Pairs, Positive
from repro.core.check import Check, Quantity, Theorem
from repro.core.claims import Ratio, Slope
from repro.labels.preferences.label_law import LabelLaw, bradley_terry
from repro.study.experiment import Budget, Overrides, Setting
from repro.study.plan import Plan, _built

CALLS = []
"""Exponent and n of every world that is measured."""


@dataclass(frozen=True, kw_only=True)
class Power:
    """n^exponent times chi-square; half an ε below 1 takes four times the labels."""

    n_pairs: Pairs
    epsilon: Epsilon = 1.0
    exponent: Finite = -1.0
    states: Positive = 3.0
    holds: bool = True
    labels: LabelLaw = bradley_terry

    def more_labels(self, other):
        return (min(1, self.epsilon) / min(1, other.epsilon)) ** 2


@dataclass(frozen=True)
class Noisy:
    """A world and its noise, which all algorithms read."""

    world: Power
    noise: np.ndarray


def right(data):
    return data.world.n_pairs**data.world.exponent * data.noise


def flat(data):
    return data.noise


def one(data):
    return data.noise


def two(data):
    return 2 * data.noise


def drawn(world, rng, replicates):
    CALLS.append((world.exponent, world.n_pairs))
    return Noisy(world, rng.chisquare(4, replicates) / 4)


def of_data(world, algorithm, data, replicates):
    return algorithm(data)


def noisy(words):
    return Quantity(words, of_data, drawn=drawn)


def slope(**fields):
    """The check of the exponent."""
    given = {"name": "n_pairs", "axis": "n_pairs", "claim": Slope("gap {rate}", -1, tolerance=0.1),
             "quantity": noisy("gap"), "right": right, "wrong": [flat]}  # fmt: skip
    return Check(**{**given, **fields})


CONSTANT = Check(name="constant", axis="n_pairs", claim=Ratio("one", tolerance=0.2),
                 quantity=noisy("ratio"), right=one, wrong=[two])  # fmt: skip


def assumes(swept):
    yield "holds", swept.sweep.worlds[0].holds, "by config"


TOY = Theorem(title="a power law", settles=["p1.thm_0"], checks=[slope(), CONSTANT],
              worlds={"power": Power}, assumes=assumes)  # fmt: skip
SWEEPS = {
    "n_pairs": {"grid": [1e3, 1e4, 1e5, 1e6]},
    "constant": {"grid": [1e3, 1e4]},
}


@pytest.fixture
def toy(monkeypatch):
    """Makes a theorem discoverable as ``toy``, ``TOY`` with fields replaced; ``calls`` are those
    of its simulator.
    """
    module = types.ModuleType("theorems.toy")
    monkeypatch.setitem(sys.modules, "theorems.toy", module)
    monkeypatch.setattr("repro.study.discovery.place_of", lambda *given: shipped())
    CALLS.clear()

    def put(**fields):
        module.THEOREM = dataclasses.replace(TOY, **fields)
        _built.cache_clear()  # it knows plans by their content, and code does not change in a run
        return module.THEOREM

    put()
    put.calls = CALLS
    return put


@pytest.fixture
def toy_check():
    """The toy's check of an exponent, with fields replaced."""
    return slope


@pytest.fixture
def plan_of(toy, tmp_path):
    """Builds plans of the toy: words are fields of its world, or keys of its config."""

    def build(seed=0, blocks=10, kind="linear", stages=None, overrides=None, sweeps=SWEEPS,
              instances=None, only=None, replicates=400, **world):  # fmt: skip
        values = {"name": "toy", "sweeps": sweeps, "instances": instances or {},
                  "worlds": {"power": {"n_pairs": 1e3} | world}}  # fmt: skip
        given = Overrides(**(overrides or {}))
        setting = Setting(given, {"kind": kind}, "cpu", Path(tmp_path), stages or {})
        budget = Budget(name="smoke", replicates=replicates, blocks=blocks, check_error=0.05)
        return Plan("toy", values, setting, budget, seed, only)

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
