"""Worlds that share a batch come out as they do alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import DrawsOfParts, NumpyDraws
from repro.labels.preferences.label_law import fair_coins, the_truth
from repro.p1.pokl.algorithms import naive_labels, pokl
from repro.p1.pokl.curves import alike, curves, last, of_curve
from repro.p1.pokl.finite import RandomFinite
from repro.p1.pokl.instances import SteadyPolicyChoice
from repro.p1.pokl.linear import LeadingFeatures
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.study.parallel import single_thread
from repro.worlds.instances.choices import LinearChoice

single_thread()

CHOICE = LinearChoice(
    kind="linear", num_states=4, num_actions=3, num_features=3, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip


def small_run(horizon=1000, **more) -> OnlineRun:
    """A small run, some of whose fields are others."""
    usual: dict[str, Any] = {
        "instance": CHOICE, "epsilon": 1.0, "failure_prob": 0.05, "net_radius": 1e-6,
        "ridge": 1.0, "scale": 0.1, "grid_ratio": 2.0,
    }  # fmt: skip
    return OnlineRun(horizon=horizon, **{**usual, **more})


def steady(kl_weight: float) -> OnlineRun:
    choice = SteadyPolicyChoice(
        kind="steady_policy", num_states=3, num_actions=3, num_features=2, radius=1.0,
        tilt=0.4, kl_weight=kl_weight, seed=1,
    )  # fmt: skip
    return small_run(instance=choice)


def leading_feature(world: OnlineRun) -> OnlineRun:
    return replace(world, rewards=LeadingFeatures(1))


def four_rewards(world: OnlineRun) -> OnlineRun:
    return replace(world, rewards=RandomFinite(4, seed=3))


def streams(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(count)]


ONE_CLASS, TWO_CLASSES = (pokl, naive_labels), (pokl, leading_feature)


def told(worlds, algorithms):
    return [[algorithm(world) for algorithm in algorithms] for world in worlds]


@pytest.mark.parametrize(
    ("worlds", "algorithms"),
    [
        ([small_run(10), small_run(1000), small_run(317)], ONE_CLASS),
        ([small_run(epsilon=0.5), small_run(epsilon=4.0)], ONE_CLASS),
        ([small_run(), small_run(100)], TWO_CLASSES),
        ([steady(0.25), steady(1.0)], ONE_CLASS),
    ],
    ids=["horizons", "budgets", "classes", "truths"],
)
def test_a_batch_is_its_worlds_one_by_one(worlds, algorithms):
    assert len(alike(told(worlds, algorithms))) == 1
    together = curves(worlds, algorithms, streams(len(worlds)), 5)
    for world, rng, found in zip(worlds, streams(len(worlds)), together, strict=True):
        (alone,) = curves([world], algorithms, [rng], 5)
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_allclose(one.regret, other.regret, rtol=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        {"instance": CHOICE.model_copy(update={"seed": 2})},
        {"labels": fair_coins},
        {"estimate": the_truth},
        {"optimism": -1.0},
        {"rewards": LeadingFeatures(1)},
    ],
)
def test_worlds_that_differ_in_more_than_numbers_are_simulated_apart(change):
    worlds = [small_run(), small_run(**change), small_run()]
    assert alike(told(worlds, ONE_CLASS)) == [[0, 2], [1]]


def test_truths_of_their_own():
    worlds = [steady(0.25), steady(1.0)]
    runs = Runs(worlds, 2)
    for part, world in enumerate(worlds):
        rows, linear = slice(2 * part, 2 * part + 2), world.linear
        torch.testing.assert_close(runs.reward[rows], linear.reward.expand(2, -1, -1))
        torch.testing.assert_close(runs.reward_diff[rows], linear.reward_diff.expand(2, -1))
        torch.testing.assert_close(runs.optimal[rows], linear.optimal_policy.expand(2, -1, -1))


def test_a_part_stops_at_its_horizon():
    prob = torch.full((4, 2), 0.5, dtype=torch.float64)
    draws = DrawsOfParts([NumpyDraws(rng) for rng in streams(2)], [3, 10])
    totals = [draws.counts(2, prob).sum(dim=1).tolist() for _ in range(3)]
    assert totals == [[2, 2, 2, 2], [1, 1, 2, 2], [0, 0, 2, 2]]


def test_algorithms_with_a_class_of_their_own_are_measured_beside_the_others():
    worlds, algorithms = [small_run(400, epsilon=2.0)], (pokl, four_rewards, naive_labels)
    quantity = of_curve("regret", last)
    once, again = (quantity.values(worlds, algorithms, streams(1), 3, worlds) for _ in range(2))
    assert once.shape == (1, 3, 3)
    np.testing.assert_array_equal(once, again)
    assert (once[0, 0] != once[0, 1]).all()
