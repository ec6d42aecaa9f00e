"""Huber's model: its mean, its worst case against the closed form, its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.labels.corruption.debiasing import Reading, debiased
from repro.labels.corruption.orders import Randomize
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.huber import Huber, WorstHuber

PLAIN = Reading(1.0, 0.0)


def shares(*win_rates: float) -> LabelCounts:
    """Exact laws of labels, one cell each."""
    wins = torch.tensor([win_rates], dtype=torch.float64)
    return LabelCounts(torch.ones_like(wins), wins)


def test_huber_mixes():
    after = Huber(0.1, 1.0)(None, shares(0.6), PLAIN)
    assert float(after.wins) == pytest.approx(0.9 * 0.6 + 0.1)


def test_huber_samples_its_mean():
    counts = LabelCounts(
        torch.full((3000, 1), 100.0, dtype=torch.float64),
        torch.full((3000, 1), 60.0, dtype=torch.float64),
    )
    wins = Huber(0.2, 0.0)(np.random.default_rng(0), counts, PLAIN).wins
    assert float(wins.mean()) == pytest.approx(48, abs=0.3)


@pytest.mark.parametrize("cost", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("h", [0.0, 0.4])
def test_worst_huber_attains_the_bias(cost, h):
    """Debiased ±1 label: shift α(c + |h|) behind the randomizer, α(1 + |h|) in front."""
    share, epsilon = 0.05, epsilon_of_cost(cost) if cost > 1 else float("inf")
    clean = shares((1 + h) / 2)
    reading = debiased(epsilon)
    private = Randomize.response(epsilon).apply(None, clean, reading)
    worst = WorstHuber(share, lambda labels: (2 * labels[:, 0] - 1 - h).abs())
    shift = abs(float(2 * reading(worst(None, private, reading)) - 1 - h))
    assert shift == pytest.approx(share * (cost + abs(h)))


def test_worst_corner_is_no_better_than_the_inside():
    weights = torch.tensor([1.0, -2.0], dtype=torch.float64)
    damage = lambda labels: ((labels - 0.5) @ weights).abs()  # noqa: E731
    found = WorstHuber(0.2, damage)(None, shares(0.4, 0.7), PLAIN)
    grid = np.linspace(0, 1, 11)
    inside = [
        float(damage(PLAIN(Huber(0.2, torch.tensor(b, dtype=torch.float64))(
            None, shares(0.4, 0.7), PLAIN))))
        for b in itertools.product(grid, grid)
    ]  # fmt: skip
    assert float(damage(PLAIN(found))) == pytest.approx(max(inside))


def test_huber_has_a_limit_of_cells():
    with pytest.raises(BadInput, match="at most 12 cells, here 13"):
        WorstHuber(0.1, lambda labels: labels[:, 0])(None, shares(*[0.5] * 13), PLAIN)


@pytest.mark.parametrize("model", [lambda a: Huber(a, 0.5),
                                   lambda a: WorstHuber(a, lambda labels: labels)])  # fmt: skip
def test_models_refuse_half(model):
    with pytest.raises(BadInput, match="corruption=0.5"):
        model(0.5)
