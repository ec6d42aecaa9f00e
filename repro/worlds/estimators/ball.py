"""Minimise a quadratic over a ball: the step of projected Fisher scoring."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.linalg import vector_norm

MAX_STEPS = 60
LONG_STEP = 1e-9
"""Share of the radius; what a shorter step loses is rounding."""


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


def newton_in_ball(theta: Tensor, score: Tensor, information: Tensor, radius: float) -> Tensor:
    """(R, d) step from θ to the minimiser of the local quadratic over the ball.

    Where the information is nearly singular, the quadratic's free centre is far away and known to
    few digits, and so is the nearest point of the sphere: a long step that promises a loss instead
    of a gain is taken again from Iθ + score, which needs no centre.

    Args:
        theta: (R, d) inside the ball.
        score: (R, d) minus the gradient.
        information: (R, d, d) symmetric positive definite.
        radius: > 0.
    """
    solved = torch.linalg.solve_ex(information, score[..., None])[0][..., 0]
    centre = theta + solved
    step = nearest_in_ball(centre, information, radius) - theta
    on_sphere = centre.square() @ centre.new_ones(centre.shape[-1]) > radius**2
    if not bool(on_sphere.any()):
        return step
    lost = on_sphere & (promised_gain(step, score, information) < 0)
    lost &= vector_norm(step, dim=-1) > LONG_STEP * radius
    if bool(lost.any()):
        pull = (information[lost] @ theta[lost][..., None])[..., 0] + score[lost]
        values, vectors = torch.linalg.eigh(information[lost])
        target = (vectors.mT @ pull[..., None])[..., 0]
        step[lost] = _climb(values.clamp(min=1e-300), vectors, target, radius) - theta[lost]
    return step


def promised_gain(step: Tensor, score: Tensor, information: Tensor) -> Tensor:
    """(R,) what the local quadratic gains by a step: ⟨score, step⟩ − stepᵀ I step/2."""
    bent = (information @ step[..., None])[..., 0]
    return (score * step).sum(-1) - (bent * step).sum(-1) / 2


def _on_sphere(centre: Tensor, information: Tensor, radius: float) -> Tensor:
    if centre.shape[-1] == 1:
        return radius * centre.sign()
    values, vectors = torch.linalg.eigh(information)
    values = values.clamp(min=1e-300)
    target = values * (vectors.mT @ centre[..., None])[..., 0]
    return _climb(values, vectors, target, radius)


def _climb(values: Tensor, vectors: Tensor, target: Tensor, radius: float) -> Tensor:
    """Newton on 1/radius − 1/‖θ(μ)‖, which climbs to the root from below without overshooting.

    Values rise, so the first k coordinates of θ(μ) are at least as long as those of the target
    over value k + μ: no k puts the start beyond the root.
    """
    shift = (target.square().cumsum(-1).sqrt() / radius - values).amax(-1, keepdim=True)
    shift = shift.clamp(min=0)
    for _ in range(MAX_STEPS):
        shifted = values + shift
        theta = target / shifted
        length = vector_norm(theta, dim=-1, keepdim=True)
        slope = (theta.square() / shifted).sum(-1, keepdim=True)
        step = (length / radius - 1).clamp(min=0) * length.square() / slope
        shift = shift + step
        if bool((step <= 1e-15 * shifted[:, :1]).all()):
            break
    return (vectors @ (target / (values + shift))[..., None])[..., 0]
