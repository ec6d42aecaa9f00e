"""PrivXPO and SquareXPO on needles: losses by loops, gaps by definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import NumpyDraws, geometric_times
from repro.labels.preferences.label_law import bradley_terry
from repro.p2.xpo.needles import NeedleClass, PairCounts, XpoBatch
from repro.p2.xpo.simulator import (
    _Play,
    average_gap,
    log_objective,
    printed_square_objective,
    square_objective,
)
from repro.study.parallel import single_thread

single_thread()
TILTS = torch.tensor([-1.0, 0.0, 1.5], dtype=torch.float64)
SIGNAL, KL_WEIGHT, OPTIMISM = 0.4, 0.3, 0.07


def batch(count: int = 1, **changes: float) -> XpoBatch:
    values = {
        "reward_gap": 0.45,
        "kl_weight": KL_WEIGHT,
        "optimism_weight": OPTIMISM,
        "label_scale": SIGNAL,
        "label_offset": 0.0,
        "label_shift": 0.0,
        "believed_signal": SIGNAL,
    } | changes
    return XpoBatch(**{k: torch.full((count,), v, dtype=torch.float64) for k, v in values.items()})


def records(seed: int = 0, actions: int = 3, rounds: int = 40):
    """(τ, τ̃, z) of some rounds, and their counts."""
    rng = np.random.default_rng(seed)
    data = [(*rng.integers(actions, size=2), int(rng.choice([-1, 1]))) for _ in range(rounds)]
    pairs, wins, base = (np.zeros(actions) for _ in range(3))
    for first, second, label in data:
        base[second] += 1
        if first != second:
            pairs[[first, second]] += 1
            wins[first if label == 1 else second] += 1
    counts = PairCounts(*(torch.from_numpy(x)[None] for x in (pairs, wins, base)))
    return data, counts


class Fixed:
    """Draws that give the counts they were made with."""

    def __init__(self, drawn: np.ndarray, wins: np.ndarray):
        self.counts = lambda total, prob: torch.from_numpy(drawn[None])
        self.binomial = lambda counts, prob: torch.from_numpy(wins[None])


def test_a_block_is_counted_by_response():
    rng = np.random.default_rng(3)
    drawn = rng.integers(2**40, size=9).astype(float)
    wins = np.floor(drawn * rng.random(9))
    uniform = torch.full((3,), 1 / 3).double()
    different = ~np.eye(3, dtype=bool).ravel()
    found = _Play(uniform, batch(), Fixed(drawn, wins[different]), bradley_terry).block(
        torch.full((1, 3), 1 / 3).double(), 1
    )
    pairs, won, baseline = (np.zeros(3) for _ in range(3))
    for cell, (first, second) in enumerate(np.ndindex(3, 3)):
        baseline[second] += drawn[cell]
        if first != second:
            pairs[[first, second]] += drawn[cell]
            won[first] += wins[cell]
            won[second] += drawn[cell] - wins[cell]
    np.testing.assert_array_equal(found.pairs[0].numpy(), pairs)
    np.testing.assert_array_equal(found.wins[0].numpy(), won)
    np.testing.assert_array_equal(found.baseline[0].numpy(), baseline)


def by_loops(data, loss: str) -> np.ndarray:
    """The objective of every policy as printed, straight from the records."""
    table = np.zeros((3, 3))
    for arm in range(3):
        for u, tilt in enumerate(TILTS.tolist()):
            logits = np.where(np.arange(3) == arm, tilt, 0.0)
            log_pi = logits - np.log(np.exp(logits).sum())
            total = 0.0
            for first, second, z in data:
                implicit = KL_WEIGHT * (log_pi[first] - log_pi[second])
                total += OPTIMISM * log_pi[second]
                if loss == "log":
                    prob = SIGNAL / (1 + math.exp(-z * implicit)) + (1 - SIGNAL) / 2
                    total -= math.log(prob) / SIGNAL**2
                else:
                    total += (math.tanh(implicit / 2) - z / SIGNAL) ** 2
            table[arm, u] = total
    return table - table[0, 0]


@pytest.mark.parametrize(("objective", "loss"), [(log_objective, "log"), (square_objective, "sq")])
def test_objectives_are_the_printed_sums(objective, loss):
    data, counts = records()
    found = objective(NeedleClass(3, TILTS, 1.5), batch())(counts)[0].numpy()
    np.testing.assert_allclose(found - found[0, 0], by_loops(data, loss), atol=1e-9)


def test_the_printed_sign_rewards_a_worse_fit():
    """Without optimism the printed objective prefers exactly what the loss likes least."""
    _, counts = records()
    policies, free = NeedleClass(3, TILTS, 1.5), batch(optimism_weight=0.0)
    right = square_objective(policies, free)(counts)
    torch.testing.assert_close(printed_square_objective(policies, free)(counts), -right)


def test_divergences_by_definition():
    policies = NeedleClass(3, TILTS, 1.5)
    best = np.exp([1.5, 0, 0]) / np.exp([1.5, 0, 0]).sum()
    for arm in range(3):
        for u, tilt in enumerate(TILTS):
            index = (torch.tensor([arm]), torch.tensor([u]))
            p = policies.probabilities(*index)[0].numpy()
            logits = np.where(np.arange(3) == arm, float(tilt), 0.0)
            np.testing.assert_allclose(p, np.exp(logits) / np.exp(logits).sum())
            expected = (p * np.log(p / best)).sum()
            np.testing.assert_allclose(float(policies.divergence()[index]), expected, atol=1e-12)


def test_the_gap_is_the_loss_of_the_regularised_objective():
    """J_β(π*) − J_β(π) = β·KL(π‖π*_β), against the objective itself."""
    policies, gap = NeedleClass(3, TILTS, 1.5), 1.5 * KL_WEIGHT
    reward = np.array([gap, 0, 0])

    def value(p):
        return p @ reward - KL_WEIGHT * (p * np.log(3 * p)).sum()

    best = np.exp([1.5, 0, 0]) / np.exp([1.5, 0, 0]).sum()
    p = policies.probabilities(torch.tensor([1]), torch.tensor([0]))[0].numpy()
    expected = value(best) - value(p)
    np.testing.assert_allclose(KL_WEIGHT * float(policies.divergence()[1, 0]), expected)


def test_blocks_hardly_change_the_average_gap():
    """Updating at a grid of ratio 1.5 against every round, T = 1000."""
    policies = NeedleClass(2, torch.linspace(-4, 4, 9, dtype=torch.float64), 2.0)
    setting = batch(400, reward_gap=0.3, kl_weight=0.15, optimism_weight=0.005)
    found = [
        average_gap(policies, setting, log_objective, times, NumpyDraws(np.random.default_rng(s)))
        for s, times in enumerate((list(range(1001)), geometric_times(1000, 1.5)))
    ]
    every, blocks = (x.mean().item() for x in found)
    assert abs(blocks / every - 1) < 0.25


def test_the_first_policy_is_the_reference():
    policies = NeedleClass(2, TILTS, 1.5)
    draws = NumpyDraws(np.random.default_rng(0))
    found = average_gap(policies, batch(3), log_objective, [0, 1], draws)
    p, q = 0.5, 1 / (1 + math.exp(-1.5))
    expected = p * math.log(p / q) + p * math.log(p / (1 - q))
    np.testing.assert_allclose(found.numpy(), KL_WEIGHT * expected)


def test_the_reference_of_a_needle_class_is_its_untilted_policy():
    policies = NeedleClass(3, torch.zeros(1).double(), 1.5, best_share=0.1)
    np.testing.assert_allclose(policies.table()[0], [0.1, 0.45, 0.45])
    np.testing.assert_allclose(policies.log_normaliser, 0, atol=1e-15)
