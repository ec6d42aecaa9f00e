"""Losses of P3 on counts: Bradley–Terry on pairs (eq. 5), Plackett–Luce on rankings (appendix B).

A ranking of K responses is a chain of choices, each among the responses still left.  Its
likelihood needs only how often each set was met and how often each response was chosen, so a
dataset of n rankings costs 2^K counts a state, whatever n is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from repro.labels.preferences.label_law import LabelLaw, bradley_terry
from repro.p3.curator.minimiser import minimise_in_ball


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

    def minimiser(self, ridge: float, linear: Tensor, radius: float) -> Tensor:
        """(R, d) argmin of Algorithm 1's objective; see ``minimise_in_ball``."""
        return minimise_in_ball(self, ridge, linear, radius)

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


@lru_cache(maxsize=16)
def choice_sets(num_ranked: int) -> np.ndarray:
    """(M, K) membership of every set of at least two of K responses, row m for bits of the set."""
    codes = np.arange(2**num_ranked)
    members = (codes[:, None] >> np.arange(num_ranked)) % 2 == 1
    return members[members.sum(1) >= 2]


@dataclass(frozen=True, eq=False)
class RankingLoss:
    """ℓ of R datasets of rankings at once, per ranking (P3, section 4.2).

    Attributes:
        features: (S, K, d) φ of the K responses at each state.
        met: (R, S, M) share of the n rankings that meet each choice set.
        chosen: (R, S, K) how often each response is chosen from a set, over n.
    """

    features: Tensor
    met: Tensor
    chosen: Tensor

    @property
    def num_features(self) -> int:
        """d."""
        return self.features.shape[-1]

    def minimiser(self, ridge: float, linear: Tensor, radius: float) -> Tensor:
        """(R, d) argmin of Algorithm 1's objective; see ``minimise_in_ball``."""
        return minimise_in_ball(self, ridge, linear, radius)

    @cached_property
    def _members(self) -> Tensor:
        return torch.from_numpy(choice_sets(self.features.shape[1])).double()

    @cached_property
    def _pairs(self) -> Tensor:
        members = self._members
        return (members[:, :, None] * members[:, None, :]).flatten(1)

    def _weights(self, theta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rewards (R, S, K), e^reward up to a shift, and its sum over each set (R, S, M)."""
        reward = torch.einsum("rd,skd->rsk", theta, self.features)
        weight = (reward - reward.amax(-1, keepdim=True)).exp()
        return reward, weight, weight @ self._members.T

    def value(self, theta: Tensor) -> Tensor:
        """(R,) loss of θ (R, d)."""
        reward, _, total = self._weights(theta)
        logs = total.log() + reward.amax(-1, keepdim=True)
        return (self.met * logs).sum((1, 2)) - (self.chosen * reward).sum((1, 2))

    def derivatives(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Gradient (R, d) and Hessian (R, d, d), the corrected Claims B.1 and B.2."""
        _, weight, total = self._weights(theta)
        expected = weight * ((self.met / total) @ self._members)
        gradient = torch.einsum("rsk,skd->rd", expected - self.chosen, self.features)
        joint = ((self.met / total**2) @ self._pairs).unflatten(-1, (weight.shape[-1],) * 2)
        spread = torch.diag_embed(expected) - joint * weight[..., :, None] * weight[..., None, :]
        half = torch.einsum("rsij,sjd->rsid", spread, self.features)
        return gradient, torch.einsum("rsid,sie->rde", half, self.features)


def draw_rankings(
    rng: np.random.Generator,
    rankings: np.ndarray,
    reward: np.ndarray,
    labels: LabelLaw = bradley_terry,
) -> tuple[Tensor, Tensor]:
    """Draw all rankings as counts, one stage of choices after another, exactly.

    Args:
        rng: the block's stream.
        rankings: (R, S) whole numbers of rankings at each state.
        reward: (S, K) true rewards.
        labels: applied to each response's e^reward relative to the best one's, in (0, 1]; a set's
            choices are drawn in proportion to what comes out.

    Returns:
        (R, S, M) times each choice set is met, and (R, S, K) times each response is chosen.
    """
    num_ranked = reward.shape[1]
    members = choice_sets(num_ranked)
    place = {int(code): m for m, code in enumerate(_codes(members))}
    met = np.zeros((*rankings.shape, len(members)), dtype=np.int64)
    chosen = np.zeros((*rankings.shape, num_ranked), dtype=np.int64)
    met[..., place[2**num_ranked - 1]] = rankings
    relative = labels(torch.from_numpy(np.exp(reward - reward.max(1, keepdims=True)))).numpy()
    for size in range(num_ranked, 1, -1):
        rows = np.flatnonzero(members.sum(1) == size)
        weight = relative[:, None, :] * members[rows]
        winners = rng.multinomial(met[..., rows], weight / weight.sum(-1, keepdims=True))
        chosen += winners.sum(2)
        if size > 2:
            _pass_on(met, winners, rows, members, place)
    return torch.from_numpy(met.astype(np.float64)), torch.from_numpy(chosen.astype(np.float64))


def _codes(members: np.ndarray) -> np.ndarray:
    return members @ (1 << np.arange(members.shape[1]))


def _pass_on(met, winners, rows, members, place) -> None:
    """Rankings whose winner leaves go on with the set without it."""
    codes = _codes(members[rows])
    for column, (row, code) in enumerate(zip(rows, codes, strict=True)):
        for winner in np.flatnonzero(members[row]):
            met[..., place[int(code - (1 << winner))]] += winners[..., column, winner]
