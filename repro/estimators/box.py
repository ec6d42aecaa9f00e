"""Minimise a quadratic over a box: the step of projected Fisher scoring in a box class."""

from __future__ import annotations

import torch
from torch import Tensor

MAX_SWEEPS = 10_000
SMALLEST_MOVE = 1e-15
"""Share of the half-width; a sweep that moves no coordinate by more has arrived."""


def nearest_in_box(centre: Tensor, information: Tensor, half_width: float) -> Tensor:
    """argmin over max|θ_i| ≤ half_width of (θ − centre)ᵀ I (θ − centre), batched.

    Args:
        centre: (R, d).
        information: (R, d, d) symmetric positive definite.
        half_width: > 0.
    """
    outside = centre.abs().amax(dim=-1) > half_width
    if not bool(outside.any()):
        return centre
    nearest = centre.clone()
    own, far = information[outside], centre[outside]
    pull = (own @ far[..., None])[..., 0]
    nearest[outside] = _descend(far.clamp(-half_width, half_width), own, pull, half_width)
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
        step[outside] = _descend(at, own, pull, half_width) - at
    return step


def _descend(start: Tensor, information: Tensor, pull: Tensor, half_width: float) -> Tensor:
    """Coordinate descent on θᵀIθ/2 − ⟨pull, θ⟩, which converges to the minimiser over a box."""
    theta = start.clone()
    for _ in range(MAX_SWEEPS):
        moved = theta.new_zeros(())
        for k in range(theta.shape[-1]):
            left = pull[:, k] - (information[:, k] * theta).sum(-1)
            new = (theta[:, k] + left / information[:, k, k]).clamp(-half_width, half_width)
            moved = torch.maximum(moved, (new - theta[:, k]).abs().max())
            theta[:, k] = new
        if bool(moved <= SMALLEST_MOVE * half_width):
            break
    return theta
