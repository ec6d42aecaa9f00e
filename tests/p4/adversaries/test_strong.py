"""The strong adversary against brute force, and what it may not do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from repro.labels.corruption.debiasing import Reading, debiased
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.exchange import exchange, portions
from repro.p4.adversaries.strong import Response, StrongAdversary
from repro.p4.debiased_mle.targets import LogisticTarget, l2_root, weighted_root

READINGS = {"CTL": Reading(1.0, 0.0), "LTC": debiased(1.0)}


def problem(seed: int, cells: int = 3, features: int = 2, weighted: bool = False):
    """A small dataset and its target."""
    rng = np.random.default_rng(seed)
    x = torch.tensor(rng.standard_normal((cells, features)))
    x = x / x.norm(dim=1).max()
    pairs = torch.tensor(rng.integers(8, 25, (1, cells)), dtype=torch.float64)
    wins = torch.tensor(rng.binomial(pairs.numpy().astype(int), 0.5), dtype=torch.float64)
    mass = pairs / pairs.sum()
    root = weighted_root(x, mass, 0.01) if weighted else l2_root(x)
    truth = torch.tensor(rng.standard_normal(features)) * 0.3
    return LabelCounts(pairs, wins), LogisticTarget(x, mass, truth, radius=3.0, root=root)


def brute_force(counts: LabelCounts, reading: Reading, target, budget: int) -> float:
    """Largest damage over all flips within the budget."""
    steps = range(-budget, budget + 1)
    flips = [f for f in itertools.product(steps, repeat=3) if sum(map(abs, f)) <= budget]
    table = torch.tensor(flips, dtype=torch.float64)
    wins = counts.wins + table
    table = table[((wins >= 0) & (wins <= counts.pairs)).all(dim=1)]
    labels = reading(LabelCounts(counts.pairs.expand(len(table), -1), counts.wins + table))
    return float(target.repeated(len(table)).damage(labels).max())


@pytest.mark.some(2)
@pytest.mark.parametrize("weighted", [False, True], ids=["L2", "weighted"])
@pytest.mark.parametrize("order", READINGS)
def test_equals_brute_force(order, weighted):
    reading, ratios = READINGS[order], []
    for seed in range(25):
        counts, target = problem(seed, weighted=weighted)
        attacked = StrongAdversary(2, target)(None, counts, reading)
        flips = attacked.wins - counts.wins
        assert float(flips.abs().sum()) <= 2
        found = float(target.damage(reading(attacked)))
        ratios.append(found / brute_force(counts, reading, target, 2))
    assert max(ratios) <= 1 + 1e-9
    assert min(ratios) >= 0.9998
    assert np.mean(np.array(ratios) >= 1 - 1e-9) >= 0.9


def test_uniform_flips_are_far_from_the_worst():
    reading = READINGS["LTC"]
    counts, target = problem(3)
    rng = np.random.default_rng(0)
    random = []
    for _ in range(50):
        cell = rng.integers(3)
        flips = torch.zeros_like(counts.wins)
        flips[0, cell] = 2 * rng.choice([-1, 1])
        random.append(float(target.damage(reading(LabelCounts(counts.pairs, counts.wins + flips)))))
    attacked = StrongAdversary(2, target)(None, counts, reading)
    assert float(target.damage(reading(attacked))) > 1.2 * np.mean(random)


def test_no_budget_changes_nothing():
    counts, target = problem(0)
    assert StrongAdversary(0, target)(None, counts, READINGS["CTL"]) is counts


class Counting:
    """A target that counts the rows it is asked to refit."""

    def __init__(self, target, log):
        self._target, self._log = target, log
        self.features, self.mass = target.features, target.mass

    def respond(self, labels):
        self._log.append(len(labels))
        return self._target.respond(labels)

    def damage(self, labels):
        self._log.append(len(labels))
        return self._target.damage(labels)

    def repeated(self, times):
        return Counting(self._target.repeated(times), self._log)


@pytest.mark.parametrize("cells", [2, 8])
def test_work_does_not_depend_on_n(cells):
    work = []
    for n in (1e4, 1e13):
        x = torch.eye(cells, dtype=torch.float64)
        pairs = torch.full((1, cells), n / cells, dtype=torch.float64)
        target = LogisticTarget(
            x, pairs / n, torch.zeros(cells, dtype=torch.float64), 3.0, l2_root(x)
        )
        log: list[int] = []
        StrongAdversary(1e-2 * n, Counting(target, log))(
            None, LabelCounts(pairs, pairs / 2), READINGS["LTC"]
        )
        work.append(log)
    assert work[0] == work[1]


def test_one_cell_by_hand():
    """Labels even, α = 5 %: w moves from ½ to ½ + c·α, and θ̂ = logit(w)."""
    x = torch.ones(1, 1, dtype=torch.float64)
    pairs = torch.tensor([[1000.0]], dtype=torch.float64)
    target = LogisticTarget(x, pairs / 1000, torch.zeros(1, dtype=torch.float64), 5.0, l2_root(x))
    reading = Reading(2.0, 0.25)
    attacked = StrongAdversary(50, target)(None, LabelCounts(pairs, pairs / 2), reading)
    assert abs(float(attacked.wins) - 500) == 50
    assert float(target.damage(reading(attacked))) == pytest.approx(np.log(0.6 / 0.4))


def test_portions_of_small_and_large_budgets():
    assert portions(5, True) == [2, 2, 1, 1, 1]
    assert portions(1000, True) == [500, 250, 125]
    assert portions(0.25, False) == [0.125, 0.0625, 0.03125]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_exchange_turns_no_more_labels_than_a_cell_has(sign):
    """All damage is done in the second cell, which has one label to turn either way."""
    flips, room = torch.tensor([[2.0, 0.0]]), torch.tensor([[5.0, 1.0]])
    moved = exchange(flips, room, room, 2, lambda flips, _: sign * flips[:, 1], whole=True)
    assert moved.tolist() == [[1.0, sign]]


def test_labels_that_cannot_be_fitted_count_as_harmless():
    error = torch.tensor([[3.0, 4.0], [torch.nan, 0.0], [0.0, 0.0]])
    response = Response(error, torch.zeros(3, 2, 1))
    assert response.damage.tolist() == [5.0, -1.0, 0.0]
