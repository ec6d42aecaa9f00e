"""The closed form of one difference per state: by hand, at its edges, and as the general MLE."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import binom, chisquare

from repro.base.notation import flip_prob
from repro.labels.preferences.label_counts import (
    LabelCounts,
    draw_label_counts,
    private_win_prob,
    randomize_counts,
)
from repro.labels.preferences.label_mixture import LabelMixture
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.estimators.two_arm_mle import two_arm_mle

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


@pytest.mark.parametrize(
    ("wins", "expected"), [(525, math.log(4)), (375, -math.log(4)), (575, 3.0), (325, -3.0)]
)
def test_a_channel_that_also_answers_by_itself_by_hand(wins, expected):
    """Half of the labels pass; a fifth are always +1, and three tenths always −1."""
    channel = LabelMixture(truth=0.5, yes=0.2)
    estimate = two_arm_mle(counts_of(1000, wins), math.log(3), 3.0, channel)
    assert float(estimate) == pytest.approx(expected, abs=1e-9)


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


WIDEST_Z = 4.0
SMALLEST_P = 1e-3


def repeated(pairs: float, wins: float, replicates: int) -> LabelCounts:
    """(R, 1) the same cell many times."""
    full = torch.full((replicates, 1), 1.0, dtype=torch.float64)
    return LabelCounts(full * pairs, full * wins)


def stream(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key))


def law_after(pairs: int, wins: int, flip: float) -> np.ndarray:
    """(pairs + 1,) kept wins plus flipped losses, by convolution."""
    kept = binom.pmf(np.arange(wins + 1), wins, 1 - flip)
    flipped = binom.pmf(np.arange(pairs - wins + 1), pairs - wins, flip)
    return np.convolve(kept, flipped)


def p_value(wins: torch.Tensor, law: np.ndarray) -> float:
    seen = np.bincount(wins.flatten().numpy().astype(int), minlength=len(law))
    return float(chisquare(seen, law * seen.sum()).pvalue)


@pytest.mark.parametrize(
    ("wins", "epsilon"),
    [
        pytest.param(0, 0.5, id="no wins"),
        pytest.param(4, 0.1, id="nearly a coin"),
        pytest.param(4, 1.0, id="epsilon 1"),
        pytest.param(6, math.log(3), id="all wins"),
    ],
)
def test_small_counts_follow_the_exact_law(wins, epsilon):
    after = randomize_counts(stream(1), repeated(6, wins, 40_000), epsilon)
    assert p_value(after.wins, law_after(6, wins, flip_prob(epsilon))) > SMALLEST_P


@pytest.mark.parametrize("pairs", [10**3, 10**14], ids=["n=1e3", "n=1e14"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_mean_and_variance(pairs, epsilon):
    wins, replicates = 7 * pairs // 10, 20_000
    after = randomize_counts(stream(2), repeated(pairs, wins, replicates), epsilon).wins.numpy()
    keep = 1 / (1 + math.exp(-epsilon))
    mean, variance = wins * keep + (pairs - wins) * (1 - keep), pairs * keep * (1 - keep)
    assert abs(after.mean() - mean) / math.sqrt(variance / replicates) < WIDEST_Z
    assert abs(after.var() / variance - 1) / math.sqrt(2 / replicates) < WIDEST_Z
    assert (after >= 0).all()
    assert (after <= pairs).all()


def test_infinite_budget_is_the_identity():
    counts = LabelCounts(
        torch.tensor([[1e14, 7.0, 0.0]], dtype=torch.float64),
        torch.tensor([[1e13 + 1, 0.0, 0.0]], dtype=torch.float64),
    )
    after = randomize_counts(stream(3), counts, math.inf)
    assert torch.equal(after.wins, counts.wins)
    assert torch.equal(after.pairs, counts.pairs)


def test_two_mechanisms_are_one_with_the_composed_flip():
    """A label ends flipped if exactly one of the two flips it."""
    once = randomize_counts(stream(4), repeated(6, 5, 40_000), 1.0)
    twice = randomize_counts(stream(5), once, 0.5)
    one, two = flip_prob(1.0), flip_prob(0.5)
    composed = one * (1 - two) + two * (1 - one)
    assert p_value(twice.wins, law_after(6, 5, composed)) > SMALLEST_P
    assert p_value(twice.wins, law_after(6, 5, one)) < 1e-6


def test_clean_labels_through_it_have_the_private_law():
    """Bradley–Terry labels, then randomized response: P1's eq. 8."""
    sure, diff = torch.ones(1, dtype=torch.float64), torch.tensor([1.5], dtype=torch.float64)
    clean = draw_label_counts(stream(6), sure, diff, 5, math.inf, 40_000)
    private = randomize_counts(stream(7), clean, 0.8)
    win = float(private_win_prob(diff, 0.8)[0])
    assert p_value(private.wins, binom.pmf(np.arange(6), 5, win)) > SMALLEST_P


def test_input_is_left_alone_and_the_stream_decides():
    counts = repeated(100, 60, 50)
    one = randomize_counts(stream(8), counts, 1.0)
    other = randomize_counts(stream(8), counts, 1.0)
    assert torch.equal(one.wins, other.wins)
    assert set(counts.wins.flatten().tolist()) == {60.0}
    assert not torch.equal(one.wins, randomize_counts(stream(9), counts, 1.0).wins)
