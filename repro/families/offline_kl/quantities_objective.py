"""The KL-regularised objective and the decompositions of its gap (P1), on random rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.policies.gibbs import gibbs_policy, gibbs_suboptimality


@dataclass(frozen=True, eq=False)
class RewardPairs:
    """R random bandits with S states and A responses, a true and another reward each.

    Attributes:
        state_prob: (S,) d₀.
        reference: (R, S, A) π_ref.
        reward: (R, S, A) r*.
        error: (R, S, A) the other reward minus r*.
        kl_weight: (R,) weight of KL.
        shift: (R, S) a bias b(s).
    """

    state_prob: Tensor
    reference: Tensor
    reward: Tensor
    error: Tensor
    kl_weight: Tensor
    shift: Tensor


def random_reward_pairs(
    rng: np.random.Generator, replicates: int, num_actions: int, num_states: int = 3
) -> RewardPairs:
    """Draw instances whose errors reach from far below to far above kl_weight.

    Rewards are uniform on [0, 2]; errors have log-uniform sizes from 1e−2 to 30 times kl_weight
    and are spread over all responses, or sit on one of them (half of the instances each).
    """
    shape = (replicates, num_states, num_actions)
    kl_weight = 10 ** rng.uniform(-1.5, 1, replicates)
    size = kl_weight * 10 ** rng.uniform(-2, 1.5, replicates)
    error = rng.uniform(-1, 1, shape)
    one = rng.integers(num_actions, size=(replicates, num_states))
    alone = np.arange(num_actions) == one[..., None]
    spread = rng.random(replicates) < 0.5
    error = np.where(spread[:, None, None] | alone, error, 0.0) * size[:, None, None]
    logits = rng.uniform(0, 3, (replicates, 1, 1)) * rng.standard_normal(shape)
    tensors = (rng.uniform(0, 2, shape), error, kl_weight, rng.uniform(-2, 2, shape[:2]))
    reward, other, weight, shift = (torch.from_numpy(np.asarray(x)) for x in tensors)
    state_prob = torch.full((num_states,), 1 / num_states, dtype=torch.float64)
    reference = torch.softmax(torch.from_numpy(logits), dim=-1)
    return RewardPairs(state_prob, reference, reward, other, weight, shift)


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
