"""The closed form of one difference per state: by hand, at its edges, and as the general MLE."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.estimators.mixture_mle import mixture_mle
from repro.families.offline_kl.algorithms_counts import two_arm_mle
from repro.preferences.label_counts import LabelCounts, draw_label_counts, private_win_prob

DIFF = torch.tensor([1.0, -0.5, 0.0, 2.0], dtype=torch.float64)


def counts_of(pairs: float, wins: float) -> LabelCounts:
    one = torch.ones(1, 1, dtype=torch.float64)
    return LabelCounts(pairs * one, wins * one)


@pytest.mark.parametrize(
    ("pairs", "wins", "epsilon", "expected"),
    [
        pytest.param(100, 65, math.log(3), math.log(4), id="(.65 − .25)/.5 = 4/5"),
        pytest.param(100, 35, math.log(3), -math.log(4), id="mirror image"),
        pytest.param(100, 50, 0.3, 0.0, id="even"),
        pytest.param(100, 80, math.inf, math.log(4), id="no privacy: the logit"),
        pytest.param(100, 75, math.log(3), 3.0, id="exactly keep: the upper bound"),
        pytest.param(100, 90, math.log(3), 3.0, id="above keep: the upper bound"),
        pytest.param(100, 10, math.log(3), -3.0, id="below flip: the lower bound"),
        pytest.param(7, 7, math.inf, 3.0, id="all won"),
        pytest.param(7, 0, math.inf, -3.0, id="all lost"),
        pytest.param(0, 0, 1.0, 0.0, id="no pairs"),
        pytest.param(0, 0, math.inf, 0.0, id="no pairs, no privacy"),
        pytest.param(1e15, 6.5e14, math.log(3), math.log(4), id="n=1e15"),
    ],
)
def test_by_hand(pairs, wins, epsilon, expected):
    estimate = two_arm_mle(counts_of(pairs, wins), epsilon, 3.0)
    assert estimate.shape == (1, 1)
    assert float(estimate) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, math.inf])
def test_is_the_general_mle_on_one_hot_features(epsilon):
    rng = np.random.Generator(np.random.Philox(1))
    prob = torch.tensor([0.2, 0.3, 0.1, 0.4], dtype=torch.float64)
    counts = draw_label_counts(rng, prob, DIFF, 10**6, epsilon, 20)
    general = mixture_mle(counts, torch.eye(4, dtype=torch.float64), epsilon, 50.0)
    closed = two_arm_mle(counts, epsilon, 50.0)
    torch.testing.assert_close(closed, general, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, math.inf])
def test_expected_counts_return_the_truth(epsilon):
    pairs = torch.full((1, 4), 1e12, dtype=torch.float64)
    counts = LabelCounts(pairs, pairs * private_win_prob(DIFF, epsilon))
    torch.testing.assert_close(two_arm_mle(counts, epsilon, 4.0)[0], DIFF, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_maximises_the_likelihood_within_the_bounds(epsilon):
    """Against a grid over [−B, B], clipped states and empty states included."""
    rng = np.random.Generator(np.random.Philox(2))
    pairs = rng.integers(0, 40, (30, 4))
    counts = LabelCounts(
        torch.from_numpy(pairs).double(), torch.from_numpy(rng.binomial(pairs, 0.6)).double()
    )
    grid = torch.linspace(-2, 2, 4001, dtype=torch.float64)[:, None, None]

    def value(difference: torch.Tensor) -> torch.Tensor:
        win, lose = (private_win_prob(sign * difference, epsilon) for sign in (1, -1))
        return counts.wins * win.log() + (counts.pairs - counts.wins) * lose.log()

    ours = value(two_arm_mle(counts, epsilon, 2.0))
    assert bool((ours >= value(grid).amax(0) - 1e-12).all())


def test_never_leaves_the_bounds():
    rng = np.random.Generator(np.random.Philox(3))
    prob = torch.full((4,), 0.25, dtype=torch.float64)
    for epsilon in (1e-3, 0.5, math.inf):
        estimate = two_arm_mle(draw_label_counts(rng, prob, DIFF, 50, epsilon, 500), epsilon, 2.0)
        assert bool(estimate.isfinite().all())
        assert float(estimate.abs().max()) == 2.0
