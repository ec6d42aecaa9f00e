"""Bradley–Terry loss of P3, eq. (5), on counts: one cell for each distinct feature difference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import softplus


@dataclass(frozen=True, eq=False)
class PairLoss:
    """ℓ_D of R datasets at once, per pair.

    Attributes:
        feature_diff: (C, d) x, features of the +1 response minus the other's.
        share: (R, C) or (1, C) share of the n pairs in each cell.
        win_share: (R, C) or (1, C) share of the n pairs in the cell with label +1.
    """

    feature_diff: Tensor
    share: Tensor
    win_share: Tensor

    @property
    def num_features(self) -> int:
        """d."""
        return self.feature_diff.shape[1]

    @cached_property
    def _outer(self) -> Tensor:
        return (self.feature_diff[:, :, None] * self.feature_diff[:, None, :]).flatten(1)

    @cached_property
    def covariance(self) -> Tensor:
        """(R, d, d) Σ_D = mean of x·xᵀ (P3, section 4.1)."""
        return (self.share @ self._outer).reshape(-1, self.num_features, self.num_features)

    def value(self, theta: Tensor) -> Tensor:
        """(R,) loss of θ (R, d)."""
        margin = theta @ self.feature_diff.T
        return (self.share * softplus(margin) - self.win_share * margin).sum(-1)

    def derivatives(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Gradient (R, d) and Hessian (R, d, d) at θ (Claims A.1, A.2)."""
        win = torch.sigmoid(theta @ self.feature_diff.T)
        gradient = (self.share * win - self.win_share) @ self.feature_diff
        hessian = (self.share * win * (1 - win)) @ self._outer
        return gradient, hessian.reshape(-1, self.num_features, self.num_features)
