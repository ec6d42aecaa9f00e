"""Minimise a quadratic over a ball by Newton's method on the secular equation."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.linalg import vector_norm

MAX_STEPS = 60


def nearest_in_ball_newton(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    """argmin over ‖θ‖ ≤ radius of (θ − centre)ᵀ I (θ − centre), batched.

    Outside the ball it is (I + μ)⁻¹·I·centre with ‖·‖ = radius; 1/‖·‖ is concave in μ, so Newton
    from a μ below the root climbs to it without overshooting (Moré and Sorensen, 1983).

    Args:
        centre: (L, d).
        information: (L, d, d) symmetric positive definite.
        radius: > 0.
    """
    outside = torch.nonzero(vector_norm(centre, dim=-1) > radius)[:, 0]
    if outside.numel() == 0:
        return centre
    nearest = centre.clone()
    nearest[outside] = _on_sphere(centre[outside], information[outside], radius)
    return nearest


def _on_sphere(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    values, vectors = torch.linalg.eigh(information)
    values = values.clamp(min=1e-300)
    target = values * (vectors.mT @ centre[..., None])[..., 0]
    length = vector_norm(target, dim=-1, keepdim=True)
    shift = (length / radius - values[:, -1:]).clamp(min=0)
    for _ in range(MAX_STEPS):
        shifted = values + shift
        squares = (target / shifted).square()
        norm_squared = squares.sum(-1, keepdim=True)
        excess = norm_squared.sqrt() / radius - 1
        step = norm_squared / (squares / shifted).sum(-1, keepdim=True) * excess
        shift = shift + step.clamp_(min=0)
        if float(excess.amax()) < 1e-12:
            break
    on_sphere = target / (values + shift)
    return (vectors @ on_sphere[..., None])[..., 0]
