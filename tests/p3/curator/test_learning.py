"""A trusted curator's numbers, how many labels another budget needs, and what learners share."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.core.worlds import put
from repro.p3.curator import learning
from repro.p3.curator.axis_choice import EvenChoice
from repro.p3.curator.certified_budget import PrivateBudget
from repro.p3.curator.learners import argmin_policy, greedy, root_n_noise
from repro.p3.curator.learning import CentralLearning, inputs_of_algorithm_1

NUMBERS: dict[str, Any] = {
    "epsilon": 0.25, "n_pairs": 9, "failure_prob": 0.03, "feature_norm": 1.5, "radius": 2.0,
    "ridge_scale": 7.0, "theta_share": 0.25, "optimizer_tol_power": 2.0,
    "instance": EvenChoice(kind="even", num_features=2),
}  # fmt: skip
WORLD = CentralLearning(**NUMBERS, log_inverse_delta=20.0)


def test_errors_depend_on_budget_times_labels():
    assert replace(WORLD, epsilon=0.5).more_labels(replace(WORLD, epsilon=0.125)) == 4.0


def test_the_numbers_that_the_curator_believes_in():
    assert vars(WORLD.budget) == {
        "epsilon": 0.25, "log_inverse_delta": 20.0, "failure_prob": 0.03, "feature_norm": 1.5,
        "radius": 2.0, "ridge_scale": 7.0,
    }  # fmt: skip
    private = CentralLearning(**NUMBERS, private=True).budget
    assert isinstance(private, PrivateBudget)
    assert private.log_inverse_delta == 2 * math.log(9)


def test_an_epsilon_above_one_is_refused():
    with pytest.raises(BadInput, match=r"^epsilon=1.5: allowed: at most 1 .input of P3"):
        put(WORLD, {"epsilon": 1.5})


def test_a_swept_number_of_features_is_the_instance_s():
    assert put(WORLD, {"num_features": 4.0}).num_features == 4


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
    world = replace(WORLD, n_pairs=n_pairs, epsilon=epsilon, log_inverse_delta=log_inverse_delta)
    [(name, found, detail)] = inputs_of_algorithm_1(world)
    assert (name, found) == ("ε ≤ 1 and δ ≤ 1/n²", holds)
    assert detail == (
        f"ε {epsilon:.3g}, log δ {-log_inverse_delta:.1f} ≤ {-2 * math.log(n_pairs):.1f}"
    )


def test_learners_that_start_from_one_release_share_its_fit(monkeypatch):
    world = replace(WORLD, epsilon=1.0, n_pairs=500, feature_norm=1.0, radius=0.5)
    right, asked = learning.private_mle, []

    def counting(loss, n_pairs, numbers, noise):
        asked.append(numbers)
        return right(loss, n_pairs, numbers, noise)

    monkeypatch.setattr(learning, "private_mle", counting)
    data = world.draw(np.random.default_rng(0), 3)
    for one in (greedy, root_n_noise, argmin_policy):
        one(data)
    assert len(asked) == len(set(asked)) == 2
    again = right(data.loss, world.n_pairs, world.perturbation, data.noise)
    assert torch.equal(data.theta(), again)
    assert data.theta().ne(world.draw(np.random.default_rng(1), 3).theta()).all()
