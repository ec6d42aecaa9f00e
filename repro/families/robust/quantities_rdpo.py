"""P4's debiased loss and Chowdhury et al.'s rDPO loss, label by label."""

from __future__ import annotations

import numpy as np

from repro.base.notation import flip_prob, privacy_cost


def p4_loss(logit: np.ndarray, label: np.ndarray, epsilon: float) -> np.ndarray:
    """−ln(1−σ(h)) − c(ε)·(z + σ(ε) − 1)·h (P4, eq. 14 and 16).

    Args:
        logit: h, the implicit reward difference.
        label: z in {0, 1}.
        epsilon: privacy budget.
    """
    read = privacy_cost(epsilon) * (label - flip_prob(epsilon))
    return np.logaddexp(0, logit) - read * logit


def rdpo_loss(logit: np.ndarray, label: np.ndarray, flip: float) -> np.ndarray:
    """((1−q)·ℓ(z) − q·ℓ(1−z))/(1−2q), ℓ(1) = −ln σ(h) (Chowdhury et al. 2024, eq. 12).

    TRL's ``loss_type="robust"`` with ``label_smoothing`` = q.

    Args:
        logit: h.
        label: z in {0, 1}.
        flip: q, the known flip probability, below ½.
    """
    for_label, against = _both(logit, label)
    return ((1 - flip) * for_label - flip * against) / (1 - 2 * flip)


def conservative_loss(logit: np.ndarray, label: np.ndarray, flip: float) -> np.ndarray:
    """(1−q)·ℓ(z) + q·ℓ(1−z): label smoothing, or cDPO; another loss, and a biased one."""
    for_label, against = _both(logit, label)
    return (1 - flip) * for_label + flip * against


def _both(logit: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ℓ(z) and ℓ(1−z)."""
    signed = np.where(label > 0, logit, -logit)
    return np.logaddexp(0, -signed), np.logaddexp(0, signed)
