"""The papers' losses pair by pair, on a reward difference that any model may have made.

``difference`` is r(first) − r(second), from a reward head or from an implicit reward; ``label``
is +1 where the released label prefers the first response and −1 otherwise.  Sorting a pair by its
released label, as trainers do, is the same call with Δ turned round and the label +1.

Every loss is one number a pair, differentiable in ``difference``; a trainer takes the mean.  All
take

    difference   Δ, any shape, in units of reward
    label        released (maybe corrupted) z in {−1, +1}, same shape
    epsilon      ε of the release, in (0, inf]

and raise ``BadInput`` where a label is neither −1 nor +1, or epsilon is not above 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, label_signal, privacy_cost


def log_loss(difference: Tensor, label: Tensor) -> Tensor:
    """−log σ(z·Δ): DPO's loss, and Bradley–Terry's; on private labels it is biased."""
    return -logsigmoid(_signs(label, difference) * difference)


def mixture_loss(difference: Tensor, label: Tensor, epsilon: float) -> Tensor:
    """−log[flip + (keep − flip)·σ(z·Δ)] (P1, eq. 9; P2, Algorithm 1, line 3).

    Worked out as a log of a sum, so it and its gradient stay finite as ε → ∞ and |Δ| → ∞.
    """
    _budget(epsilon)
    signed = _signs(label, difference) * difference
    log_keep = -math.log1p(math.exp(-epsilon))
    right, wrong = logsigmoid(signed), logsigmoid(-signed)
    return -torch.logaddexp(log_keep + right, log_keep - epsilon + wrong)


def debiased_loss(difference: Tensor, label: Tensor, epsilon: float) -> Tensor:
    """softplus(Δ) − w·Δ, w = c(ε)·(1[z = +1] − flip) (P4, eq. 14 and 16; rDPO).

    Its mean over randomised response is ``log_loss`` of the clean label; a single value may be
    negative, and it falls without bound in Δ where w leaves [0, 1].
    """
    _budget(epsilon)
    won = (_signs(label, difference) + 1) / 2
    share = privacy_cost(epsilon) * (won - flip_prob(epsilon))
    return softplus(difference) - share * difference


def square_loss(difference: Tensor, label: Tensor, epsilon: float) -> Tensor:
    """(2σ(Δ) − 1 − c(ε)·z)² (P2, Lemma 3.3; Algorithm 3, line 3)."""
    _budget(epsilon)
    target = privacy_cost(epsilon) * _signs(label, difference)
    return (torch.tanh(difference / 2) - target).square()


def _budget(epsilon: float) -> None:
    if not epsilon > 0 or label_signal(epsilon) == 0:
        raise BadInput("epsilon", epsilon, "allowed: a number above 0, or inf")


def _signs(label: Tensor, difference: Tensor) -> Tensor:
    """The labels in the type of the differences."""
    if label.dtype == torch.bool or not bool((label.abs() == 1).all()):
        kind = "of booleans" if label.dtype == torch.bool else ""
        raise BadInput("label", kind, "allowed: -1 and +1; convert other codings first")
    if label.shape != difference.shape:
        raise BadInput("label", tuple(label.shape), f"allowed: shape {tuple(difference.shape)}")
    return label.to(difference.dtype)
