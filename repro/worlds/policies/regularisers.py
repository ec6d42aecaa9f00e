"""f-divergences as regularisers: J(π) = E[r] − kl_weight·E_s Σ_a π_ref·f(π/π_ref).

Only f″ matters for policies and gaps (f is normalised by f(1) = f′(1) = 0), so a divergence is
given by f″.  Ratios are w = π/π_ref throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy import special

from repro.base.torch_later import Tensor, torch

LARGEST_LOG = 60.0
"""Ratios of an inverse that has no closed form lie between e^−60 and e^60."""
MOST_STEPS, MOST_HALVINGS = 200, 100
ROUNDING = 1e-14
"""Of a sum of probabilities, and of a slope relative to its size."""
NEAR = 0.3
"""Relative step below which an excess is taken by quadrature: its closed form would cancel."""
NODES = 12


class Regulariser(Protocol):
    """A convex f with f(1) = f′(1) = 0, by functions of ratios of any shape."""

    def value(self, ratio: Tensor) -> Tensor:
        """f(w)."""
        ...

    def slope(self, ratio: Tensor) -> Tensor:
        """f′(w)."""
        ...

    def curvature(self, ratio: Tensor) -> Tensor:
        """f″(w) > 0."""
        ...

    def inverse(self, slope: Tensor) -> Tensor:
        """The w ≥ 0 with f′(w) = slope; 0 below f′(0), inf above f′(inf)."""
        ...

    def excess(self, new: Tensor, old: Tensor) -> Tensor:
        """f(v) − f(w) − f′(w)·(v − w) ≥ 0 of new v and old w."""
        ...


@dataclass(frozen=True)
class AlphaMixture:
    """f″(w) = Σ weight·w^(α−2): α = 1 is KL(π‖π_ref), 0 KL(π_ref‖π), 2 half of χ².

    Attributes:
        terms: (weight, α) each; weights may be negative as long as f″ > 0.
    """

    terms: tuple[tuple[float, float], ...]

    def value(self, ratio: Tensor) -> Tensor:
        """f(w)."""
        return _sum(weight * _value(alpha, ratio) for weight, alpha in self.terms)

    def slope(self, ratio: Tensor) -> Tensor:
        return _sum(weight * _slope(alpha, ratio) for weight, alpha in self.terms)

    def curvature(self, ratio: Tensor) -> Tensor:
        return _sum(weight * ratio ** (alpha - 2) for weight, alpha in self.terms)

    def inverse(self, slope: Tensor) -> Tensor:
        if len(self.terms) > 1:
            return (
                self._kl_and_chi(slope) if self._is_kl_and_chi else self._inverse_by_newton(slope)
            )
        weight, alpha = next(iter(self.terms))
        slope = slope / weight
        if alpha == 1:
            return torch.exp(slope)
        grown = 1 + (alpha - 1) * slope
        if alpha > 1:
            return grown.clamp(min=0) ** (1 / (alpha - 1))
        return torch.where(grown > 0, grown.clamp(min=0) ** (1 / (alpha - 1)), torch.inf)

    def excess(self, new: Tensor, old: Tensor) -> Tensor:
        step = new - old
        far = self.value(new) - self.value(old) - self.slope(old) * step
        near = torch.zeros_like(step)
        for node, weight in zip(*_quadrature(), strict=True):
            near = near + weight * (1 - node) * self.curvature(old + node * step)
        return torch.where(step.abs() < NEAR * old, step.square() * near, far)

    @property
    def _is_kl_and_chi(self) -> bool:
        return sorted(alpha for _, alpha in self.terms) == [1, 2] and min(self.terms)[0] > 0

    def _kl_and_chi(self, slope: Tensor) -> Tensor:
        """w with a·log w + b·(w − 1) = slope: (a/b)·ω((slope + b)/a + log(b/a)), Wright's ω."""
        share = {alpha: weight for weight, alpha in self.terms}
        log_part, flat_part = share[1], share[2]
        at = (slope + flat_part) / log_part + math.log(flat_part / log_part)
        ratio = special.wrightomega(at.numpy()) * (log_part / flat_part)
        return torch.from_numpy(np.asarray(ratio))

    def _inverse_by_newton(self, slope: Tensor) -> Tensor:
        """In log w, where every term of f′ grows; 0 below f′(0), where that is finite."""
        ends = torch.full_like(slope, LARGEST_LOG)

        def rising(log_ratio: Tensor) -> tuple[Tensor, Tensor]:
            ratio = log_ratio.exp()
            return self.slope(ratio) - slope, self.curvature(ratio) * ratio

        root = _root(rising, -ends, ends, ROUNDING * (1 + slope.abs()))
        return torch.where(root <= 1e-9 - LARGEST_LOG, 0.0, root.exp())


