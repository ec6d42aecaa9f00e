"""The closed form of Algorithms 1 and 3 against their printed losses, minimised over policies.

Nothing of the closed form is used here: a policy is its log odds, its implicit reward the link φ of
its density ratio, and the loss is summed over labels ranked (Algorithm 1) or not (Algorithm 3).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root_scalar
from scipy.special import expit

from repro.labels.corruption.orders import Order
from repro.p2.chipo.tabular import RareGoodResponse
from tests.at_each import at_each

WORLD = RareGoodResponse(epsilon=1.0, n_pairs=40_000, num_states=1, coverage=4.0, reward_bound=1.0)


def _implicit(odds, kl_weight):
    """β·φ(π/π_ref) of the better response minus that of the worse, at log odds of the better."""
    share = WORLD.good_reference
    ratios = expit(odds) / share - expit(-odds) / (1 - share)
    # log expit(x) − log expit(−x) = x, also where one of them underflows
    return kl_weight * (ratios + odds - math.log(share) + math.log(1 - share))


def _log_loss(difference, wins, pairs, epsilon):
    """−Σ log[(2σ(ε)−1)·P + 1−σ(ε)] over ranked labels (Algorithm 1)."""
    keep = expit(epsilon)
    win = (2 * keep - 1) * expit(difference) + 1 - keep
    lose = (2 * keep - 1) * expit(-difference) + 1 - keep
    return -(wins * math.log(win) + (pairs - wins) * math.log(lose))


def _square_loss(difference, wins, pairs, epsilon):
    """Σ [2P − 1 − c(ε)·z]² (Algorithm 3)."""
    keep = expit(epsilon)
    mean, cost = 2 * expit(difference) - 1, 1 / (2 * keep - 1)
    return wins * (mean - cost) ** 2 + (pairs - wins) * (mean + cost) ** 2


def _log_slope(difference, wins, pairs, epsilon):
    """The derivative of ``_log_loss``."""
    keep = expit(epsilon)
    win = (2 * keep - 1) * expit(difference) + 1 - keep
    lose = (2 * keep - 1) * expit(-difference) + 1 - keep
    bend = (2 * keep - 1) * expit(difference) * expit(-difference)
    return -bend * (wins / win - (pairs - wins) / lose)


def _square_slope(difference, wins, pairs, epsilon):
    """The derivative of ``_square_loss``."""
    keep = expit(epsilon)
    mean, cost = 2 * expit(difference) - 1, 1 / (2 * keep - 1)
    bend = 2 * expit(difference) * expit(-difference)
    return 2 * bend * (wins * (mean - cost) + (pairs - wins) * (mean + cost))


LOSSES = {"log": (_log_loss, _log_slope), "square": (_square_loss, _square_slope)}


@pytest.mark.parametrize("name", LOSSES)
def test_the_slopes_are_those_of_the_losses(name):
    loss, slope = LOSSES[name]
    for at in (-1.5, 0.1, 1.9):
        numeric = (loss(at + 1e-5, 700, 1000, 1.0) - loss(at - 1e-5, 700, 1000, 1.0)) / 2e-5
        assert slope(at, 700, 1000, 1.0) == pytest.approx(numeric, rel=1e-5)


def _minimiser(name, wins, pairs, epsilon, kl_weight):
    """Log odds of the policy with the least loss: of all on a grid, then the root of its slope."""
    loss, slope = LOSSES[name]
    limit = 2 * WORLD.reward_bound
    low, high = (_root(lambda o, to=to: _implicit(o, kl_weight) - to, -1e5, 1e5)
                 for to in (-limit, limit))  # fmt: skip
    grid = np.linspace(low, high, 4001)
    best = int(np.argmin([loss(_implicit(o, kl_weight), wins, pairs, epsilon) for o in grid]))
    if best in (0, len(grid) - 1):
        return grid[best]
    ends = grid[best - 1], grid[best + 1]
    return _root(lambda o: slope(_implicit(o, kl_weight), wins, pairs, epsilon), *ends)


def _root(of, low, high):
    return float(root_scalar(of, bracket=(low, high), xtol=1e-14, rtol=1e-14).root)


@at_each("name", LOSSES)
@at_each(("order", "alpha"), [(Order.CTL, 0.0), (Order.CTL, 0.03), (Order.LTC, 0.03)])
@at_each("truth", [0.02, 0.3, 0.9])
def test_the_closed_form_is_the_least_loss_over_policies(name, order, alpha, truth):
    world = replace(WORLD, corruption=alpha, order=order, believed_order=order)
    rng = np.random.default_rng(5)
    pairs = int(world.draw_pairs(rng, 1)[0, 0])
    reported = float(world.reports.mean(np.tanh(np.array(truth) / 2)))
    wins = int(rng.binomial(pairs, (1 + reported) / 2))
    odds = _minimiser(name, wins, pairs, world.epsilon, world.kl_weight)
    mean = np.array((2 * wins - pairs) / pairs)
    closed = float(world.gap(mean, np.array(truth))) / truth
    fitted = float(world.fitted(mean, np.array(truth)))
    assert _implicit(odds, world.kl_weight) == pytest.approx(fitted, rel=1e-9, abs=1e-12)
    assert closed == pytest.approx(float(expit(-odds)), rel=1e-9)
