"""Worlds of two responses, looked through for the largest gap of DPO over P4's Proposition 4.6.

Small errors only: larger ones miss the printed bound by more, and for larger B.

With u_s = φ(s, 1) − φ(s, 2) and p = σ(⟨u_s, θ⟩) a policy has Σ^diff_θ = 2·E_ρ[p(1−p)·u·uᵀ] (eq. 7),
which in the order of matrices is largest at θ = 0, in all states at once.  So κ_Π is the condition
number of the even policy, and it is the same over all of eq. (12) as over any ball around 0: no
reading of Π is in play.  For θ̂′ near θ* the gap is ½β·⟨Σ_θ*·w, θ̂′ − θ*⟩, w = θ* − θ_sft, so at the
worst θ̂ it is ½‖Σ_θ*·w‖_{Σ_sft⁻¹}·Γ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import expit

CLIMBS = 200
"""Evaluations of one search."""
WORST = 1e8
"""Condition of Σ_sft up to which a world is looked at."""


@dataclass(frozen=True, eq=False)
class TwoResponses:
    """Log-linear policies over two responses in each state.

    Attributes:
        differences: (S, k) u_s, norm at most 2.
        state_prob: (S,) ρ.
        optimum: (k,) θ*.
        reference: (k,) θ_sft.
    """

    differences: np.ndarray
    state_prob: np.ndarray
    optimum: np.ndarray
    reference: np.ndarray

    def covariance(self, theta: np.ndarray) -> np.ndarray:
        """(k, k) Σ^diff of π_θ with itself."""
        win = expit(self.differences @ theta)
        weight = 2 * self.state_prob * win * (1 - win)
        return (self.differences * weight[:, None]).T @ self.differences

    def condition_number(self) -> float:
        """κ_Π; infinite where π_sft all but misses a direction."""
        data = self.covariance(self.reference)
        if np.linalg.cond(data) > WORST:
            return np.inf
        return float(eigh(self.covariance(0 * self.optimum), data, eigvals_only=True)[-1])

    def gap_per_error(self) -> float:
        """sup over small errors of |J(π*) − J(π̂)|/Γ, Γ = ‖θ̂ − θ_true‖_{Σ_sft}."""
        pull = self.covariance(self.optimum) @ (self.optimum - self.reference)
        return float(pull @ np.linalg.solve(self.covariance(self.reference), pull)) ** 0.5 / 2

    def over_printed(self, bound: float) -> float:
        """Over √(3/2)·√κ_Π·B; 0 where κ_Π is infinite."""
        kappa = self.condition_number()
        return self.gap_per_error() / ((1.5 * kappa) ** 0.5 * bound) if np.isfinite(kappa) else 0.0

    def over_own(self) -> float:
        """Over ‖θ* − θ_sft‖·√(κ_Π/2)."""
        kappa, apart = self.condition_number(), np.linalg.norm(self.optimum - self.reference)
        if not np.isfinite(kappa) or apart == 0:
            return 0.0
        return self.gap_per_error() / (float(apart) * (kappa / 2) ** 0.5)


def world_of(numbers: np.ndarray, states: int, features: int, bound: float) -> TwoResponses:
    """Any numbers as a world: u_s in the ball of 2, θ* and θ_sft in that of B, ρ by a softmax."""
    vectors = numbers[: (states + 2) * features].reshape(states + 2, features)
    vectors = vectors / np.maximum(1, np.linalg.norm(vectors, axis=1, keepdims=True))
    weight = np.exp(np.clip(numbers[(states + 2) * features :], -4, 4))
    rows = (2 * vectors[:states], weight / weight.sum(), *(bound * vectors[states:]))
    return TwoResponses(*rows)


def climbed(
    rng: np.random.Generator, states: int, features: int, bound: float
) -> TwoResponses:  # fmt: skip
    """The world that a search from a random start ends in: the printed bound is missed most."""
    start = rng.standard_normal((states + 2) * features + states)

    def lost(numbers: np.ndarray) -> float:
        return -world_of(numbers, states, features, bound).over_printed(bound)

    found = minimize(lost, start, method="Powell", options={"maxfev": CLIMBS, "maxiter": 20})
    return world_of(found.x, states, features, bound)
