"""Pessimism from the covariance of last-layer features (P1, Algorithm 1, step 3).

Γ(s, a) = coefficient·‖φ(s, a) − centre‖ in the norm of (Σ + ridge·I/n)⁻¹/n, Σ = Σᵢ xᵢxᵢᵀ/n of the
feature differences seen.  It is positive off the centre and shrinks like n^−1/2 in directions the
data cover; rewards of linear heads are known up to a constant, so features enter by a difference.
It stands in for D_F of P1's eq. 10 on a linear head; the caller sets the coefficient, which in
eq. 10 is √(c·e^B·log N)·c(ε), with a constant c that the paper leaves open.

The policy is π(a|s) ∝ π_ref(a|s)·exp((r − Γ)/kl_weight) (P1, eq. 5): on responses drawn from π_ref
a softmax of the rewards alone; exact as K → ∞, and biased by O(1/K) before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from repro.base.errors import BadInput


@dataclass(frozen=True)
class FeatureBonus:
    """Γ of a set of preference pairs.

    Attributes:
        factor: (d, d) lower Cholesky factor of Σᵢ xᵢxᵢᵀ + ridge·I, in double precision.
        centre: (d,) features that all others are compared with.
        coefficient: width of the confidence set in units of reward, at least 0; 0 is no pessimism.
    """

    factor: Tensor
    centre: Tensor
    coefficient: float

    def __call__(self, features: Tensor) -> Tensor:
        """Γ (...,) of features (..., d), in units of reward, at least 0.

        Raises:
            BadInput: the features have another width than the data's.
        """
        if features.shape[-1] != len(self.centre):
            raise BadInput("features", tuple(features.shape), f"allowed: (..., {len(self.centre)})")
        shifted = features.to(self.factor.dtype) - self.centre
        solved = torch.linalg.solve_triangular(
            self.factor, shifted.reshape(-1, len(self.centre)).T, upper=False
        )
        return self.coefficient * solved.norm(dim=0).reshape(features.shape[:-1])


def feature_bonus(first: Tensor, second: Tensor, ridge: float, coefficient: float) -> FeatureBonus:
    """Γ from the features of the two responses of n pairs; labels play no part.

    Args:
        first: (n, d) last-layer features of the first responses.
        second: (n, d) of the second ones.
        ridge: added to Σᵢ xᵢxᵢᵀ, above 0, in squared units of the features.
        coefficient: width of the confidence set, at least 0.

    Raises:
        BadInput: shapes differ, there are no pairs, a feature is not a number, or ridge or
            coefficient is out of range.
    """
    if first.shape != second.shape or first.ndim != 2 or not len(first):
        raise BadInput("features", tuple(first.shape), "allowed: two (n, d) of one shape, n > 0")
    if not (math.isfinite(ridge) and ridge > 0):
        raise BadInput("ridge", ridge, "allowed: a finite number above 0")
    if not (math.isfinite(coefficient) and coefficient >= 0):
        raise BadInput("coefficient", coefficient, "allowed: a finite number, at least 0")
    both = torch.stack([first, second]).detach().double()
    if not bool(torch.isfinite(both).all()):
        raise BadInput("features", "", "allowed: finite numbers")
    x = both[0] - both[1]
    eye = torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    return FeatureBonus(
        torch.linalg.cholesky(x.T @ x + ridge * eye), both.mean((0, 1)), float(coefficient)
    )


def gibbs_weights(reward: Tensor, kl_weight: float) -> Tensor:
    """Weights of K responses drawn from the reference, duplicates kept.

    Args:
        reward: (..., K) of each response, pessimism already taken off.
        kl_weight: P1's 1/β, above 0; large returns 1/K each, small the best response.

    Returns:
        (..., K) in [0, 1], summing to 1.

    Raises:
        BadInput: kl_weight is not a positive number, or there are no responses.
    """
    if not (math.isfinite(kl_weight) and kl_weight > 0):
        raise BadInput("kl_weight", kl_weight, "allowed: a finite number above 0")
    if reward.ndim == 0 or reward.shape[-1] == 0:
        raise BadInput("reward", tuple(reward.shape), "allowed: (..., K) with K > 0")
    return torch.softmax(reward / kl_weight, dim=-1)
