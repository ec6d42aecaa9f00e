"""What coverage does to the factor of B in Theorem 4.2: its price from above and below.

With C the coverage, M = max{W(0), e^(−βB)·W(B)} and W the inverse information of a label, the price
is C·min{W(B), C·M}.  Proofs: docs/explanations/coverage_and_reward_bound.md, whose theorems the
functions name.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy import linalg
from scipy.special import softmax

from repro.labels.preferences.label_information import inverse_information
from repro.worlds.instances.linear import LinearWorld

OF_PAIRS = 0.0688
"""Theorem 3 at large n: 0.34·2·σ′(½)/(1 + e^0.2 + 0.1), rounded down."""
OF_TWO = 0.0392
"""Theorem 4 at large n: 1/(16·(e^0.4 + 0.1)), rounded down."""
MORE_COVERAGE = 1.29
"""C^π* of Theorem 3's rewards over its C, at most."""
AMONG_BEST = 0.1
"""Length of the features that tell equally good responses apart, in ``rare_best_world``."""
FAR = 3.0
"""e^(βm) over C from which π* leaves the bulk a quarter at most."""


def price(coverage: float, reward_bound: float, kl_weight: float, epsilon: float) -> float:
    """C·min{W(B), C·max{W(0), e^(−βB)·W(B)}} (Theorem 1).

    Args:
        coverage: C ≥ 1, the largest π*/π_ref.
        reward_bound: B.
        kl_weight: 1/β.
        epsilon: in (0, inf].
    """
    widest, narrowest = (inverse_information(x, epsilon) for x in (reward_bound, 0.0))
    capped = coverage * max(narrowest, math.exp(-reward_bound / kl_weight) * widest)
    return coverage * min(widest, capped)


def upper(actions: int, priced: float, kl_weight: float) -> float:
    """(β/4)·(A−1)·price: n times the MLE's mean gap a state in the limit, at most (Theorem 2)."""
    return (actions - 1) * priced / (4 * kl_weight)


def lower(
    actions: int, coverage: float, reward_bound: float, kl_weight: float, epsilon: float
) -> float:
    """n times what every learner's worst case is at least, a state and at large n (Theorems 3, 4).

    The larger of the two; 0 where neither's conditions hold.

    Args:
        actions: A ≥ 2.
        coverage: C that the worst rewards may have.
        reward_bound: B.
        kl_weight: 1/β.
        epsilon: in (0, inf].
    """
    widest, narrowest = (inverse_information(x, epsilon) for x in (reward_bound, 0.0))
    spread, bound = min(0.1, kl_weight / 2), 0.0
    less = coverage / MORE_COVERAGE
    far = math.log(FAR * less) * kl_weight <= reward_bound - spread / 2
    if actions >= 3 and less >= 2 and far and spread <= reward_bound:
        pairs = (actions - 1) // 2
        bound = OF_PAIRS * pairs * less * min(widest, less * narrowest) / kl_weight
    if coverage >= 2 and math.log(coverage - 1) * kl_weight <= reward_bound - spread:
        weighted = coverage**2 * math.exp(-reward_bound / kl_weight) * widest
        bound = max(bound, OF_TWO * weighted / kl_weight)
    return bound


def information(reference: np.ndarray, reward: np.ndarray, epsilon: float) -> np.ndarray:
    """(A, A) information of one pair's label about the rewards of a state: a graph's Laplacian.

    Args:
        reference: (A,) π_ref.
        reward: (A,).
        epsilon: in (0, inf].
    """
    apart = np.abs(reward[:, None] - reward)
    spread = np.vectorize(lambda x: inverse_information(float(x), epsilon))(apart)
    weights = 2 * reference[:, None] * reference / spread
    np.fill_diagonal(weights, 0.0)
    return np.diag(weights.sum(axis=1)) - weights


def optimal_policy(reference: np.ndarray, reward: np.ndarray, kl_weight: float) -> np.ndarray:
    """(A,) π*."""
    return softmax(np.log(reference) + reward / kl_weight)


def limit(reference: np.ndarray, reward: np.ndarray, kl_weight: float, epsilon: float) -> float:
    """(β/2)·tr(Cov_π*·L⁺), what n·E SubOpt of the MLE tends to in one state."""
    covariance, known = _both(reference, reward, kl_weight, epsilon)
    return float(np.trace(np.linalg.solve(known, covariance))) / (2 * kl_weight)


def most_telling(
    reference: np.ndarray, reward: np.ndarray, kl_weight: float, epsilon: float
) -> float:
    """The largest of Var_π*(e) over eᵀLe, e any error of the rewards of a state."""
    covariance, known = _both(reference, reward, kl_weight, epsilon)
    return float(linalg.eigh(covariance, known, eigvals_only=True)[-1])


def _both(
    reference: np.ndarray, reward: np.ndarray, kl_weight: float, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """(A−1, A−1) Cov_π* and L with one reward fixed: both vanish on constants.

    The fixed one is the likeliest, so that no entry is lost beside a larger one.
    """
    policy = optimal_policy(reference, reward, kl_weight)
    covariance = np.diag(policy) - np.outer(policy, policy)
    kept = np.arange(len(policy)) != reference.argmax()
    known = information(reference, reward, epsilon)
    return covariance[np.ix_(kept, kept)], known[np.ix_(kept, kept)]


def rare_best_world(
    num_actions: int,
    coverage: float,
    difference: float,
    reward_bound: float,
    kl_weight: float,
    device: str = "cpu",
) -> LinearWorld:
    """One state: A−1 equally good responses, which π_ref draws 1/C of the time, and a worse one.

    Args:
        num_actions: A ≥ 2.
        coverage: C > 1; no density ratio is above it.
        difference: by which the best are better, in (0, B].
        reward_bound: B.
        kl_weight: 1/β.
        device: torch device.
    """
    options, best = {"dtype": torch.float64, "device": device}, num_actions - 1
    # one feature tells the best from the worse, the others the best from each other; those are
    # short, so that a ball of parameters holds nearly all differences up to B
    apart = linalg.null_space(np.ones((1, best)))
    features = torch.zeros(1, num_actions, best, **options)
    features[0, :best, 0] = 1.0
    features[0, :best, 1:] = torch.as_tensor(AMONG_BEST * apart, **options)
    reference = torch.full((1, num_actions), 1 / (coverage * best), **options)
    reference[0, -1] = 1 - 1 / coverage
    theta = torch.zeros(best, **options)
    theta[0] = difference
    return LinearWorld(
        features=features,
        state_prob=torch.ones(1, **options),
        reference=reference,
        theta=theta,
        radius=reward_bound / math.sqrt(1 + AMONG_BEST**2),
        reward_bound=reward_bound,
        kl_weight=kl_weight,
    )
