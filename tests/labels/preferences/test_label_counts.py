"""Counts of privatised labels: the law of multinomial and binomial draws, at any size."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.special import expit

from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts, private_win_prob

PROB = np.array([0.4, 0.25, 0.15, 0.1])  # the remaining 0.1 are pairs of equal responses
DIFF = np.array([1.0, -0.5, 0.0, 2.5])
REPLICATES = 4000
WIDEST_Z = 4.0
SIZES = pytest.mark.parametrize("n_pairs", [10**3, 10**14], ids=["n=1e3", "n=1e14"])


def draw(n_pairs: int, epsilon: float = 1.0, key: int = 7) -> LabelCounts:
    rng = np.random.Generator(np.random.Philox(key))
    return draw_label_counts(
        rng, torch.tensor(PROB), torch.tensor(DIFF), n_pairs, epsilon, REPLICATES
    )


def win_prob(epsilon: float) -> np.ndarray:
    """Two ways to a +1: the label is +1 and kept, or −1 and flipped (P1, eq. 7)."""
    keep = 1 / (1 + math.exp(-epsilon))
    return keep * expit(DIFF) + (1 - keep) * expit(-DIFF)


def mean_z(sample: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return (sample.mean(0) - mean) / np.sqrt(variance / len(sample))


def variance_z(sample: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Nearly normal counts: the sample variance has relative error √(2/(R−1))."""
    return (sample.var(0, ddof=1) / variance - 1) / math.sqrt(2 / (len(sample) - 1))


@SIZES
@pytest.mark.parametrize("epsilon", [0.3, 1.0, math.inf])
def test_wins_are_binomial(n_pairs, epsilon):
    """Marginally, a cell's wins are Binomial(n, cell probability · private win probability)."""
    wins = draw(n_pairs, epsilon).wins.numpy()
    prob = PROB * win_prob(epsilon)
    variance = n_pairs * prob * (1 - prob)
    assert np.abs(mean_z(wins, n_pairs * prob, variance)).max() < WIDEST_Z
    assert np.abs(variance_z(wins, variance)).max() < WIDEST_Z


@SIZES
def test_pairs_are_multinomial(n_pairs):
    pairs = draw(n_pairs).pairs.numpy()
    variance = n_pairs * PROB * (1 - PROB)
    assert np.abs(mean_z(pairs, n_pairs * PROB, variance)).max() < WIDEST_Z
    assert np.abs(variance_z(pairs, variance)).max() < WIDEST_Z
    correlation = np.corrcoef(pairs, rowvar=False)[0, 1]
    expected = -math.sqrt(PROB[0] * PROB[1] / ((1 - PROB[0]) * (1 - PROB[1])))
    assert abs(correlation - expected) < WIDEST_Z * (1 - expected**2) / math.sqrt(REPLICATES)


@SIZES
def test_wins_given_pairs_are_binomial(n_pairs):
    """Standardised by the cell's own pairs, wins have mean 0 and variance 1."""
    counts, prob = draw(n_pairs), win_prob(1.0)
    pairs, wins = counts.pairs.numpy(), counts.wins.numpy()
    standard = (wins - pairs * prob) / np.sqrt(pairs * prob * (1 - prob))
    assert np.abs(mean_z(standard, np.zeros(4), np.ones(4))).max() < WIDEST_Z
    assert np.abs(variance_z(standard, np.ones(4))).max() < WIDEST_Z


@SIZES
def test_counts_are_whole_and_wins_within_pairs(n_pairs):
    counts = draw(n_pairs)
    assert counts.pairs.shape == counts.wins.shape == (REPLICATES, 4)
    assert counts.pairs.dtype == counts.wins.dtype == torch.float64
    assert torch.equal(counts.pairs, counts.pairs.round())
    assert torch.equal(counts.wins, counts.wins.round())
    assert bool((counts.wins >= 0).all())
    assert bool((counts.wins <= counts.pairs).all())


@pytest.mark.parametrize("n_pairs", [1, 10**3, 10**14, 10**15])
def test_cells_summing_to_one_hold_every_pair(n_pairs):
    """Exact also at 1e15, where float64 still counts by ones."""
    rng = np.random.Generator(np.random.Philox(3))
    prob = torch.tensor([0.5, 0.25, 0.125, 0.125], dtype=torch.float64)
    counts = draw_label_counts(rng, prob, torch.zeros(4, dtype=torch.float64), n_pairs, 1.0, 500)
    assert set(counts.pairs.sum(1).tolist()) == {float(n_pairs)}


@SIZES
def test_pairs_outside_the_cells_are_not_kept(n_pairs):
    lost = n_pairs - draw(n_pairs).pairs.sum(1).numpy()
    variance = np.array(n_pairs * 0.1 * 0.9)
    assert abs(mean_z(lost, np.array(n_pairs * 0.1), variance)) < WIDEST_Z
    assert abs(variance_z(lost, variance)) < WIDEST_Z


def test_sums_above_one_by_rounding_are_accepted():
    rng = np.random.Generator(np.random.Philox(3))
    prob = torch.full((3,), (1 + 1e-15) / 3, dtype=torch.float64)
    counts = draw_label_counts(rng, prob, torch.zeros(3, dtype=torch.float64), 10**14, 1.0, 5)
    assert set(counts.pairs.sum(1).tolist()) == {1e14}


def test_same_stream_same_counts():
    one, other = draw(10**6, key=11), draw(10**6, key=11)
    assert torch.equal(one.pairs, other.pairs)
    assert torch.equal(one.wins, other.wins)
    assert not torch.equal(one.wins, draw(10**6, key=12).wins)


@pytest.mark.parametrize(
    ("reward_diff", "epsilon", "expected"),
    [
        pytest.param(0.0, 0.7, 0.5, id="equal rewards: a coin"),
        pytest.param(math.log(4), math.log(3), 0.65, id="3/4 · 4/5 + 1/4 · 1/5"),
        pytest.param(-math.log(4), math.log(3), 0.35, id="mirror image"),
        pytest.param(math.log(4), math.inf, 0.8, id="no privacy: the sigmoid"),
        pytest.param(50.0, math.log(3), 0.75, id="certain label: keep_prob"),
        pytest.param(-800.0, math.inf, 0.0, id="certain label, no privacy"),
    ],
)
def test_private_win_prob_by_hand(reward_diff, epsilon, expected):
    value = private_win_prob(torch.tensor(reward_diff, dtype=torch.float64), epsilon)
    assert float(value) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0, 40.0, 1e3, math.inf])
def test_private_win_prob_mixes_keep_and_flip(epsilon):
    value = private_win_prob(torch.tensor(DIFF), epsilon).numpy()
    np.testing.assert_allclose(value, win_prob(epsilon), rtol=1e-14)
    mirrored = private_win_prob(torch.tensor(-DIFF), epsilon).numpy()
    np.testing.assert_allclose(value + mirrored, 1.0, rtol=1e-14)
    assert (value <= 1).all()
