"""The two simulators of Algorithm 2 agree, and each wrong implementation shows."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from repro.labels.corruption.orders import Order
from repro.labels.preferences.block_draws import NumpyDraws, TorchDraws, geometric_times
from repro.labels.preferences.label_law import fair_coins, the_truth
from repro.p1.pokl.curves import RegretCurve, simulate
from repro.p1.pokl.finite import RandomFinite
from repro.p1.pokl.instances import HiddenArmChoice
from repro.p1.pokl.linear import LeadingFeatures, LinearClass
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.study.parallel import single_thread
from repro.worlds.instances.choices import LinearChoice

single_thread()

CHOICE = LinearChoice(
    kind="linear", num_states=4, num_actions=4, num_features=3, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip


def small_run(**more) -> OnlineRun:
    """A small run, some of whose fields are others."""
    usual: dict[str, Any] = {
        "instance": CHOICE,
        "epsilon": 2.0,
        "horizon": 100,
        "failure_prob": 0.05,
        "net_radius": 1e-6,
        "ridge": 1.0,
        "grid_ratio": 2.0,
        "gamma": 2.0,
    }
    return OnlineRun(**{**usual, **more})


WORLD = small_run().linear


def totals(rounds, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative regret and last regret of every run."""
    total, last = torch.zeros(runs, dtype=torch.float64), None
    for current in rounds:
        total += current.rounds * current.regret
        last = current.regret
    assert last is not None
    return total.numpy(), last.numpy()


def stepwise_rounds(played: Runs, horizon: int, rng: np.random.Generator):
    """Round by round, as Algorithm 2 is written: one cell by inversion and its label, per run."""
    learner, win_prob = played.learner(), played.win_prob()
    for time in range(horizon):
        current = played.policies(learner, time, 1)
        yield current
        prob = played.cell_prob(current)
        cell = (torch.from_numpy(rng.random((len(prob), 1))) >= prob.cumsum(1)).sum(1)
        drawn = torch.nn.functional.one_hot(cell, prob.shape[1] + 1)[:, :-1].double()
        won = torch.from_numpy(rng.random((len(prob), 1))) < win_prob
        learner.observe(drawn, drawn * torch.where(won, 1.0, -1.0))
    yield played.policies(learner, horizon, 0)


def runs_of(replicates: int, **more) -> Runs:
    return Runs([small_run(**more)], replicates)


def last_gaps(worlds: list[OnlineRun], horizon: int, seed: int, replicates: int) -> np.ndarray:
    """(M,) mean regret of the last policy of each world."""
    worlds = [replace(world, horizon=horizon) for world in worlds]
    curves = simulate(worlds, replicates, np.random.default_rng(seed))
    return np.array([curve.regret[-1].mean() for curve in curves])


def z_score(a: np.ndarray, b: np.ndarray) -> float:
    spread = math.sqrt(a.var(ddof=1) / a.size + b.var(ddof=1) / b.size)
    return abs(a.mean() - b.mean()) / spread


@pytest.mark.parametrize("kind", ["linear", "finite"])
def test_blocks_of_one_round_are_the_stepwise_simulator(kind):
    rewards = LinearClass if kind == "linear" else RandomFinite(6, 1)
    times = list(range(201))
    blocked = totals(
        runs_of(300, rewards=rewards).rounds(times, NumpyDraws(np.random.default_rng(0))), 300
    )
    stepped = totals(
        stepwise_rounds(runs_of(300, rewards=rewards), 200, np.random.default_rng(1)), 300
    )
    assert z_score(blocked[0], stepped[0]) < 3.5
    assert z_score(blocked[1], stepped[1]) < 3.5


@pytest.mark.slow
def test_at_ten_thousand_rounds_they_agree_but_for_the_bias_of_blocking():
    """Blocking adds about (q−1)/ln q − 1 ≈ ln(q)/2 of the regret of the rounds it makes stale."""
    horizon, ratio = 10_000, 1.25
    rng = np.random.default_rng(2)
    stepped, stepped_last = totals(stepwise_rounds(runs_of(100), horizon, rng), 100)
    draws = NumpyDraws(np.random.default_rng(3))
    times = geometric_times(horizon, ratio)
    blocked, blocked_last = totals(runs_of(4000).rounds(times, draws), 4000)
    assert z_score(stepped_last, blocked_last) < 3.5
    bias = blocked.mean() / stepped.mean() - 1
    error = 2 * stepped.std() / math.sqrt(100) / stepped.mean()
    assert -error < bias < math.log(ratio) / 2 + error


