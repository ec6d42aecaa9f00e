"""Objective perturbation in one dimension, exactly (P3, Algorithm 1; Kifer et al. 2012).

The release is θ̂ = argmin over [−B, B] of Σᵢ ℓᵢ(θ) + (A/2)·θ² + b·θ with b ~ N(0, σ²) and
A = 2nα.  The stationary b(θ) = −Σᵢ ℓᵢ'(θ) − A·θ decreases, so the density of θ̂ inside is that
of b(θ) times |b'(θ)|, and ±B are atoms with the mass of b's tails.  The output noise w of
Algorithm 1 is post-processing; its variance is proportional to the optimiser's tolerance, which
the statement lets go to 0, and is 0 here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtr

from repro.labels.privacy.mechanism import Mechanism

PANELS, NODES, REACH = 64, 16, 13.0
"""Panels of θ̂ over ±REACH standard deviations of b, and Gauss–Legendre nodes of each."""
TABLE, NEWTON_STEPS = (1 << 16) + 1, 2
SECTIONS, TO_THE_LAST_BIT, ROOT_ROUNDS = 64, 14, 5
"""A search cuts its intervals into so many parts a round; a round costs what a bisection does."""
GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(NODES)


@dataclass(frozen=True)
class LogisticRecords:
    """``count`` records with loss log(1 + e^(−slope·θ)).

    In one dimension slope is ±‖φ(a₁) − φ(a₀)‖ with the sign of the label.
    """

    slope: float
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """ℓ'(θ) of all ``count`` records."""
        return -self.count * self.slope * expit(-self.slope * theta)

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ℓ'(θ) and ℓ''(θ) of all ``count`` records."""
        share = expit(-self.slope * theta)
        return -self.count * self.slope * share, self.count * self.slope**2 * share * (1 - share)


