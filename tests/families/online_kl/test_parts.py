"""Cases that share a batch come out as they do alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.families.online_kl import wrong_pokl as wrong
from repro.families.online_kl.cases import Exploration, OnlineCase, alike, joint_game
from repro.families.online_kl.parts import DrawsOfParts
from repro.families.online_kl.quantities import REGRET
from repro.instances.linear import random_linear_world
from repro.pokl.instances import SteadyPolicyChoice, online_world
from repro.preferences.block_draws import NumpyDraws
from repro.preferences.label_law import fair_coins, the_truth
from repro.study.parallel import single_thread

single_thread()

WORLD = random_linear_world(4, 3, 3, 0.5, 1.0, 0.6, seed=1)
EXPLORATION = Exploration(failure_prob=0.05, net_radius=1e-6, ridge=1.0, grid_ratio=2.0, scale=0.1)


def case(horizon=1000, epsilon=1.0, world=WORLD, methods=(wrong.pokl, wrong.naive_labels)):
    return OnlineCase(
        methods=methods, epsilon=epsilon, horizon=horizon, world=world, longest=horizon,
        exploration=EXPLORATION, weight=EXPLORATION.weight,
    )  # fmt: skip


def steady(kl_weight: float):
    return online_world(
        SteadyPolicyChoice(
            kind="steady_policy", num_states=3, num_actions=3, num_features=2, radius=1.0,
            tilt=0.4, kl_weight=kl_weight, seed=1,
        )
    )  # fmt: skip


def streams(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(count)]


METHODS_OF_TWO_CLASSES = (wrong.pokl, wrong.frozen_features)


@pytest.mark.parametrize(
    "cases",
    [
        [case(10), case(1000), case(317)],
        [case(epsilon=0.5), case(epsilon=4.0)],
        [case(methods=METHODS_OF_TWO_CLASSES), case(100, methods=METHODS_OF_TWO_CLASSES)],
        [case(world=steady(0.25)), case(world=steady(1.0))],
    ],
    ids=["horizons", "budgets", "classes", "worlds"],
)
def test_a_batch_is_its_cases_one_by_one(cases):
    assert len(alike(cases)) == 1
    together = REGRET.at(cases, streams(len(cases)), 5)
    for one, rng, found in zip(cases, streams(len(cases)), together, strict=True):
        alone = REGRET.of(one, rng, 5)
        assert list(alone) == list(found)
        for name, values in alone.items():
            np.testing.assert_allclose(found[name], values, rtol=1e-6)


@pytest.mark.parametrize(
    "other",
    [
        case(world=random_linear_world(4, 3, 3, 0.5, 1.0, 0.6, seed=2)),
        replace(case(), labels=fair_coins),
        replace(case(), estimate=the_truth),
        replace(case(), bonus=-1.0),
        case(methods=METHODS_OF_TWO_CLASSES),
    ],
)
def test_cases_that_differ_in_more_than_numbers_are_simulated_apart(other):
    assert alike([case(), other, case()]) == [[0, 2], [1]]


def test_truths_of_their_own():
    cases = [case(world=steady(0.25)), case(world=steady(1.0))]
    game = joint_game(cases, [[one.setting] for one in cases], 2)
    for part, one in enumerate(cases):
        rows = slice(2 * part, 2 * part + 2)
        expected = one.world.reward.expand(2, -1, -1)
        torch.testing.assert_close(game.reward[rows], expected)
        torch.testing.assert_close(game.reward_diff[rows], one.world.reward_diff.expand(2, -1))
        torch.testing.assert_close(game.optimal[rows], one.world.optimal_policy.expand(2, -1, -1))


def test_a_part_stops_at_its_horizon():
    prob = torch.full((4, 2), 0.5, dtype=torch.float64)
    draws = DrawsOfParts([NumpyDraws(rng) for rng in streams(2)], [3, 10])
    totals = [draws.counts(2, prob).sum(dim=1).tolist() for _ in range(3)]
    assert totals == [[2, 2, 2, 2], [1, 1, 2, 2], [0, 0, 2, 2]]