@dataclass(frozen=True)
class PowerDivergence:
    """f(w) = |w − 1|^p/(p(p−1)): f″(1) is 0 for p > 2 and infinite for p < 2.

    Attributes:
        power: p > 1.
    """

    power: float

    def value(self, ratio: Tensor) -> Tensor:
        """f(w)."""
        return (ratio - 1).abs() ** self.power / (self.power * (self.power - 1))

    def slope(self, ratio: Tensor) -> Tensor:
        return (ratio - 1).sign() * (ratio - 1).abs() ** (self.power - 1) / (self.power - 1)

    def curvature(self, ratio: Tensor) -> Tensor:
        return (ratio - 1).abs() ** (self.power - 2)

    def inverse(self, slope: Tensor) -> Tensor:
        step = ((self.power - 1) * slope.abs()) ** (1 / (self.power - 1))
        return (1 + slope.sign() * step).clamp(min=0)

    def excess(self, new: Tensor, old: Tensor) -> Tensor:
        return (self.value(new) - self.value(old) - self.slope(old) * (new - old)).clamp(min=0)


KL = AlphaMixture(((1.0, 1.0),))
FORWARD_KL = AlphaMixture(((1.0, 0.0),))
CHI_SQUARED = AlphaMixture(((1.0, 2.0),))
HELLINGER = AlphaMixture(((1.0, 0.5),))
ALPHA_3_2 = AlphaMixture(((1.0, 1.5),))
KL_AND_CHI_SQUARED = AlphaMixture(((1.0, 1.0), (1.0, 2.0)))


def regularised_policy(
    regulariser: Regulariser, reference: Tensor, reward: Tensor, kl_weight: float
) -> tuple[Tensor, Tensor]:
    """Ratios π/π_ref of the maximiser of E_π[r] − kl_weight·D_f, and its multiplier μ.

    w = (f′)⁻¹((r − μ)/kl_weight) with Σ π_ref·w = 1; as f′(1) = 0, μ lies between the least and the
    largest reward.

    Args:
        regulariser: f.
        reference: (S, A) positive, rows summing to 1.
        reward: (..., S, A).
        kl_weight: > 0.

    Returns:
        (..., S, A) ratios, (..., S, 1) multipliers.
    """

    def rising(multiplier: Tensor) -> tuple[Tensor, Tensor]:
        ratio = regulariser.inverse((reward - multiplier) / kl_weight)
        played = torch.where(ratio > 0, reference / regulariser.curvature(ratio), 0.0)
        return 1 - (reference * ratio).sum(-1, keepdim=True), played.sum(
            -1, keepdim=True
        ) / kl_weight

    low, high = reward.amin(-1, keepdim=True), reward.amax(-1, keepdim=True)
    multiplier = _root(rising, low, high, torch.full_like(low, ROUNDING))
    return regulariser.inverse((reward - multiplier) / kl_weight), multiplier


