"""Minimise a quadratic over a ball: the step of projected Fisher scoring."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.linalg import vector_norm

MAX_STEPS = 60
NEAR_ROOT = 1e-8
"""Share of the radius: what Newton's next step leaves is the square of it."""
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


def descent_in_ball(theta: Tensor, gradient: Tensor, information: Tensor, radius: float) -> Tensor:
    """(R, d) the point of the ball that is nearest to θ − I⁻¹·gradient in I's norm.

    Triangular factors in the place of eigenvectors take half the time.  1/‖θ(μ)‖ is concave, so
    Newton's steps climb to the root (Moré and Sorensen 1983) from 0 or from the bound below it that
    the largest absolute row sum gives.

    Args:
        theta: (R, d).
        gradient: (R, d).
        information: (R, d, d) symmetric positive definite, far from singular.
        radius: > 0.
    """
    factor = torch.linalg.cholesky_ex(information)[0]
    nearest = theta - torch.cholesky_solve(gradient[..., None], factor)[..., 0]
    left = (vector_norm(nearest, dim=-1) > radius).nonzero()[:, 0]
    matrix, factor, theta = information[left], factor[left], nearest[left][..., None]
    pull = matrix @ theta
    bound = vector_norm(pull, dim=-2) / radius - matrix.abs().sum(-1).amax(-1, keepdim=True)
    shift = torch.zeros_like(bound)
    for _ in range(MAX_STEPS if len(left) else 0):
        half = torch.linalg.solve_triangular(factor, theta, upper=False)
        length = vector_norm(theta, dim=-2)
        excess = (length / radius - 1).clamp(min=0)
        step = excess * length.square() / half.square().sum(-2)
        near = excess[:, 0] < NEAR_ROOT
        last = torch.linalg.solve_triangular(factor[near].mT, half[near], upper=True)
        nearest[left[near]] = (theta[near] - step[near, :, None] * last)[..., 0]
        if bool(near.all()):
            break
        left, matrix, pull = left[~near], matrix[~near], pull[~near]
        bound, shift = bound[~near], torch.maximum(shift + step, bound)[~near]
        shifted = matrix.clone()
        shifted.diagonal(dim1=-2, dim2=-1).add_(shift)
        factor = torch.linalg.cholesky_ex(shifted)[0]
        theta = torch.cholesky_solve(pull, factor)
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
