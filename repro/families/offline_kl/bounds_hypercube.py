"""Random cases of the inequalities in the proof of P1's Theorem 4.5, many of them near equality.

Each draws a case and returns left side over right side, of the inequality and of planted faults.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.base.notation import label_signal
from repro.families.offline_kl.assouad import assouad_bound, hamming_bayes_risk, random_family
from repro.families.offline_kl.quantities_hypercube import (
    exact_bayes_risk,
    exact_separation,
    explicit_bound,
    separation,
)
from repro.families.offline_kl.worlds_hypercube import HypercubePrior


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
