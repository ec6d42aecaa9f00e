"""Log-linear policies with one feature: every step of P4's Proposition 4.6 in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

GRID = 161
"""Parameters tried for the largest condition number, before the best is refined."""

ALL = 12.0
"""Beyond |θ| = 12 some response has all the probability in each state, and no variance."""


@dataclass(frozen=True, eq=False)
class LogLinearLine:
    """π_θ(a|s) ∝ copies(s, a)·exp(θ·φ(s, a)) with scalar θ: equal responses are kept as copies.

    Attributes:
        features: (S, A) φ in [−1, 1].
        copies: (S, A) number of responses with that feature, at least 1.
        state_prob: (S,) ρ.
        optimum: θ* in [−bound, bound].
        reference: θ_sft in [−bound, bound].
        bound: B.
        kl_weight: β.
    """

    features: np.ndarray
    copies: np.ndarray
    state_prob: np.ndarray
    optimum: float
    reference: float
    bound: float
    kl_weight: float

    def policy(self, theta: float) -> np.ndarray:
        """(S, A) π_θ, copies taken together."""
        score = self.copies * np.exp(theta * self.features)
        return score / score.sum(axis=1, keepdims=True)

    @property
    def reward(self) -> np.ndarray:
        """(S, A) r* − β·ln Z = β·ln(π*/π_sft), one number per response."""
        ratio = self.policy(self.optimum) / self.policy(self.reference)
        return self.kl_weight * np.log(ratio)

    @property
    def span(self) -> float:
        """Largest max − min of r* within a state."""
        return float((self.reward.max(axis=1) - self.reward.min(axis=1)).max())

    @property
    def true_parameter(self) -> float:
        """θ_true = β(θ* − θ_sft)."""
        return self.kl_weight * (self.optimum - self.reference)

    def gap(self, theta: float) -> float:
        """J(π*) − J(π_θ), signed: J has no KL term and π* does not maximise it."""
        change = self.policy(self.optimum) - self.policy(theta)
        return float(self.state_prob @ (change * self.reward).sum(axis=1))

    def variation(self, theta: float) -> float:
        """E_ρ TV(π*, π_θ)."""
        change = np.abs(self.policy(self.optimum) - self.policy(theta)).sum(axis=1)
        return float(self.state_prob @ change / 2)

    def divergence(self, theta: float) -> float:
        """E_ρ KL(π*, π_θ) = E_ρ ln E_π*[e^x], x = (θ − θ*)(φ − E_π* φ), without cancellation."""
        best = self.policy(self.optimum)
        mean = (best * self.features).sum(axis=1, keepdims=True)
        x = (theta - self.optimum) * (self.features - mean)
        return float(self.state_prob @ np.log1p((best * (np.expm1(x) - x)).sum(axis=1)))

    def pair_variance(self, theta: float) -> float:
        """Σ^diff of π_θ with itself, 2·E_ρ Var φ (P4, eq. 7)."""
        policy = self.policy(theta)
        mean = (policy * self.features).sum(axis=1, keepdims=True)
        return 2 * float(self.state_prob @ (policy * (self.features - mean) ** 2).sum(axis=1))

    def pair_variances(self, thetas: np.ndarray) -> np.ndarray:
        """(G,) the same of several parameters."""
        policy = self.copies * np.exp(thetas[:, None, None] * self.features)
        policy /= policy.sum(axis=2, keepdims=True)
        mean = (policy * self.features).sum(axis=2, keepdims=True)
        return 2 * (policy * (self.features - mean) ** 2).sum(axis=2) @ self.state_prob

    def condition_number(self, bound: float) -> float:
        """κ_Π = max over |θ| ≤ bound of Σ^diff_θ/Σ^diff_sft (P4, Proposition 4.6)."""
        return self.condition_between(-bound, bound)

    def condition_between(self, first: float, last: float) -> float:
        """The same maximum over the segment between two parameters."""
        return _condition(self, first, last)


@lru_cache(maxsize=8)
def _condition(line: LogLinearLine, first: float, last: float) -> float:
    """``condition_between``; a method and its controls ask for the same one."""
    tried = np.linspace(first, last, GRID)
    best = int(np.argmax(line.pair_variances(tried)))
    around = (tried[max(best - 1, 0)], tried[min(best + 1, GRID - 1)])
    refined: Any = minimize_scalar(
        lambda theta: -line.pair_variance(theta),
        bounds=sorted(around),
        method="bounded",
        options={"xatol": 1e-10},
    )
    largest = max(-refined.fun, *map(line.pair_variance, around))
    return max(largest, line.pair_variance(tried[best])) / line.pair_variance(line.reference)


def random_line(rng: np.random.Generator, states: int, bound: float) -> LogLinearLine:
    """Random features, copies 1 to 400, parameters in [−B, B]; a third of the cases extreme.

    The extreme cases have one response against 8, 60 or 400 copies of its opposite, θ* = B and
    θ_sft = −B.  With 8 copies and B = ln(8)/2 both have probability ½ under π*.
    """
    kl_weight = float(np.exp(rng.uniform(math.log(0.05), math.log(2.0))))
    if rng.random() < 1 / 3:
        features, copies = np.array([[1.0, -1.0]]), np.array([[1.0, rng.choice([8.0, 60, 400])]])
        return LogLinearLine(features, copies, np.ones(1), bound, -bound, bound, kl_weight)
    features = rng.uniform(-1, 1, (states, 3))
    copies = rng.choice([1.0, 5.0, 60.0], (states, 3))
    optimum, reference = rng.uniform(-bound, bound, 2)
    prob = rng.dirichlet(np.ones(states))
    return LogLinearLine(features, copies, prob, optimum, reference, bound, kl_weight)
