"""Minimise a quadratic over a ball: the step of projected Fisher scoring."""

from __future__ import annotations

import torch
from torch import Tensor


def nearest_in_ball(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    """argmin over ‖θ‖ ≤ radius of (θ − centre)ᵀ I (θ − centre), batched.

    Inside the ball the centre itself; outside, (I + μ)⁻¹·I·centre with μ > 0 by bisection on
    the monotone norm.

    Args:
        centre: (R, d).
        information: (R, d, d) symmetric positive definite.
        radius: > 0.
    """
    outside = centre.norm(dim=-1) > radius
    if not bool(outside.any()):
        return centre
    nearest = centre.clone()
    nearest[outside] = _on_sphere(centre[outside], information[outside], radius)
    return nearest


def _on_sphere(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    values, vectors = torch.linalg.eigh(information)
    values = values.clamp(min=0)
    target = values * torch.einsum("rij,ri->rj", vectors, centre)
    low = torch.zeros_like(target[:, :1])
    high = target.norm(dim=-1, keepdim=True) / radius
    for _ in range(100):
        middle = (low + high) / 2
        too_long = (target / (values + middle)).norm(dim=-1, keepdim=True) > radius
        low, high = torch.where(too_long, middle, low), torch.where(too_long, high, middle)
    return torch.einsum("rij,rj->ri", vectors, target / (values + high))
