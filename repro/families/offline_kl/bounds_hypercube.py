"""Steps of the proof of P1's Theorem 4.5, left over right side, many of them near equality.

Assouad's lemma (Lemma A.6) is exact on finite families.  The other inequalities draw a random case
and return left side over right side, of the inequality and of planted faults.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.base.notation import label_signal
from repro.families.offline_kl.quantities_hypercube import (
    exact_bayes_risk,
    exact_separation,
    explicit_bound,
    separation,
)
from repro.families.offline_kl.worlds_hypercube import HypercubePrior


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


def random_prior(rng: np.random.Generator, **fixed: float) -> HypercubePrior:
    """A hypercube with b < B/2, a < B/2 and βa within three decades of 1."""
    kl_weight = fixed.get("kl_weight", 10 ** rng.uniform(-3, 0.5))
    coverage = fixed.get("coverage", 2 + 10 ** rng.uniform(-1, 4))
    tilt = kl_weight * 10 ** rng.uniform(-3, 1.5)
    return HypercubePrior(
        num_states=int(fixed.get("num_states", rng.integers(1, 9))),
        coverage=coverage,
        kl_weight=kl_weight,
        reward_bound=2.02 * max(tilt, kl_weight * math.log(coverage - 1)),
        tilt=tilt,
        epsilon=fixed.get("epsilon", 10 ** rng.uniform(-1, 1)),
    )


def bound_case(n_pairs: float, rng: np.random.Generator) -> dict[str, float]:
    """Explicit bound over the exact Bayes risk of every learner's problem."""
    prior = random_prior(rng, num_states=1, coverage=2 + 10 ** rng.uniform(-1, 0.5))
    n = int(n_pairs)
    bound, least = explicit_bound(prior, n), exact_bayes_risk(prior, n)
    growth = math.exp(min(2 * n * prior.pair_kl, 700))
    return {
        "bound": bound / least,
        "bound_without_quarter": 4 * bound / least,
        "bound_sign": bound * growth / least,
    }


def separation_case(kl_weight: float, rng: np.random.Generator) -> dict[str, float]:
    """Step 3; the wrong one has βa²/4."""
    prior = random_prior(rng, kl_weight=kl_weight)
    exact = exact_separation(prior)
    wrong = min(prior.tilt**2 / (4 * kl_weight), 0.3 * prior.tilt)
    return {"separation": separation(prior) / exact, "separation_twice_beta": wrong / exact}


def pair_kl_case(epsilon_minus_one: float, rng: np.random.Generator) -> dict[str, float]:
    """Step 4 as printed, and with 2α−1 in the place of e^ε−1."""
    prior = random_prior(rng, epsilon=math.log1p(epsilon_minus_one))
    unit = prior.tilt**2 / (prior.num_states * prior.coverage)
    printed = prior.pair_kl / (epsilon_minus_one**2 * unit)
    sharper = prior.pair_kl / (label_signal(prior.epsilon) ** 2 * unit)
    return {
        "pair_kl": printed,
        "pair_kl_fifth": 5 * printed,
        "pair_kl_sharper": sharper,
        "pair_kl_sharper_ten_percent": sharper / 0.9,
    }


def assouad_case(num_states: float, rng: np.random.Generator) -> dict[str, float]:
    """Lemma A.6 on a random family; the wrong one has ½ for ¼."""
    family = random_family(rng, int(num_states))
    least = hamming_bayes_risk(family)
    return {
        "assouad": assouad_bound(family) / least,
        "assouad_half": assouad_bound(family, 0.5) / least,
    }


CASE_OF: dict[str, Callable[[float, np.random.Generator], dict[str, float]]] = {
    "explicit_bound": bound_case,
    "separation": separation_case,
    "pair_kl": pair_kl_case,
    "pair_kl_sharper": pair_kl_case,
    "assouad": assouad_case,
}
