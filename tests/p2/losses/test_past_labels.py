"""Theorem 3 of docs/explanations/adaptive_adversary.md, and the walk beside M-estimators."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts
from repro.p2.losses.label_losses import LOSSES, minimise_loss
from repro.p2.losses.past_labels import (
    _mean_square,
    gains,
    one_sided,
    squared_gain,
)
from repro.p2.losses.scalar_error import ScalarError
from repro.p2.losses.worlds import scalar_world
from theorems.loss_comparison import (
    WholeMap,
    always_debiased,
    best_where_nothing_is_seen,
    excess,
)

EPSILON = 1.0


def win_prob(world, order, bad, alpha=0.05):
    """P(z = +1) where bad labels have means b."""
    cost = privacy_cost(EPSILON)
    reach = 1.0 if order is Order.CTL else cost
    clean = torch.tanh(world.reward_diff / 2).numpy()
    return (1 + ((1 - alpha) * clean + alpha * reach * bad) / cost) / 2


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
@pytest.mark.parametrize("loss", LOSSES)
def test_whoever_sees_the_past_stays_between_the_two_sides(loss, order):
    world, rng, n_pairs, runs = scalar_world(4.0), np.random.default_rng(3), 300, 40
    x = world.feature_diff[:, 0].numpy()
    sign = np.sign(x)
    wins, pairs = (np.zeros((3, runs, len(x))) for _ in range(2))
    for _ in range(n_pairs):
        cell = rng.choice(len(x), size=runs, p=world.cell_prob.numpy())
        uniform, at = rng.random(runs), np.arange(runs)
        pushed = np.sign((wins[1] * 2 - pairs[1]) @ x + rng.normal(size=runs))
        for k, side in enumerate((-1.0, pushed, 1.0)):
            prob = win_prob(world, order, np.broadcast_to(side, (runs,))[:, None] * sign)
            wins[k, at, cell] += uniform < prob[at, cell]
            pairs[k, at, cell] += 1
    low, seen, high = (
        minimise_loss(
            LOSSES[loss](EPSILON),
            LabelCounts(torch.from_numpy(pairs[k]), torch.from_numpy(wins[k])),
            world.feature_diff,
            world.radius,
        )[:, 0].numpy()
        for k in range(3)
    )
    assert (low <= seen + 1e-7).all()
    assert (seen <= high + 1e-7).all()
    assert (low < high).any()


def test_the_gain_is_that_of_reflected_brownian_motion():
    assert math.sqrt(squared_gain(-0.71, 0.71)) == pytest.approx(1.166, abs=0.01)
    assert _mean_square(0.4, 0.4, 100) == pytest.approx(1 + 0.16, rel=0.01)
    for low, high in ((-3.0, 0.2), (-1.0, 1.0), (0.1, 0.7), (-6.0, 6.0)):
        assert 1 <= squared_gain(low, high) <= 2
    assert squared_gain(-5.99, 5.99) <= 1.03


@pytest.mark.parametrize("loss", LOSSES)
def test_the_walk_stands_for_the_estimator(loss):
    """Labels in 50 lots; the adversary sees earlier lots, and pushes where the influence is."""
    world, n_pairs, runs, lots = scalar_world(2.0), 100_000, 3000, 50
    error = ScalarError(world, LOSSES[loss], EPSILON, 0.002, Order.LTC)
    x = world.feature_diff[:, 0]
    weight = (error.loss.weight(x * world.theta) * x).numpy()
    centre = privacy_cost(EPSILON) * weight * world.reward_diff.div(2).tanh().numpy()
    rng, each = np.random.default_rng(7), world.cell_prob.numpy()
    wins, pairs, walk = np.zeros((runs, len(x))), np.zeros((runs, len(x))), np.zeros(runs)
    for _ in range(lots):
        drawn = rng.multinomial(n_pairs // lots, each, size=runs)
        side = np.where(walk >= 0, 1.0, -1.0)[:, None] * np.sign(x.numpy())
        won = rng.binomial(drawn, win_prob(world, Order.LTC, side, 0.002))
        cost = privacy_cost(EPSILON)
        walk += (weight * cost * (2 * won - drawn)).sum(1) - (drawn * centre / cost).sum(1)
        wins, pairs = wins + won, pairs + drawn
    counts = LabelCounts(torch.from_numpy(pairs), torch.from_numpy(wins))
    fitted = minimise_loss(LOSSES[loss](EPSILON), counts, world.feature_diff, world.radius)
    found = float(((fitted[:, 0] - world.theta) ** 2).mean() * world.metric[0, 0])
    blind = one_sided(error, (n_pairs,))[0]
    expected = blind * gains(error, (n_pairs,))[0]
    assert expected > 1.2 * blind
    assert math.sqrt(found / expected) == pytest.approx(1, abs=0.05)


def test_the_best_loss_of_the_map_stays_within_a_tie():
    world = WholeMap(epsilon=1.0)
    assert excess(world, best_where_nothing_is_seen, None, 1) <= 1.02
    assert excess(world, always_debiased, None, 1) > 1.02
