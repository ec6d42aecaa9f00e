"""Minimise a quadratic over a box: the step of projected Fisher scoring in a box class."""

from __future__ import annotations

import torch
from torch import Tensor

MAX_SWEEPS = 10_000
MAX_SETS = 20
"""Active sets that are tried."""
SMALLEST_MOVE = 1e-15
"""Share of the half-width; a sweep that moves no coordinate by more has arrived."""


def nearest_in_box(
    centre: Tensor, information: Tensor, half_width: float, smallest_move: float = SMALLEST_MOVE
) -> Tensor:
    """argmin over max|θ_i| ≤ half_width of (θ − centre)ᵀ I (θ − centre), batched.

    Args:
        centre: (R, d).
        information: (R, d, d) symmetric positive definite.
        half_width: > 0.
        smallest_move: share of the half-width below which a descent has arrived.
    """
    outside = centre.abs().amax(dim=-1) > half_width
    if not bool(outside.any()):
        return centre
    nearest = centre.clone()
    own, far = information[outside], centre[outside]
    pull = (own @ far[..., None])[..., 0]
    start = far.clamp(-half_width, half_width)
    nearest[outside] = _descend(start, own, pull, half_width, smallest_move)
    return nearest


def newton_in_box(theta: Tensor, score: Tensor, information: Tensor, half_width: float) -> Tensor:
    """(R, d) step from θ to the minimiser of the local quadratic over the box.

    Args:
        theta: (R, d) inside the box.
        score: (R, d) minus the gradient.
        information: (R, d, d) symmetric positive definite.
        half_width: > 0.
    """
    step = torch.linalg.solve_ex(information, score[..., None])[0][..., 0]
    outside = ~((theta + step).abs().amax(dim=-1) <= half_width)
    if bool(outside.any()):
        at, own = theta[outside], information[outside]
        # Iθ + score needs no centre, which is known to few digits where I is nearly singular
        pull = (own @ at[..., None])[..., 0] + score[outside]
        step[outside] = _descend(at, own, pull, half_width, SMALLEST_MOVE) - at
    return step


def _descend(
    start: Tensor, information: Tensor, pull: Tensor, half_width: float, smallest_move: float
) -> Tensor:
    """argmin of θᵀIθ/2 − ⟨pull, θ⟩ over a box, by its active set, or else coordinate by coordinate.

    The few datasets whose active sets go round in circles descend by coordinates, which converges
    always, but slowly where I is nearly singular.
    """
    theta, settled = _by_active_set(start, information, pull, half_width)
    left = torch.nonzero(~settled)[:, 0]
    if len(left):
        problem = (start[left], information[left], pull[left])
        theta[left] = _by_coordinates(*problem, half_width, smallest_move)
    return theta


def _by_active_set(
    start: Tensor, information: Tensor, pull: Tensor, half_width: float
) -> tuple[Tensor, Tensor]:
    """Minimisers, and where they are ones: the sides that bind stay the same from step to step.

    Primal–dual active sets (Hintermüller, Ito and Kunisch, 2003): a coordinate binds where a step
    along its own curvature would leave the box; the others solve their linear system.
    """
    theta, curvature = start, information.diagonal(dim1=-2, dim2=-1)
    eye = torch.eye(start.shape[-1], dtype=torch.bool, device=start.device)
    before: Tensor | None = None
    same = torch.zeros(len(start), dtype=torch.bool, device=start.device)
    for _ in range(MAX_SETS):
        wanted = theta + (pull - (information @ theta[..., None])[..., 0]) / curvature
        side = (wanted > half_width).to(theta.dtype) - (wanted < -half_width).to(theta.dtype)
        same = (side == before).all(dim=-1) if before is not None else same
        if bool(same.all()):
            break
        before, free = side, side == 0
        fixed = half_width * side
        rest = pull - (information @ fixed[..., None])[..., 0]
        matrix = torch.where(free[:, :, None] & free[:, None], information, eye.to(theta.dtype))
        solved = torch.linalg.solve_ex(matrix, rest[..., None])[0][..., 0]
        theta = torch.where(free, solved, fixed)
    # rounding may put a free coordinate a hair outside
    inside = theta.abs().amax(dim=-1) <= half_width * (1 + 1e-9)
    return theta.clamp(-half_width, half_width), same & inside


def _by_coordinates(
    start: Tensor, information: Tensor, pull: Tensor, half_width: float, smallest_move: float
) -> Tensor:
    theta = start.clone()
    for _ in range(MAX_SWEEPS):
        moved = theta.new_zeros(())
        for k in range(theta.shape[-1]):
            left = pull[:, k] - (information[:, k] * theta).sum(-1)
            new = (theta[:, k] + left / information[:, k, k]).clamp(-half_width, half_width)
            moved = torch.maximum(moved, (new - theta[:, k]).abs().max())
            theta[:, k] = new
        if bool(moved <= smallest_move * half_width):
            break
    return theta
