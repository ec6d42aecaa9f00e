"""Contextual bandits with linear rewards in which every quantity is exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from repro.base.torch_later import Tensor, torch
from repro.worlds.policies.gibbs import gibbs_policy


@dataclass(frozen=True, eq=False)
class LinearWorld:
    """States, responses and a linear reward r(s, a) = ⟨φ(s, a), θ⟩, up to a shift per state.

    Attributes:
        features: (S, A, d) φ.
        state_prob: (S,) d₀.
        reference: (S, A) π_ref, positive, rows summing to 1.
        theta: (d,) θ of the true reward.
        radius: the class is {‖θ‖ ≤ radius}; the truth lies inside.
        reward_bound: B, the largest reward difference within the class.
        kl_weight: weight of KL in the objective (P1 writes 1/β).

    Raises:
        ValueError: probabilities that do not add up to 1.
    """

    features: Tensor
    state_prob: Tensor
    reference: Tensor
    theta: Tensor
    radius: float
    reward_bound: float
    kl_weight: float

    def __post_init__(self) -> None:
        for prob in (self.state_prob, self.reference):
            if not bool(((prob.sum(-1) - 1).abs() < 1e-6).all()):
                raise ValueError("probabilities that add up to 1")

    @cached_property
    def reward(self) -> Tensor:
        """(S, A) true reward, up to a shift per state."""
        return self.features @ self.theta

    @cached_property
    def optimal_policy(self) -> Tensor:
        """(S, A) π* ∝ π_ref·exp(r/kl_weight) (P1, eq. 5)."""
        return gibbs_policy(self.reference, self.reward, self.kl_weight)

    def under_uniform_reference(self) -> LinearWorld:
        """The same rewards where every response is equally likely under π_ref."""
        even = torch.full_like(self.reference, 1 / self.reference.shape[1])
        return replace(self, reference=even)

    @cached_property
    def cells(self) -> tuple[Tensor, Tensor]:
        """(A(A−1)/2,) first and second response of each unordered pair, within a state."""
        actions = self.features.shape[1]
        first, second = torch.triu_indices(actions, actions, 1, device=self.features.device)
        return first, second

    @cached_property
    def feature_diff(self) -> Tensor:
        """(C, d) φ(s, a¹) − φ(s, a²) per cell, C = S·A(A−1)/2 unordered pairs."""
        first, second = self.cells
        diff = self.features[:, first] - self.features[:, second]
        return diff.reshape(-1, diff.shape[-1]).contiguous()

    @cached_property
    def cell_prob(self) -> Tensor:
        """(C,) probability of each unordered pair when a¹, a² ~ π_ref independently."""
        first, second = self.cells
        prob = 2 * self.reference[:, first] * self.reference[:, second]
        return (self.state_prob[:, None] * prob).reshape(-1)

    @cached_property
    def reward_diff(self) -> Tensor:
        """(C,) true reward difference per cell."""
        return self.feature_diff @ self.theta


def centred(world: LinearWorld, policy: Tensor) -> Tensor:
    """(S, A, d) features minus their mean under a policy (S, A), state by state."""
    return world.features - torch.einsum("sa,sad->sd", policy, world.features)[:, None, :]


def feature_covariance(world: LinearWorld, policy: Tensor) -> Tensor:
    """(d, d) E_{s~d₀} Cov_{a~policy}[φ(s, a)]."""
    c = centred(world, policy)
    return torch.einsum("s,sa,sai,saj->ij", world.state_prob, policy, c, c)


def with_leading_features(world: LinearWorld, count: int) -> LinearWorld:
    """The same truth seen by a class that uses the first ``count`` features only."""
    features = world.features.clone()
    features[..., count:] = 0.0
    return replace(world, features=features)


def random_linear_world(
    num_states: int,
    num_actions: int,
    num_features: int,
    kl_weight: float,
    radius: float,
    theta_share: float,
    theta_features: int | None = None,
    seed: int = 0,
    device: str = "cpu",
) -> LinearWorld:
    """Gaussian features scaled to largest norm 1, a tilted reference, a reward inside the ball.

    Features are drawn one by one, so worlds of growing ``num_features`` are nested, up to the
    common scale of their features.

    Args:
        num_states: S ≥ 1.
        num_actions: A ≥ 2.
        num_features: d, at most S·(A−1).
        kl_weight: weight of KL in the objective.
        radius: of the class; the reward bound is 2·radius.
        theta_share: ‖θ‖/radius of the truth, in (0, 1).
        theta_features: the truth uses the first so many features; all by default.
        seed: of the instance, not of the run.
        device: torch device.
    """
    rng = np.random.Generator(np.random.Philox(key=seed))
    logits = 0.5 * rng.standard_normal((num_states, num_actions))
    raw = np.stack(
        [rng.standard_normal((num_states, num_actions)) for _ in range(num_features)], axis=-1
    )
    raw = raw / np.linalg.norm(raw, axis=-1).max()
    theta = np.zeros(num_features)
    used = theta_features or num_features
    direction = np.random.Generator(np.random.Philox(key=seed + 1)).standard_normal(used)
    theta[:used] = theta_share * radius * direction / np.linalg.norm(direction)
    as_tensor = lambda x: torch.as_tensor(x, dtype=torch.float64, device=device)  # noqa: E731
    return LinearWorld(
        features=as_tensor(raw),
        state_prob=torch.full((num_states,), 1.0 / num_states, dtype=torch.float64, device=device),
        reference=torch.softmax(as_tensor(logits), dim=-1),
        theta=as_tensor(theta),
        radius=radius,
        reward_bound=2.0 * radius,
        kl_weight=kl_weight,
    )
