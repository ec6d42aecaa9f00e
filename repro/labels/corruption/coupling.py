"""Reports replaced through a coupling: how who is behind a randomizer does what who is before can.

An adversary in front of a randomizer turns a label, and the report then has another law.  Behind
it the same law of reports is reached by replacing the report itself, and a maximal coupling of the
two laws replaces it with no more probability than their total variation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(…, M) laws of the report that was sent and of the one that is wanted → (…, M, M) what the
adversary lets through, one row for each report that was sent."""


def maximal(sent: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """What is sent arrives as it is wanted, and is replaced with probability TV(sent, wanted).

    Args:
        sent: (…, M) law of the report that was sent.
        wanted: (…, M) law that what arrives is to have.

    Returns:
        (…, M, M) law of what arrives, given each report.

    >>> maximal(np.array([0.75, 0.25]), np.array([0.25, 0.75])).round(3).tolist()
    [[0.333, 0.667], [0.0, 1.0]]
    """
    excess = np.maximum(sent - wanted, 0.0)
    need = np.maximum(wanted - sent, 0.0)
    return _through(sent, excess, _law(need, sent))


def wanted_afresh(sent: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Wrong: what is taken away is drawn from the wanted law, in the place of what it lacks."""
    return _through(sent, np.maximum(sent - wanted, 0.0), wanted)


def exchanged(sent: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Wrong: the two laws in each other's place."""
    return maximal(wanted, sent)


def redrawn(sent: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The wanted law by a fresh report, whatever was sent: right, and replaces more."""
    return np.broadcast_to(wanted[..., None, :], (*wanted.shape, wanted.shape[-1])).copy()


def left_alone(sent: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Wrong: every report arrives as it was sent."""
    return np.broadcast_to(np.eye(sent.shape[-1]), (*sent.shape, sent.shape[-1])).copy()


def _through(sent: np.ndarray, excess: np.ndarray, instead: np.ndarray) -> np.ndarray:
    """(…, M, M): a report is kept but for its share of ``excess``, which becomes ``instead``."""
    # a report that is never sent has no share; whatever it becomes, nothing depends on it
    share = np.divide(excess, sent, out=np.zeros_like(sent), where=sent > 0)
    kept = (1 - share)[..., None] * np.eye(sent.shape[-1])
    return kept + share[..., None] * instead[..., None, :]


def _law(weight: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Weights as a law; another one where there are none."""
    total = weight.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), otherwise)
