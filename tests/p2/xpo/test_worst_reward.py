"""Gaps on the worst reward: right updates and wrong ones, stages, and how a rung is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from repro.labels.corruption.label_mean import WorseResponse
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_opposite, the_truth
from repro.p2.xpo import worst_reward
from repro.p2.xpo.runs import NeedleRuns, Needles, RewardLadder, Update
from repro.p2.xpo.simulator import log_objective
from repro.p2.xpo.worst_reward import OnRung, batch_of, interior_gaps, ladder_gaps, worst_gaps
from repro.study.parallel import single_thread
from theorems import private_xpo as private
from theorems import square_xpo as square

single_thread()


def world(horizon: int, **changes) -> Needles:
    ladder = RewardLadder(low=1e-3, high=0.5, rungs=9)
    common = {"ladder": ladder, "grid_ratio": 1.5, "epsilon": 1.0}
    return Needles(horizon=horizon, **(common | changes))


@dataclass(frozen=True, kw_only=True)
class AtReward(NeedleRuns):
    """T rounds at one reward gap."""

    horizon: int
    reward: float

    @property
    def rounds(self) -> int:
        return self.horizon

    @property
    def rewards(self) -> np.ndarray:
        return np.array([self.reward])


def mean_gap(played: NeedleRuns, update: Update) -> float:
    (found,) = ladder_gaps(played, [update], np.random.default_rng(1), 60)
    return found.mean


def gap_of(algorithm: Callable[[Needles], Update], horizon: int, **changes) -> float:
    played = world(horizon, **changes)
    return mean_gap(played, algorithm(played))


def test_a_rare_best_response_is_found_by_optimism_alone():
    hopeful, neutral, reversed_ = (
        gap_of(method, 10**5, best_share=1e-3)
        for method in (private.priv_xpo, private.without_optimism, private.reversed_optimism)
    )
    assert 3 * hopeful < neutral < reversed_


def test_right_methods_improve_with_time_and_wrong_ones_do_not():
    for method in (private.priv_xpo, square.square_xpo):
        assert gap_of(method, 10**6) < 0.2 * gap_of(method, 10**4)
    for method in (
        private.naive_likelihood,
        private.label_flip,
        square.without_cost,
        square.square_label_flip,
        square.printed_sign,
    ):
        assert gap_of(method, 10**6) > 0.7 * gap_of(method, 10**4)


def test_the_floor_grows_with_corruption_and_is_larger_after_privacy():
    few, many = WorseResponse(0.003), WorseResponse(0.03)
    small, large = (gap_of(square.square_xpo, 10**9, adversary=one) for one in (few, many))
    assert 5 < large / small < 20
    late = gap_of(square.square_xpo, 10**9, adversary=many, order=Order.LTC)
    assert late > 1.5 * large
    other = gap_of(square.other_order, 10**9, adversary=many)
    assert other == pytest.approx(late, rel=0.2)


def test_stages_act_where_they_say():
    usual = gap_of(private.priv_xpo, 10**6)
    assert gap_of(private.priv_xpo, 10**6, labels=fair_coins) > 3 * usual
    assert gap_of(private.priv_xpo, 10**6, channel=no_randomizer) > 3 * usual
    assert gap_of(private.priv_xpo, 10**6, estimate=the_truth) < 1e-3 * usual
    assert gap_of(private.priv_xpo, 10**6, estimate=the_opposite) > 3 * usual
    sane, none, reversed_ = (
        batch_of(world(10**4, optimism=b), Update(log_objective), 0.1, 1.0, 2).optimism_weight
        for b in (1, 0, -1)
    )
    assert (none == 0).all()
    torch.testing.assert_close(reversed_, -sane)


def test_the_rung_is_chosen_on_other_runs_than_those_that_measure():
    """With pure noise the worst rung's measured mean is not above the true mean."""
    chosen = []
    flat = Update(lambda p, s: lambda c: torch.rand(len(s), p.num_actions, len(p.tilts)))
    level = world(3, ladder=RewardLadder(low=0.1, high=0.1 + 3e-12, rungs=4))
    for seed in range(40):
        torch.manual_seed(seed)
        (found,) = ladder_gaps(level, [flat], np.random.default_rng(seed), 4)
        assert found.reward in level.rewards
        chosen.append(found.mean)
    (everywhere,) = ladder_gaps(level, [flat], np.random.default_rng(99), 4000)
    error = np.std(chosen) / math.sqrt(40)
    assert abs(np.mean(chosen) - everywhere.mean) < 3.5 * error


