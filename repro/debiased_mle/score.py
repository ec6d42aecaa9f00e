"""The two terms of the score at the truth: noise (P4, Claims E.1, E.3) and corruption (E.2,
E.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.fft import irfft, rfft
from scipy.fft import next_fast_len
from scipy.stats import binom

from repro.adversaries.adversary import ADVERSARIES, NONE, STRONG, Adversary
from repro.base.schema import Corruption, Count, Pairs, Positive, Probability

SAMPLES = 200
"""Pairs of a random corrupted dataset."""


@dataclass(frozen=True, kw_only=True)
class ScoreNoise:
    """Rademacher noise (σ = 1) on d orthogonal unit vectors, n/d pairs of each.

    Attributes:
        n_pairs: n, rounded down to a multiple of 2d.
        num_features: d.
        constant: C of the claims.
        failure_prob: δ.
    """

    n_pairs: Pairs
    num_features: Count
    constant: Positive
    failure_prob: Probability = 0.05


@dataclass(frozen=True, kw_only=True)
class CorruptedScore:
    """What corruption adds to the score at the truth, where it adds most.

    Attributes:
        corruption: α; ⌊α·n⌋ of the pairs have b = ±ζ, the rest 0.
        adversary: who corrupts them.
        idle_adversary: the one that corrupts nothing, for ablations.
    """

    corruption: Corruption
    adversary: Adversary = STRONG
    idle_adversary: ClassVar[Adversary] = NONE
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {"adversary": ADVERSARIES}


def noise_failure(world: ScoreNoise, constant: float, weighted: bool) -> float:
    """P(‖(1/n)Σ η_i·x_i‖ exceeds constant·√((dim + ln(1/δ))/n)), exactly.

    n²·‖·‖² is a sum of squares of d sums of n/d signs, each a multiple of 4; the laws of two halves
    of it meet in one sum over the ways to stay below the bound.

    Args:
        world: n, d and δ.
        constant: C.
        weighted: norm ‖·‖_{Σ̂⁻¹} with λ → 0, where dim is d (Claim E.1), instead of ‖·‖₂, where
            it is 1 (Claim E.3).
    """
    features = world.num_features
    each = 2 * (world.n_pairs // (2 * features))
    n, dim = each * features, features if weighted else 1
    most = math.floor(constant**2 * (dim - math.log(world.failure_prob)) * n / dim / 4)
    steps = np.arange(math.isqrt(most) + 1)
    mass = binom.pmf(each // 2 + steps, each, 0.5) * np.where(steps == 0, 1, 2)
    half = _squares(mass, most + 1, features // 2)
    rest = _squares(mass, most + 1, features - features // 2) if features % 2 else half
    # The tails are small: summed from above they lose no digits.
    tails = np.cumsum(rest[::-1]) - rest[::-1]
    return float(1 - half.sum() * rest.sum() + half @ tails)


def failure_over_delta(world: ScoreNoise, weighted: bool, share: float = 1.0) -> float:
    """The same over δ, of a share of the world's constant."""
    return noise_failure(world, share * world.constant, weighted) / world.failure_prob


def _squares(mass: np.ndarray, below: int, terms: int) -> np.ndarray:
    """(below,) law of a sum of squares of independent numbers of law ``mass``, by doubling."""
    steps = np.arange(len(mass) if terms else 1)
    if terms < 2:
        return np.bincount(steps**2, mass[: len(steps)] if terms else None, below)
    if terms == 2:
        both = np.add.outer(steps**2, steps**2)
        kept = both < below
        return np.bincount(both[kept], np.outer(mass, mass)[kept], below)
    size = next_fast_len(2 * below - 1, real=True)
    found = rfft(_squares(mass, below, terms // 2), size) ** 2
    if terms % 2:
        found = rfft(irfft(found, size)[:below], size) * rfft(_squares(mass, below, 1), size)
    return irfft(found, size)[:below]


def corruption_term_ratio(
    world: CorruptedScore,
    rng: np.random.Generator,
    replicates: int,
    length: float = 1.0,
    ridge: float | None = None,
) -> np.ndarray:
    """‖(1/n)Σ b_i·x_i‖ over its bound: ζα in the L2 norm (E.4), ζ√α in the weighted one (E.2).

    Each replicate is the worse of a random dataset with random b and of its worst case: one
    direction holds exactly the corrupted pairs, all pushed the same way.

    Args:
        world: α, and who corrupts.
        rng: simulation stream.
        replicates: R.
        length: largest ‖x‖.
        ridge: λ of the weighted norm; None for the L2 norm.

    Returns:
        (R,) ratios, 1 where the claim holds and is attained; 0 where nobody corrupts.
    """
    aligned = _ratio(*_aligned_case(world.corruption, length), ridge)
    worst = [
        max(_ratio(*_random_case(world.corruption, length, rng), ridge), aligned)
        for _ in range(replicates)
    ]
    return np.array(worst) * world.adversary.acts


def _random_case(corruption: float, length: float, rng) -> tuple[np.ndarray, np.ndarray]:
    x = rng.standard_normal((SAMPLES, 3))
    x *= length / np.linalg.norm(x, axis=1, keepdims=True)
    b = np.zeros(SAMPLES)
    count = max(1, math.floor(corruption * SAMPLES))
    b[rng.permutation(SAMPLES)[:count]] = rng.choice([-1.0, 1.0], count)
    return x, b


def _aligned_case(corruption: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    count = max(1, math.floor(corruption * SAMPLES))
    x, b = np.zeros((SAMPLES, 3)), np.zeros(SAMPLES)
    x[:count, 0], x[count:, 1] = length, length
    b[:count] = 1.0
    return x, b


def _ratio(x: np.ndarray, b: np.ndarray, ridge: float | None) -> float:
    n, share = len(b), np.count_nonzero(b) / len(b)
    score = x.T @ b / n
    if ridge is None:
        return float(np.linalg.norm(score) / share)
    matrix = x.T @ x / n + ridge * np.eye(x.shape[1])
    return float(np.sqrt(score @ np.linalg.solve(matrix, score) / share))
