"""Private least squares of Algorithm 2 (P1, step 8), batched over datasets of counts.

The quadratic of each step is minimised over the ball by Newton's method on the secular equation.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.linalg import vector_norm

SECULAR_STEPS = 60


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
    for _ in range(SECULAR_STEPS):
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


Nearest = Callable[[Tensor, Tensor, float], Tensor]
"""(centre, information, size) → nearest point of a set of that size in the information's norm."""
MAX_STEPS = 30
TOLERANCE = 1e-2
"""Gauss–Newton stops when a step is below this share of the smallest standard error; what is left
to go is shorter still."""


def expected_label(difference: Tensor, signal: Tensor) -> Tensor:
    """(2α−1)·(2σ(Δ)−1) = E[z], the regression function of step 8 (P1, Lemma C.1)."""
    return signal * torch.tanh(difference / 2)


def linear_least_squares(
    start: Tensor,
    pairs: Tensor,
    label_sum: Tensor,
    feature_diff: Tensor,
    signal: Tensor,
    radius: float,
    tolerance: float = TOLERANCE,
    nearest: Nearest = nearest_in_ball_newton,
) -> Tensor:
    """argmin over a ball, or another set, of Σ [(2α−1)(2σ(⟨x_i, θ⟩) − 1) − z_i]² (P1, step 8).

    Gauss–Newton, each step to the set's minimiser of the local quadratic; all runs at once.
    The objective is not convex: from a neighbouring block's minimiser, or 0, it converges to
    the minimum that the tests find by restarts.

    Args:
        start: (L, d) where to begin.
        pairs: (L, C) number of pairs in each cell.
        label_sum: (L, C) sum of their privatised labels ±1.
        feature_diff: (C, d).
        signal: (L,) the 2α−1 that the regression assumes.
        radius: of the ball ‖θ‖ ≤ radius, or the size of the other set.
        tolerance: stop at steps below this many smallest standard errors.
        nearest: projection on the set of that size, a ball unless given.

    Returns:
        (L, d).
    """
    features, halved = feature_diff.shape[1], feature_diff.T / 2
    outer = (feature_diff[:, :, None] * feature_diff[:, None, :]).flatten(1)
    ones = start.new_ones(())
    column, theta, minimiser = signal[:, None], start, start.clone()
    moving = torch.arange(len(start), device=start.device)
    for _ in range(MAX_STEPS):
        # (L, C) passes are most of the cost: signals multiply what is summed over cells
        shape = torch.tanh(theta @ halved)
        slope = torch.addcmul(ones, shape, shape, value=-1)
        residual = torch.addcmul(label_sum, pairs * shape, column, value=-1)
        score = (residual.mul_(slope) @ feature_diff) * (column / 2)
        weighted = (pairs * slope).mul_(slope) @ outer
        information = weighted.mul_((column / 2).square()).reshape(-1, features, features)
        diagonal = information.diagonal(dim1=-2, dim2=-1)
        trace = diagonal.sum(-1)
        diagonal.add_((1e-10 * trace + 1e-12)[:, None])
        step = torch.linalg.solve_ex(information, score[..., None])[0][..., 0]
        moved = nearest(theta + step, information, radius)
        change = (moved - theta).abs().amax(-1) * (1 + trace).sqrt()
        minimiser[moving], theta = moved, moved
        still = change >= tolerance
        # a run that has arrived takes no step for another's sake: what lies beside it is no matter
        moving = moving[still]
        if len(moving) == 0:
            break
        if len(moving) < len(still):
            theta, column = theta[still], column[still]
            pairs, label_sum = pairs[still], label_sum[still]
    return minimiser


def finite_least_squares(
    pairs: Tensor, label_sum: Tensor, differences: Tensor, signal: Tensor
) -> Tensor:
    """(L, N) step 8's sum of squares for every reward of a finite class, up to a constant.

    Args:
        pairs: (L, C).
        label_sum: (L, C).
        differences: (N, C) reward differences of the class.
        signal: (L,) the 2α−1 that the regression assumes.
    """
    shape = torch.tanh(differences / 2)
    column = signal[:, None]
    return column.square() * (pairs @ shape.square().T) - 2 * column * (label_sum @ shape.T)


def finite_likelihood(
    pairs: Tensor, label_sum: Tensor, differences: Tensor, signal: Tensor
) -> Tensor:
    """(L, N) negative log likelihood of the private labels, up to a constant.

    Args: as for ``finite_least_squares``.
    """
    mean = signal[:, None, None] * torch.tanh(differences / 2)
    won, lost = (pairs + label_sum)[:, None] / 2, (pairs - label_sum)[:, None] / 2
    return -(won * torch.log1p(mean) + lost * torch.log1p(-mean)).sum(-1)