def _root(
    rising: Callable[[Tensor], tuple[Tensor, Tensor]], low: Tensor, high: Tensor, close: Tensor
) -> Tensor:
    """Where an increasing function, given with its derivative, is within ``close`` of 0.

    Newton's method inside a bracket, which is halved where a step leaves it or has not halved the
    value: a derivative that is 0 or infinite costs time only.  From e^1000 halving the value takes
    too many steps (Newton's divide an exponential by e): after MOST_STEPS the bracket is halved.
    """
    at, last = (low + high) / 2, torch.full_like(low, torch.inf)
    for step in range(MOST_STEPS + MOST_HALVINGS):
        value, slope = rising(at)
        low, high = torch.where(value < 0, at, low), torch.where(value > 0, at, high)
        middle = (low + high) / 2
        done = (value.abs() <= close) | (middle == low) | (middle == high)
        if bool(done.all()):
            break
        newton = at - value / slope
        halve = ~((newton > low) & (newton < high)) | (value.abs() > last / 2)
        halve |= torch.tensor(step >= MOST_STEPS)
        last = torch.where(halve, torch.inf, value.abs())
        at = torch.where(done, at, torch.where(halve, middle, newton))
    return at


def regularised_suboptimality(
    regulariser: Regulariser,
    reference: Tensor,
    reward: Tensor,
    estimated: Tensor,
    state_prob: Tensor,
    kl_weight: float,
) -> Tensor:
    """J(π*) − J(π̂) of the policy of an estimated reward, without a difference of two values.

    kl_weight·Σ π_ref·excess(ŵ, w*) plus, where w* = 0, π̂ times what a response lacks to be played.

    Args:
        regulariser: f.
        reference: (S, A).
        reward: (S, A) true.
        estimated: (..., S, A).
        state_prob: (S,).
        kl_weight: > 0.

    Returns:
        (...,) gaps in units of reward, ≥ 0.
    """
    # truth and estimates in one batch: the search for multipliers costs by its steps
    batch = torch.cat([reward[None], estimated.reshape(-1, *reward.shape)])
    policies, multipliers = regularised_policy(regulariser, reference, batch, kl_weight)
    best, multiplier = policies[0], multipliers[0]
    ratio = policies[1:].reshape(estimated.shape)
    slope = regulariser.slope(best)
    # where a ratio underflows, f′ of it is infinite or inexact: what was asked of f′ stands for it
    steep = (best < torch.finfo(best.dtype).tiny) & ((best > 0) | torch.isinf(slope))
    safe = torch.where(steep, 1.0, best)
    lost = regulariser.value(ratio) - regulariser.value(torch.zeros_like(best))
    lost = kl_weight * lost - ratio * (reward - multiplier)
    excess = kl_weight * regulariser.excess(ratio, safe.expand_as(ratio))
    cost = reference * torch.where(steep, lost, excess)
    lacks = multiplier + kl_weight * slope - reward
    unplayed = torch.where((best == 0) & ~steep, reference * ratio * lacks, 0.0)
    return (cost + unplayed).sum(-1) @ state_prob


def response_weights(
    regulariser: Regulariser, reference: Tensor, reward: Tensor, kl_weight: float
) -> Tensor:
    """(S, A) h = π_ref/f″(w*) where π* plays, else 0: kl_weight·∂²J*/∂r² = diag(h) − hhᵀ/Σh.

    For KL h is π* itself.
    """
    ratio, _ = regularised_policy(regulariser, reference, reward, kl_weight)
    played = ratio > 0
    safe = torch.where(played, ratio, torch.ones_like(ratio))
    return torch.where(played, reference / regulariser.curvature(safe), torch.zeros_like(ratio))


def _value(alpha: float, ratio: Tensor) -> Tensor:
    if alpha == 1:
        return torch.xlogy(ratio, ratio) - ratio + 1
    if alpha == 0:
        return ratio - 1 - torch.log(ratio)
    return (ratio**alpha - alpha * ratio + alpha - 1) / (alpha * (alpha - 1))


def _slope(alpha: float, ratio: Tensor) -> Tensor:
    return torch.log(ratio) if alpha == 1 else (ratio ** (alpha - 1) - 1) / (alpha - 1)


def _sum(parts) -> Tensor:
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


@lru_cache(maxsize=1)
def _quadrature() -> tuple[list[float], list[float]]:
    """Gauss–Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()
