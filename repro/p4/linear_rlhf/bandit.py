"""Random offline bandits, and the relative condition number (P4, Definition 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh


@dataclass(frozen=True, eq=False)
class Bandit:
    """A contextual bandit with linear reward, in coordinates of {⟨1, θ⟩ = 0}.

    Attributes:
        features: (S, A, k) φ with ‖φ‖ ≤ 1.
        state_prob: (S,) ρ.
        data: (S, A) π_sft, which both responses of a pair are drawn from.
        reference: (S, A) π_ref of the pessimistic objective.
        theta: (k,) θ* with ‖θ*‖ ≤ radius.
        radius: B.
    """

    features: np.ndarray
    state_prob: np.ndarray
    data: np.ndarray
    reference: np.ndarray
    theta: np.ndarray
    radius: float

    def value(self, policy: np.ndarray) -> float:
        """J(π) = E_ρ,π[r*]."""
        return float(self.state_prob @ (policy * (self.features @ self.theta)).sum(axis=1))

    def mean_feature(self, policy: np.ndarray) -> np.ndarray:
        """(k,) E_ρ[φ(s, π(s))]."""
        return np.einsum("s,sa,sak->k", self.state_prob, policy, self.features)

    @property
    def best(self) -> np.ndarray:
        """(S, A) an optimal policy."""
        return np.eye(self.features.shape[1])[(self.features @ self.theta).argmax(axis=1)]


def random_bandit(rng: np.random.Generator, states: int, aligned: bool = False) -> Bandit:
    """Some states, 2 or 3 responses, 1 to 3 coordinates.

    Args:
        rng: stream that draws the instance.
        states: S.
        aligned: two opposite responses in one state, the case in which the bounds are tight.
    """
    actions, k = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    features = rng.standard_normal((states, actions, k))
    features /= np.linalg.norm(features, axis=2).max()
    if aligned:
        states, actions, k = 1, 2, 1
        features = np.array([[[1.0], [-1.0]]])
    radius = rng.uniform(0.3, 3.0)
    theta = rng.standard_normal(k)
    theta *= radius * rng.uniform(0.2, 1.0) / np.linalg.norm(theta)
    draw = lambda: rng.dirichlet(np.ones(actions), states)  # noqa: E731
    state_prob = rng.dirichlet(np.ones(states))
    reference = np.eye(actions)[rng.integers(0, actions, states)] if aligned else draw()
    return Bandit(features, state_prob, draw(), reference, theta, radius)


def empirical_covariance(bandit: Bandit, n_pairs: int, rng: np.random.Generator) -> np.ndarray:
    """(k, k) Σ̂ = (1/n)Σ x·xᵀ of n pairs drawn from π_sft."""
    psi = bandit.features[:, :, None, :] - bandit.features[:, None, :, :]
    weight = bandit.state_prob[:, None, None] * bandit.data[:, :, None] * bandit.data[:, None, :]
    counts = rng.multinomial(n_pairs, weight.ravel() / weight.sum()).reshape(weight.shape)
    return np.einsum("sab,sabi,sabj->ij", counts / n_pairs, psi, psi)


def difference_covariance(
    features: np.ndarray, state_prob: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """(k, k) Σ^diff of two policies: E ψψᵀ, ψ = φ(s, a) − φ(s, a′), a ~ first, a′ ~ second (eq. 7).

    Args:
        features: (S, A, k) φ.
        state_prob: (S,) ρ.
        first: (S, A) policy.
        second: (S, A) policy.
    """
    psi = features[:, :, None, :] - features[:, None, :, :]
    weight = state_prob[:, None, None] * first[:, :, None] * second[:, None, :]
    return np.einsum("sab,sabi,sabj->ij", weight, psi, psi)


def relative_condition_number(target: np.ndarray, data: np.ndarray) -> float:
    """κ = sup_w wᵀΣw / wᵀΣ_data·w (eq. 8), infinite where the data miss a direction of Σ.

    Directions that neither covariance sees do not count: 0/0 is read as 0, which a pseudo-inverse
    does and a plain inverse cannot.

    >>> round(relative_condition_number(np.diag([2.0, 0.0]), np.diag([0.5, 0.0])), 9)
    4.0
    """
    values, vectors = np.linalg.eigh(data)
    seen = values > 1e-12 * max(values.max(), 1e-300)
    blind = vectors[:, ~seen]
    if blind.size and np.abs(blind.T @ target @ blind).max() > 1e-12 * np.abs(target).max():
        return float("inf")
    basis = vectors[:, seen]
    return float(eigh(basis.T @ target @ basis, np.diag(values[seen]), eigvals_only=True)[-1])