@dataclass(frozen=True)
class Ranking:
    """``count`` full rankings of K responses with scalar features, best first (Plackett–Luce)."""

    features: tuple[float, ...]
    count: float = 1.0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """ℓ'(θ): at each stage the mean feature of those left, less that of the winner."""
        stages = self._stages(theta)
        return self.count * np.sum([mean - left[0] for left, _, mean in stages], axis=0)

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ℓ'(θ), and ℓ''(θ): at each stage the variance of the features left."""
        falls, variances = [], []
        for left, weights, mean in self._stages(theta):
            falls.append(mean - left[0])
            variances.append((weights * (left - mean) ** 2).sum(axis=0))
        return self.count * np.sum(falls, axis=0), self.count * np.sum(variances, axis=0)

    def _stages(self, theta: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """(k, 1) features left, the winner's first, their probabilities (k, m) and mean (m,)."""
        values = np.array(self.features)
        for j in range(len(values) - 1):
            left = values[j:, None]
            logits = left * theta
            weights = np.exp(logits - logits.max(axis=0))
            weights = weights / weights.sum(axis=0)
            yield left, weights, (weights * left).sum(axis=0)


Items = tuple[LogisticRecords | Ranking, ...]
Known = dict[LogisticRecords | Ranking, tuple[np.ndarray, np.ndarray]]
"""Derivatives of records at one θ."""


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

    def noise_and_slope(
        self, theta: np.ndarray, known: Known | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """b(θ) and |b'(θ)|.

        Args:
            theta: (m,).
            known: derivatives at this θ of records of another dataset; those found are added.
        """
        known = {} if known is None else known
        pull, curvature = np.zeros_like(theta), np.full_like(theta, self.ridge)
        for item in self.items:
            if item not in known:
                known[item] = item.derivatives(theta)
            gradient, hessian = known[item]
            pull, curvature = pull + gradient, curvature + hessian
        return -pull - self.ridge * theta, curvature

    def log_density(self, theta: np.ndarray, known: Known | None = None) -> np.ndarray:
        """Log density of θ̂ inside (−B, B), up to −½·log 2π; ``known`` as above."""
        noise, slope = self.noise_and_slope(theta, known)
        return -((noise / self.sigma) ** 2) / 2 + np.log(slope / self.sigma)

    def log_ratio_to(self, other: Perturbed, theta: np.ndarray) -> np.ndarray:
        """Log density less that of another dataset; records of both are looked at once."""
        known: Known = {}
        return self.log_density(theta, known) - other.log_density(theta, known)

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
    def edges(self) -> np.ndarray:
        """(PANELS + 1,) of the panels of θ̂, within the ball and REACH."""
        wanted = self.sigma * np.array([REACH, -REACH])
        ends = np.full(2, -self.radius), np.full(2, self.radius)

        def ahead(theta: np.ndarray) -> np.ndarray:
            return self.noise_at(theta.ravel()).reshape(theta.shape) > wanted

        low, high = _narrowed(ahead, *ends, rounds=TO_THE_LAST_BIT)
        return np.linspace(low[0], high[1], PANELS + 1)

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """θ on a grid, and −b(θ), which rises."""
        grid = np.linspace(-self.radius, self.radius, TABLE)
        return grid, -self.noise_at(grid)

    def solve(self, standard: np.ndarray) -> np.ndarray:
        """θ̂ for noise b = σ·standard: an end of the interval, or found inside."""
        theta = np.where(standard <= self.ends[1], self.radius, -self.radius)
        inside = (standard < self.ends[0]) & (standard > self.ends[1])
        theta[inside] = self._inside(standard[inside])
        return theta

    def _inside(self, standard: np.ndarray) -> np.ndarray:
        """By Newton's method within a cell of the table; without one it stalls in the tails."""
        grid, falling = self._table
        wanted = self.sigma * standard
        place = np.searchsorted(falling, -wanted).clip(1, TABLE - 1)
        low, high = grid[place - 1], grid[place]
        theta = (low + high) / 2
        for _ in range(NEWTON_STEPS):
            noise, slope = self.noise_and_slope(theta)
            theta = np.clip(theta + (noise - wanted) / slope, low, high)
        return theta


@dataclass(frozen=True)
class ObjectivePerturbation(Mechanism):
    """Two neighbouring datasets under the same calibration."""

    one: Perturbed
    other: Perturbed

    def exact_delta(self, epsilon: float) -> float:
        return max(self._delta(0, epsilon), self._delta(1, epsilon))

    def _delta(self, side: int, epsilon: float) -> float:
        """Both atoms, panels on one side of ε, and those that a root of the loss cuts."""
        loss, mass = self.losses[side], self.mass(side)
        excess = mass * -np.expm1(np.minimum(epsilon - loss, 0.0))
        at_ends = self._at_edges[side]
        inside = loss[:-2].reshape(PANELS, NODES)
        points = np.concatenate([at_ends[:-1, None], inside, at_ends[1:, None]], 1) > epsilon
        cut = np.nonzero(points.any(1) & ~points.all(1))[0]
        whole = excess[:-2].reshape(PANELS, NODES).sum(1)
        if cut.size:
            whole[cut] = self._on_cut(side, epsilon, cut, points[cut])
        return float(whole.sum() + excess[-2:].sum())

    def _on_cut(self, side: int, epsilon: float, cut: np.ndarray, above: np.ndarray) -> np.ndarray:
        """(C,) ∫(p − e^ε q)₊ on panels, between the roots of the loss less ε.

        Args:
            side: 0 where p is of ``one``.
            epsilon: ε.
            cut: (C,) indices of the panels.
            above: (C, NODES + 2) whether the loss exceeds ε at a panel's ends and nodes.
        """
        near, other = (self.one, self.other)[:: 1 - 2 * side]

        def excess(theta: np.ndarray) -> np.ndarray:
            return (near.log_ratio_to(other, theta.ravel()) - epsilon).reshape(theta.shape)

        low, high = near.edges[cut, None], near.edges[cut + 1, None]
        at = np.concatenate([low, _nodes_between(low, high), high], axis=1)
        panel, place = np.nonzero(above[:, 1:] != above[:, :-1])
        falls = above[panel, place]
        between = at[panel, place], at[panel, place + 1]
        roots, _ = _narrowed(lambda x: (excess(x) > 0) == falls, *between, rounds=ROOT_ROUNDS)
        # a piece with positive loss begins at a panel's end or where the loss rises
        first, last = np.nonzero(above[:, 0])[0], np.nonzero(above[:, -1])[0]
        begin = np.concatenate([low[first, 0], roots[~falls]])
        end = np.concatenate([roots[falls], high[last, 0]])
        of_begin, of_end = np.append(first, panel[~falls]), np.append(panel[falls], last)
        begin = begin[order := np.lexsort((begin, of_begin))]
        end = end[np.lexsort((end, of_end))]
        theta = _nodes_between(begin[:, None], end[:, None])
        log_density = near.log_density(theta.ravel()).reshape(theta.shape)
        lost = -np.expm1(np.minimum(-excess(theta), 0.0))
        mass = (np.exp(log_density) * lost) @ WEIGHTS * (end - begin) / np.sqrt(8 * np.pi)
        return np.bincount(of_begin[order], mass, minlength=len(cut))

    @cached_property
    def _at_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Log likelihood ratios at the edges of each side's panels."""
        sides = (self.one, self.other), (self.other, self.one)
        return tuple(  # type: ignore[return-value]
            first.log_ratio_to(other, first.edges) for first, other in sides
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
        inside = self.other.log_ratio_to(self.one, theta)
        atoms = np.clip(_at_ends(self.other, self.one), -1e3, 1e3)
        log_ratios = np.where(theta <= -self.one.radius, atoms[0], inside)
        return np.where(theta >= self.one.radius, atoms[1], log_ratios)

    def _losses(self, first: Perturbed, other: Perturbed) -> np.ndarray:
        theta = _nodes(first)
        inside = first.log_ratio_to(other, theta)
        return np.append(inside, _at_ends(first, other))


def _at_ends(first: Perturbed, other: Perturbed) -> np.ndarray:
    """(2,) log of first's over other's mass at −B and at B; 0 where neither has any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(first.atoms) - np.log(other.atoms), nan=0.0)


def _nodes_between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return low + (high - low) * (GAUSS + 1) / 2


def _narrowed(
    ahead: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """(m,) ends of the intervals in which what is sought lies, after so many rounds.

    Args:
        ahead: (SECTIONS − 1, m) values → whether what is sought lies above them.
        low: (m,) below it.
        high: (m,) above it.
        rounds: at most; fewer where no number lies between the ends.
    """
    which = np.arange(len(low))
    for _ in range(rounds):
        grid = np.linspace(low, high, SECTIONS + 1)
        behind = ~ahead(grid[1:-1])
        section = np.where(behind.any(axis=0), behind.argmax(axis=0), SECTIONS - 1)
        low, high = grid[section, which], grid[section + 1, which]
        if (np.nextafter(low, high) >= high).all():
            break
    return low, high


def _nodes(side: Perturbed) -> np.ndarray:
    """(PANELS·NODES,) values of θ̂."""
    low, width = side.edges[:-1], np.diff(side.edges)
    return (low[:, None] + width[:, None] * (GAUSS + 1) / 2).ravel()


def _mass(side: Perturbed) -> np.ndarray:
    """Gauss–Legendre masses of the nodes, then the two atoms."""
    density = np.exp(side.log_density(_nodes(side))) / np.sqrt(2 * np.pi)
    weights = (np.diff(side.edges)[:, None] / 2 * WEIGHTS).ravel()
    return np.append(density * weights, side.atoms)
