"""Floors of estimation, RLHF and DPO: closed forms, the separation, wrong implementations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene, estimation_error
from repro.families.robust.quantities_floors import (
    dpo_floor,
    dpo_gap,
    estimation_floor,
    gap_gradient,
    greedy_floor,
    rewards_of,
    separation,
    swapped,
)
from repro.families.robust.worlds_log_linear import three_arms
from repro.families.robust.worlds_pairs import orthogonal_cells, pairs_of

WORLD = orthogonal_cells([0.3, 0.3], [0.3, -0.3], 4.0)
COST, SHARE, N = 6.0, 1e-3, 10**13


def scene(order: Order, **changes) -> Scene:
    return replace(Scene(WORLD, order, epsilon_of_cost(COST), SHARE, "strong"), **changes)


def ratio(**changes) -> float:
    """LTC over CTL."""
    rng = np.random.default_rng(0)
    ltc, ctl = (
        estimation_floor(scene(order, **changes), N, rng, 1).item()
        for order in (Order.LTC, Order.CTL)
    )
    return separation(ltc, ctl)


def test_the_ratio_is_the_privacy_cost():
    assert ratio() == pytest.approx(COST, rel=0.02)


@pytest.mark.parametrize(
    "wrong",
    [{"reading": "no_debias"}, {"reading": "shift_without_scale"}, {"reading": "cost_squared"},
     {"adversary": "uniform"}],
    ids=["no_debias", "shift_without_scale", "cost_squared", "random_flips"],
)  # fmt: skip
def test_wrong_implementations_show_no_separation(wrong):
    assert ratio(**wrong) == pytest.approx(1.0, abs=0.05)


def test_masks_and_swapped_orders_are_seen():
    assert ratio(adversary="mask") == pytest.approx((COST + 1) / 2, rel=0.05)
    assert swapped(Order.LTC) is Order.CTL
    assert swapped(Order.CLC) is Order.CLC
    rng = np.random.default_rng(0)
    ltc, ctl = (
        estimation_floor(scene(swapped(o)), N, rng, 1).item() for o in (Order.LTC, Order.CTL)
    )
    assert ltc / ctl == pytest.approx(1 / COST, rel=0.02)


def test_exact_law_equals_many_labels():
    exact = estimation_error(scene(Order.LTC), None, None).item()
    sampled = estimation_error(scene(Order.LTC), N, np.random.default_rng(1)).item()
    assert sampled == pytest.approx(exact, rel=1e-3)


def test_strong_is_worse_than_huber():
    strong = estimation_error(scene(Order.LTC), None, None).item()
    huber = estimation_error(scene(Order.LTC, adversary="huber"), None, None).item()
    assert strong > 1.3 * huber


@pytest.mark.parametrize(("order", "worth"), [(Order.LTC, COST), (Order.CTL, 1.0)])
def test_greedy_floor_in_closed_form(order, worth):
    """All αn flips in the cell of mass ξ: σ(t) − ½ = ζα/ξ."""
    shift = worth * SHARE / 0.3
    found = greedy_floor(scene(order), N, np.random.default_rng(0), (1e-4, 1.0))
    assert found == pytest.approx(np.log((0.5 + shift) / (0.5 - shift)), rel=5e-3)


def test_greedy_floor_without_corruption_is_nan():
    clean = scene(Order.LTC, adversary="none")
    assert np.isnan(greedy_floor(clean, N, np.random.default_rng(0), (1e-2, 1.0)))


ARMS = three_arms([0.4, 0.35, 0.25], [0.4, -0.2], 2.0, 0.5)


def test_dpo_gap_by_hand():
    reward = torch.zeros(1, 1, 3, dtype=torch.float64)
    by_hand = ((ARMS.optimal_policy - ARMS.reference) * ARMS.reward).sum()
    assert dpo_gap(ARMS, reward).item() == pytest.approx(by_hand.item())
    assert dpo_gap(ARMS, ARMS.reward[None]).item() == pytest.approx(0.0, abs=1e-15)


def test_rewards_and_gradient_of_pair_parameters():
    pairs = pairs_of(ARMS)
    reward = rewards_of(ARMS, pairs.theta[None])[0]
    assert torch.allclose(reward, ARMS.reward)
    gradient, step = gap_gradient(ARMS, pairs), 1e-6
    moved = pairs.theta + step * pairs.basis[:, 0]
    slope = dpo_gap(ARMS, rewards_of(ARMS, moved[None])).item() / step
    assert slope == pytest.approx(gradient[0].item(), rel=1e-4)


def test_dpo_separates_too():
    rng, dpo = np.random.default_rng(0), Scene(pairs_of(ARMS), Order.LTC, epsilon_of_cost(COST))
    dpo = replace(dpo, corruption=3e-4, adversary="strong")
    ltc = dpo_floor(dpo, ARMS, N, rng, 1).item()
    ctl = dpo_floor(replace(dpo, order=Order.CTL), ARMS, N, rng, 1).item()
    assert ltc / ctl == pytest.approx(COST, rel=0.05)


def test_misspelt_adversary():
    with pytest.raises(BadInput, match="adversary=stong: did you mean strong"):
        Scene(WORLD, Order.LTC, 1.0, SHARE, "stong")


def test_half_of_the_labels_is_refused():
    with pytest.raises(BadInput, match=r"corruption=0.5"):
        Scene(WORLD, Order.LTC, 1.0, 0.5, "strong")