def test_coarser_blocks_cost_more_regret_but_leave_the_last_policy_alone():
    found = {}
    for ratio in (1.05, 2.0):
        world = small_run(horizon=10**5, grid_ratio=ratio)
        (found[ratio],) = simulate([world], 1000, np.random.default_rng(4))
    fine, coarse = (found[q].cumulative[-1] for q in (1.05, 2.0))
    growth = (coarse.mean() - fine.mean()) / fine.mean()
    assert 0.5 * math.log(2) / 2 < growth < 1.6 * math.log(2) / 2
    assert z_score(found[1.05].regret[-1], found[2.0].regret[-1]) < 3.5


def test_draws_by_torch_give_the_same_regret_as_draws_by_numpy():
    times = geometric_times(10**5, 2.0)
    found = [
        totals(runs_of(400).rounds(times, draws), 400)
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
    first = next(iter(runs_of(2).rounds([0, 1], NumpyDraws(np.random.default_rng(0)))))
    torch.testing.assert_close(first.exploit[0], WORLD.reference)
    torch.testing.assert_close(first.explore[1], WORLD.reference)


def test_a_wrong_budget_keeps_a_regret_that_does_not_fall():
    worlds = [
        small_run(epsilon=1.0, believed_epsilon=believed) for believed in (None, math.inf, 1.2)
    ]
    right, *wrong = last_gaps(worlds, 10**8, 5, 40)
    assert all(gap > 100 * right for gap in wrong)


def test_exploration_finds_a_rare_response_that_exploitation_misses():
    rare = HiddenArmChoice(
        kind="hidden_arm", num_actions=5, best_prob=1e-3, advantage=0.8, radius=1.0,
        kl_weight=1 / 12,
    )  # fmt: skip
    alike: Any = {"instance": rare, "epsilon": 4.0, "horizon": 10**6, "grid_ratio": 1.5}
    worlds = [small_run(gamma=weight, **alike) for weight in (7.0, 0.0)]
    curves = simulate(worlds, 60, np.random.default_rng(6))
    with_bonus, without = (curve.cumulative[-1].mean() for curve in curves)
    assert without > 8 * with_bonus


def test_another_kl_weight_plays_another_policy():
    base = small_run(epsilon=4.0, gamma=0.0)
    right, wrong = last_gaps([base, replace(base, played_kl_weight=2.0)], 10**6, 7, 20)
    assert wrong > 100 * right


def test_corruption_leaves_a_floor_and_its_order_matters():
    clean = small_run(epsilon=1.0)
    before = replace(clean, corruption=0.02)
    gaps = last_gaps([clean, before, replace(before, order=Order.LTC)], 10**9, 8, 20)
    assert gaps[1] > 30 * gaps[0]
    assert gaps[2] > 2 * gaps[1]


def test_stages_of_a_run_act_where_they_say():
    clean = runs_of(2000)
    rng = np.random.default_rng
    for change in (
        {"labels": fair_coins},
        {"optimism": 0.0},
        {"optimism": -1.0},
        {"estimate": the_truth},
    ):
        changed = runs_of(2000, **change)
        found = list(changed.rounds([0, 500], NumpyDraws(rng(9))))
        usual = list(clean.rounds([0, 500], NumpyDraws(rng(9))))
        last, meant = found[-1], usual[-1]
        match change:
            case {"labels": _}:
                chance = changed.win_prob()
                torch.testing.assert_close(chance, torch.full_like(chance, 0.5))
                assert last.regret.mean() > 1.5 * meant.regret.mean()
            case {"optimism": multiple}:
                assert isinstance(multiple, float)
                torch.testing.assert_close(last.bonus, multiple * meant.bonus)
                torch.testing.assert_close(last.exploit, meant.exploit)
            case {"estimate": _}:
                torch.testing.assert_close(last.reward[0], WORLD.reward)
                torch.testing.assert_close(last.exploit[0], WORLD.optimal_policy)


def test_a_class_with_two_features_only_learns_those():
    learner = LeadingFeatures(2)(WORLD).learner(runs_of(1))
    pairs = torch.full((1, 24), 50.0, dtype=torch.float64)
    learner.observe(pairs, pairs / 3)
    assert learner.theta[0, 2] == 0
    assert learner.theta[0, :2].abs().min() > 0


def test_curves_by_hand():
    curve = RegretCurve(np.array([0.0, 1.0, 10.0, 100.0]), np.array([4.0, 2.0, 1.0, 0.1])[:, None])
    np.testing.assert_allclose(curve.cumulative[:, 0], [0, 4, 22, 112])
    np.testing.assert_allclose(curve.rate(1.0)[0], (10 + 10) / 2)
