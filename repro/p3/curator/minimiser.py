"""The minimiser of Algorithm 1 of P3: ℓ(θ) + α‖θ‖² + ⟨b, θ⟩/n over a ball, batched.

Newton's method whose every step minimises the local quadratic over the ball (by bisection on
the multiplier), with step halving; it converges to machine precision in a handful of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from repro.worlds.estimators.ball import nearest_in_ball
from repro.worlds.estimators.stopping import nothing_left

MAX_STEPS = 100
MAX_HALVINGS = 40


class SmoothLoss(Protocol):
    """A smooth convex loss of R datasets at once."""

    @property
    def num_features(self) -> int: ...

    def value(self, theta: Tensor) -> Tensor:
        """(R,) loss of θ (R, d)."""
        ...

    def derivatives(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Gradient (R, d) and Hessian (R, d, d)."""
        ...


@dataclass(frozen=True, eq=False)
class PerturbedLoss:
    """ℓ̃ = ℓ + α‖θ‖² + ⟨linear, θ⟩ (Algorithm 1, step 4).

    Attributes:
        loss: ℓ.
        ridge: α > 0.
        linear: (R, d) b/n.
    """

    loss: SmoothLoss
    ridge: float
    linear: Tensor

    def value(self, theta: Tensor) -> Tensor:
        """(R,)."""
        extra = self.ridge * theta.square() + self.linear * theta
        return self.loss.value(theta) + extra.sum(-1)

    def derivatives(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Gradient (R, d) and Hessian (R, d, d)."""
        gradient, hessian = self.loss.derivatives(theta)
        eye = torch.eye(theta.shape[1], dtype=theta.dtype, device=theta.device)
        return gradient + 2 * self.ridge * theta + self.linear, hessian + 2 * self.ridge * eye


def minimise_in_ball(
    loss: SmoothLoss, ridge: float, linear: Tensor, radius: float, tolerance: float = 1e-9
) -> Tensor:
    """argmin over ‖θ‖ ≤ radius of ℓ(θ) + ridge·‖θ‖² + ⟨linear, θ⟩.

    Args:
        loss: ℓ of R datasets (or of one, for all R linear terms).
        ridge: α > 0.
        linear: (R, d).
        radius: B > 0.
        tolerance: a last step shorter than this leaves an error of its square; steps that no
            longer shrink (``repro.worlds.estimators.stopping``) are the last, too.

    Returns:
        (R, d); NaN rows where Newton has not converged in 100 steps.
    """
    objective = PerturbedLoss(loss, ridge, linear)
    theta = torch.zeros_like(linear)
    value, last = objective.value(theta), linear.new_zeros(len(linear))
    for _ in range(MAX_STEPS):
        gradient, hessian = objective.derivatives(theta)
        centre = theta - torch.linalg.solve(hessian, gradient[..., None])[..., 0]
        step = nearest_in_ball(centre, hessian, radius) - theta
        done = nothing_left(step, last, -gradient, hessian, 1 + value.abs())
        step, value = _descend(objective, theta, step, value)
        theta, last = theta + step, step.norm(dim=-1)
        moves = (step.abs().amax(-1) > tolerance) & ~done
        if not bool(moves.any()):
            return theta
    return torch.where(moves[:, None], torch.nan, theta)


def _descend(
    objective: PerturbedLoss, theta: Tensor, step: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """The step, halved until the objective does not rise, and the objective there."""
    slack = 1e-13 * start.abs()
    reached = objective.value(theta + step)
    for _ in range(MAX_HALVINGS):
        rises = reached > start + slack
        if not bool(rises.any()):
            break
        step = torch.where(rises[:, None], step / 2, step)
        reached = objective.value(theta + step)
    return step, reached
