"""States whose share of the data falls faster than their share of the test.

One pair of responses a state, along a coordinate of its own.  State k has data mass ∝ 4^(−k) and
test mass ∝ 2^(−k), so at every n some state is at the edge of what the data can tell, and the
concentrability coefficient grows only like √log n.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


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

    def gap(self, chosen: Tensor) -> Tensor:
        """(R,) sub-optimality of choosing the + response where ``chosen`` (R, d) is true."""
        wrong = chosen != (self.theta > 0)
        return (wrong * self.reward_diff.abs()) @ self.test_prob


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


def even_world(num_features: int, length: float, radius: float) -> AxisWorld:
    """All coordinates share the data: only benign directions."""
    equal = torch.full((num_features,), 1 / num_features, dtype=torch.float64)
    return AxisWorld(equal, equal, radius * equal.sqrt(), length)
