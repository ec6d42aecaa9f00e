"""Objective perturbation in one dimension, exactly (P3, Algorithm 1; Kifer et al. 2012).

The release is θ̂ = argmin over [−B, B] of Σᵢ ℓᵢ(θ) + (A/2)·θ² + b·θ with b ~ N(0, σ²) and
A = 2nα.  The stationary b(θ) = −Σᵢ ℓᵢ'(θ) − A·θ decreases, so the density of θ̂ inside is that
of b(θ) times |b'(θ)|, and ±B are atoms with the mass of b's tails.  The output noise w of
Algorithm 1 is post-processing; its variance is proportional to the optimiser's tolerance, which
the statement lets go to 0, and is 0 here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtr

from repro.privacy.mechanism import Mechanism

NODES, REACH = 20_001, 13.0
TABLE, BISECTIONS = (1 << 16) + 1, 12


@dataclass(frozen=True)
class Item:
    """``count`` records with loss log(1 + e^(−slope·θ)).

    In one dimension slope is ±‖φ(a₁) − φ(a₀)‖ with the sign of the label.
    """

    slope: float
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """ℓ'(θ) of all ``count`` records."""
        return -self.count * self.slope * expit(-self.slope * theta)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """ℓ''(θ) of all ``count`` records."""
        share = expit(-self.slope * theta)
        return self.count * self.slope**2 * share * (1 - share)


@dataclass(frozen=True)
class Ranking:
    """``count`` full rankings of K responses with scalar features, best first (Plackett–Luce)."""

    features: tuple[float, ...]
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """ℓ'(θ): at each stage the mean feature of those left, less that of the winner."""
        stages = self._stages(theta)
        return self.count * np.sum([mean - self.features[j] for j, (mean, _) in stages], axis=0)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """ℓ''(θ): at each stage the variance of the features left."""
        return self.count * np.sum([variance for _, (_, variance) in self._stages(theta)], axis=0)

    def _stages(self, theta: np.ndarray):
        values = np.array(self.features)
        for j in range(len(values) - 1):
            left = values[j:, None]
            logits = left * theta
            weights = np.exp(logits - logits.max(axis=0))
            weights = weights / weights.sum(axis=0)
            mean = (weights * left).sum(axis=0)
            yield j, (mean, (weights * (left - mean) ** 2).sum(axis=0))


Items = tuple[Item | Ranking, ...]


@dataclass(frozen=True)
class Perturbed:
    """Objective perturbation on one dataset.

    Attributes:
        items: the records.
        ridge: A = 2nα > 0.
        sigma: σ of b.
        radius: B.
    """

    items: Items
    ridge: float
    sigma: float
    radius: float

    def noise_at(self, theta: np.ndarray) -> np.ndarray:
        """b(θ), decreasing."""
        gradient = np.zeros_like(theta)
        for item in self.items:
            gradient = gradient + item.gradient(theta)
        return -gradient - self.ridge * theta

    def slope_at(self, theta: np.ndarray) -> np.ndarray:
        """|b'(θ)|."""
        curvature = np.full_like(theta, self.ridge)
        for item in self.items:
            curvature = curvature + item.hessian(theta)
        return curvature

    def log_density(self, theta: np.ndarray) -> np.ndarray:
        """Log density of θ̂ inside (−B, B), up to −½·log 2π."""
        standard = self.noise_at(theta) / self.sigma
        return -(standard**2) / 2 + np.log(self.slope_at(theta) / self.sigma)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """b/σ at −B and at B."""
        at = self.noise_at(np.array([-self.radius, self.radius])) / self.sigma
        return float(at[0]), float(at[1])

    @property
    def atoms(self) -> np.ndarray:
        """(2,) mass at −B and at B."""
        return np.array([ndtr(-self.ends[0]), ndtr(self.ends[1])])

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """θ on a grid, and −b(θ), which rises."""
        grid = np.linspace(-self.radius, self.radius, TABLE)
        return grid, -self.noise_at(grid)

    def solve(self, standard: np.ndarray) -> np.ndarray:
        """θ̂ for noise b = σ·standard, by bisection; Newton's method stalls in the tails."""
        grid, falling = self._table
        place = np.searchsorted(falling, -self.sigma * standard).clip(1, TABLE - 1)
        low, high = grid[place - 1], grid[place]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            ahead = self.noise_at(middle) > self.sigma * standard
            low, high = np.where(ahead, middle, low), np.where(ahead, high, middle)
        theta = (low + high) / 2
        theta = np.where(standard >= self.ends[0], -self.radius, theta)
        return np.where(standard <= self.ends[1], self.radius, theta)


@dataclass(frozen=True)
class ObjectivePerturbation(Mechanism):
    """Two neighbouring datasets under the same calibration."""

    one: Perturbed
    other: Perturbed

    def exact_delta(self, epsilon: float) -> float:
        return max(
            float((self.mass(side) * -np.expm1(np.minimum(epsilon - loss, 0.0))).sum())
            for side, loss in ((0, self.losses[0]), (1, self.losses[1]))
        )

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """Log likelihood ratios at the quadrature nodes of each side, the two atoms last."""
        return self._losses(self.one, self.other), self._losses(self.other, self.one)

    @cached_property
    def _masses(self) -> tuple[np.ndarray, np.ndarray]:
        return _mass(self.one), _mass(self.other)

    def mass(self, side: int) -> np.ndarray:
        """Probability of each node under that side, summing to 1."""
        return self._masses[side]

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        theta = (self.other if neighbour else self.one).solve(rng.standard_normal(count))
        return self.log_ratio(theta)

    def log_ratio(self, theta: np.ndarray) -> np.ndarray:
        """log of other's over one's likelihood at a release."""
        inside = self.other.log_density(theta) - self.one.log_density(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            atoms = np.log(self.other.atoms) - np.log(self.one.atoms)
        atoms = np.clip(np.nan_to_num(atoms), -1e3, 1e3)
        found = np.where(theta <= -self.one.radius, atoms[0], inside)
        return np.where(theta >= self.one.radius, atoms[1], found)

    def _losses(self, one: Perturbed, other: Perturbed) -> np.ndarray:
        theta = one.solve(_nodes(one))
        inside = one.log_density(theta) - other.log_density(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            atoms = np.log(one.atoms) - np.log(other.atoms)
        return np.append(inside, np.nan_to_num(atoms, nan=0.0))


def _nodes(side: Perturbed) -> np.ndarray:
    """Equally spaced nodes of b/σ inside the atoms."""
    return np.linspace(max(side.ends[1], -REACH), min(side.ends[0], REACH), NODES)


def _mass(side: Perturbed) -> np.ndarray:
    """Trapezoidal masses of the nodes under a standard normal, then the two atoms."""
    nodes = _nodes(side)
    weights = np.full(NODES, nodes[1] - nodes[0])
    weights[[0, -1]] /= 2
    inside = np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi) * weights
    return np.append(inside, side.atoms)
