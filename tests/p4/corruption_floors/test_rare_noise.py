"""DPO's noise in the family of bounded κ_Π, and what its gap exceeds, against draws."""

import math

import numpy as np
import pytest
from scipy.special import expit

from repro.base.notation import flip_prob, privacy_cost
from repro.p4.corruption_floors.rare_noise import (
    LopsidedLabels,
    RareNoise,
    gap_exceeded,
    worst_noise,
)
from repro.p4.label_cells.choices import LopsidedChoice
from repro.p4.linear_rlhf.two_arms import deviation

END = 2**0.5


def case(n_pairs: int) -> RareNoise:
    return RareNoise(n_pairs=n_pairs, epsilon=1.0, reward_bound=2.0, kl_weight=0.02)


def drawn(rng: np.random.Generator, pairs: int, margin: float) -> np.ndarray:
    """Errors of the debiased estimate of one margin, cut off at the end of the class."""
    cost = privacy_cost(1.0)
    rate = rng.binomial(pairs, flip_prob(1.0) + expit(margin) / cost, 40_000) / pairs
    read = np.clip(cost * (rate - flip_prob(1.0)), 1e-12, 1 - 1e-12)
    return np.clip(np.log(read / (1 - read)), -END, END) - margin


def test_the_worst_mass_by_draws():
    n_pairs, rng = 10**8, np.random.default_rng(0)
    known, gaps = drawn(rng, n_pairs // 4, 1.0), []
    for pairs in (2**k for k in range(24)):
        root = math.sqrt(pairs / n_pairs)
        off = root * drawn(rng, pairs, -1.0) + known / 2
        gaps.append((0.5 - root) / 2 * np.abs(expit(off / 0.02) - 0.5).mean())
    assert worst_noise(case(n_pairs)) == pytest.approx(max(gaps), rel=0.03)


def test_too_few_labels():
    assert math.isnan(worst_noise(case(7)))


def test_a_rare_pair_costs_as_much_at_every_n():
    assert worst_noise(case(10**9)) / worst_noise(case(10**11)) == pytest.approx(10, rel=0.02)


def test_a_gap_is_the_swing_of_the_error_that_is_exceeded():
    beta, arms = 0.02, LopsidedChoice(kind="lopsided", coverage=2, kl_weight=0.02)
    tail = LopsidedLabels(n_pairs=10**9, epsilon=1.0, instance=arms)
    swing = 1.96 * deviation(tail.stated, 10**9, 1.0, tail.margin) / beta
    assert gap_exceeded(tail, tail.margin) == pytest.approx(tail.margin * swing / 4, rel=0.01)
