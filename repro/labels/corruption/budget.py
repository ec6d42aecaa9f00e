"""What an adversary may spend: α as a share of labels, and as a number of them."""

from __future__ import annotations

import math

from repro.base.errors import BadInput


def checked_corruption(corruption: float) -> float:
    """α itself where it lies in [0, 1/2) (P4, Theorem 5.4; P2, Definition 2.3).

    Raises:
        BadInput: it does not.
    """
    if not 0 <= corruption < 0.5:
        raise BadInput("corruption", corruption, "allowed: a share of labels in [0, 1/2)")
    return corruption


def flip_budget(corruption: float, n_pairs: int) -> int:
    """⌊α·n⌋ labels of the strong adversary (P4, Definition 3.3); 0 at α = 0.

    Raises:
        BadInput: α lies outside [0, 1/2), or α·n is positive and below one label.

    >>> flip_budget(0.1, 29)
    2
    """
    labels = checked_corruption(corruption) * n_pairs
    if 0 < labels < 1:
        allowed = f"allowed: at least one label, {1 / n_pairs:.3g} at n_pairs={n_pairs}, or 0"
        raise BadInput("corruption", corruption, f"{labels:.3g} of a label; {allowed}")
    return math.floor(labels)
