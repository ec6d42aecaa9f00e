"""Floors under two orders: what the same world has is worked out once, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.labels.corruption.orders import Order
from repro.p4.adversaries.adversary import HUBER, STRONG
from repro.p4.adversaries.huber import MAX_CELLS
from repro.p4.corruption_floors.rare_labels import RarePairs
from repro.p4.corruption_floors.sampled_cell import CostliestMargin
from repro.p4.corruption_floors.two_orders import (
    ComparedPairs,
    PairsAtBudgets,
    by_strong,
    closed_ratio,
    estimation_closed,
    farthest_ratio,
    ratio_of_orders,
)
from repro.p4.debiased_mle.labels import algorithm_1, no_debias, orders_swapped
from repro.p4.label_cells.choices import CellsChoice, IsotropicChoice

CELL = CellsChoice(
    kind="cells", num_features=1, min_eigenvalue=0.9, reward_diff=0.3, reward_bound=4.0
)
STATED = {"corruption": 1e-4, "adversary": STRONG, "instance": CELL, "margins": (0.1, 1.0)}
ALGORITHMS = [algorithm_1, orders_swapped, no_debias]


def test_with_the_orders_swapped_no_floor_is_found_twice():
    asked = []

    def floor(world, rng, replicates):
        asked.append((world.order, world.reading))
        return 3.0 if world.order is Order.LTC else 1.0

    world = ComparedPairs(epsilon=math.log(2.0), **STATED)
    rng = np.random.default_rng(0)
    (found,) = ratio_of_orders("ratio", floor).values([world], ALGORITHMS, [rng], 1, [world])
    assert found[:, 0].tolist() == [3.0, 1 / 3, 3.0]
    assert len(asked) == len(set(asked)) == 4


def test_the_farthest_epsilon_is_the_one_that_counts():
    """A floor that is twice its closed form under LTC at the last ε, and right elsewhere."""
    world = PairsAtBudgets(epsilons=(0.5, 1.0, 2.0), **STATED)
    closed = by_strong(estimation_closed)

    def floor(one, rng, replicates):
        ratio = closed_ratio(world, closed, one.epsilon) if one.order is Order.LTC else 1.0
        return (2.0 if one.epsilon == 2.0 and one.order is Order.LTC else 1.0) * ratio

    quantity = farthest_ratio("ratio", floor, closed)
    rng = np.random.default_rng(0)
    (found,) = quantity.values([world], [algorithm_1], [rng], 1, [world])
    assert found.item() == pytest.approx(2.0)


def test_hubers_answers_are_tried_on_few_cells_alone():
    many = IsotropicChoice(
        kind="isotropic", min_eigenvalue=1 / (MAX_CELLS + 1), reward_diff=0.1, reward_bound=4.0
    )
    world = ComparedPairs(epsilon=1.0, **{**STATED, "instance": many})
    refused = rf"^adversary=huber: allowed: at most {MAX_CELLS} label cells, the instance has 13"
    with pytest.raises(BadInput, match=refused):
        replace(world, adversary=HUBER)


def test_rare_pairs_need_somebody_who_corrupts():
    """Their masses are in units of α: at α = 0 there are none."""
    rare = RarePairs(reward_bound=2, lightest=0.5, heaviest=2e4, ratio=1.25, kl_weight=0.02)
    assert rare.pairs(1e-5).masses == pytest.approx((5e-6, 0.2))
    with pytest.raises(BadInput, match=r"corruption=0.*above 0"):
        rare.pairs(0.0)


def test_the_costliest_margin_is_that_of_its_own_order():
    """Whoever measures under another order, or without an adversary, meets the same margin."""
    world = CostliestMargin(
        epsilon=0.5, n_pairs=10**6, corruption=1e-3, adversary=STRONG, instance=CELL,
        costliest_under=Order.LTC, largest=3.9,
    )  # fmt: skip
    margin, gap = world.margin_and_gap
    assert float(world.stated.reward_diff[0]) == pytest.approx(margin)
    assert 0 < gap < margin
    swapped = orders_swapped(world)
    assert isinstance(swapped, CostliestMargin)
    assert swapped.margin_and_gap == (margin, gap)
    assert replace(world, costliest_under=Order.CTL).margin_and_gap[0] < margin
