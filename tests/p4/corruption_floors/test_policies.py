"""Floors of estimation, RLHF and DPO: closed forms, the separation, wrong implementations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.p4.adversaries.adversary import HUBER, NONE, STRONG
from repro.p4.corruption_floors.policies import (
    dpo_floor,
    dpo_gap,
    gap_gradient,
    greedy_floor,
    rewards_of,
)
from repro.p4.debiased_mle.estimation import (
    estimation_error,
    estimation_floor,
    fitted,
    target_of,
    true_counts,
)
from repro.p4.debiased_mle.labels import (
    ClimbingMargin,
    SampledPairs,
    algorithm_1,
    built_pairs,
    cost_squared,
    mask_process,
    no_debias,
    orders_swapped,
    random_flips,
    shift_without_scale,
)
from repro.p4.debiased_mle.response import flipped_margin, huber_floor, strong_floor
from repro.p4.label_cells.choices import CellsChoice, ThreeArmsChoice
from repro.p4.label_cells.pairs import pairs_of

CELLS = CellsChoice(
    kind="cells", num_features=2, min_eigenvalue=0.3, reward_diff=0.3, reward_bound=4.0
)
WORLD = built_pairs(CELLS)
COST, SHARE, N = 6.0, 1e-3, 10**13


STATED = {
    "epsilon": epsilon_of_cost(COST), "corruption": SHARE, "adversary": STRONG, "instance": CELLS,
}  # fmt: skip


def sampled(order: Order = Order.LTC, **changes) -> SampledPairs:
    return SampledPairs(**(STATED | {"order": order, "n_pairs": N} | changes))


def infinite(order: Order = Order.LTC, **changes) -> ClimbingMargin:
    return ClimbingMargin(**(STATED | {"order": order, "margins": (1e-4, 1.0)} | changes))


def ratio(change=algorithm_1, **changes) -> float:
    """LTC over CTL."""
    rng = np.random.default_rng(0)
    ltc, ctl = (
        estimation_floor(change(sampled(order, **changes)), rng, 1).item()
        for order in (Order.LTC, Order.CTL)
    )
    return ltc / ctl


def test_the_ratio_is_the_privacy_cost():
    assert ratio() == pytest.approx(COST, rel=0.02)


WRONG = [no_debias, shift_without_scale, cost_squared, random_flips]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda one: one.__name__)
def test_wrong_implementations_show_no_separation(wrong):
    assert ratio(wrong) == pytest.approx(1.0, abs=0.05)


def test_masks_and_swapped_orders_are_seen():
    assert ratio(mask_process) == pytest.approx((COST + 1) / 2, rel=0.05)
    assert ratio(orders_swapped) == pytest.approx(1 / COST, rel=0.02)


@pytest.mark.parametrize(
    "stage",
    [{"labels": fair_coins}, {"channel": no_randomizer}, {"adversary": NONE}],
    ids=["fair coins", "no randomizer", "nobody"],
)
def test_without_a_stage_the_ratio_is_another(stage):
    assert abs(ratio(**stage) / COST - 1) > 0.3


def test_an_estimator_that_cheats_has_no_floor():
    assert estimation_error(infinite(estimate=the_truth)).item() == 0.0
    assert np.isnan(greedy_floor(infinite(estimate=the_truth), None, 1))


def test_an_estimator_that_cheats_is_told_the_truth_that_is_asked_for():
    case = infinite(estimate=the_truth)
    counts = true_counts(case, None, 1)
    target = target_of(case, counts)
    other = target.truth + 0.25
    torch.testing.assert_close(fitted(case, target, counts, None, other), other[None])


def test_exact_law_equals_many_labels():
    exact = estimation_error(infinite()).item()
    drawn = estimation_error(sampled(), np.random.default_rng(1)).item()
    assert drawn == pytest.approx(exact, rel=1e-3)


def test_strong_is_worse_than_huber():
    strong = estimation_error(infinite()).item()
    huber = estimation_error(infinite(adversary=HUBER)).item()
    assert strong > 1.3 * huber


@pytest.mark.parametrize(("order", "worth"), [(Order.LTC, COST), (Order.CTL, 1.0)])
def test_greedy_floor_in_closed_form(order, worth):
    """All αn flips in the cell of mass ξ: σ(t) − ½ = ζα/ξ."""
    shift = worth * SHARE / 0.3
    found = greedy_floor(infinite(order), None, 1)
    assert found == pytest.approx(np.log((0.5 + shift) / (0.5 - shift)), rel=5e-3)


@pytest.mark.parametrize(("order", "worth"), [(Order.LTC, COST), (Order.CTL, 1.0)])
def test_floors_to_first_order(order, worth):
    small = {"corruption": 1e-6, "margins": (1e-6, 1.0)}
    strong, huber = (
        estimation_error(infinite(order, adversary=one, **small)).item() for one in (STRONG, HUBER)
    )
    assert strong == pytest.approx(strong_floor(WORLD, 1e-6, worth), rel=1e-4)
    assert huber == pytest.approx(huber_floor(WORLD, 1e-6, worth), rel=1e-4)
    slope = float(torch.sigmoid(torch.tensor(0.3)) * torch.sigmoid(torch.tensor(-0.3)))
    by_hand = 1e-6 * (worth + np.tanh(0.15)) / (2**0.5 * slope)
    assert huber_floor(WORLD, 1e-6, worth) == pytest.approx(by_hand, rel=1e-6)
    turned = greedy_floor(infinite(order, **small), None, 1)
    assert turned == pytest.approx(flipped_margin(worth * 1e-6, 0.3), rel=1e-2)


def test_greedy_floor_without_corruption_is_nan():
    clean = infinite(adversary=NONE, margins=(1e-2, 1.0))
    assert np.isnan(greedy_floor(clean, None, 1))


ARMS_CHOICE = ThreeArmsChoice(
    kind="three_arms", reference=(0.4, 0.35, 0.25), reward=(0.4, -0.2), reward_bound=2.0,
    kl_weight=0.5,
)  # fmt: skip
ARMS = built_pairs(ARMS_CHOICE).policies


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
    rng = np.random.default_rng(0)
    dpo = sampled(instance=ARMS_CHOICE, corruption=3e-4)
    ltc = dpo_floor(dpo, rng, 1).item()
    ctl = dpo_floor(replace(dpo, order=Order.CTL), rng, 1).item()
    assert ltc / ctl == pytest.approx(COST, rel=0.05)


def test_half_of_the_labels_is_refused():
    with pytest.raises(BadInput, match=r"corruption=0.5"):
        sampled(corruption=0.5)


def test_a_corrupted_case_has_a_label_to_corrupt():
    with pytest.raises(BadInput, match=r"corruption=0.05: 0.5 of a label"):
        sampled(corruption=0.05, n_pairs=10)
    assert sampled(corruption=0.05, n_pairs=10, adversary=NONE).n_pairs == 10
