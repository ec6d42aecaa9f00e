"""D² of Definition 3.2 (P1) of a class of two rewards, as printed and as its proofs use it.

For two rewards g, h the denominator E_d₀ Var_π[g − h] cancels in D²·E Var, the numerator stays.
"""

from __future__ import annotations

import torch
from torch import Tensor


def squared_distance_printed(difference: Tensor, reward_bound: Tensor) -> Tensor:
    """inf over |b(s)| ≤ B of (g − h − b)², taken at every (s, a) by itself, as printed.

    The infimum stands inside the supremum and D² is a function of (s, a), so b may follow a: with
    |g − h| ≤ B it is g − h itself, and nothing is left.

    Args:
        difference: (..., S, A) g − h.
        reward_bound: (...) B.

    Returns:
        (..., S, A), zero wherever |g − h| ≤ B.
    """
    bound = reward_bound[..., None, None]
    return (difference - torch.minimum(torch.maximum(difference, -bound), bound)).square()


def squared_distance_centred(difference: Tensor, reference: Tensor) -> Tensor:
    """(..., S, A) of (g − h − b)² with b(s) = E_π_ref[g − h], as Lemma B.1's proof takes it."""
    return (difference - (reference * difference).sum(-1, keepdim=True)).square()


def smallest_common_bias_error(difference: Tensor) -> Tensor:
    """(..., S) min over one b(s) for all responses of max_a (g − h − b(s))²: (range/2)²."""
    return ((difference.amax(-1) - difference.amin(-1)) / 2).square()
