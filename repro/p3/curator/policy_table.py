"""Algorithm 3 of P3 on a finite class of policies: greedy and pessimistic choices.

The inner minimum is a linear reward over an ellipsoid within a ball.
For each ρ ≥ 0 the two constraints added up, ‖θ−c‖²_A + ρ(‖θ‖²−B²) ≤ F², are one ellipsoid that
contains the set, and the minimum over it is a closed form v(ρ).  By strong duality the minimum
sought is max over ρ of v(ρ); v has one peak, where the minimiser's norm is B (or at ρ = 0 where it
is below B), so bisection on log ρ finds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.linalg import vector_norm

STEPS = 38
"""Bisections, to 1e-9 of log ρ; v is flat at its peak, so its error is the square of that."""
DECADES = 14.0
AT_ONCE = 16
"""Policies that are solved in one step of the search for the best."""


def pessimistic_values(
    directions: Tensor, centre: Tensor, matrix: Tensor, error_bound: float, radius: float
) -> Tensor:
    """min ⟨θ, u⟩ over ‖θ−centre‖ ≤ error_bound in the matrix and ‖θ‖ ≤ radius.

    Args:
        directions: (P, d) u, expected features of each policy minus the reference vector.
        centre: (R, d) estimated rewards θ̃.
        matrix: (R, d, d) symmetric, Σ̃_D + λI.
        error_bound: F > 0.
        radius: B > 0.

    Returns:
        (R, P); NaN where the matrix is not positive definite or the set is empty.
    """
    values, vectors = torch.linalg.eigh(matrix)
    along = torch.einsum("rij,ri->rj", vectors, centre)
    least_values, _ = _worst_cases(directions @ vectors, values, along, error_bound, radius)
    return torch.where(values.amin(-1, keepdim=True) > 0, least_values, torch.nan)


def best_in_the_worst_case(
    directions: Tensor, centre: Tensor, matrix: Tensor, error_bound: float, radius: float
) -> tuple[Tensor, Tensor]:
    """(R,) the u of largest ``pessimistic_values``, and (R,) whether these exist.

    The minimiser for one u is a reward of the set, and so a bound from above for every other u.
    Those whose bounds are largest are solved, until the largest bound belongs to a solved one.
    """
    values, vectors = torch.linalg.eigh(matrix)
    along = torch.einsum("rij,ri->rj", vectors, centre)
    bound = centre @ directions.T
    solved = torch.zeros_like(bound, dtype=torch.bool)
    exists = values.amin(-1) > 0
    open_rows = exists.nonzero()[:, 0]
    first = True
    while len(open_rows):
        chosen = bound[open_rows].topk(min(AT_ONCE, bound.shape[1]), dim=-1).indices
        tried = directions[chosen] @ vectors[open_rows]
        parts = (values[open_rows], along[open_rows])
        least_values, theta = _worst_cases(tried, *parts, error_bound, radius)
        # The centre is a guess and no bound: output noise may have moved it out of the ball.
        above = torch.full_like(bound, torch.inf) if first else bound
        above = above[open_rows]
        for reward in (theta @ vectors[open_rows].mT).unbind(1):
            above = torch.minimum(above, reward @ directions.T)
        bound[open_rows] = above.scatter(1, chosen, least_values)
        solved[open_rows] = solved[open_rows].scatter(1, chosen, True)
        exists[open_rows] &= ~least_values.isnan().any(-1)
        top = bound[open_rows].argmax(-1)
        left = ~solved[open_rows, top] & exists[open_rows]
        open_rows, first = open_rows[left], False
    return bound.argmax(-1), exists


def _worst_cases(
    directions: Tensor, eigenvalues: Tensor, centre: Tensor, error_bound: float, radius: float
) -> tuple[Tensor, Tensor]:
    """(R, P) least values, NaN where the set is empty, and (R, P, d) where they are taken.

    Args:
        directions: (R, P, d) in the eigenbasis of each matrix.
        eigenvalues: (R, d).
        centre: (R, d) in the eigenbasis.
        error_bound: F.
        radius: B.
    """
    spectrum = eigenvalues[:, None, :].expand_as(directions).flatten(0, 1)
    middles = centre[:, None, :].expand_as(directions).flatten(0, 1)
    problem = _Diagonal(directions.flatten(0, 1), spectrum, middles, error_bound**2, radius)
    weight = torch.zeros(len(problem.direction), dtype=centre.dtype, device=centre.device)
    outside = problem.norm(weight) > radius
    weight[outside] = problem.at(outside).peak()
    size = problem.squared_size(weight)
    least_values = torch.where(size >= -1e-9 * error_bound**2, problem.value(weight), torch.nan)
    return least_values.reshape(directions.shape[:2]), problem.minimiser(weight).reshape(
        directions.shape
    )


@dataclass(frozen=True, eq=False)
class _Diagonal:
    """N problems in the eigenbasis of their A; all tensors (N, d)."""

    direction: Tensor
    eigenvalues: Tensor
    centre: Tensor
    squared_bound: float
    radius: float

    def at(self, rows: Tensor) -> _Diagonal:
        """Some of the problems."""
        parts = (self.direction[rows], self.eigenvalues[rows], self.centre[rows])
        return _Diagonal(*parts, self.squared_bound, self.radius)

    def peak(self) -> Tensor:
        """(N,) ρ at which the minimiser's norm is the radius."""
        least, largest = self.eigenvalues.clamp(min=1e-300).log().aminmax(dim=-1)
        low, high = least - DECADES * 2.3, largest + DECADES * 2.3
        for _ in range(STEPS):
            middle = (low + high) / 2
            outside = self.norm(middle.exp()) > self.radius
            low, high = torch.where(outside, middle, low), torch.where(outside, high, middle)
        return high.exp()

    def _middle(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Eigenvalues of A + ρI and the centre of the summed ellipsoid, (N, d)."""
        total = self.eigenvalues + weight[:, None]
        return total, self.eigenvalues * self.centre / total

    def squared_size(self, weight: Tensor) -> Tensor:
        """(N,) squared radius of the summed ellipsoid; negative where the set is empty."""
        return self._size_around(self._middle(weight)[1], weight)

    def _size_around(self, middle: Tensor, weight: Tensor) -> Tensor:
        off = (self.eigenvalues * (middle - self.centre).square_()).sum(-1)
        return self.squared_bound - off - weight * (middle.square().sum(-1) - self.radius**2)

    def _parts(self, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Centre, step from it to the minimiser, and the drop in value along the step."""
        total, middle = self._middle(weight)
        step = self.direction / total
        length = (self.direction * step).sum(-1).sqrt()
        size = self._size_around(middle, weight).clamp_(min=0).sqrt_()
        return middle, step * (size / length.clamp(min=1e-300))[:, None], size * length

    def minimiser(self, weight: Tensor) -> Tensor:
        """(N, d) over the summed ellipsoid."""
        middle, step, _ = self._parts(weight)
        return middle - step

    def norm(self, weight: Tensor) -> Tensor:
        """(N,) ‖θ‖ of the minimiser over the summed ellipsoid."""
        return vector_norm(self.minimiser(weight), dim=-1)

    def value(self, weight: Tensor) -> Tensor:
        """(N,) v(ρ)."""
        middle, _, drop = self._parts(weight)
        return (self.direction * middle).sum(-1) - drop


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """All policies of an instance.

    Attributes:
        features: (P, d) E[φ(s, π(s))] − v.
        gaps: (P,) true suboptimality gap.
    """

    features: Tensor
    gaps: Tensor

    @property
    def optimal_features(self) -> Tensor:
        """(d,) of the best policy."""
        return self.features[self.gaps.argmin()]

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) gap of argmax ⟨θ, E φ⟩."""
        return self.gaps[(theta @ self.features.T).argmax(-1)]

    def pessimistic_gap(
        self,
        theta: Tensor,
        matrix: Tensor,
        error_bound: float,
        radius: float,
        bonus: float = 1.0,
    ) -> Tensor:
        """(R,) gap of Algorithm 3; NaN where its confidence set is empty or no ellipsoid.

        Args:
            theta: (R, d) θ̃.
            matrix: (R, d, d) Σ̃ + λI.
            error_bound: F.
            radius: B.
            bonus: multiple of F that is taken off: 1 as printed, 0 greedy, negative optimistic.
        """
        if bonus == 0:
            # A set of radius 0 around a θ̃ that output noise moved out of the ball is empty.
            return self.greedy_gap(theta)
        width = abs(bonus) * error_bound
        if bonus < 0:
            values = -pessimistic_values(-self.features, theta, matrix, width, radius)
            gap = self.gaps[values.nan_to_num(-torch.inf).argmax(-1)]
            return torch.where(values.isnan().any(-1), torch.nan, gap)
        best, exists = best_in_the_worst_case(self.features, theta, matrix, width, radius)
        return torch.where(exists, self.gaps[best], torch.nan)


def all_choices(num_states: int) -> Tensor:
    """(2^S, S) every way to choose one of two responses at each state, as booleans."""
    number = torch.arange(2**num_states)[:, None]
    return (number >> torch.arange(num_states)) % 2 == 1
