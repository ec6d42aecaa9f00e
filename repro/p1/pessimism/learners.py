"""Algorithm 1 of P1, its estimate alone, and mistakes about privacy: datasets to gaps.

A mistake is a control: a verdict that it passes is no verdict.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from repro.core.check import privacy_mistake
from repro.labels.preferences.label_counts import LabelCounts, randomize_counts
from repro.p1.pessimism.datasets import Datasets

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


def ppkl(data: Datasets) -> Tensor:
    """(R,) gap of Algorithm 1 as printed: private MLE, bonus of eq. (10), Gibbs policy."""
    return data.gap(data.error(data.fit(data.epsilon)) - data.bonus())


def private_mle(data: Datasets) -> Tensor:
    """(R,) the same with the constant c of its bonus at 0."""
    return data.gap(data.error(data.fit(data.epsilon)))


@privacy_mistake
def naive_likelihood(data: Datasets) -> Tensor:
    """Wrong: the likelihood takes the private labels for clean ones."""
    return data.gap(data.error(data.fit(math.inf)))


@privacy_mistake
def epsilon_overstated(data: Datasets) -> Tensor:
    """Wrong: the likelihood assumes an ε that is 20 % too large."""
    return data.gap(data.error(data.fit(EPSILON_OVERSTATED * data.epsilon)))


def hidden_randomizer(data: Datasets) -> Tensor:
    """Wrong for a claim without privacy: labels privatised at ε = 1, as the likelihood knows."""
    return data.gap(data.error(randomized_again(data).fit(1.0)))


def unaccounted_randomizer(data: Datasets) -> Tensor:
    """Wrong: the labels are randomized twice, and the likelihood knows of once."""
    return data.gap(data.error(randomized_again(data).fit(data.epsilon)))


def randomized_again(data: Datasets) -> Datasets:
    """The datasets after one more randomized response at ε = 1, each stream for its share."""
    shares = len(data.rngs)
    pairs, wins = data.counts.pairs.chunk(shares), data.counts.wins.chunk(shares)
    noisy = [
        randomize_counts(rng, LabelCounts(m, k), 1.0)
        for rng, m, k in zip(data.rngs, pairs, wins, strict=True)
    ]
    counts = LabelCounts(data.counts.pairs, torch.cat([part.wins for part in noisy]))
    return replace(data, counts=counts)
