"""P4's Algorithm 2 with η = 1: the worst value over an ellipsoid within a ball, and its maximiser.

The inner problem, min ⟨g, θ⟩ over {‖θ − θ̂‖_A ≤ Γ} ∩ {‖θ‖ ≤ B}, is solved through the ellipsoids
that contain both sets, (1−s)·‖θ − θ̂‖²_A/Γ² + s·‖θ‖²/B² ≤ 1: each gives a lower bound in closed
form, the best s in [0, 1] gives the minimum (strong duality), and the bound is quasi-concave in
s.  The outer problem, over mixed policies, is concave and is solved by cutting planes.  Where
states do not share features, two responses a state have a closed form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

GOLDEN = (5**0.5 - 1) / 2
GOLDEN_STEPS = 90
MAX_CUTS = 200
TOLERANCE = 2e-7
"""Of the outer value; linear programs are solved to 1e-7."""


@dataclass(frozen=True)
class ConfidenceSet:
    """Θ(θ̂, λ) of P4's Algorithm 2, in coordinates of {⟨1, θ⟩ = 0}.

    Attributes:
        centre: (k,) θ̂ inside the ball.
        metric: (k, k) A = Σ̂ + λI, positive definite.
        width: Γ > 0.
        radius: B > 0.
    """

    centre: np.ndarray
    metric: np.ndarray
    width: float
    radius: float

    def contains(self, theta: np.ndarray) -> bool:
        """Whether θ (k,) lies in the set."""
        off = theta - self.centre
        return bool(off @ self.metric @ off <= self.width**2 and theta @ theta <= self.radius**2)

    def worst(self, direction: np.ndarray) -> tuple[float, np.ndarray]:
        """min ⟨g, θ⟩ over the set and a θ that attains it, for g (k,)."""
        values, vectors = np.linalg.eigh(self.metric)
        dual = _Dual(
            vectors.T @ direction, vectors.T @ self.centre, values, self.width, self.radius
        )
        # Without a direction every bound is 0.
        best = _golden(dual.bound) if direction.any() else 0.0
        share = max((0.0, best, 1.0), key=dual.bound)
        return dual.bound(share), vectors @ dual.minimiser(share)


class _Dual:
    """Lower bounds along s, in the metric's eigenbasis; a hundred of them for one worst case."""

    def __init__(
        self, direction: np.ndarray, centre: np.ndarray, values: np.ndarray, width: float,
        radius: float,
    ) -> None:  # fmt: skip
        self._direction, self._centre, self._values = direction, centre, values
        self._direction_squares, self._centre_squares = direction**2, centre**2
        self._width_square, self._radius_square = width**2, radius**2

    def bound(self, share: float) -> float:
        """min ⟨g, θ⟩ over the ellipsoid of s."""
        _, middle, reach, length = self._at(share)
        return float(self._direction.dot(middle)) - reach * length

    def minimiser(self, share: float) -> np.ndarray:
        """(k,) where it is attained."""
        shape, middle, reach, length = self._at(share)
        return middle - reach * self._direction / shape / max(length, 1e-300)

    def _at(self, share: float) -> tuple[np.ndarray, np.ndarray, float, float]:
        ellipsoid = (1 - share) * self._values / self._width_square
        shape = ellipsoid + share / self._radius_square
        middle = ellipsoid * self._centre / shape
        inside = 1 - float(ellipsoid.dot(self._centre_squares)) + float(shape.dot(middle * middle))
        length = math.sqrt(np.add.reduce(self._direction_squares / shape))
        return shape, middle, math.sqrt(max(inside, 0.0)), length


def pessimistic_policy(
    believed: ConfidenceSet, features: np.ndarray, state_prob: np.ndarray, reference: np.ndarray
) -> tuple[np.ndarray, float]:
    """argmax over mixed π of min over θ of E_ρ⟨θ, φ(s, π) − φ(s, π_ref)⟩ (P4, Algorithm 2, line 6).

    Args:
        believed: the confidence set, in k coordinates.
        features: (S, A, k) φ.
        state_prob: (S,) ρ.
        reference: (S, A) π_ref, the policy that π is compared with.

    Returns:
        (S, A) policy, often a strict mixture, and its pessimistic value, at least 0.
    """
    states, actions, _ = features.shape
    weighted = state_prob[:, None, None] * features
    offset = np.einsum("sa,sak->k", reference, weighted)
    policy, best, value, cuts = reference, reference, 0.0, []
    for _ in range(MAX_CUTS):
        low, theta = believed.worst(np.einsum("sa,sak->k", policy, weighted) - offset)
        if low > value:
            best, value = policy, low
        cuts.append(np.append((weighted @ theta).ravel(), theta @ offset))
        policy, high = _best_against(np.array(cuts), states, actions)
        if high - value <= TOLERANCE * (1 + abs(high)):
            break
    return best, value


