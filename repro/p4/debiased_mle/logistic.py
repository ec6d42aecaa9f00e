"""P4's Algorithm 1: logistic regression on debiased labels, in the ball, batched Newton."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.linalg import vector_norm
from torch.nn.functional import softplus

from repro.worlds.estimators.ball import newton_in_ball
from repro.worlds.estimators.stopping import nothing_left

MAX_STEPS = 200
MAX_HALVINGS = 40
NO_DATA = 1e-12
"""Share of Σ‖x_c‖² over cells with data below which a direction has none."""
ORTHOGONAL = 1e-14
"""Largest inner product of two cells' x that counts as 0."""


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
        tolerance: stop when a step moves θ by less than this, relative to B′, or when steps that
            no longer shrink promise nothing (``repro.worlds.estimators.stopping``).

    Returns:
        (P, k); directions without data stay at 0; NaN rows where it has not converged.
    """
    mass = mass.expand(labels.shape[0], -1)
    if not _orthogonal(features):
        return _seen(features, mass, _by_newton(features, mass, labels, radius, tolerance))
    theta, converged = _cell_by_cell(features, mass, labels, radius)
    if not bool(converged.all()):
        rest = ~converged
        newton = _by_newton(features, mass[rest], labels[rest], radius, tolerance)
        theta[rest] = _seen(features, mass[rest], newton)
    return theta


def _seen(features: Tensor, mass: Tensor, theta: Tensor) -> Tensor:
    """θ (P, k) without what drifted in where there is no data: the ridge that makes Newton's
    curvature invertible lets rounding move those directions, by up to 1e-3 of B′."""
    k, seen = features.shape[1], mass > 0
    drifted = ~seen.all(1)
    if int(torch.linalg.matrix_rank(features)) < k:
        drifted = torch.ones_like(drifted)
    if not bool(drifted.any()):
        return theta
    outer = (features[:, :, None] * features[:, None, :]).flatten(1)
    gram = (seen[drifted].to(features) @ outer).reshape(-1, k, k)
    values, vectors = torch.linalg.eigh(gram)
    kept = vectors * (values > NO_DATA * values.sum(-1, keepdim=True))[:, None, :]
    theta[drifted] = (kept @ (kept.mT @ theta[drifted][..., None]))[..., 0]
    return theta


def _orthogonal(features: Tensor) -> bool:
    """Whether no two cells share a direction."""
    cells, k = features.shape
    if cells > k:
        return False
    products = features @ features.T
    lengths = products.diagonal()
    apart = (products - torch.diag(lengths)).abs().max() <= ORTHOGONAL
    return bool(apart & (lengths > 0).all())


def _cell_by_cell(
    features: Tensor, mass: Tensor, labels: Tensor, radius: float
) -> tuple[Tensor, Tensor]:
    """(P, k) Σ_c logit(w_c)·x_c/‖x_c‖², and (P,) where that is the minimiser.

    In orthogonal cells the free minimiser has ⟨x_c, θ⟩ = logit(w_c).  Outside the ball it is not
    the answer, but on a line, where the nearer end is.
    """
    logit = torch.logit(labels.clamp(0, 1)).masked_fill(mass == 0, 0.0)
    theta = logit @ (features / features.square().sum(1, keepdim=True))
    if features.shape == (1, 1):
        return theta.clamp(-radius, radius), ~theta[:, 0].isnan()
    return theta, vector_norm(theta, dim=-1) <= radius


def _by_newton(
    features: Tensor, mass: Tensor, labels: Tensor, radius: float, tolerance: float
) -> Tensor:
    """(P, k) the same by Newton steps."""
    problems, outer = labels.shape[0], (features[:, :, None] * features[:, None, :]).flatten(1)
    theta_of_all = features.new_zeros(problems, features.shape[1])
    rows, mass = torch.arange(problems, device=theta_of_all.device), mass.expand(problems, -1)
    theta, logit = theta_of_all, labels.new_zeros(labels.shape)
    value = _loss(mass, labels, logit)
    last = torch.zeros_like(value)
    for _ in range(MAX_STEPS):
        step, score, curvature = _newton_step(features, outer, mass, labels, theta, logit, radius)
        done = nothing_left(step, last, score, curvature, mass.sum(-1))
        step, theta, logit, value = _downhill(features, mass, labels, theta, value, step)
        last = vector_norm(step, dim=-1)
        going = (last > tolerance * radius) & ~done
        if bool(going.all()):
            continue
        theta_of_all[rows] = theta
        parts = (rows, mass, labels, theta, logit, value, last)
        rows, mass, labels, theta, logit, value, last = (part[going] for part in parts)
        if rows.numel() == 0:
            return theta_of_all
    theta_of_all[rows] = torch.nan
    return theta_of_all


def hessian(features: Tensor, mass: Tensor, theta: Tensor) -> Tensor:
    """(P, k, k) Σ_c m_c·σ′(⟨x_c, θ⟩)·x_c·x_cᵀ (P4, eq. 19)."""
    outer = (features[:, :, None] * features[:, None, :]).flatten(1)
    return _curvature(features, outer, mass, torch.sigmoid(theta @ features.T))


def loss(features: Tensor, mass: Tensor, labels: Tensor, theta: Tensor) -> Tensor:
    """(P,) the loss of θ (P, k)."""
    return _loss(mass, labels, theta @ features.T)


def _loss(mass: Tensor, labels: Tensor, logit: Tensor) -> Tensor:
    return (mass * (softplus(logit) - labels * logit)).sum(-1)


def _curvature(features: Tensor, outer: Tensor, mass: Tensor, win: Tensor) -> Tensor:
    k = features.shape[1]
    return ((mass * win * (1 - win)) @ outer).reshape(-1, k, k)


def _newton_step(features, outer, mass, labels, theta, logit, radius) -> tuple[Tensor, ...]:
    """(P, k) step to the minimiser of the local quadratic over the ball, score and curvature."""
    win = torch.sigmoid(logit)
    score = (mass * (labels - win)) @ features
    curvature = _curvature(features, outer, mass, win)
    diagonal = curvature.diagonal(dim1=-2, dim2=-1)
    diagonal += (1e-13 * diagonal.sum(-1) + 1e-300)[:, None]
    return newton_in_ball(theta, score, curvature, radius), score, curvature


def _downhill(features, mass, labels, theta, value, step) -> tuple[Tensor, ...]:
    """The step, halved until the loss does not rise beyond rounding, and θ, logit, loss there."""
    allowed = value + 1e-14 * (1 + value.abs())
    for _ in range(MAX_HALVINGS):
        moved = theta + step
        logit = moved @ features.T
        reached = _loss(mass, labels, logit)
        rises = reached > allowed
        if not bool(rises.any()):
            break
        step = torch.where(rises[:, None], step / 2, step)
    return step, moved, logit, reached
