"""The two terms of the score at the truth: noise (P4, Claims E.1, E.3) and corruption (E.2,
E.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.study.case import Case

SAMPLES = 200
"""Pairs of a random corrupted dataset."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseCase(Case):
    """Rademacher noise (σ = 1) on d orthogonal unit vectors, n/d pairs of each.

    Attributes:
        n_pairs: n, rounded down to a multiple of d.
        features: d.
        constant: C.
        failure_prob: δ.
        weighted: norm ‖·‖_{Σ̂⁻¹} with λ → 0, where dim is d (Claim E.1), instead of ‖·‖₂, where
            it is 1 (Claim E.3).
    """

    features: int
    constant: float
    failure_prob: float
    weighted: bool


def noise_term_fails(
    case: NoiseCase, constant: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) 1 where ‖(1/n)Σ η_i·x_i‖ exceeds constant·√((dim + ln(1/δ))/n)."""
    features = case.features
    each = case.n_pairs // features
    total = 2.0 * rng.binomial(each, 0.5, size=(replicates, features)) - each
    n, dim = each * features, features if case.weighted else 1
    bound = constant * math.sqrt((dim - math.log(case.failure_prob)) / n)
    return (np.sqrt(((total / n) ** 2 * dim).sum(axis=1)) > bound).astype(float)


def corruption_term_ratio(
    corruption: float,
    length: float,
    ridge: float | None,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """‖(1/n)Σ b_i·x_i‖ over its bound: ζα in the L2 norm (E.4), ζ√α in the weighted one (E.2).

    Each replicate is the worse of a random dataset with random b and of its worst case: one
    direction holds exactly the corrupted pairs, all pushed the same way.

    Args:
        corruption: α; ⌈α·n⌉ of the pairs have b = ±ζ, the rest 0.
        length: largest ‖x‖.
        ridge: λ of the weighted norm; None for the L2 norm.
        rng: simulation stream.
        replicates: R.

    Returns:
        (R,) ratios, at most 1 where the claim holds.
    """
    return np.array([
        max(
            _ratio(*_random_case(corruption, length, rng), ridge),
            _ratio(*_aligned_case(corruption, length), ridge),
        )
        for _ in range(replicates)
    ])  # fmt: skip


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
