"""Counts of binary labels: randomized response for simulation (P1, eq. 7), and its closed-form MLE.

Streams are seeded, so nothing here may privatise real labels.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import flip_prob
from repro.preferences.label_counts import LabelCounts
from repro.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture


def randomize_counts(rng: np.random.Generator, counts: LabelCounts, epsilon: float) -> LabelCounts:
    """Pass every label through randomized response: exact on counts, two binomials a cell.

    Args:
        rng: simulation stream.
        counts: (R, C) labels before.
        epsilon: privacy budget in (0, inf].

    Returns:
        Counts of the labels after, on the same pairs.
    """
    pairs = counts.pairs.cpu().numpy().astype(np.int64)
    wins = counts.wins.cpu().numpy().astype(np.int64)
    flip = flip_prob(epsilon)
    after = wins - rng.binomial(wins, flip) + rng.binomial(pairs - wins, flip)
    noisy = torch.from_numpy(after.astype(np.float64)).to(counts.wins.device)
    return LabelCounts(counts.pairs, noisy)


def two_arm_mle(
    counts: LabelCounts,
    epsilon: float,
    reward_bound: float,
    response: LabelMixture = RANDOMIZED_RESPONSE,
) -> Tensor:
    """clip(logit((k/m − flip)/(keep − flip)), ±B), the maximiser of P1's eq. 9 state by state.

    A state without pairs gets 0, the middle of the class.  For another channel its two
    probabilities of the report +1 stand for flip and keep.

    Args:
        counts: (R, S) pairs m and privatised wins k.
        epsilon: the budget the likelihood assumes; inf is the clean likelihood.
        reward_bound: B.
        response: the channel that the likelihood assumes.

    Returns:
        (R, S) estimated reward differences in [−B, B].
    """
    flip = response.truth * flip_prob(epsilon)
    always_no = max(1 - response.truth - response.yes, 0.0)
    losses = counts.pairs - counts.wins
    for_first = (counts.wins - (flip + response.yes) * counts.pairs).clamp(min=0)
    for_second = (losses - (flip + always_no) * counts.pairs).clamp(min=0)
    estimate = torch.log(for_first) - torch.log(for_second)
    estimate = torch.where(counts.pairs > 0, estimate, torch.zeros_like(estimate))
    return estimate.clamp(-reward_bound, reward_bound)
