"""P4's Algorithm 1: logistic regression on debiased labels, in the ball, batched Newton."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus

from repro.estimators.ball import nearest_in_ball

MAX_STEPS = 200
MAX_HALVINGS = 40


def debiased_logistic(
    features: Tensor, mass: Tensor, labels: Tensor, radius: float, tolerance: float = 1e-11
) -> Tensor:
    """argmin over ‖θ‖ ≤ B′ of Σ_c m_c·[softplus(⟨x_c, θ⟩) − w_c·⟨x_c, θ⟩] (P4, eq. 14).

    Debiased labels w leave [0, 1], and then the free loss has no minimum: the ball is part of the
    algorithm, not a safeguard.  The loss is convex; each step minimises its local quadratic over
    the ball and is halved until the loss falls.

    Args:
        features: (C, k) x in coordinates of the identified subspace (``PairWorld.coordinates``).
        mass: (P, C) or (1, C) share of pairs in each cell.
        labels: (P, C) debiased labels w.
        radius: B′.
        tolerance: stop when a step moves θ by less than this, relative to B′.

    Returns:
        (P, k); directions without data stay at 0; NaN rows where it has not converged.
    """
    problems = labels.shape[0]
    mass = mass.expand(problems, -1)
    theta = features.new_zeros(problems, features.shape[1])
    active = torch.arange(problems, device=theta.device)
    outer = (features[:, :, None] * features[:, None, :]).flatten(1)
    for _ in range(MAX_STEPS):
        step = _newton_step(features, outer, mass[active], labels[active], theta[active], radius)
        step = _downhill(features, mass[active], labels[active], theta[active], step)
        theta[active] += step
        active = active[step.norm(dim=-1) > tolerance * radius]
        if active.numel() == 0:
            return theta
    theta[active] = torch.nan
    return theta


def hessian(features: Tensor, mass: Tensor, theta: Tensor) -> Tensor:
    """(P, k, k) Σ_c m_c·σ′(⟨x_c, θ⟩)·x_c·x_cᵀ (P4, eq. 19)."""
    outer = (features[:, :, None] * features[:, None, :]).flatten(1)
    return _curvature(features, outer, mass, theta)


def loss(features: Tensor, mass: Tensor, labels: Tensor, theta: Tensor) -> Tensor:
    """(P,) the loss of θ (P, k)."""
    logit = theta @ features.T
    return (mass * (softplus(logit) - labels * logit)).sum(-1)


def _curvature(features: Tensor, outer: Tensor, mass: Tensor, theta: Tensor) -> Tensor:
    k = features.shape[1]
    win = torch.sigmoid(theta @ features.T)
    return ((mass * win * (1 - win)) @ outer).reshape(-1, k, k)


def _newton_step(features, outer, mass, labels, theta, radius) -> Tensor:
    """(P, k) step to the minimiser of the local quadratic over the ball."""
    score = (mass * (labels - torch.sigmoid(theta @ features.T))) @ features
    curvature = _curvature(features, outer, mass, theta)
    trace = curvature.diagonal(dim1=-2, dim2=-1).sum(-1)
    eye = torch.eye(theta.shape[1], dtype=theta.dtype, device=theta.device)
    curvature = curvature + (1e-13 * trace + 1e-300)[:, None, None] * eye
    solved = torch.linalg.solve_ex(curvature, score[..., None])[0][..., 0]
    return nearest_in_ball(theta + solved, curvature, radius) - theta


def _downhill(features, mass, labels, theta, step) -> Tensor:
    """The step, halved until the loss does not rise beyond rounding."""
    start = loss(features, mass, labels, theta)
    slack = 1e-14 * (1 + start.abs())
    for _ in range(MAX_HALVINGS):
        rises = loss(features, mass, labels, theta + step) > start + slack
        if not bool(rises.any()):
            break
        step = torch.where(rises[:, None], step / 2, step)
    return step
