"""The strong adversary against brute force, and what it may not do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from repro.algorithms.victims import LogisticVictim, l2_root, weighted_root
from repro.corruption.reading import Reading, debiased
from repro.corruption.strong import StrongAdversary
from repro.preferences.label_counts import LabelCounts


def problem(seed: int, cells: int = 3, features: int = 2, weighted: bool = False, sizes=(8, 25)):
    """A small dataset, its reading and its victim."""
    rng = np.random.default_rng(seed)
    x = torch.tensor(rng.standard_normal((cells, features)))
    x = x / x.norm(dim=1).max()
    pairs = torch.tensor(rng.integers(*sizes, (1, cells)), dtype=torch.float64)
    wins = torch.tensor(rng.binomial(pairs.numpy().astype(int), 0.5), dtype=torch.float64)
    mass = pairs / pairs.sum()
    root = weighted_root(x, mass, 0.01) if weighted else l2_root(x)
    truth = torch.tensor(rng.standard_normal(features)) * 0.3
    victim = LogisticVictim(x, mass, truth, radius=3.0, root=root)
    return LabelCounts(pairs, wins), victim


def brute_force(counts: LabelCounts, reading: Reading, victim, budget: int) -> float:
    """Largest damage over all flips within the budget."""
    ranges = [
        range(-int(k), int(n - k) + 1)
        for n, k in zip(counts.pairs[0].tolist(), counts.wins[0].tolist(), strict=True)
    ]
    flips = [f for f in itertools.product(*ranges) if sum(map(abs, f)) <= budget]
    table = torch.tensor(flips, dtype=torch.float64)
    labels = reading(LabelCounts(counts.pairs.expand(len(flips), -1), counts.wins + table))
    return float(victim.repeated(len(flips)).error(labels).norm(dim=-1).max())


def damage(counts: LabelCounts, reading: Reading, victim) -> float:
    return float(victim.error(reading(counts)).norm(dim=-1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reading", [Reading(1.0, 0.0), debiased(1.0)], ids=["CTL", "LTC"])
def test_greedy_equals_brute_force(reading, weighted):
    ratios = []
    for seed in range(40):
        counts, victim = problem(seed, weighted=weighted)
        attacked = StrongAdversary(2, victim)(None, counts, reading)
        ratios.append(damage(attacked, reading, victim) / brute_force(counts, reading, victim, 2))
    assert max(ratios) <= 1 + 1e-9
    print(sorted(ratios)[:8])
    assert min(ratios) >= 1 - 1e-9
