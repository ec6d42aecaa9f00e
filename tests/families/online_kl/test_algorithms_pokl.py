"""The two simulators of Algorithm 2 agree, and each wrong implementation shows."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from repro.families.online_kl.algorithms_finite import random_finite_class
from repro.families.online_kl.algorithms_linear import LinearClass
from repro.families.online_kl.algorithms_pokl import Game, blocked_rounds, stepwise_rounds
from repro.families.online_kl.run_batch import RunSetting, make_batch
from repro.families.online_kl.worlds import hidden_arm_world
from repro.families.online_kl.wrong_pokl import METHODS, RegretCurve, simulate
from repro.instances.linear import random_linear_world, with_leading_features
from repro.preferences.block_draws import NumpyDraws, TorchDraws, geometric_times
from repro.study.parallel import single_thread

single_thread()

WORLD = random_linear_world(4, 4, 3, 0.5, 1.0, 0.6, seed=1)
BASE = RunSetting(2.0, 0.5, 2.0)


def totals(rounds, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative regret and last regret of every run."""
    total, last = torch.zeros(runs, dtype=torch.float64), None
    for current in rounds:
        total += current.rounds * current.regret
        last = current.regret
    assert last is not None
    return total.numpy(), last.numpy()


def game(runs: int, rewards=None, setting: RunSetting = BASE) -> Game:
    return Game(WORLD, rewards or LinearClass(WORLD), make_batch([setting], runs))


def z_score(a: np.ndarray, b: np.ndarray) -> float:
    spread = math.sqrt(a.var(ddof=1) / a.size + b.var(ddof=1) / b.size)
    return abs(a.mean() - b.mean()) / spread


@pytest.mark.parametrize("kind", ["linear", "finite"])
def test_blocks_of_one_round_are_the_stepwise_simulator(kind):
    rewards = LinearClass(WORLD) if kind == "linear" else random_finite_class(WORLD, 6, 1)
    times = list(range(201))
    blocked = totals(
        blocked_rounds(game(300, rewards), times, NumpyDraws(np.random.default_rng(0))), 300
    )
    stepped = totals(
        stepwise_rounds(game(300, rewards), 200, NumpyDraws(np.random.default_rng(1))), 300
    )
    assert z_score(blocked[0], stepped[0]) < 3.5
    assert z_score(blocked[1], stepped[1]) < 3.5


def test_at_ten_thousand_rounds_they_agree_but_for_the_bias_of_blocking():
    """Blocking adds about (q−1)/ln q − 1 ≈ ln(q)/2 of the regret of the rounds it makes stale."""
    horizon, ratio = 10_000, 1.25
    draws = NumpyDraws(np.random.default_rng(2))
    stepped, stepped_last = totals(stepwise_rounds(game(100), horizon, draws), 100)
    draws = NumpyDraws(np.random.default_rng(3))
    times = geometric_times(horizon, ratio)
    blocked, blocked_last = totals(blocked_rounds(game(4000), times, draws), 4000)
    assert z_score(stepped_last, blocked_last) < 3.5
    bias = blocked.mean() / stepped.mean() - 1
    error = 2 * stepped.std() / math.sqrt(100) / stepped.mean()
    assert -error < bias < math.log(ratio) / 2 + error


def test_coarser_blocks_cost_more_regret_but_leave_the_last_policy_alone():
    found = {}
    for ratio in (1.05, 2.0):
        curve = simulate(WORLD, [BASE], 10**5, ratio, np.random.default_rng(4), 1000)
        found[ratio] = curve
    fine, coarse = (found[q].cumulative[-1, 0] for q in (1.05, 2.0))
    growth = (coarse.mean() - fine.mean()) / fine.mean()
    assert 0.5 * math.log(2) / 2 < growth < 1.6 * math.log(2) / 2
    assert z_score(found[1.05].regret[-1, 0], found[2.0].regret[-1, 0]) < 3.5


