"""The law of a scalar estimate, its adversary, and answers against labels drawn row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.corruption.orders import Order
from repro.families.losses.algorithms_losses import LOSSES
from repro.families.losses.loss_choice import loss_answer
from repro.families.losses.loss_map import perturbation_gain
from repro.families.losses.quantities_risk import LossRisk, always
from repro.families.losses.scalar_error import ScalarError, scalar_error
from repro.families.losses.worlds_losses import scalar_world

SETTINGS = [(4.0, 0.5, 0.05, Order.CTL), (12.0, 0.5, 0.01, Order.LTC), (2.0, 8.0, 0.05, Order.CTL)]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("bound", "epsilon", "alpha", "order"), SETTINGS)
def test_the_limit_and_the_large_sample_error_are_those_of_the_sandwich(
    name, bound, epsilon, alpha, order
):
    law = scalar_error(bound, LOSSES[name], epsilon, alpha, order)
    bad = torch.sign(law.x)
    risk = LossRisk(law.world, LOSSES[name], epsilon, alpha, order, adversary=always(bad))
    assert float(law.limits(bad[None])) == pytest.approx(float(risk.limit), rel=1e-6)
    found = float(law.mean_squared(bad[None], (1e10,)))
    assert found == pytest.approx(risk.risk(1e10), rel=2e-3)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("bound", "epsilon", "alpha", "order"), SETTINGS)
def test_for_large_n_one_of_two_signs_is_worst(name, bound, epsilon, alpha, order):
    law = scalar_error(bound, LOSSES[name], epsilon, alpha, order)
    sign, rng = torch.sign(law.x), np.random.default_rng(0)
    tried = torch.from_numpy(rng.uniform(-1, 1, (300, len(sign))))
    two = law.squared_bias(torch.stack((sign, -sign)))
    assert float(law.squared_bias(tried).max()) <= float(two.max())
    at = int(two.argmax())
    assert torch.equal(law.worst(1e12), sign if at == 0 else -sign)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_pairs", [1e3, 1e4, 1e6])
@pytest.mark.parametrize(("bound", "epsilon", "alpha", "order"), SETTINGS)
def test_no_changed_adversary_gains_one_percent(name, n_pairs, bound, epsilon, alpha, order):
    law = scalar_error(bound, LOSSES[name], epsilon, alpha, order)
    assert perturbation_gain(law, law.worst(n_pairs), n_pairs, seed=3) < 1.01


def test_a_poor_adversary_is_seen_to_be_poor():
    law = scalar_error(4.0, LOSSES["debiased"], 0.5, 0.05, Order.LTC)
    assert perturbation_gain(law, -law.worst(1e6), 1e6) > 1.5


def test_without_corruption_the_adversary_does_nothing():
    law = ScalarError(scalar_world(4.0), LOSSES["square"], 1.0)
    sign = torch.sign(law.x)
    both = law.mean_squared(torch.stack((sign, -sign)), (1e4,))[:, 0]
    assert float(both[0]) == pytest.approx(float(both[1]), rel=1e-12)


SETTINGS_DRAWN = 20
FEWEST, MOST, PRECISION = 600, 12_000, 0.05
"""Datasets a setting, and the relative standard error of a mean square at which no more are drawn:
where noise can throw an estimate to the edge of the class, a few datasets make up the mean."""


def _losses(name, c, keep, mean):
    """(2, G, C) loss of a report +1 and −1 on each node at every θ, as printed."""
    win = (1 - keep) + (2 * keep - 1) * (1 + mean) / 2
    if name == "mixture":
        return np.stack((-np.log(win), -np.log(1 - win)))
    if name == "square":
        return np.stack(((mean - c) ** 2, (mean + c) ** 2))
    log_win, log_lose = np.log((1 + mean) / 2), np.log((1 - mean) / 2)
    flip, signal = 1 - keep, 2 * keep - 1
    debiased = (keep * log_win - flip * log_lose, keep * log_lose - flip * log_win)
    return -np.stack(debiased) / signal


def _error_row_by_row(name, bound, epsilon, alpha, order, n, bad, seed):
    """Root mean squared reward error of datasets whose n labels are drawn one by one."""
    rng = np.random.default_rng(seed)
    x, weight = np.polynomial.legendre.leggauss(32)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    theta = np.linspace(-4 * bound, 4 * bound, 4001)
    mean = np.clip(np.tanh(np.outer(theta, x) / 2), -1 + 1e-15, 1 - 1e-15)
    plus, minus = _losses(name, 1 / (2 * keep - 1), keep, mean)
    squared = []
    while len(squared) < MOST:
        if len(squared) >= FEWEST and len(squared) % 100 == 0 and _known(squared):
            break
        node = np.searchsorted(np.cumsum(weight / 2)[:-1], rng.random(n))
        label = rng.random(n) < 1 / (1 + np.exp(-bound * x[node]))
        taken, flipped = rng.random(n) < alpha, rng.random(n) >= keep
        his = bad[node] > 0
        if order is Order.CTL:
            report = np.where(taken, his, label) ^ flipped
        else:
            report = np.where(taken, his, label ^ flipped)
        wins = np.bincount(node[report], minlength=32)
        loss = plus @ wins + minus @ (np.bincount(node, minlength=32) - wins)
        squared.append((theta[loss.argmin()] - bound) ** 2 / 3)
    return math.sqrt(np.mean(squared))


def _known(squared):
    return np.std(squared) < PRECISION * np.mean(squared) * math.sqrt(len(squared))


def _drawn_settings():
    rng = np.random.default_rng(2026)
    for seed in range(SETTINGS_DRAWN):
        bound, epsilon = rng.uniform(1, 10), math.exp(rng.uniform(math.log(0.3), math.log(8)))
        alpha = rng.choice([0.0, math.exp(rng.uniform(math.log(0.002), math.log(0.05)))])
        order = Order.CTL if rng.random() < 0.5 else Order.LTC
        n = round(math.exp(rng.uniform(math.log(1e3), math.log(8e3))))
        yield bound, epsilon, alpha, order, n, seed


def test_answers_agree_with_labels_drawn_row_by_row_or_declare_a_tie():
    compared = 0
    for bound, epsilon, alpha, order, n, seed in _drawn_settings():
        found = loss_answer(bound, epsilon, alpha, order, n)
        if not found.learnt:
            assert set(found.best) == set(LOSSES)
            continue
        seen = {}
        for name, kind in LOSSES.items():
            bad = scalar_error(bound, kind, epsilon, alpha, order).worst(n).numpy()
            seen[name] = _error_row_by_row(name, bound, epsilon, alpha, order, n, bad, seed)
        for name in LOSSES:
            ratio = seen[name] / seen[found.best[0]]
            assert ratio == pytest.approx(found.ratios[name], rel=0.1), (bound, epsilon, alpha, n)
        compared += 1
    assert compared >= 12
