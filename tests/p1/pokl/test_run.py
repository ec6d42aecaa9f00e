"""What a run's Γ_T follows from, and what each version of Algorithm 2 is algorithms."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from repro.base.errors import BadInput
from repro.core.door import from_values
from repro.core.worlds import Sweep, put
from repro.labels.corruption.orders import Order
from repro.p1.pokl import algorithms
from repro.p1.pokl.assumptions import as_told, small_ridge
from repro.p1.pokl.bonus import confidence_weight, proven_weight
from repro.p1.pokl.run import OnlineRun
from repro.worlds.policies.covering import log_covering_ball

ARM = {"kind": "hidden_arm", "num_actions": 3, "best_prob": 0.1, "advantage": 0.5, "radius": 1.0,
       "kl_weight": 0.25}  # fmt: skip
NUMBERS: dict[str, Any] = {
    "instance": ARM, "epsilon": 0.5, "horizon": 400, "failure_prob": 0.02, "net_radius": 0.1,
    "scale": 0.3, "ridge": 0.7, "grid_ratio": 1.5,
}  # fmt: skip


def run(**more) -> OnlineRun:
    return from_values(OnlineRun, {**NUMBERS, **more}, "place")


def test_an_instance_takes_the_numbers_of_its_fields():
    assert run().linear is run().linear
    assert (run().linear.kl_weight, run().linear.radius) == (0.25, 1.0)
    assert put(run(), {"kl_weight": 2.0}).linear.kl_weight == 2.0
    linear = {"kind": "linear", "num_states": 3, "num_actions": 3, "num_features": 2,
              "radius": 1.0, "theta_share": 0.5, "kl_weight": 0.5, "seed": 4}  # fmt: skip
    assert run(instance=linear).linear.features.shape == (3, 3, 2)
    with pytest.raises(BadInput, match=r"best_prob=2: allowed"):
        run(instance={**ARM, "best_prob": 2})


def test_the_bonus_of_one_run_is_set_for_the_longest_horizon():
    size, bound = log_covering_ball(2, 1.0, 0.1), run().linear.reward_bound
    grid = (10, 20, 400)
    weights = [confidence_weight(bound, 0.5, size, t, 0.02, 0.3) for t in grid]
    own, one = (Sweep.of(run(one_run=one), "horizon", grid).worlds for one in (False, True))
    assert [world.bonus_weight for world in own] == weights
    assert [world.bonus_weight for world in one] == [weights[-1]] * 3
    assert [world.horizon for world in one] == list(grid)


def test_weights_by_name():
    numbers = run().sizes(400)
    assert run(weight="printed").bonus_weight == confidence_weight(*numbers, 0.3)
    assert run(weight="proven").bonus_weight == proven_weight(*numbers)
    assert run(gamma=3.0).bonus_weight == 3.0


def test_what_each_wrong_version_is_told():
    world = run()
    assert algorithms.pokl(world) is world
    assert algorithms.naive_labels(world).believed_epsilon == math.inf
    assert algorithms.epsilon_overstated(world).believed_epsilon == pytest.approx(0.6)
    assert algorithms.without_exploration(world).bonus_weight == 0
    assert algorithms.inverted_kl_weight(world).played_kl_weight == 4.0
    hidden = algorithms.hidden_randomizer(run(epsilon=math.inf))
    assert (hidden.epsilon, hidden.believed_epsilon) == (1.0, math.inf)
    assert hidden.bonus_weight == run(epsilon=math.inf).bonus_weight


def test_mistakes_about_privacy_are_none_without_it():
    assert hasattr(algorithms.naive_labels, "privacy_mistake")
    assert hasattr(algorithms.epsilon_overstated, "privacy_mistake")
    assert not hasattr(algorithms.hidden_randomizer, "privacy_mistake")


def test_corruption_comes_where_the_order_says():
    signal = math.tanh(0.25)
    clean, before, after = (
        run(corruption=share, order=order).label_mean
        for share, order in ((0.0, "CTL"), (0.1, "CTL"), (0.1, Order.LTC))
    )
    assert (clean.scale, clean.offset) == pytest.approx((signal, 0))
    assert (before.scale, before.offset) == pytest.approx((0.9 * signal, 0.1 * signal))
    assert (after.scale, after.offset) == pytest.approx((0.9 * signal, 0.1))
    idle = put(run(corruption=0.1), {"adversary": OnlineRun.idle_adversary})
    assert idle.label_mean == clean


def test_what_is_assumed_is_asked_of_both_ends_as_the_algorithm_is_told_them():
    swept: Any = SimpleNamespace(
        check=SimpleNamespace(right=lambda world: world + 1),
        sweep=SimpleNamespace(worlds=[1, 5, 9], grid=[10.0, 50.0, 90.0]),
    )
    large = as_told(lambda world: [("large", world > 5, f"{world}")])  # type: ignore[arg-type]
    assert [*large(swept)] == [("at 10: large", False, "2"), ("at 90: large", True, "10")]


def test_the_ridge_is_small_against_the_bonus():
    ((_, holds, _),) = small_ridge(run())
    assert holds == (run().bonus_weight ** 2 / 2 >= 0.7)
    ((_, holds, _),) = small_ridge(run(gamma=0.1))
    assert not holds
    ((_, holds, _),) = small_ridge(run(gamma=0))
    assert holds


def test_no_label_is_added_at_another_budget():
    other = run(epsilon=0.1)
    assert run().more_labels(other) == 1.0
