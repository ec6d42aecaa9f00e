"""Mean squared error of a loss at any n for a scalar reward, and the adversary worst for it.

θ̂ lies above t where the mean score at t is positive, and that mean is nearly normal, so
P(θ̂ > t) = Φ(√n·μ(t)/σ(t)), with μ and σ² the mean and variance of one label's score at t.  Unlike
bias² + variance/n, this sees the bend of the loss and the edge of the class; it needs the score to
change its sign once, which noisy labels break where hardly anything is learnt.

Labels of the adversary with mean b move μ(t) by α·κ·Σ_c ρ_c·w(t·x_c)·x_c·b_c/2, w > 0: at every t
most upwards for b = sign(x), most downwards for −sign(x).  So as n → ∞ one of these two is worst.
At smaller n the variance has a say, and the worst is searched from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.labels.corruption.orders import Order
from repro.p2.losses.label_losses import LabelLoss
from repro.p2.losses.worlds import LogisticWorld, scalar_world

NODES = 150
"""Points of t on each side of the limit."""
FINEST = 1e-8
"""Smallest distance of a point from the limit, as a share of the class."""
HALVINGS = 50
ASCENTS = 60
GAIN = 1e-4
"""Relative gain below which the search for the adversary ends."""


@dataclass(frozen=True)
class ScalarError:
    """One loss on pairs with one feature.

    Attributes:
        world: pairs with d = 1, and the truth.
        kind: of loss.
        epsilon: ε.
        corruption: α.
        order: of corruption and privacy.
    """

    world: LogisticWorld
    kind: type[LabelLoss]
    epsilon: float
    corruption: float = 0.0
    order: Order = Order.CTL

    @cached_property
    def loss(self) -> LabelLoss:
        """The loss at ε."""
        return self.kind(self.epsilon)

    @cached_property
    def x(self) -> Tensor:
        """(C,) the feature."""
        return self.world.feature_diff[:, 0]

    @property
    def size(self) -> float:
        """Mean squared reward difference, what learning nothing costs [reward²]."""
        return float(self.world.cell_prob @ self.world.reward_diff.square())

    def _means(self, bad: Tensor) -> Tensor:
        """(K, C) means of debiased labels when bad ones have means b (K, C)."""
        reach = 1.0 if self.order is Order.CTL else privacy_cost(self.epsilon)
        clean = torch.tanh(self.world.reward_diff / 2)
        return (1 - self.corruption) * clean + self.corruption * reach * bad

    def _score(self, t: Tensor, means: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and standard deviation (K, T) of a label's score at t (K, T)."""
        s = t[..., None] * self.x
        weight = self.loss.weight(s) * self.x
        share, cost = (1 + means) / 2, privacy_cost(self.epsilon)
        miss = share[:, None] - torch.sigmoid(s)
        noise = ((cost**2 - means.square()) / 4)[:, None]
        mean = (weight * miss) @ self.world.cell_prob
        second = (weight.square() * (noise + miss.square())) @ self.world.cell_prob
        return mean, (second - mean.square()).clamp(min=1e-300).sqrt()

    def limits(self, bad: Tensor) -> Tensor:
        """(K,) what θ̂ tends to under adversaries b (K, C), by bisection."""
        means, radius = self._means(bad), self.world.radius
        low = torch.full((len(bad),), -radius, dtype=bad.dtype)
        high = -low
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = self._score(middle[:, None], means)[0][:, 0] > 0
            low, high = torch.where(above, middle, low), torch.where(above, high, middle)
        return (low + high) / 2

    def squared_bias(self, bad: Tensor) -> Tensor:
        """(K,) error of the limits [reward²]."""
        return self._in_reward(self.limits(bad) - self.world.theta)

    @property
    def floor(self) -> float:
        """Error for n → ∞ against the adversary worst for it there, ±sign(x) [reward]."""
        if not self.corruption:
            return 0.0
        sign = torch.sign(self.x)
        return math.sqrt(float(self.squared_bias(torch.stack((sign, -sign))).max()))

    def mean_squared(self, bad: Tensor, n_pairs: Sequence[float]) -> Tensor:
        """(K, N) mean squared error of reward differences at each n, under adversaries b (K, C)."""
        scaled, error = self._along(bad)
        return torch.stack([_expected(scaled * math.sqrt(n), error) for n in n_pairs], 1)

    def edge_share(self, bad: Tensor, n_pairs: float) -> float:
        """Of the mean squared error at n, under b (C,), what estimates at the class's edge have."""
        scaled, error = self._along(bad[None])
        scaled = scaled * math.sqrt(n_pairs)
        return float(_at_the_edge(scaled, error) / _expected(scaled, error))

    def _along(self, bad: Tensor) -> tuple[Tensor, Tensor]:
        """(K, T) mean over deviation of a label's score along the class, and the error there."""
        radius = self.world.radius
        away = radius * torch.logspace(math.log10(FINEST), math.log10(2), NODES, dtype=bad.dtype)
        steps = torch.cat((-away.flip(0), torch.zeros(1, dtype=bad.dtype), away))
        t = (self.limits(bad)[:, None] + steps).clamp(-radius, radius)
        mean, deviation = self._score(t, self._means(bad))
        return mean / deviation, self._in_reward(t - self.world.theta)

    def _in_reward(self, error: Tensor) -> Tensor:
        return error.square() * self.world.metric[0, 0]

    def worst(self, n_pairs: float) -> Tensor:
        """(C,) ±1 labels of the adversary with the largest error found at n.

        From every b that is ±sign(x) beyond a threshold of |x| and the opposite below it, flips of
        one pair and of all as long as they gain.
        """
        sign = torch.sign(self.x)
        if not self.corruption:
            return sign
        beyond = [torch.where(self.x.abs() > at, sign, -sign) for at in _thresholds(self.x)]
        starts = torch.stack(beyond)
        best, largest = self._best(torch.cat((starts, -starts)), n_pairs)
        for _ in range(ASCENTS):
            best_labels, error = self._best(_neighbours(best), n_pairs)
            if error <= largest * (1 + GAIN):
                break
            best, largest = best_labels, error
        return best

    def _best(self, bad: Tensor, n_pairs: float) -> tuple[Tensor, float]:
        errors = self.mean_squared(bad, (n_pairs,))[:, 0]
        at = int(errors.argmax())
        return bad[at], float(errors[at])


