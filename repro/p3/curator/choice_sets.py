"""Rankings of K responses at each state of an axis world: responses with features ± alternate.

Responses of equal sign are interchangeable, so a policy is a sign at every state, and all policies
can be enumerated; each ranking still is a Plackett–Luce draw over K responses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_law import LabelLaw, bradley_terry
from repro.p3.curator.axis_losses import AlternatingLoss
from repro.p3.curator.axis_world import AxisWorld
from repro.p3.curator.comparison_losses import draw_rankings
from repro.p3.curator.policy_table import PolicyTable


@dataclass(frozen=True, eq=False)
class ChoiceSetWorld:
    """K responses a state.

    Attributes:
        axis: masses, θ* and the distance between the two kinds of responses.
        num_ranked: K ≥ 2.
    """

    axis: AxisWorld
    num_ranked: int

    @property
    def num_features(self) -> int:
        """d."""
        return self.axis.num_features

    @property
    def theta(self) -> Tensor:
        """(d,) θ*."""
        return self.axis.theta

    @property
    def policies(self) -> PolicyTable:
        """All policies, as signs."""
        return self.axis.policies

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) suboptimality gap of choosing by the sign of θ (R, d)."""
        return self.axis.greedy_gap(theta)

    @property
    def signs(self) -> Tensor:
        """(K,) +1, −1, +1, …"""
        return 1.0 - 2.0 * (torch.arange(self.num_ranked, dtype=torch.float64) % 2)

    @property
    def features(self) -> Tensor:
        """(S, K, d) φ = ±(length/2)·e_s."""
        half = self.axis.length / 2 * torch.eye(self.axis.num_features, dtype=torch.float64)
        return self.signs[None, :, None] * half[:, None, :]

    @property
    def pair_share(self) -> float:
        """Share of the K(K−1)/2 pairs of a ranking whose signs differ."""
        plus = (self.num_ranked + 1) // 2
        return plus * (self.num_ranked - plus) / (self.num_ranked * (self.num_ranked - 1) / 2)

    def covariance(self, share: Tensor) -> Tensor:
        """(R, d, d) Σ_K (P3, section 4.2) for shares of the rankings (R, S)."""
        return torch.diag_embed(self.axis.length**2 * self.pair_share * share)

    def draw_states(self, rng: np.random.Generator, n_pairs: int, replicates: int) -> np.ndarray:
        """(R, S) number of rankings at each state."""
        prob = self.axis.data_prob.numpy()
        return rng.multinomial(n_pairs, prob / prob.sum(), size=replicates)

    def draw(
        self,
        rng: np.random.Generator,
        n_pairs: int,
        replicates: int,
        labels: LabelLaw = bradley_terry,
    ) -> tuple[AlternatingLoss, Tensor]:
        """R datasets of n rankings as counts: ℓ divided by n, and Σ_K."""
        states = self.draw_states(rng, n_pairs, replicates)
        reward = torch.einsum("skd,d->sk", self.features, self.theta).numpy()
        met, chosen = draw_rankings(rng, states, reward, labels)
        loss = AlternatingLoss(self.features, met / n_pairs, chosen / n_pairs)
        return loss, self.covariance(torch.from_numpy(states / n_pairs))
