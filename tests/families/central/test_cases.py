"""A trusted curator's constants at a grid point, and how many labels another budget needs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.families.central import algorithms_release
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.cases import (
    CentralExperiment,
    CentralProbes,
    LearningCase,
    inputs_of_algorithm_1,
)
from repro.families.central.worlds_axis import even_world
from repro.families.central.wrong_learners import argmin_policy, greedy, root_n_noise
from repro.study.case import Case, Point
from repro.study.claims import Inequality
from repro.study.config import Overrides, Probe
from repro.study.experiment import Setting
from repro.study.row import Evidence, Measure, Row, method

CURATOR = {"dp_delta": 1e-6, "failure_prob": 0.03, "feature_norm": 1.5, "radius": 2.0,
           "ridge_scale": 7.0}  # fmt: skip


@method
def nothing(case):
    return 0.0


MEASURE = Measure("q", lambda case, rng, replicates: {}, Evidence.COMPUTED)


class Toy(CentralExperiment[Case]):
    def case(self, point):
        return Case(methods=point.methods)


def row(over):
    return Row("c", over, Inequality("words"), MEASURE, nothing)


def toy(**overrides):
    config = CentralProbes.model_validate({"name": "toy", "probes": {}, "curator": CURATOR})
    return Toy(config, Setting(Overrides(**overrides), {"kind": "linear"}, "cpu", Path("unused")))


def point(over, value, **given):
    probe = Probe(grid=(value,))
    return Point(row(over), probe, probe.grid, value, Overrides(**given), ())


def test_failures_are_allowed_as_often_as_the_curator_says():
    assert toy().failure_prob == 0.03


def test_errors_depend_on_budget_times_labels():
    probe, free = Probe(grid=(1.0,), epsilon=0.5), Probe(grid=(1.0,))
    strict = Overrides(epsilon=0.125)
    assert toy().more_labels(row("n_pairs"), probe, strict) == 4.0
    assert toy().more_labels(row("n_pairs"), probe, Overrides()) == 1.0
    assert toy().more_labels(row("n_pairs"), free, strict) == 1.0


def test_the_constants_of_a_grid_point():
    found = toy().budget(point("num_features", 3.0, n_pairs=9, epsilon=0.25))
    assert vars(found) == {
        "epsilon": 0.25, "log_inverse_delta": pytest.approx(6 * math.log(10)),
        "failure_prob": 0.03, "feature_norm": 1.5, "radius": 2.0, "ridge_scale": 7.0,
    }  # fmt: skip
    swept = toy().budget(point("log_inverse_delta", 20.0, epsilon=0.25))
    assert swept.log_inverse_delta == 20.0
    assert toy().budget(point("epsilon", 0.75)).epsilon == 0.75


@pytest.mark.parametrize(
    ("n_pairs", "epsilon", "log_inverse_delta", "holds"),
    [
        (1000, 1.0, 2 * math.log(1000), True),
        (1000, 1.0, 2 * math.log(1000) - 1e-9, False),
        (1000, 1.0000001, 2 * math.log(1000), False),
        (1001, 1.0, 2 * math.log(1000), False),
        (1001, 2.0, 2 * math.log(1000), False),
        (10, 0.5, 2 * math.log(1000), True),
    ],
)
def test_inputs_of_algorithm_1(n_pairs, epsilon, log_inverse_delta, holds):
    budget = CentralBudget(epsilon, log_inverse_delta, 0.05, 1.0, 1.0, 24.0)
    case = LearningCase(
        methods=(), n_pairs=n_pairs, world=even_world(2, 2.0, 0.5), budget=budget,
        optimizer_tol_power=2.0,
    )  # fmt: skip
    [(name, found, detail)] = inputs_of_algorithm_1(case)
    assert (name, found) == ("ε ≤ 1 and δ ≤ 1/n²", holds)
    assert detail == (
        f"ε {epsilon:.3g}, log δ {-log_inverse_delta:.1f} ≤ {-2 * math.log(n_pairs):.1f}"
    )


def test_methods_that_start_from_one_release_share_its_fit(monkeypatch):
    case = LearningCase(
        methods=(greedy, root_n_noise, argmin_policy), n_pairs=500, world=even_world(2, 2.0, 0.5),
        budget=CentralBudget(1.0, 20.0, 0.03, 1.0, 0.5, 7.0), optimizer_tol_power=2.0,
    )  # fmt: skip
    right, asked = algorithms_release.private_mle, []

    def counting(loss, n_pairs, numbers, noise):
        asked.append(numbers)
        return right(loss, n_pairs, numbers, noise)

    monkeypatch.setattr(algorithms_release, "private_mle", counting)
    data = case.draw(np.random.default_rng(0), 3)
    for one in case.methods:
        one.run(case, data)
    assert len(asked) == len(set(asked)) == 2
    again = right(data.loss, data.n_pairs, case.perturbation, data.noise)
    assert torch.equal(case.theta(data), again)
    assert case.theta(case.draw(np.random.default_rng(1), 3)).ne(again).all()
