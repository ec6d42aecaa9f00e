"""A log-linear class of policies with fewer features than reward differences (P2, §4.1).

Every policy is π_ref·exp(⟨features, θ⟩)/Z.  Its implicit reward β·φ(π/π_ref) bends with θ, so
neither loss of Algorithms 1 and 3 has a closed minimiser, and labels of one pair speak of the
others: the class does not saturate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class LogLinearPolicies:
    """Equally likely states; the truth is the policy of ``direction`` times a size.

    Attributes:
        reference: (S, A) π_ref.
        features: (S, A, d).
        direction: (d,) of the θ whose implicit reward is the true one (Assumption 4.1).
        reward_bound: R_max.
    """

    reference: np.ndarray
    features: np.ndarray
    direction: np.ndarray
    reward_bound: float

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State, first and second response of each of the C = S·A(A−1)/2 cells."""
        states, responses = self.reference.shape
        first, second = np.triu_indices(responses, 1)
        state = np.repeat(np.arange(states), len(first))
        return state, np.tile(first, states), np.tile(second, states)

    @cached_property
    def cell_prob(self) -> np.ndarray:
        """(C,) chance of a cell; two equal responses say nothing."""
        state, first, second = self.pairs
        both = self.reference[state, first] * self.reference[state, second]
        return 2 * both / len(self.reference)

    @cached_property
    def _by_feature(self) -> np.ndarray:
        """(d, S·A) features."""
        return np.ascontiguousarray(self.features.reshape(-1, self.features.shape[-1]).T)

    def log_ratio(self, theta: np.ndarray) -> np.ndarray:
        """(..., S, A) log(π/π_ref)."""
        scores = theta @ self._by_feature
        scores = scores.reshape(*scores.shape[:-1], *self.reference.shape)
        largest = scores.max(-1, keepdims=True)
        total = (self.reference * np.exp(scores - largest)).sum(-1, keepdims=True)
        return scores - largest - np.log(total)

    def policy(self, theta: np.ndarray) -> np.ndarray:
        """(..., S, A) π."""
        return self.reference * np.exp(self.log_ratio(theta))

    def differences(self, theta: np.ndarray, kl_weight: float) -> np.ndarray:
        """(..., C) β·φ(π/π_ref) of a cell's first response less that of its second."""
        log_ratio = self.log_ratio(theta)
        state, first, second = self.pairs
        implicit = kl_weight * (np.exp(log_ratio) + log_ratio)
        return implicit[..., state, first] - implicit[..., state, second]

    def slopes(self, theta: np.ndarray, kl_weight: float) -> np.ndarray:
        """(..., C, d) derivative of ``differences`` by θ."""
        ratio = np.exp(self.log_ratio(theta))
        mean = ((self.reference * ratio)[..., None, :] @ self.features)[..., 0, :]
        centred = self.features - mean[..., None, :]
        each = kl_weight * (ratio + 1)[..., None] * centred
        state, first, second = self.pairs
        return each[..., state, first, :] - each[..., state, second, :]

    def reward(self, size: np.ndarray, kl_weight: float) -> np.ndarray:
        """(..., S, A) true rewards: the implicit ones of size·direction, the least of a state 0."""
        log_ratio = self.log_ratio(np.asarray(size)[..., None] * self.direction)
        implicit = kl_weight * (np.exp(log_ratio) + log_ratio)
        return implicit - implicit.min(-1, keepdims=True)

    def largest_size(self, kl_weight: float) -> float:
        """The size at which some true reward is R_max, by bisection on its logarithm."""
        low, high = 1e-12, 1e12
        for _ in range(200):
            middle = np.sqrt(low * high)
            within = self.reward(middle, kl_weight).max() <= self.reward_bound
            low, high = (middle, high) if within else (low, middle)
        return float(low)

    @cached_property
    def coverage(self) -> float:
        """C^π* of the comparator that plays the best response, the same for every size."""
        best = (self.features @ self.direction).argmax(-1)
        return float((1 / self.reference[np.arange(len(best)), best]).mean())


def log_linear(
    num_states: int, num_actions: int, num_features: int, seed: int, reward_bound: float
) -> LogLinearPolicies:
    """Features and direction drawn once, π_ref uneven; the best response of a state is the rarest.

    Args:
        num_states, num_actions, num_features: S, A and d < S·(A − 1).
        seed: of the features.
        reward_bound: R_max.
    """
    rng = np.random.default_rng([seed, 53])
    features = rng.standard_normal((num_states, num_actions, num_features))
    direction = np.ones(num_features) / np.sqrt(num_features)
    order = (features @ direction).argsort(-1)
    shares = np.empty((num_states, num_actions))
    weights = np.arange(num_actions, 0, -1) / np.arange(1, num_actions + 1).sum()
    np.put_along_axis(shares, order, np.broadcast_to(weights, shares.shape), -1)
    return LogLinearPolicies(shares, features, direction, reward_bound)
