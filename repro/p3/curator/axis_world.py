"""States whose share of the data falls faster than their share of the test.

One pair of responses a state, along a coordinate of its own.  State k has data mass ∝ 4^(−k) and
test mass ∝ 2^(−k), so at every n some state is at the edge of what the data can tell, and the
concentrability coefficient grows only like √log n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import draw_label_counts
from repro.labels.preferences.label_law import LabelLaw, bradley_terry
from repro.p3.curator.axis_losses import AxisPairLoss
from repro.p3.curator.policy_table import PolicyTable, all_choices

HARDEST = 0.7518
"""argmax of t·Φ(−t)."""


@dataclass(frozen=True, eq=False)
class AxisWorld:
    """A contextual bandit with pairs of responses along coordinate axes.

    φ(s_k, ±) = ±(length/2)·e_k, so a pair's feature difference is length·e_k.

    Attributes:
        data_prob: (d,) share of the pairs at each state; 0 makes a null direction.
        test_prob: (d,) ρ.
        theta: (d,) θ*.
        length: ‖x‖ ≤ 2L of every pair.
    """

    data_prob: Tensor
    test_prob: Tensor
    theta: Tensor
    length: float

    @property
    def num_features(self) -> int:
        """d."""
        return len(self.theta)

    @property
    def feature_diff(self) -> Tensor:
        """(d, d) x of each state's pair."""
        return self.length * torch.eye(self.num_features, dtype=torch.float64)

    @property
    def reward_diff(self) -> Tensor:
        """(d,) ⟨θ*, x⟩."""
        return self.length * self.theta

    @property
    def win_prob(self) -> Tensor:
        """(d,) P(label = +1)."""
        return torch.sigmoid(self.reward_diff)

    @property
    def policies(self) -> PolicyTable:
        """All 2^d policies; the reference vector v is that of always choosing −."""
        chosen = all_choices(self.num_features)
        features = chosen * (self.length * self.test_prob)
        return PolicyTable(features, self.gap(chosen))

    def gap(self, chosen: Tensor) -> Tensor:
        """(R,) suboptimality gap of choosing the + response where ``chosen`` (R, d) is true."""
        wrong = chosen != (self.theta > 0)
        return (wrong * self.reward_diff.abs()) @ self.test_prob

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) suboptimality gap of choosing by the sign of θ (R, d)."""
        return self.gap(theta > 0)

    def draw(
        self,
        rng: np.random.Generator,
        n_pairs: int,
        replicates: int,
        labels: LabelLaw = bradley_terry,
    ) -> tuple[AxisPairLoss, Tensor]:
        """R datasets of n labelled pairs as counts: ℓ_D divided by n, and Σ_D."""
        counts = draw_label_counts(
            rng, self.data_prob, self.reward_diff, n_pairs, float("inf"), replicates, labels
        )
        loss = AxisPairLoss(self.feature_diff, counts.pairs / n_pairs, counts.wins / n_pairs)
        return loss, loss.covariance

    def expected_loss(self, labels: LabelLaw = bradley_terry) -> AxisPairLoss:
        """ℓ_D of one dataset whose label shares are exactly their law's."""
        wins = self.data_prob * labels(self.win_prob)
        return AxisPairLoss(self.feature_diff, self.data_prob[None], wins[None])

    @property
    def learnable_theta(self) -> Tensor:
        """(d,) θ_MLE of least norm on ``expected_loss``: θ* where pairs are compared, else 0."""
        return self.theta * (self.data_prob > 0)


def multi_scale_world(num_levels: int, length: float, radius: float) -> AxisWorld:
    """Data mass ∝ 4^(−k), test mass ∝ 2^(−k), |θ*_k| all equal, signs alternating.

    The last level carries the test mass of all that would follow.

    Args:
        num_levels: d.
        length: of every pair.
        radius: ‖θ*‖.
    """
    level = torch.arange(num_levels, dtype=torch.float64)
    data, test = 0.25**level, 0.5**level
    test[-1] *= 2
    signs = 1 - 2 * (level % 2)
    return AxisWorld(data / data.sum(), test / test.sum(), radius * signs / num_levels**0.5, length)


def half_null_world(num_features: int, length: float, radius: float) -> AxisWorld:
    """The first half of the coordinates share the data, the rest are never compared.

    Args:
        num_features: d, even.
        length: of every pair.
        radius: ‖θ*‖; θ* is 0 where there is no data.
    """
    seen = torch.zeros(num_features, dtype=torch.float64)
    seen[: num_features // 2] = 1 / (num_features // 2)
    return AxisWorld(seen, torch.full_like(seen, 1 / num_features), radius * seen.sqrt(), length)


def half_seen_world(num_features: int, length: float, radius: float) -> AxisWorld:
    """The same data, but θ* is of one size on all coordinates, compared or not.

    Args:
        num_features: d, even.
        length: of every pair.
        radius: ‖θ*‖.
    """
    theta = torch.full((num_features,), radius / num_features**0.5, dtype=torch.float64)
    return replace(half_null_world(num_features, length, radius), theta=theta)


def even_world(num_features: int, length: float, radius: float) -> AxisWorld:
    """All coordinates share the data: only benign directions."""
    equal = torch.full((num_features,), 1 / num_features, dtype=torch.float64)
    return AxisWorld(equal, equal, radius * equal.sqrt(), length)


def trapped_world(num_levels: int, length: float, radius: float, trap_prob: float) -> AxisWorld:
    """The multi-scale world and one state more, whose + response nobody compared and is worse.

    Greedy choices fall into it half of the time at every n; pessimistic ones do not.  At the
    levels the + response is the better one, so that staying with the reference costs something.

    Args:
        num_levels: d − 1.
        length: of every pair.
        radius: ‖θ*‖.
        trap_prob: test mass of the last state.
    """
    levels = multi_scale_world(num_levels, length, 1.0)
    theta = torch.cat([levels.theta.abs(), -levels.theta[:1].abs()])
    last = torch.ones(1, dtype=torch.float64)
    test = torch.cat([(1 - trap_prob) * levels.test_prob, trap_prob * last])
    data = torch.cat([levels.data_prob, 0 * last])
    return AxisWorld(data, test, radius * theta / theta.norm(), length)


def hardest_even_world(num_features: int, length: float, n_pairs: float) -> AxisWorld:
    """Equal masses and the reward difference at which wrong choices cost most.

    With standard error s of θ_k a difference t costs t·Φ(−t/s), largest at t = 0.7518·s.

    Args:
        num_features: d = S states.
        length: of every pair.
        n_pairs: n, shared evenly by the states.
    """
    equal = torch.full((num_features,), 1 / num_features, dtype=torch.float64)
    standard_error = 2 / length * (num_features / n_pairs) ** 0.5
    signs = 1 - 2 * (torch.arange(num_features, dtype=torch.float64) % 2)
    return AxisWorld(equal, equal, HARDEST * standard_error * signs, length)
