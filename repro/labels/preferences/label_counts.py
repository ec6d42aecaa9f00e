"""Exact datasets of any size: with finitely many cells, n labels are multinomial and binomial.

Drawing counts costs the same at n = 1e12 as at n = 1e3.  Counts are whole numbers in float64,
exact up to 2^53.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from repro.base.notation import flip_prob
from repro.base.torch_later import Tensor, torch
from repro.labels.preferences.label_law import Channel, LabelLaw, bradley_terry, randomized_response


@dataclass(frozen=True)
class LabelCounts:
    """Privatised labels per cell.

    Attributes:
        pairs: (R, C) number of pairs in each cell.
        wins: (R, C) number of them whose privatised label is +1.
    """

    pairs: Tensor
    wins: Tensor

    @cached_property
    def label_sum(self) -> Tensor:
        """(R, C) sum of the privatised labels ±1."""
        return 2 * self.wins - self.pairs


def private_win_prob(reward_diff: Tensor, epsilon: float) -> Tensor:
    """P(z = +1) of a privatised Bradley–Terry label (P1, eq. 8).

    Args:
        reward_diff: r(s, a¹) − r(s, a²), any shape.
        epsilon: privacy budget in (0, inf].
    """
    return randomized_response(torch.sigmoid(reward_diff), epsilon)


def draw_label_counts(
    rng: np.random.Generator,
    cell_prob: Tensor,
    reward_diff: Tensor,
    n_pairs: int,
    epsilon: float,
    replicates: int,
    labels: LabelLaw = bradley_terry,
    channel: Channel = randomized_response,
) -> LabelCounts:
    """Draw datasets of n privatised labels, exactly, as counts.

    Pairs outside the cells (two equal responses) carry no information and are drawn but not kept.

    Args:
        rng: the block's stream.
        cell_prob: (C,) probability of each cell, summing to at most 1.
        reward_diff: (C,) true reward difference in each cell.
        n_pairs: n, at most 1e15.
        epsilon: privacy budget in (0, inf].
        replicates: R.
        labels: what labels are drawn from.
        channel: who randomizes them.
    """
    prob = cell_prob.cpu().numpy()
    rest = max(0.0, 1.0 - float(prob.sum()))
    pairs = rng.multinomial(n_pairs, np.append(prob, rest), size=replicates)[:, :-1]
    released = channel(labels(torch.sigmoid(reward_diff)), epsilon)
    wins = rng.binomial(pairs, released.cpu().numpy())
    device = cell_prob.device
    return LabelCounts(
        torch.from_numpy(pairs.astype(np.float64)).to(device),
        torch.from_numpy(wins.astype(np.float64)).to(device),
    )


def randomize_counts(rng: np.random.Generator, counts: LabelCounts, epsilon: float) -> LabelCounts:
    """Pass every label through randomized response (P1, eq. 7): exact, two binomials a cell.

    Streams are seeded, so this may not privatise real labels.

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
