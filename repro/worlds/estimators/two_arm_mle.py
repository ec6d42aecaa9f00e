"""The private MLE of one reward difference per state, in closed form (P1, eq. 9)."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.base.notation import flip_prob
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture


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
