"""What not knowing ε costs, end to end and by hand."""

import math

import numpy as np
import pytest
import torch

from theorems import unknown_budget as own

WORLD = own.UnknownBudget(epsilon=1.0, n_pairs=10**10, kl_weight=1.0, smallest=0.001)


def test_shares_without_noise_give_the_signal_and_the_parameter():
    theta, signal = torch.tensor([[0.3, -0.7, 1.0]]).double(), 0.31
    wins = 0.5 + signal * torch.tanh(theta[..., None] * own.X / 2) / 2
    data = own.Shares(WORLD, wins, torch.ones_like(wins))
    found, kept = own._exactly(data)
    np.testing.assert_allclose(found, theta, rtol=1e-9)
    np.testing.assert_allclose(kept, torch.full_like(theta, signal), rtol=1e-9)
    at, miss = own._at(data, signal)
    np.testing.assert_allclose(at, theta, rtol=1e-9)
    assert float(miss.max()) < 1e-20


def test_the_floor_is_le_cam_s_of_the_two_problems():
    """TV ≤ ½ exactly, and the least sum of the two gaps over all policies, on a grid."""
    signal, number = math.tanh(0.5), WORLD.n_pairs
    least = (2 * (1 - signal**2 / 4) / (65 * number * signal**2)) ** (1 / 6)
    squared, total = 0.0, 0.0
    for x in (1, 2):
        one, two = (
            0.5 + s * math.tanh(t * x / 2) / 2
            for s, t in ((signal, 2 * least), (signal / 2, 4 * least))
        )
        squared += number / 4 * (one - two) ** 2 / (two * (1 - two))
        odds = np.linspace(2 * least * x, 4 * least * x, 2001)
        kl = sum(_kl(odds, odds[end]) for end in (0, -1))
        total += kl.min() / 2
    assert squared <= 0.5 * (1 + 1e-9)
    assert own.floor(WORLD) <= total / 4
    assert own.floor(WORLD) == pytest.approx(total / 4, rel=0.01)


def test_the_printed_constant():
    signal = math.tanh(0.5)
    shrunk = (2 * (1 - signal**2 / 4) / 65) ** (1 / 3)
    assert 5 / 8 * 0.2350 * shrunk > 0.045


def _kl(odds, truth):
    p, q = (1 / (1 + np.exp(-one)) for one in (odds, truth))
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
