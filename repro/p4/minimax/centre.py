"""Estimators that look at halfspaces, in one to three features: the least S, and a centre.

    S(θ) = max over halfspaces of |Σ_c ±m_c·(w_c − σ(⟨x_c, θ⟩))|,    K = {‖θ‖ ≤ B′ : S(θ) ≤ Z}

The truth lies in K, and any two members are at most ω(2Z, ξ) apart.  Who knows Z returns the
centre of the smallest ball of ‖·‖_Σ around K, who does not the least S
(docs/explanations/sharper_floor.md, Theorems 3 and 7).  With one feature K is an interval, and its
centre the midpoint.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import expit
from torch import Tensor

from repro.p4.label_cells.pairs import PairWorld
from repro.p4.minimax.halfspace import HalfspaceOnLine

POINTS = {1: 3001, 2: 121, 3: 31}
"""Along each direction of the grid on which S is computed, by the number of features."""
BEYOND = 1.5
"""Times ω(2Z) that the grid reaches, so that an error above the bound would be seen."""
DIRECTIONS = 200
"""In which the farthest members of K are looked for."""
STEPS = 120
"""Of the walk to the centre of a ball; it is off by its radius over √steps at most."""


@dataclass(frozen=True, eq=False)
class MidpointOnLine(HalfspaceOnLine):
    """The midpoint of K with one feature, as an adversary meets it.

    Attributes:
        allowed: Z, what labels as read may be off by in all.
    """

    allowed: float = 0.0

    def estimate(self, labels: Tensor) -> Tensor:
        """(P, 1) midpoint of the parameters that labels (P, C) as read leave possible."""
        target = (self.mass * self.x.sign() * labels).sum(-1)
        low, high = (self.root_of(target + off) for off in (-self.allowed, self.allowed))
        return ((low + high) / 2)[:, None]


# Several features --------------------------------------------------------------------------------


def halfspaces(features: np.ndarray) -> np.ndarray:
    """(P, C) signs of the features by halfspaces through 0; in general position, all there are.

    Every cell of an arrangement of hyperplanes has an edge on which k − 1 of them meet.

    >>> len(halfspaces(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])))
    6
    """
    cells, k = features.shape
    signs = set()
    for chosen in itertools.combinations(range(cells), min(k - 1, cells)):
        # with fewer cells than features any vector orthogonal to them will do
        _, _, rows = np.linalg.svd(features[list(chosen)].reshape(-1, k), full_matrices=True)
        for sign in (1.0, -1.0):
            seen = np.sign(features @ rows[-1] * sign)
            for own in itertools.product((1.0, -1.0), repeat=len(chosen)):
                seen[list(chosen)] = own
                signs.add(tuple(np.where(seen == 0, 1.0, seen)))
    return np.array(sorted(signs))


@dataclass(frozen=True, eq=False)
class Halfspaces:
    """Cells on a grid of parameters that holds K, whatever labels are off by Z in all.

    K lies in the ball of radius ω(2Z) of ‖·‖_Σ around the truth; the grid is half as wide again.

    Attributes:
        cells: with the truth.
        reach: ω(2Z).
    """

    cells: PairWorld
    reach: float

    @cached_property
    def features(self) -> np.ndarray:
        """(C, k)."""
        return self.cells.coordinates.numpy()

    @cached_property
    def mass(self) -> np.ndarray:
        """(C,)."""
        return self.cells.cell_prob.numpy()

    @cached_property
    def signs(self) -> np.ndarray:
        """(P, C) halfspaces, times the mass of each cell; of two opposite ones, one."""
        signs = halfspaces(self.features)
        return np.unique(signs * signs[:, :1], axis=0) * self.mass

    @cached_property
    def offsets(self) -> np.ndarray:
        """(G, k) θ − θ_true in coordinates in which ‖·‖_Σ is Euclidean, the truth among them."""
        k = self.features.shape[1]
        line = BEYOND * self.reach * np.linspace(-1, 1, POINTS[k])
        grid = np.stack(np.meshgrid(*[line] * k, indexing="ij"), axis=-1).reshape(-1, k)
        grid = grid[np.linalg.norm(grid, axis=1) <= BEYOND * self.reach * (1 + 1e-12)]
        theta = self.parameter(grid)
        return grid[np.linalg.norm(theta, axis=1) <= self.cells.radius * (1 + 1e-9)]

    @cached_property
    def wins(self) -> np.ndarray:
        """(P, G) Σ_c ±m_c·σ(⟨x_c, θ⟩)."""
        wins = expit(self.parameter(self.offsets) @ self.features.T) @ self.signs.T
        return np.ascontiguousarray(wins.T)  # the largest over P few rows is quick

    def distances(self, labels: np.ndarray) -> np.ndarray:
        """(G,) S of labels (C,) as read."""
        largest = np.zeros(len(self.offsets))
        off = np.empty_like(largest)  # one halfspace at a time stays in the cache
        for at, wins in zip(self.signs @ labels, self.wins, strict=True):
            np.maximum(largest, np.abs(np.subtract(wins, at, out=off), out=off), out=largest)
        return largest

    @cached_property
    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """(k,) lengths and (k, k) directions of the axes of ‖·‖_Σ."""
        values, vectors = np.linalg.eigh((self.features.T * self.mass) @ self.features)
        return np.sqrt(np.maximum(values, 1e-18)), vectors

    def parameter(self, offset: np.ndarray) -> np.ndarray:
        """θ of an offset (…, k)."""
        lengths, vectors = self.axes
        turned = offset / lengths @ vectors.T
        return self.cells.truth.numpy() + turned

    def error(self, theta: np.ndarray) -> float:
        """‖θ − θ_true‖_Σ of a parameter (k,)."""
        margins = self.features @ (theta - self.cells.truth.numpy())
        return float(np.sqrt(self.mass @ margins**2))


Estimator = Callable[[Halfspaces, np.ndarray, float], np.ndarray]
"""(cells on their grid, labels as read, Z that it believes in) → (k,) offset of its estimate."""


def least_halfspace(there: Halfspaces, labels: np.ndarray, allowed: float) -> np.ndarray:
    """The least S: it needs no Z."""
    return there.offsets[there.distances(labels).argmin()]


def centre(there: Halfspaces, labels: np.ndarray, allowed: float) -> np.ndarray:
    """The centre of the smallest ball around K; the least S where K is empty."""
    inside = there.offsets[there.distances(labels) <= allowed * (1 + 1e-9) + 1e-15]
    return centre_of(inside) if len(inside) else least_halfspace(there, labels, allowed)


def any_member(there: Halfspaces, labels: np.ndarray, allowed: float) -> np.ndarray:
    """Wrong: the member of K that is found first."""
    inside = there.offsets[there.distances(labels) <= allowed * (1 + 1e-9) + 1e-15]
    return inside[0] if len(inside) else least_halfspace(there, labels, allowed)


def centre_of(points: np.ndarray) -> np.ndarray:
    """(k,) centre of the smallest ball around points (G, k), to a hundredth of its radius.

    By Bădoiu and Clarkson's walk: a step of 1/i towards the farthest point.

    >>> centre_of(np.array([[0.0], [1.0], [4.0]])).round(2).tolist()
    [2.0]
    """
    k = points.shape[1]
    if k == 1:
        return (points.min(axis=0) + points.max(axis=0)) / 2
    far = points[np.unique((_turns(k) @ points.T).argmax(axis=1))]
    squares, start = np.square(far).sum(axis=1), far.mean(axis=0)
    # the centre is the mean of the start and of all farthest points p so far, and of ‖f − p‖² what
    # does not depend on f makes no point the farthest
    apart, sums, walk = squares - 2 * far @ far.T, squares - 2 * far @ start, []
    for _ in range(STEPS):
        walk.append(sums.argmax())
        sums += apart[walk[-1]]
    return (start + far[walk].sum(axis=0)) / (STEPS + 1)


@lru_cache
def _turns(k: int) -> np.ndarray:
    """(D, k) directions in which the farthest members are looked for."""
    return np.random.default_rng(0).normal(size=(DIRECTIONS, k))


def attacked_error(
    there: Halfspaces, read: np.ndarray, moved: float, believed: float, estimator: Estimator,
    returned: Callable[[np.ndarray], np.ndarray],
) -> float:  # fmt: skip
    """Largest ‖θ̂ − θ_true‖_Σ under attacks that spend all they have in one cell or in two.

    Args:
        there: cells on their grid.
        read: (C,) labels as they are read if nobody attacks.
        moved: Z, Σ m_c|b_c| of what they are moved by.
        believed: the Z that the estimator believes in.
        estimator: offset of its estimate from the truth.
        returned: (k,) estimate → what is returned for it.
    """
    return max(
        there.error(returned(there.parameter(estimator(there, read + shift, believed))))
        for shift in attacks(there.mass, moved)
    )


def attacks(mass: np.ndarray, allowed: float) -> np.ndarray:
    """(A, C) what labels as read are moved by: Z in one cell, or half of it in each of two."""
    cells = len(mass)
    eye = allowed * np.eye(cells) / mass
    alone = np.concatenate([eye, -eye])
    pairs = itertools.combinations(range(2 * cells), 2)
    both = [(alone[i] + alone[j]) / 2 for i, j in pairs if i % cells != j % cells]
    return np.concatenate([alone, np.array(both).reshape(-1, cells)])
