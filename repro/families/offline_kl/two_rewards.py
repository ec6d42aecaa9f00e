"""The in-sample bound (19) in the proof of P1's Lemma B.1, on the class where it is worst."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.base.notation import label_signal
from repro.instances.two_arms import TwoArmWorld
from repro.preferences.label_counts import draw_label_counts, private_win_prob

JUST_ABOVE = 1.1
"""Squared distance of the two rewards over the bound, at the mean number of pairs."""


def printed_bound(reward_bound: float, epsilon: float, log_term: float) -> float:
    """4(1+e^B)²/((2α−1)²e^B)·(log(N/δ) + 2τn), as printed."""
    growth = (1 + math.exp(reward_bound)) ** 2 / math.exp(reward_bound)
    return 4 * growth * log_term / label_signal(epsilon) ** 2


def corrected_bound(reward_bound: float, epsilon: float, log_term: float) -> float:
    """16(1+e^B)⁴/((2α−1)²e^2B)·(…): σ′² for σ′ in (15), and 1/16 for 1/4 in step (b) of (18)."""
    growth = (1 + math.exp(reward_bound)) ** 2 / math.exp(reward_bound)
    return 16 * growth**2 * log_term / label_signal(epsilon) ** 2


def bound_fails(
    world: TwoArmWorld,
    bound: Callable[[float, float, float], float],
    n_pairs: int,
    epsilon: float,
    failure_prob: float,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """1.0 where Σ(Δ_r* − Δ_r̄)² exceeds a bound, r̄ the private MLE in a class of two rewards.

    The class holds the truth and a reward just far enough away to break the bound if chosen, so
    no class of two is worse for it.  Its N is 2, and τ = 0: the class is its own net.

    Args:
        world: one state, two responses.
        bound: ``printed_bound`` or ``corrected_bound``.
        n_pairs: n.
        epsilon: budget of the labels.
        failure_prob: δ.
        rng: the block's stream.
        replicates: R.
    """
    allowed = bound(world.reward_bound, epsilon, math.log(2 / failure_prob))
    distance = math.sqrt(JUST_ABOVE * allowed / (n_pairs * float(world.cell_prob[0])))
    counts = draw_label_counts(
        rng, world.cell_prob, world.reward_diff, n_pairs, epsilon, replicates
    )
    pairs, wins = counts.pairs[:, 0].numpy(), counts.wins[:, 0].numpy()
    true, other = (
        float(private_win_prob(world.reward_diff - shift, epsilon)[0]) for shift in (0, distance)
    )
    step = other - true
    gain = wins * math.log1p(step / true) + (pairs - wins) * math.log1p(-step / (1 - true))
    return np.where((gain > 0) & (pairs * distance**2 > allowed), 1.0, 0.0)
