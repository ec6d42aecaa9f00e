"""What is measured of offline χPO besides its worst gap: margins, err², the peak, Theorem C.1."""

from __future__ import annotations

import numpy as np

from repro.families.chipo.algorithms_tabular import RIGHT, ChipoStudy, ChipoVariant
from repro.families.chipo.worlds import margin_differences

VALUE_RATIO = 2.0
"""V_max/R_max of rewards clipped to ±2·R_max (P2, Assumption 4.2)."""
PEAK = np.geomspace(1 / 8, 8, 25)
"""Multiples of the chosen reward difference that ``peak_ratio`` simulates."""


def margin_gap(
    study: ChipoStudy,
    variant: ChipoVariant,
    exponent: float,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """(R,) weighted gaps where P(Δ ≤ t) = t^exponent, Δ drawn anew in every state."""
    shape = (replicates, study.world.num_states)
    drawn, weight = margin_differences(rng, shape, exponent, study.world.reward_bound)
    means = study.draw_means(variant, drawn, rng, replicates)
    return (weight * study.gap(variant, means, drawn)).mean(axis=1)


def squared_error(
    study: ChipoStudy,
    variant: ChipoVariant,
    difference: float,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """(R,) err² of Theorem C.1 at one reward difference."""
    true = np.array(difference)
    means = study.draw_means(variant, true, rng, replicates)
    return statistical_error(study.world.pair_prob, study.estimate(variant, means, true), true)


def peak_ratio(
    study: ChipoStudy, worst: float, centre: int, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) each the same: largest mean gap of the simulated ladder over that of one rung.

    Args:
        study: the grid point.
        worst: reward difference in the middle of the ladder.
        centre: index of the rung; the middle one is the claim's.
        rng: the block's stream.
        replicates: R.
    """
    gaps = [study.simulate(RIGHT, np.array(worst * m), rng, replicates) for m in PEAK]
    means = np.mean(gaps, axis=1)
    return np.full(replicates, means.max() / means[centre])


def bound_ratio(
    study: ChipoStudy,
    worst: float,
    ignore_coverage: bool,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """(R,) gap over Theorem C.1's bound, or over its first term with C^π* = 1, which is wrong."""
    true = np.array(worst)
    means = study.draw_means(RIGHT, true, rng, replicates)
    gap = study.gap(RIGHT, means, true).mean(axis=1)
    error = statistical_error(study.world.pair_prob, study.estimate(RIGHT, means, true), true)
    if ignore_coverage:
        return gap / (2 * VALUE_RATIO * np.sqrt(error))
    return gap / meta_bound(error, study.world.coverage, study.kl_weight(RIGHT), VALUE_RATIO)


def statistical_error(pair_prob: float, estimate: np.ndarray, true: np.ndarray) -> np.ndarray:
    """err² = E_{π_ref, π_ref}(Δ̂ − Δ)² [reward²] (P2, Theorem C.1); equal responses count 0.

    Args:
        pair_prob: probability that two draws from π_ref differ.
        estimate: (R, S) clipped estimated reward differences.
        true: true differences, broadcast.

    Returns:
        (R,).
    """
    return pair_prob * ((estimate - true) ** 2).mean(axis=-1)


def meta_bound(
    squared_error: np.ndarray, coverage: float, kl_weight: float, value_ratio: float
) -> np.ndarray:
    """2ρ·√(C·err²) + β·C + 2ρ²·err²/β with ρ = V_max/R_max (P2, Theorem C.1)."""
    first = 2 * value_ratio * np.sqrt(coverage * squared_error)
    return first + kl_weight * coverage + 2 * value_ratio**2 * squared_error / kl_weight