def test_a_rung_is_chosen_once_and_is_the_worst():
    """The pilot's choice does not hang on the block, and fresh runs on every rung agree."""
    played, update = world(10**5), Update(log_objective)
    rewards = {
        ladder_gaps(played, [update], np.random.default_rng(seed), 1)[0].reward for seed in range(3)
    }
    every = {
        reward: mean_gap(
            AtReward(horizon=10**5, reward=reward, grid_ratio=1.5, epsilon=1.0), update
        )
        for reward in played.rewards.tolist()
    }
    (worst,) = rewards
    assert every[worst] > 0.8 * max(every.values())


def test_updates_side_by_side_are_what_they_are_alone():
    played = world(10**4)
    algorithms = (
        private.priv_xpo, square.square_xpo, private.label_flip, private.sixteen_times_the_rounds,
    )  # fmt: skip
    updates = [one(played) for one in algorithms]
    together = ladder_gaps(played, updates, np.random.default_rng(0), 2000)
    for update, found in zip(updates, together, strict=True):
        (alone,) = ladder_gaps(played, [update], np.random.default_rng(7), 2000)
        assert found.reward == alone.reward
        error = math.hypot(found.gaps.std(), alone.gaps.std()) / math.sqrt(2000)
        assert abs(found.mean - alone.mean) <= 4 * error


def test_waiting_before_the_first_change_does_not_matter(monkeypatch):
    played = AtReward(
        horizon=10**8, reward=6e-4, best_share=1e-6, grid_ratio=1.5, epsilon=1.0
    )  # fmt: skip

    def gaps() -> np.ndarray:
        rng = np.random.default_rng(0)
        return ladder_gaps(played, [square.square_xpo(played)], rng, 3000)[0].gaps

    waited = gaps()
    monkeypatch.setattr(worst_reward, "FIRST_CHANGE", 0.0)
    at_once = gaps()
    error = math.hypot(waited.std(), at_once.std()) / math.sqrt(3000)
    assert abs(waited.mean() - at_once.mean()) < 4 * error < 0.1 * at_once.mean()


def test_blocks_in_one_batch_are_what_each_is_alone():
    algorithms, worlds = (private.priv_xpo, private.naive_likelihood), [world(64), world(256)]
    streams = lambda: [np.random.default_rng(seed) for seed in range(4)]  # noqa: E731
    together = worst_gaps([*worlds, *worlds], algorithms, streams(), 7)
    for block in range(2):
        alone = worst_gaps(worlds, algorithms, streams()[2 * block : 2 * block + 2], 7)
        assert np.array_equal(together[2 * block : 2 * block + 2], alone)


@pytest.mark.parametrize("interior", [True, False])
def test_a_supremum_at_the_end_of_its_ladder_is_missing(monkeypatch, interior):
    """It may lie beyond the end; controls and bounds need no more than what the ladder finds."""
    found = OnRung(np.full(7, 3.0), 0.1, interior)
    monkeypatch.setattr(worst_reward, "blocks_on_ladder", lambda *given: [[found] * 2])
    algorithms = (private.priv_xpo, private.naive_likelihood)
    given = [world(64)], algorithms, [np.random.default_rng(0)], 7
    ((right, wrong),) = interior_gaps(*given)
    assert np.isfinite(right).all() == interior
    assert right.shape == (7,)
    assert wrong.tolist() == [3.0] * 7
    assert np.isfinite(worst_gaps(*given)).all()


def test_the_ends_of_a_ladder_are_not_inside():
    played = world(10**4, ladder=RewardLadder(low=1e-9, high=1e-7, rungs=3))
    (found,) = ladder_gaps(played, [Update(log_objective)], np.random.default_rng(0), 2)
    assert (found.reward, found.interior) == (pytest.approx(1e-7), False)