def _expected(scaled: Tensor, error: Tensor) -> Tensor:
    """(K,) mean of an error (K, T) along t, where P(θ̂ > t) is Φ of ``scaled`` (K, T)."""
    above = torch.special.ndtr(scaled).cummin(dim=1).values
    inside = (above[:, :-1] - above[:, 1:]) * (error[:, :-1] + error[:, 1:]) / 2
    return inside.sum(1) + _at_the_edge(scaled, error)


def _at_the_edge(scaled: Tensor, error: Tensor) -> Tensor:
    """(K,) the part of it of estimates at either end."""
    above = torch.special.ndtr(scaled).cummin(dim=1).values
    return (1 - above[:, 0]) * error[:, 0] + above[:, -1] * error[:, -1]


def _thresholds(x: Tensor) -> list[float]:
    """0 and every |x|: none is beyond the last."""
    return [0.0, *torch.unique(x.abs()).tolist()[:-1]]


def _neighbours(bad: Tensor) -> Tensor:
    """(C + 1, C) labels with one sign turned, and with all turned."""
    return torch.cat((bad * (1 - 2 * torch.eye(len(bad), dtype=bad.dtype)), -bad[None]))


def scalar_error(
    reward_bound: float, kind: type[LabelLoss], epsilon: float, corruption: float, order: Order
) -> ScalarError:
    """A loss on the scalar world of the map."""
    return ScalarError(scalar_world(reward_bound), kind, epsilon, corruption, order)