def greedy_policy(features: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """(S, A) argmax of ⟨θ̂, φ(s, a)⟩ in each state (P4, Algorithm 2, η = 0)."""
    reward = features @ theta
    return np.eye(features.shape[1])[reward.argmax(axis=1)]


def optimistic_policy(believed: ConfidenceSet, features: np.ndarray) -> np.ndarray:
    """(1, A) the response of one state whose best value over the set is largest: pessimism's
    opposite.

    Args:
        believed: the confidence set.
        features: (A, k) φ of the responses.
    """
    best = [-believed.worst(-phi)[0] for phi in features]
    return np.eye(len(features))[[int(np.argmax(best))]]


def most_optimistic_policy(
    believed: ConfidenceSet, features: np.ndarray, state_prob: np.ndarray, reference: np.ndarray
) -> np.ndarray:
    """(S, A) the policy whose best value over the set, against π_ref, is largest.

    That value is convex in π, so a deterministic policy attains it; all A^S are tried.

    Args:
        believed: the confidence set.
        features: (S, A, k) φ.
        state_prob: (S,) ρ.
        reference: (S, A) π_ref.
    """
    weighted = state_prob[:, None, None] * features
    offset = np.einsum("sa,sak->k", reference, weighted)
    states, actions, _ = features.shape
    tables = [np.eye(actions)[list(choice)] for choice in product(range(actions), repeat=states)]
    reached = [np.einsum("sa,sak->k", choice, weighted) - offset for choice in tables]
    return tables[int(np.argmax([-believed.worst(-direction)[0] for direction in reached]))]


def _best_against(cuts: np.ndarray, states: int, actions: int) -> tuple[np.ndarray, float]:
    """The policy that maximises the least of finitely many values, by a linear program.

    One value alone is largest at a response of each state.
    """
    size = states * actions
    slopes, offsets = cuts[:, :size], cuts[:, size]
    if len(cuts) == 1:
        table = slopes.reshape(states, actions)
        return np.eye(actions)[table.argmax(1)], float(table.max(1).sum() - offsets[0])
    objective = np.append(np.zeros(size), -1.0)
    above = np.column_stack([-slopes, np.ones(len(cuts))])
    sums = np.column_stack([np.kron(np.eye(states), np.ones(actions)), np.zeros(states)])
    least = np.append(np.full(len(cuts), -np.inf), np.ones(states))
    most = np.append(-offsets, np.ones(states))
    low, high = np.append(np.zeros(size), -np.inf), np.append(np.ones(size), np.inf)
    # No variable is whole; `milp` passes the same program to the same solver as `linprog` does,
    # in .7 of the time.
    rows = (np.concatenate([above, sums]), least, most)
    solution = scipy.optimize.milp(objective, constraints=rows, bounds=(low, high))
    return solution.x[:size].reshape(states, actions), float(solution.x[size])


def _golden(function) -> float:
    """Maximiser over [0, 1] of a quasi-concave function."""
    low, high = 0.0, 1.0
    left, right = high - GOLDEN, low + GOLDEN
    at_left, at_right = function(left), function(right)
    for _ in range(GOLDEN_STEPS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
    return (low + high) / 2


STEPS = 80


def separable_pessimism(
    margin: np.ndarray, state_prob: np.ndarray, mass: np.ndarray, width: float
) -> np.ndarray:
    """argmax over q ∈ [0, 1]^S of Σ ρ_s q_s θ̂_s − Γ·√(Σ (ρ_s q_s)²/m_s): P4, Algorithm 2, η = 1.

    π_ref always takes the second response and q_s is the probability of the first, so the worst
    case over the ellipsoid (the ball not binding) is a norm.  At the maximum
    q_s = clip(θ̂_s·m_s·N/(ρ_s·Γ)) with N the norm itself: one unknown, by bisection.

    Args:
        margin: (R, S) estimated reward of the first response minus the second.
        state_prob: (S,) ρ.
        mass: (S,) entries of Σ̂ + λI.
        width: Γ ≥ 0; 0 is greedy.

    Returns:
        (R, S) q.
    """
    gain = np.clip(margin, 0, None) * mass / state_prob
    if width == 0:
        return (margin > 0).astype(float)
    cost = state_prob**2 / mass
    low = np.zeros((len(margin), 1))
    high = np.full((len(margin), 1), np.sqrt(cost.sum()) * (1 + 1e-12))
    for _ in range(STEPS):
        middle = (low + high) / 2
        q = np.clip(gain * middle / width, 0, 1)
        reached = np.sqrt((cost * q**2).sum(axis=1, keepdims=True)) >= middle
        low, high = np.where(reached, middle, low), np.where(reached, high, middle)
    return np.clip(gain * low / width, 0, 1) * (low > 1e-9 * np.sqrt(cost.sum()))
