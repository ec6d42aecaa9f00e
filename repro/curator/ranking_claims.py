"""Claims B.1 and B.2 of P3 for one ranking: as printed, as corrected, and by autograd.

Responses are ordered by the ranking, the most preferred first; p_{k|j} is the probability of
choosing k among those from place j on.
"""

from __future__ import annotations

import torch
from torch import Tensor


def ranking_loss(theta: Tensor, features: Tensor) -> Tensor:
    """(R,) loss of one ranking a row; θ (R, d), φ (R, K, d) in the order of the ranking."""
    reward = torch.einsum("rkd,rd->rk", features, theta)
    left = reward.flip(1).logcumsumexp(1).flip(1)
    return (left - reward).sum(1)


def automatic_derivatives(theta: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """Gradient (R, d) and Hessian (R, d, d) of ``ranking_loss`` by autograd."""
    theta = theta.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(ranking_loss(theta, features).sum(), theta, create_graph=True)
    rows = [torch.autograd.grad(column.sum(), theta, retain_graph=True)[0] for column in gradient.T]
    return gradient.detach(), torch.stack(rows, dim=1)


def claimed_gradient(theta: Tensor, features: Tensor, printed: bool) -> Tensor:
    """(R, d) −Σ_j Σ_{k≥j} p·x_jk with p = p_{j|j} as printed in B.1, p_{k|j} as it should be."""
    probability, difference = _parts(theta, features)
    weight = _of_winner(probability) if printed else probability
    return -torch.einsum("rjk,rjkd->rd", weight, difference)


def claimed_hessian(theta: Tensor, features: Tensor, printed: bool) -> Tensor:
    """(R, d, d) Σ_j Σ_{k,l≥j} w·x_kl·x_klᵀ.

    w = p_{j|j} as printed in B.2, ½·p_{k|j}·p_{l|j} as it should be.
    """
    probability, difference = _parts(theta, features)
    left = torch.ones_like(probability[0]).triu()
    if printed:
        weight = torch.einsum("rj,jk,jl->rkl", _of_winner(probability)[:, :, -1], left, left)
    else:
        weight = torch.einsum("rjk,rjl->rkl", probability, probability) / 2
    return torch.einsum("rkl,rkld,rkle->rde", weight, difference, difference)


def _parts(theta: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """p_{k|j} (R, J, K), zero for k < j, and x_jk (R, K, K, d)."""
    reward = torch.einsum("rkd,rd->rk", features, theta)
    size = reward.shape[1]
    gone = torch.ones(size, size, dtype=torch.bool).tril(-1)
    logits = reward[:, None, :].expand(-1, size, -1).masked_fill(gone, -torch.inf)
    return logits.softmax(-1), features[:, :, None] - features[:, None, :]


def _of_winner(probability: Tensor) -> Tensor:
    """p_{j|j} in every place k ≥ j."""
    winner = probability.diagonal(dim1=1, dim2=2)[:, :, None]
    return winner.expand_as(probability).triu()
