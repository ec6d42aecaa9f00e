"""Algorithm 1 of P4 as an adversary meets it: a fit, the norm it is judged in, its leverage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from repro.p4.adversaries.strong import Response
from repro.p4.debiased_mle.logistic import debiased_logistic, hessian


@dataclass(frozen=True, eq=False)
class LogisticTarget:
    """Debiased logistic regression, judged by ‖root·(θ̂ − θ_true) + offset‖.

    Attributes:
        features: (C, k) coordinates of x.
        mass: (P, C) share of pairs in each cell.
        truth: (k,) θ_true, or (P, k) one for each row.
        radius: B′.
        root: (P, e, k) or (1, e, k); the identity for the L2 norm.
        offset: 0; of ``signed`` 2B′.
    """

    features: Tensor
    mass: Tensor
    truth: Tensor
    radius: float
    root: Tensor
    offset: float = 0.0

    @classmethod
    def signed(cls, features: Tensor, mass: Tensor, radius: float, along: Tensor) -> Self:
        """Judged by ⟨along, θ̂⟩ + 2B′, which is not negative for ‖along‖ ≤ 1.

        Args:
            features: (C, k) coordinates of x.
            mass: (P, C) share of pairs in each cell.
            radius: B′.
            along: (P, 1, k) or (1, 1, k).
        """
        zero = torch.zeros(features.shape[1], dtype=features.dtype, device=features.device)
        return cls(features, mass, zero, radius, along, 2 * radius)

    def estimate(self, labels: Tensor) -> Tensor:
        """(P, k) θ̂ of labels (P, C) as read."""
        return debiased_logistic(self.features, self.mass, labels, self.radius)

    def error(self, labels: Tensor) -> Tensor:
        """(P, e) root·(θ̂ − θ_true)."""
        return self._error(self.estimate(labels))

    def damage(self, labels: Tensor) -> Tensor:
        """(P,) ‖root·(θ̂ − θ_true)‖; −1 where the fit failed."""
        return self.distance(self.estimate(labels))

    def distance(self, theta: Tensor) -> Tensor:
        """(P,) ‖root·(θ − θ_true)‖ of (P, k) estimates; −1 where there is none."""
        return self._error(theta).norm(dim=-1).nan_to_num(nan=-1.0)

    def respond(self, labels: Tensor) -> Response:
        """Error and leverage root·H⁻¹ at θ̂, where H is the loss's Hessian."""
        theta = self.estimate(labels)
        return Response(self._error(theta), self.root @ self._inverse_hessian(theta))

    def repeated(self, times: int) -> LogisticTarget:
        """Every row ``times`` times."""
        root, truth = self.root, self.truth
        if root.shape[0] > 1:
            root = root.repeat_interleave(times, dim=0)
        if truth.dim() > 1:
            truth = truth.repeat_interleave(times, dim=0)
        mass = self.mass.repeat_interleave(times, dim=0)
        return replace(self, mass=mass, root=root, truth=truth)

    def _inverse_hessian(self, theta: Tensor) -> Tensor:
        """(P, k, k) H⁻¹ at (P, k) estimates, or nearly: a direction without data is kept finite."""
        curvature = hessian(self.features, self.mass, theta.nan_to_num())
        trace = curvature.diagonal(dim1=-2, dim2=-1).sum(-1)
        eye = torch.eye(curvature.shape[-1], dtype=theta.dtype, device=theta.device)
        return torch.linalg.inv(curvature + (1e-12 * trace + 1e-300)[:, None, None] * eye)

    def _error(self, theta: Tensor) -> Tensor:
        return (self.root @ (theta - self.truth)[..., None])[..., 0] + self.offset


def l2_root(features: Tensor) -> Tensor:
    """(1, k, k) identity: errors in ‖·‖₂ (P4, Theorem 5.7)."""
    return torch.eye(features.shape[1], dtype=features.dtype, device=features.device)[None]


def weighted_root(features: Tensor, mass: Tensor, ridge: float) -> Tensor:
    """(P, k, k) root R with RᵀR = Σ̂ + λI: errors in ‖·‖_{Σ̂+λI} (P4, Theorem 5.4)."""
    covariance = torch.einsum("pc,ci,cj->pij", mass, features, features)
    values, vectors = torch.linalg.eigh(covariance)
    return torch.sqrt(values.clamp(min=0) + ridge)[:, :, None] * vectors.transpose(1, 2)
