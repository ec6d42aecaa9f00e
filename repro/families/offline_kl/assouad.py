"""Both sides of Assouad's lemma (P1, Lemma A.6) for finite families, exactly."""

from __future__ import annotations

import numpy as np


def random_family(rng: np.random.Generator, num_bits: int) -> np.ndarray:
    """Laws P_θ, θ in {±1}^S, on a small space; many of them near the lemma's tightest case.

    A third are products of two-point laws near (1/4, 5/8), a third of random two-point laws,
    a third are Dirichlet draws without structure.

    Args:
        rng: the block's stream.
        num_bits: S ≥ 1.

    Returns:
        (2^S, K) probabilities; bit j of the row index is θ_j.
    """
    shape = rng.integers(3)
    if shape == 2:
        weights = rng.dirichlet(np.full(2**num_bits, 10 ** rng.uniform(-1, 1)), size=2**num_bits)
        return np.maximum(weights, 1e-300)
    pair = np.array([0.2551, 0.6259]) + rng.normal(0, 0.03, 2) if shape else rng.uniform(0, 1, 2)
    pair = np.clip(pair, 1e-6, 1 - 1e-6)
    family = np.ones((1, 1))
    for _ in range(num_bits):
        coordinate = np.stack([pair, 1 - pair], axis=1)
        family = np.kron(family, coordinate)
    return family


def hamming_bayes_risk(family: np.ndarray) -> float:
    """Least expected number of wrong coordinates of θ, uniform: a lower bound on inf sup.

    The loss of coordinate j is 1 if it is wrong, so that c = 1 in the lemma.
    """
    size = len(family)
    total = 0.0
    for bit in range(size.bit_length() - 1):
        on = (np.arange(size) >> bit) & 1 == 1
        total += 0.5 * float(np.minimum(family[on].mean(0), family[~on].mean(0)).sum())
    return total


def assouad_bound(family: np.ndarray, constant: float = 0.25) -> float:
    """S·c·constant·min exp(−KL(P_θ‖P_θ′)) over neighbours, c = 1; the lemma has ¼."""
    size = len(family)
    bits = size.bit_length() - 1
    largest = max(
        float((family[i] * np.log(family[i] / family[i ^ (1 << bit)])).sum())
        for i in range(size)
        for bit in range(bits)
    )
    return bits * constant * float(np.exp(-largest))
