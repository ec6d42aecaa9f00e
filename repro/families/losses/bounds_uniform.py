"""Provable forms of P2's uniform convergence lemmas, for all n ≤ T at once.

Log loss.  exp(½·Σ log P̃_θ/P̃_θ*) has conditional mean 1 − ½H² at each step, so by Ville and a union
bound Σ H²(P̃_θ, P̃_θ*) ≤ ΔL + 2·log(N/δ) for every n, and TV² ≤ H² (unnormalised): Lemma 3.1 with
ΣTV² ≤ c²·[ΔL + 2·log(N/δ)].

Square loss.  (h−cz)² − (h*−cz)² is linear in z, so Hoeffding's lemma with λ = 1/(8c²) gives, for
|F* − h*| ≤ a, Σ(h−h*)² ≤ (64/15)·[ΔL + 8c²·log(N/δ) + 2na²]: Lemma 3.3 with a = 2α under CTL and
(c+1)·α under LTC.
"""

from __future__ import annotations

import numpy as np

from repro.families.losses.algorithms_log_loss import private_prob
from repro.losses.sequences import LabelSequence


def log_loss_violated(
    sequence: LabelSequence,
    probabilities: np.ndarray,
    assumed_epsilon: float,
    privacy_cost: float,
    failure_prob: float,
) -> np.ndarray:
    """(R,) 1.0 where the inequality fails for some n ≤ T and some θ.

    Args:
        sequence: labels on inputs.
        probabilities: (N, X) class, row 0 the truth.
        assumed_epsilon: budget inside the likelihood.
        privacy_cost: c of the right-hand side.
        failure_prob: δ.
    """
    win = private_prob(probabilities, assumed_epsilon)
    excess = sequence.excess_loss(-np.log(win), -np.log1p(-win))
    allowed = 2 * np.log(len(probabilities) / failure_prob)
    left = sequence.conditional_sums((probabilities - probabilities[0]) ** 2)
    return (left > privacy_cost**2 * (excess + allowed)).any(axis=(1, 2)).astype(float)


def square_loss_violated(
    sequence: LabelSequence,
    means: np.ndarray,
    removed_cost: float,
    privacy_cost: float,
    bias: float,
    failure_prob: float,
) -> np.ndarray:
    """(R,) 1.0 where the inequality fails for some n ≤ T and some h.

    Args:
        sequence: labels on inputs.
        means: (N, X) class of h, row 0 the truth.
        removed_cost: the factor of z inside the loss.
        privacy_cost: c of the right-hand side.
        bias: a ≥ |F* − h*|.
        failure_prob: δ.
    """
    excess = sequence.excess_loss((means - removed_cost) ** 2, (means + removed_cost) ** 2)
    rounds = np.arange(1, sequence.inputs.shape[1] + 1)[:, None]
    allowed = 8 * privacy_cost**2 * np.log(len(means) / failure_prob) + 2 * rounds * bias**2
    left = sequence.conditional_sums((means - means[0]) ** 2)
    return (left > 64 / 15 * (excess + allowed)).any(axis=(1, 2)).astype(float)
