"""Labels, losses and gaps written out again, for ``test_random_questions``.

Nothing here is shared with the planner or with ``which_loss`` but the numbers of an instance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

STEPS = 80


@dataclass(frozen=True)
class Instance:
    """Responses, who draws them, and the truth.

    Attributes:
        features: (S, A, d).
        reference: (S, A) π_ref.
        states: (S,) their chances.
        theta: (d,) the truth.
        kl_weight: β.
        radius: of the class.
    """

    features: np.ndarray
    reference: np.ndarray
    states: np.ndarray
    theta: np.ndarray
    kl_weight: float
    radius: float

    def value(self, policy: np.ndarray) -> np.ndarray:
        """(...,) E[r] − β·KL of policies (..., S, A)."""
        reward = self.features @ self.theta
        each = policy * (reward - self.kl_weight * np.log(policy / self.reference))
        return each.sum(-1) @ self.states

    def policy(self, theta: np.ndarray) -> np.ndarray:
        """(..., S, A) π_ref·exp(r̂/β) of estimates (..., d)."""
        logits = np.einsum("sad,...d->...sa", self.features, theta) / self.kl_weight
        weight = self.reference * np.exp(logits - logits.max(-1, keepdims=True))
        return weight / weight.sum(-1, keepdims=True)

    def gap(self, theta: np.ndarray) -> np.ndarray:
        """(...,) what estimates (..., d) lose."""
        return self.value(self.policy(self.theta)) - self.value(self.policy(theta))

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(C, d) differences of every two responses of a state, and the chance of that pair."""
        found, chance = [], []
        for s, own in enumerate(self.features):
            for a in range(len(own)):
                for b in range(a):
                    found.append(own[a] - own[b])
                    chance.append(2 * self.states[s] * self.reference[s, a] * self.reference[s, b])
        return np.array(found), np.array(chance)


def gaps(at: Instance, epsilon: float, n_pairs: int, runs: int, rng) -> np.ndarray:
    """(runs,) gaps of the mixture log loss on n private labels."""
    x, chance = at.pairs()
    keep = 1 / (1 + math.exp(-epsilon))
    counts = rng.multinomial(n_pairs, [*chance, 1 - chance.sum()], size=runs)[:, :-1]
    clean = 1 / (1 + np.exp(-x @ at.theta))
    wins = rng.binomial(counts, keep * clean + (1 - keep) * (1 - clean))
    found = np.stack([_fitted(x, c, w, keep, at.radius) for c, w in zip(counts, wins, strict=True)])
    return at.gap(found)


def _fitted(x: np.ndarray, counts: np.ndarray, wins: np.ndarray, keep: float, radius: float):
    """(d,) minimiser over the ball: scoring from 0, and SLSQP where that leaves the ball."""
    signal = 2 * keep - 1

    def loss(theta: np.ndarray) -> float:
        q = 1 - keep + signal / (1 + np.exp(-np.clip(x @ theta, -500, 500)))
        return -float(wins @ np.log(q) + (counts - wins) @ np.log1p(-q)) / max(1, counts.sum())

    theta = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ theta))
        q, slope = 1 - keep + signal * p, signal * p * (1 - p)
        score = x.T @ ((wins - counts * q) * slope / (q * (1 - q)))
        curvature = (x.T * (counts * slope**2 / (q * (1 - q)))) @ x
        step = np.linalg.lstsq(curvature + 1e-12 * np.eye(len(theta)), score, rcond=None)[0]
        before, size = loss(theta), 1.0
        while loss(theta + size * step) > before and size > 1e-9:
            size /= 2
        theta = theta + size * step
        if np.linalg.norm(theta) > radius:
            break
        if np.linalg.norm(size * step) < 1e-8:
            return theta
    inside = {"type": "ineq", "fun": lambda t: radius**2 - t @ t}
    start = theta * min(1.0, 0.99 * radius / np.linalg.norm(theta))
    return minimize(loss, start, method="SLSQP", constraints=inside, options={"ftol": 1e-12}).x


def errors(bound: float, epsilon: float, n_pairs: int, runs: int, rng) -> dict[str, float]:
    """Root mean squared error in reward of the three losses, x ~ U(−1, 1), θ = B, no corruption."""
    cost = 1 / math.tanh(epsilon / 2)
    keep = (1 + 1 / cost) / 2
    grid = np.linspace(-4 * bound, 4 * bound, 3201)
    edges = np.linspace(-1, 1, 201)
    middle = (edges[1:] + edges[:-1]) / 2
    p = 1 / (1 + np.exp(-np.outer(grid, middle)))
    q = 1 - keep + (2 * keep - 1) * p
    on_win = {"mixture": -np.log(q), "square": (2 * p - 1 - cost) ** 2}
    on_loss = {"mixture": -np.log(1 - q), "square": (2 * p - 1 + cost) ** 2}
    soft = np.logaddexp(0, np.outer(grid, middle))
    tilt = np.outer(grid, middle) * cost / 2
    on_win["debiased"], on_loss["debiased"] = soft - tilt, soft + tilt  # up to a common term
    on_win["debiased"] = on_win["debiased"] - np.outer(grid, middle) / 2
    on_loss["debiased"] = on_loss["debiased"] - np.outer(grid, middle) / 2
    found = {name: [] for name in on_win}
    for _ in range(runs):
        x = rng.uniform(-1, 1, n_pairs)
        y = rng.random(n_pairs) < 1 / (1 + np.exp(-bound * x))
        z = np.where(rng.random(n_pairs) < keep, y, ~y)
        won, lost = (np.histogram(x[z == side], edges)[0] for side in (True, False))
        for name in found:
            theta = grid[(on_win[name] @ won + on_loss[name] @ lost).argmin()]
            found[name].append((theta - bound) ** 2 / 3)
    return {name: math.sqrt(np.mean(each)) for name, each in found.items()}
