"""The halfspace estimator: the parameter whose win rates agree with the labels on halfspaces.

    θ̂ = argmin over ‖θ‖ ≤ B′ of S(θ) = sup_v |(1/n)Σ_i sgn⟨x_i, v⟩·(w_i − σ(⟨x_i, θ⟩))|

Halfspaces are the sets on which one parameter's win rates exceed another's, so S is the minimum
distance criterion of Yatracos (1985).  It knows neither α nor the order.  With one feature there
are two halfspaces, S is a monotone function's absolute value, and its root is the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from repro.p4.adversaries.strong import Response

HALVINGS = 60


@dataclass(frozen=True, eq=False)
class HalfspaceOnLine:
    """The halfspace estimator with one feature, as an adversary meets it.

    Attributes:
        x: (C,) the feature of each cell.
        mass: (P, C) share of pairs in each cell.
        truth: θ_true, or (P,) one for each row.
        radius: B′.
    """

    x: Tensor
    mass: Tensor
    truth: Tensor
    radius: float

    @property
    def features(self) -> Tensor:
        """(C, 1) sgn x: what a label weighs."""
        return self.x.sign()[:, None]

    def estimate(self, labels: Tensor) -> Tensor:
        """(P, 1) θ̂ of labels (P, C) as read, by bisection."""
        return self.root_of((self.mass * self.x.sign() * labels).sum(-1))[:, None]

    def root_of(self, target: Tensor) -> Tensor:
        """(P,) θ in the class at which Σ_c m_c·sgn(x_c)·σ(⟨x_c, θ⟩) is nearest to ``target``."""
        side = self.mass * self.x.sign()
        low = torch.full_like(target, -self.radius)
        high = -low
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = (side * torch.sigmoid(middle[:, None] * self.x)).sum(-1) < target
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return (low + high) / 2

    def distance(self, theta: Tensor) -> Tensor:
        """(P,) ‖θ − θ_true‖ in the norm of the data, for (P, 1) estimates."""
        return self._root * (theta[:, 0] - self.truth).abs()

    def damage(self, labels: Tensor) -> Tensor:
        """(P,) the same of the estimate."""
        return self.distance(self.estimate(labels))

    def respond(self, labels: Tensor) -> Response:
        """Error, and up to a factor above 0 its derivative in Σ_c m_c·w_c·sgn x_c.

        The factor moves no attack: there is one feature.
        """
        error = self._root * (self.estimate(labels)[:, 0] - self.truth)
        return Response(error[:, None], self._root[:, None, None])

    def repeated(self, times: int) -> HalfspaceOnLine:
        """Every row ``times`` times."""
        truth = self.truth.repeat_interleave(times, dim=0) if self.truth.dim() else self.truth
        return replace(self, mass=self.mass.repeat_interleave(times, dim=0), truth=truth)

    @property
    def _root(self) -> Tensor:
        """(P,) √Σ_c m_c·x_c²."""
        return (self.mass * self.x.square()).sum(-1).sqrt()
