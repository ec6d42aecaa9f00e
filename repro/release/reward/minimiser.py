"""The minimiser on a ball of a perturbed logistic loss, and a proof of how near the answer is.

Newton's method, each step the least of its quadratic over the ball; pairs are read in chunks.

**How near.**  Let F be the objective with its ridge A, θ a point of the ball, τ ≥ 0 and
e = ∇F(θ) + τθ.  F + (τ/2)‖·‖² is (A + τ)-strongly convex, and at the minimiser θ̂ of F on the ball
it is at most its value at θ plus (τ/2)(B² − ‖θ‖²).  So with r = ‖θ − θ̂‖

    (A + τ)/2·r² ≤ ‖e‖·r + τ·B·(B − ‖θ‖),   r ≤ 2‖e‖/(A + τ) + √(2B(B − ‖θ‖)),

the root only where τ > 0.  ``rounding`` bounds what doubles add to ‖e‖.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

CHUNK = 1024
"""Pairs whose gradients doubles add up; sums of chunks are added up exactly to rounding."""
MOST_STEPS, MOST_HALVINGS = 60, 40
UNIT = 2.0**-53
LEAST_RIDGE, NEAR = 1.0, 1e-4
"""The least ridge of a release: the solver's error is divided by it, and it costs little beside the
curvature of pairs.  How near ``without_noise`` comes to its minimiser.
"""


@dataclass(frozen=True, eq=False)
class PerturbedLogistic:
    """Σᵢ log(1 + exp(−⟨xᵢ, θ⟩)) + (A/2)‖θ‖² + ⟨b, θ⟩.

    Attributes:
        pairs: (n, d) x = φ(preferred) − φ(other), ‖x‖ ≤ 2.
        ridge: A > 0.
        noise: (d,) b.
        radius: B of the ball.
    """

    pairs: np.ndarray
    ridge: float
    noise: np.ndarray
    radius: float

    def _chunks(self, size: int) -> Iterator[np.ndarray]:
        for start in range(0, len(self.pairs), size):
            yield np.asarray(self.pairs[start : start + size], dtype=np.float64)

    def value(self, theta: np.ndarray) -> float:
        """The objective, to steer by."""
        loss = sum(float(np.logaddexp(0, -(x @ theta)).sum()) for x in self._chunks(16 * CHUNK))
        return loss + self.ridge / 2 * float(theta @ theta) + float(self.noise @ theta)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """(d,) within ``rounding`` of the gradient."""
        total, lost = np.zeros_like(theta), np.zeros_like(theta)
        for x in self._chunks(CHUNK):  # Neumaier's sum: rounding does not grow with the chunks
            part = -(expit(-(x @ theta)) @ x)
            new = total + part
            larger = np.abs(total) >= np.abs(part)
            lost += np.where(larger, (total - new) + part, (part - new) + total)
            total = new
        return total + lost + self.ridge * theta + self.noise

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """(d, d), to steer by."""
        matrix = self.ridge * np.eye(len(theta))
        for x in self._chunks(16 * CHUNK):
            win = expit(x @ theta)
            matrix += (x * (win * (1 - win))[:, None]).T @ x
        return matrix

    def distance(self, theta: np.ndarray, gradient: np.ndarray) -> float:
        """A proved bound of ‖θ − θ̂‖, rounding included; inf outside the ball."""
        norm = length(theta)
        if norm > self.radius * (1 - 4 * UNIT):
            return math.inf
        binds = self.radius - norm < 1e-9 * self.radius
        tau = max(0.0, -float(gradient @ theta) / norm**2) if binds else 0.0
        error = length(gradient + tau * theta) * (1 + 8 * UNIT)
        error += rounding(len(self.pairs), len(theta), self.radius)
        error += 8 * UNIT * (length(self.noise) + (self.ridge + tau) * norm)
        edge = math.sqrt(2 * self.radius * (self.radius - norm * (1 - 4 * UNIT)))
        return 2 * error / (self.ridge + tau) + (edge if tau else 0.0)


def length(vector: np.ndarray) -> float:
    """Norm to 4 units of rounding, whatever the dimension."""
    return math.sqrt(math.fsum(coordinate * coordinate for coordinate in vector.tolist()))


def rounding(count: int, dimension: int, radius: float) -> float:
    """What doubles may add to the norm of the summed gradient of ``count`` pairs.

    Each pair contributes at most 2 in norm.  A chunk's sum and the sum of chunks lose
    (CHUNK + 4)u of that; ⟨x, θ⟩ loses 2dBu, and the sigmoid passes on a quarter of it and 8u of
    its own.
    """
    return 2 * count * UNIT * (CHUNK + 4 + dimension * radius / 2 + 8) * 1.01


def minimised(loss: PerturbedLogistic, tolerance: float) -> np.ndarray:
    """A point of the ball within ``tolerance`` of the minimiser there.

    Raises:
        ArithmeticError: none was found.
    """
    theta = np.zeros_like(loss.noise)
    value = loss.value(theta)
    for _ in range(MOST_STEPS):
        gradient = loss.gradient(theta)
        if loss.distance(theta, gradient) <= tolerance:
            return theta
        hessian = loss.hessian(theta)
        end = _least_in_ball(hessian, hessian @ theta - gradient, loss.radius)
        theta, value = _no_higher(loss.value, theta, end, value)
    raise ArithmeticError("the solver did not get near enough to the minimiser")


def _no_higher(
    value: Callable[[np.ndarray], float], start: np.ndarray, end: np.ndarray, before: float
) -> tuple[np.ndarray, float]:
    """The end of a step, halved until the value does not rise beyond rounding."""
    for _ in range(MOST_HALVINGS):
        after = value(end)
        if after <= before + 1e-12 * (1 + abs(before)):
            return end, after
        end = (start + end) / 2
    return end, before


def _least_in_ball(hessian: np.ndarray, linear: np.ndarray, radius: float) -> np.ndarray:
    """argmin over the ball of ½⟨θ, Hθ⟩ − ⟨linear, θ⟩; on the sphere a hair inside it."""
    values, vectors = np.linalg.eigh(hessian)
    along = vectors.T @ linear
    inner = radius * (1 - 16 * UNIT)

    def norm(tau: float) -> float:
        return float(np.linalg.norm(along / (values + tau)))

    if norm(0.0) <= inner:
        return vectors @ (along / values)
    low, high = 0.0, float(np.linalg.norm(along)) / inner
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if norm(middle) > inner else (low, middle)
    minimiser = vectors @ (along / (values + high))
    return minimiser * (inner / length(minimiser))


def without_noise(differences: np.ndarray, reward_bound: float) -> np.ndarray:
    """(d,) θ of the same fit without noise.  It is not private.

    Args:
        differences: (n, d) x = φ(preferred) − φ(other), ‖x‖ ≤ 2.
        reward_bound: B.
    """
    plain = PerturbedLogistic(
        differences, LEAST_RIDGE, np.zeros(differences.shape[1]), reward_bound
    )
    return minimised(plain, NEAR)
