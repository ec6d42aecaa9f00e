"""The KL-regularised objective of a policy, and the decompositions of its gap (P1)."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.families.offline_kl.random_rewards import RewardPairs
from repro.policies.gibbs import gibbs_policy
from repro.policies.suboptimality import gibbs_suboptimality


def objective(pairs: RewardPairs, policy: Tensor) -> Tensor:
    """(R,) J(π) = E[r*] − kl_weight·KL(π‖π_ref) (P1, eq. 4)."""
    log_ratio = torch.log(policy / pairs.reference)
    value = pairs.reward - pairs.kl_weight[:, None, None] * log_ratio
    return (torch.where(policy > 0, policy * value, 0.0)).sum(-1) @ pairs.state_prob


def objective_of_reward(pairs: RewardPairs, reward: Tensor) -> Tensor:
    """(R,) J of the Gibbs policy of a reward (R, S, A)."""
    weight = pairs.kl_weight[:, None, None]
    return objective(pairs, gibbs_policy(pairs.reference, reward, weight))


def gap_over_squared_error(pairs: RewardPairs, error: Tensor, under_optimum: bool) -> Tensor:
    """(R,) J(π*) − J(π_g) over E[(g − r*)²]/kl_weight, g = r* + error.

    Args:
        pairs: the instances.
        error: (R, S, A).
        under_optimum: the expectation is under π* (Lemma B.2), not under π_g (Lemma C.5).
    """
    weight = pairs.kl_weight[:, None, None]
    best = gibbs_policy(pairs.reference, pairs.reward, weight)
    played = gibbs_policy(pairs.reference, pairs.reward + error, weight)
    gap = gibbs_suboptimality(best, error / weight, pairs.state_prob, pairs.kl_weight)
    policy = best if under_optimum else played
    squared = (policy * error.square()).sum(-1) @ pairs.state_prob
    return gap * pairs.kl_weight / squared
