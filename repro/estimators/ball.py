"""Minimise a quadratic over a ball: the step of projected Fisher scoring."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.linalg import vector_norm

MAX_STEPS = 60


def nearest_in_ball(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    """argmin over ‖θ‖ ≤ radius of (θ − centre)ᵀ I (θ − centre), batched.

    Inside the ball the centre itself; outside, (I + μ)⁻¹·I·centre with μ > 0 the root of
    ‖θ(μ)‖ = radius.

    Args:
        centre: (R, d).
        information: (R, d, d) symmetric positive definite.
        radius: > 0.
    """
    outside = centre.square() @ centre.new_ones(centre.shape[-1]) > radius**2
    if not bool(outside.any()):
        return centre
    nearest = centre.clone()
    nearest[outside] = _on_sphere(centre[outside], information[outside], radius)
    return nearest


def _on_sphere(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    """Newton on 1/radius − 1/‖θ(μ)‖, which climbs to the root from below without overshooting."""
    if centre.shape[-1] == 1:
        return radius * centre.sign()
    values, vectors = torch.linalg.eigh(information)
    values = values.clamp(min=1e-300)
    target = values * (vectors.mT @ centre[..., None])[..., 0]
    shift = (vector_norm(target, dim=-1, keepdim=True) / radius - values[:, -1:]).clamp(min=0)
    for _ in range(MAX_STEPS):
        shifted = values + shift
        theta = target / shifted
        length = vector_norm(theta, dim=-1, keepdim=True)
        slope = (theta.square() / shifted).sum(-1, keepdim=True)
        step = (length / radius - 1).clamp(min=0) * length.square() / slope
        shift = shift + step
        if bool((step <= 1e-15 * shift).all()):
            break
    return (vectors @ (target / (values + shift))[..., None])[..., 0]