def test_draws_by_torch_give_the_same_regret_as_draws_by_numpy():
    times = geometric_times(10**5, 2.0)
    found = [
        totals(blocked_rounds(game(400), times, draws), 400)
        for draws in (
            NumpyDraws(np.random.default_rng(0)),
            TorchDraws(np.random.default_rng(1), "cpu"),
        )
    ]
    assert z_score(found[0][0], found[1][0]) < 3.5
    assert z_score(found[0][1], found[1][1]) < 3.5


def test_times_reach_the_horizon_and_never_stand_still():
    for horizon, ratio in ((1, 1.5), (7, 1.0), (10**10, 1.1)):
        times = geometric_times(horizon, ratio)
        assert times[0] == 0
        assert times[-1] == horizon
        assert all(b > a for a, b in pairwise(times))
    assert len(geometric_times(10**10, 1.1)) < 260


def test_both_policies_start_at_the_reference():
    first = next(iter(blocked_rounds(game(2), [0, 1], NumpyDraws(np.random.default_rng(0)))))
    torch.testing.assert_close(first.exploit[0], WORLD.reference)
    torch.testing.assert_close(first.explore[1], WORLD.reference)


def test_wrong_budget_and_hidden_randomizer_keep_a_regret_that_does_not_fall():
    names = ("pokl", "naive_labels", "epsilon_overstated")
    settings = [METHODS[name](RunSetting(1.0, 0.5, 2.0)) for name in names]
    settings.append(METHODS["hidden_randomizer"](RunSetting(math.inf, 0.5, 2.0)))
    last = simulate(WORLD, settings, 10**8, 2.0, np.random.default_rng(5), 40).regret[-1]
    right, *wrong = last.mean(axis=1)
    assert all(gap > 100 * right for gap in wrong)


def test_exploration_finds_a_rare_response_that_exploitation_misses():
    world = hidden_arm_world(5, 1e-3, 0.8, 1.0, 1 / 12)
    base = RunSetting(4.0, 1 / 12, 7.0)
    settings = [base, METHODS["without_exploration"](base)]
    curve = simulate(world, settings, 10**6, 1.5, np.random.default_rng(6), 60)
    with_bonus, without = curve.cumulative[-1].mean(axis=1)
    assert without > 8 * with_bonus


def test_inverted_kl_weight_plays_another_policy():
    base = RunSetting(4.0, 0.5, 0.0)
    settings = [base, METHODS["inverted_kl_weight"](base)]
    last = simulate(WORLD, settings, 10**6, 2.0, np.random.default_rng(7), 20).regret[-1]
    assert last[1].mean() > 100 * last[0].mean()


def test_corruption_leaves_a_floor_and_its_order_matters():
    clean = RunSetting(1.0, 0.5, 2.0)
    before = RunSetting(1.0, 0.5, 2.0, corruption=0.02)
    settings = [clean, before, METHODS["other_order"](before)]
    last = simulate(WORLD, settings, 10**9, 2.0, np.random.default_rng(8), 20).regret[-1]
    gaps = last.mean(axis=1)
    assert gaps[1] > 30 * gaps[0]
    assert gaps[2] > 2 * gaps[1]


def test_a_class_with_two_features_only_learns_those():
    rewards = LinearClass(with_leading_features(WORLD, 2))
    learner = rewards.learner(make_batch([BASE], 1))
    pairs = torch.full((1, 24), 50.0, dtype=torch.float64)
    learner.observe(pairs, pairs / 3)
    assert learner.theta[0, 2] == 0
    assert learner.theta[0, :2].abs().min() > 0


def test_curves_by_hand():
    curve = RegretCurve(
        np.array([0.0, 1.0, 10.0, 100.0]), np.array([4.0, 2.0, 1.0, 0.1])[:, None, None]
    )
    np.testing.assert_allclose(curve.cumulative[:, 0, 0], [0, 4, 22, 112])
    np.testing.assert_allclose(curve.rate(1.0)[0, 0], (10 + 10) / 2)
