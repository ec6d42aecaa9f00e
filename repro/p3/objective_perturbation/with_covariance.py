"""θ̃ by objective perturbation released beside a noisy covariance (P3, Algorithms 1 and 2), exactly.

The covariance's release is a Gaussian mechanism.  Composed with a release of privacy loss ℓ on the
same pair of neighbours, δ(ε) = E[δ_μ(ε − ℓ)]: no accountant's discretisation is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import roots_legendre

from repro.labels.privacy.adjacency import REPLACE, Adjacency
from repro.labels.privacy.gaussian import gaussian_delta
from repro.labels.privacy.mechanism import Mechanism
from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.divergence import INSIDE, ON_SPHERE, Atoms, Part, Slices
from repro.p3.objective_perturbation.gradients import LONGEST
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.one_dimension import ObjectivePerturbation
from repro.p3.objective_perturbation.planar_divergence import Surface

REPLACEMENT = math.sqrt(2.0)
"""‖Σ_D − Σ_D'‖_F over 4L²/n when an item is replaced by one with an orthogonal difference."""


def squares_apart(adjacency: Adjacency, dimension: int) -> float:
    """Largest n·‖Σ_D − Σ_D'‖_F/L² of two neighbours: 4, or √2 as much if two records may cross.

    >>> squares_apart("add_remove", 2), round(squares_apart("replace", 2), 3)
    (4.0, 5.657)
    """
    across = adjacency == REPLACE and dimension > 1
    return LONGEST**2 * (REPLACEMENT if across else 1.0)


def printed_shift(epsilon: float, dp_delta: float) -> float:
    """4L²/(nσ) for the printed σ² = 64·log(1/δ)·L⁴/(ε²n²) (Lemma A.7); n and L cancel.

    >>> round(printed_shift(1.0, 1e-6), 4)
    0.1345
    """
    return epsilon / (2 * math.sqrt(math.log(1 / dp_delta)))


LARGEST_LOSS = 600.0


@dataclass(frozen=True)
class WithGaussian(Mechanism):
    """An estimate by objective perturbation and an independent Gaussian release of another.

    Attributes:
        estimate: the first release.
        shift: Δ/σ of the second on the same neighbours, > 0.
    """

    estimate: ObjectivePerturbation
    shift: float

    def exact_delta(self, epsilon: float) -> float:
        return max(self._delta(side, epsilon) for side in (0, 1))

    def _delta(self, side: int, epsilon: float) -> float:
        losses = np.clip(self.estimate.losses[side], -LARGEST_LOSS, LARGEST_LOSS)
        return float(
            (self.estimate.mass(side) * gaussian_delta(self.shift, epsilon - losses)).sum()
        )

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        """Sum of the two log likelihood ratios."""
        first = self.estimate.scores(rng, neighbour, count)
        second = rng.standard_normal(count) + neighbour * self.shift
        return first + self.shift * (second - self.shift / 2)


ZOOM_POINTS, ZOOMS, FAR = (33, 401), 40, 30.0
"""Grid by which the place of an integrand is found, in two coordinates and in one; times that it
shrinks at most; and log units below the peak beyond which the integrand is left out."""
PANELS, NODES = 8, 12
"""Gauss–Legendre panels of each coordinate, and nodes of each."""


@dataclass(frozen=True)
class OnBallWithGaussian(Mechanism):
    """The same in d = 1 to 3: p(θ)·δ_μ(ε − ℓ(θ)) is smooth, and is summed up by plain quadrature.

    In d = 3 no record may join the middle coordinate to the others.

    Attributes:
        estimate: the first release.
        shift: Δ/σ of the second on the same neighbours, > 0.
    """

    estimate: OnBallNeighbours
    shift: float

    def exact_delta(self, epsilon: float) -> float:
        first, other = self.estimate.one, self.estimate.other
        return max(self._delta(first, other, epsilon), self._delta(other, first, epsilon))

    def _delta(self, first: OnBall, other: OnBall, epsilon: float) -> float:
        parts = INSIDE[first.dimension](first, other), ON_SPHERE[first.dimension](first, other)
        return sum(self._part(part, epsilon) for part in parts)

    def _part(self, part: Part, epsilon: float) -> float:
        if isinstance(part, Slices):
            raise ValueError("a record joins the middle coordinate of d = 3 to the others")

        def log_integrand(log_one: np.ndarray, log_other: np.ndarray) -> np.ndarray:
            with np.errstate(invalid="ignore", divide="ignore"):
                loss = np.clip(log_one - log_other, -LARGEST_LOSS, LARGEST_LOSS)
                log = log_one + np.log(gaussian_delta(self.shift, epsilon - loss))
            return np.where(np.isnan(log), -np.inf, log)

        if isinstance(part, Atoms):
            return float(np.exp(log_integrand(*part.log_masses)).sum())
        return _integral(part, lambda u, t: log_integrand(*part.densities(u, t)))

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        """Sum of the two log likelihood ratios."""
        first = self.estimate.scores(rng, neighbour, count)
        second = rng.standard_normal(count) + neighbour * self.shift
        return first + self.shift * (second - self.shift / 2)


Log = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _integral(surface: Surface, log: Log) -> float:
    """∫ e^log over the box outside of which it is FAR below its peak."""
    box = _box(surface, log)
    (u, of_u), (t, of_t) = (_nodes(*ends) for ends in box)
    if surface.outer is None:
        u, of_u = np.zeros(1), np.ones(1)
    values = np.exp(log(*(axis.ravel() for axis in np.meshgrid(u, t, indexing="ij"))))
    return float(of_u @ values.reshape(len(u), len(t)) @ of_t)


def _box(surface: Surface, log: Log) -> np.ndarray:
    box = np.array([surface.outer or (0.0, 0.0), surface.inner])
    alone = surface.outer is None
    counts = (1, ZOOM_POINTS[1]) if alone else (ZOOM_POINTS[0],) * 2
    for number in range(ZOOMS):
        axes = [
            np.linspace(low, high, count) for (low, high), count in zip(box, counts, strict=True)
        ]
        u, t = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
        values = log(u, t).reshape(counts)
        if number == 0 and surface.round:
            # An angle's range may begin anywhere: far from the peak.
            at = axes[1][np.unravel_index(values.argmax(), counts)[1]]
            box[1] = at - math.pi, at + math.pi
            continue
        seen = np.nonzero(values > values.max() - FAR)
        if len(seen[0]) == 0:
            break
        smaller = np.array([_around(*axis) for axis in zip(axes, seen, strict=True)])
        shrunk = np.ptp(smaller, axis=1) < 0.8 * np.ptp(box, axis=1)
        box = smaller
        if not shrunk.any():
            break
    return box


def _around(axis: np.ndarray, seen: np.ndarray) -> tuple[float, float]:
    """Ends of the cells that hold the points seen, and one more on each side."""
    low, high = max(seen.min() - 1, 0), min(seen.max() + 1, len(axis) - 1)
    return float(axis[low]), float(axis[high])


def _nodes(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of composite Gauss–Legendre quadrature."""
    nodes, weights = roots_legendre(NODES)
    width = (high - low) / PANELS
    starts = low + width * np.arange(PANELS)
    return (starts[:, None] + width * (nodes + 1) / 2).ravel(), np.tile(width * weights / 2, PANELS)
