"""The law of a scalar estimate, its adversary, and answers against labels drawn row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.labels.corruption.orders import Order
from repro.p2.losses.label_losses import LOSSES
from repro.p2.losses.loss_choice import loss_answer
from repro.p2.losses.loss_map import perturbation_gain
from repro.p2.losses.risk import LossRisk, always
from repro.p2.losses.scalar_error import ScalarError, scalar_error
from repro.p2.losses.worlds import scalar_world
from tests.at_each import at_each

SETTINGS = [(4.0, 0.5, 0.05, Order.CTL), (12.0, 0.5, 0.01, Order.LTC), (2.0, 8.0, 0.05, Order.CTL)]


@at_each("name", LOSSES)
@at_each(("bound", "epsilon", "alpha", "order"), SETTINGS)
def test_the_limit_and_the_large_sample_error_are_those_of_the_sandwich(
    name, bound, epsilon, alpha, order
):
    law = scalar_error(bound, LOSSES[name], epsilon, alpha, order)
    bad = torch.sign(law.x)
    risk = LossRisk(law.world, LOSSES[name], epsilon, alpha, order, adversary=always(bad))
    assert float(law.limits(bad[None])) == pytest.approx(float(risk.limit), rel=1e-6)
    found = float(law.mean_squared(bad[None], (1e10,)))
    assert found == pytest.approx(risk.risk(1e10), rel=2e-3)


@at_each("name", LOSSES)
@at_each(("bound", "epsilon", "alpha", "order"), SETTINGS)
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


DATASETS = 100
"""Drawn at a time."""


class _Rows:
    """Datasets of n labels drawn one by one, kept as counts of (node, label, taken, flipped).

    All losses of a setting read the same rows, each with an adversary of its own.
    """

    def __init__(self, bound, keep, alpha, n, seed):
        self.x, self.weight = np.polynomial.legendre.leggauss(32)
        self.bound, self.keep, self.alpha, self.n = bound, keep, alpha, n
        self.rng, self.drawn = np.random.default_rng(seed), []

    def chunk(self, i):
        """(DATASETS, 32, 2, 2, 2) counts."""
        while len(self.drawn) <= i:
            self.drawn.append(self._chunk())
        return self.drawn[i]

    def _chunk(self):
        rng = self.rng
        pairs = rng.multinomial(self.n, self.weight / 2, size=DATASETS)
        place = np.repeat(
            np.arange(DATASETS * 32), pairs.ravel()
        )  # 32 · dataset + node, a row each
        label = rng.random(len(place)) < (1 / (1 + np.exp(-self.bound * self.x)))[place % 32]
        taken = rng.random(len(place)) < self.alpha
        flipped = rng.random(len(place)) >= self.keep
        cell = place * 8 + 4 * label + 2 * taken + flipped
        counts = np.bincount(cell, minlength=DATASETS * 256)
        return counts.reshape(DATASETS, 32, 2, 2, 2)


def _error_row_by_row(name, rows, order, bad):
    """Root mean squared reward error of the loss's minimiser on a grid of 4,001 points."""
    theta = np.linspace(-4 * rows.bound, 4 * rows.bound, 4001)
    mean = np.clip(np.tanh(np.outer(rows.x, theta) / 2), -1 + 1e-15, 1 - 1e-15)
    plus, minus = _losses(name, 1 / (2 * rows.keep - 1), rows.keep, mean)
    of_report = np.concatenate((plus, minus))
    his = (bad > 0)[:, None, None, None]
    label, taken, flipped = np.indices((2, 2, 2)).astype(bool)
    if order is Order.CTL:
        report = np.where(taken, his, label) ^ flipped
    else:
        report = np.where(taken, his, label ^ flipped)
    squared = np.empty(0)
    for i in range(MOST // DATASETS):
        counts = rows.chunk(i).astype(float)
        wins = (counts * report).sum(axis=(2, 3, 4))
        reports = np.concatenate((wins, counts.sum(axis=(2, 3, 4)) - wins), axis=1)
        least = _least(reports, of_report)
        squared = np.append(squared, (theta[least] - rows.bound) ** 2 / 3)
        if len(squared) >= FEWEST and _known(squared):
            break
    return math.sqrt(np.mean(squared))


def _least(reports, of_report):
    """(DATASETS,) place of the least loss: of every eighth point, then of those about it."""
    coarse = 8 * (reports @ of_report[:, ::8]).argmin(axis=1)
    about = np.clip(coarse[:, None] + np.arange(-8, 9), 0, of_report.shape[1] - 1)
    fine = np.einsum("ck,kcp->cp", reports, of_report[:, about])
    return about[np.arange(len(about)), fine.argmin(axis=1)]


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


@pytest.mark.slow
def test_answers_agree_with_labels_drawn_row_by_row_or_declare_a_tie():
    compared = 0
    for bound, epsilon, alpha, order, n, seed in _drawn_settings():
        found = loss_answer(bound, epsilon, alpha, order, n)
        if not found.learnt:
            assert set(found.best) == set(LOSSES)
            continue
        seen, keep = {}, math.exp(epsilon) / (1 + math.exp(epsilon))
        rows = _Rows(bound, keep, alpha, n, seed)
        for name, kind in LOSSES.items():
            bad = scalar_error(bound, kind, epsilon, alpha, order).worst(n).numpy()
            seen[name] = _error_row_by_row(name, rows, order, bad)
        for name in LOSSES:
            ratio = seen[name] / seen[found.best[0]]
            assert ratio == pytest.approx(found.ratios[name], rel=0.1), (bound, epsilon, alpha, n)
        compared += 1
    assert compared >= 12


@at_each("name", LOSSES)
def test_the_floor_is_the_error_of_ever_more_labels(name):
    law = scalar_error(5.0, LOSSES[name], 8.0, 0.2, Order.CTL)
    error = law.mean_squared(law.worst(1e13)[None], (1e13,)) ** 0.5
    assert float(error) == pytest.approx(law.floor, rel=1e-3)
    assert scalar_error(5.0, LOSSES[name], 8.0, 0.0, Order.CTL).floor == 0.0


def test_estimates_at_the_edge_have_all_of_the_error_where_nothing_is_learnt():
    """Of a coin at ε → 0 θ̂ is either end of the class: [−16, 16] for B = 4."""
    one = scalar_error(4.0, LOSSES["square"], 1e-3, 0.0, Order.CTL)
    bad = one.worst(100)
    assert one.edge_share(bad, 100) > 0.99
    assert one.edge_share(bad, 1e15) < 1e-9
    # half of the estimates are at each end: ((16 − 4)² + (16 + 4)²)/2 times E x² = 1/3
    assert float(one.mean_squared(bad[None], (100,))) == pytest.approx(272 / 3, rel=0.01)
