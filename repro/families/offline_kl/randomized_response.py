"""Randomized response on counts of binary labels, for simulation (P1, eq. 7).

Streams are seeded, so nothing here may privatise real labels.
"""

from __future__ import annotations

import numpy as np
import torch

from repro.base.notation import flip_prob
from repro.preferences.label_counts import LabelCounts


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
