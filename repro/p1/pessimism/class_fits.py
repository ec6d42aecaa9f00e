"""The private MLE over whatever class of linear rewards is asked for."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.worlds.estimators.channel_mle import channel_mle, rates_of
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.estimators.region import BALL_REGION, BOX_REGION, Region
from repro.worlds.instances.linear import LinearWorld


@dataclass(frozen=True, eq=False)
class ClassFits:
    """One likelihood, maximised over sets of parameters.

    Attributes:
        world: whose features and truth.
        counts: (R, C) pairs and reports of +1.
        epsilon: the budget the likelihood assumes.
        response: the channel it assumes.
    """

    world: LinearWorld
    counts: LabelCounts
    epsilon: float
    response: LabelMixture

    def in_ball(self, radius: float) -> Tensor:
        """(R, d) maximiser over ‖θ‖ ≤ radius."""
        return self._climbed(BALL_REGION, radius)

    def in_box(self, half_width: float) -> Tensor:
        """(R, d) maximiser over max|θ_i| ≤ half_width."""
        return self._climbed(BOX_REGION, half_width)

    def values(self, members: Tensor) -> Tensor:
        """(R, N) log-likelihood of parameters (N, d) less that of the truth.

        The difference is taken cell by cell: sums over many labels would lose its digits.
        """
        base, signal = rates_of(self.response, self.epsilon, self.counts.wins)
        both = torch.cat([members, self.world.theta[None]]) @ self.world.feature_diff.T
        prob = base + signal * both.sigmoid()
        win, lose = ((prob_of[:-1] / prob_of[-1]).log() for prob_of in (prob, 1 - prob))
        return self.counts.wins @ win.T + (self.counts.pairs - self.counts.wins) @ lose.T

    def _climbed(self, region: Region, size: float) -> Tensor:
        features = self.world.feature_diff
        if self.response == RANDOMIZED_RESPONSE:
            return mixture_mle(self.counts, features, self.epsilon, size, region=region)
        rates = rates_of(self.response, self.epsilon, self.counts.wins)
        return channel_mle(self.counts, features, rates, size, region=region)
