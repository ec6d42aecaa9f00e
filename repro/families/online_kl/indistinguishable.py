"""Two rewards that no learner can tell apart under Huber corruption, and what that must cost."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import expit, logit


def minimax_gap(corruption: float, reward_gap: float, kl_weight: float) -> float:
    """min over policies of the larger gap on two indistinguishable two-response bandits.

    With reward difference Δ₁ clean labels have mean h₁ = tanh(Δ₁/2); an adversary with share α
    makes it (1−α)h₁ − α, which is the clean mean of Δ₂ = 2·artanh((1−α)h₁ − α).  Labels have the
    same law on both, so whatever a learner plays after T rounds has this gap on one of them, in
    mean over its draws by convexity of the gap.  π_ref is uniform.

    Args:
        corruption: α in [0, 1/2).
        reward_gap: Δ₁ > 0.
        kl_weight: weight of KL.
    """
    mean = (1 - corruption) * math.tanh(reward_gap / 2) - corruption
    first, second = (expit(x / kl_weight) for x in (reward_gap, 2 * math.atanh(mean)))
    if first - second < 1e-15:
        return 0.0

    def excess(policy: float) -> float:
        return _divergence(policy, first) - _divergence(policy, second)

    balanced = expit(brentq(lambda x: excess(expit(x)), logit(second), logit(first)))
    return kl_weight * _divergence(balanced, first)


def _divergence(p: float, q: float) -> float:
    """KL(p‖q) of two Bernoulli laws."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
