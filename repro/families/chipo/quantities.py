"""What is measured of offline χPO besides its worst gap: margins, err², the peak."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from repro.families.chipo.cases import DrawnCase, TabularCase
from repro.families.chipo.variants import RIGHT
from repro.families.chipo.worlds import margin_differences
from repro.preferences.label_law import the_truth
from repro.study.row import Method

PEAK = np.geomspace(1 / 8, 8, 25)
"""Multiples of the chosen reward difference that ``peak_ratio`` simulates."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginCase(DrawnCase):
    """Reward differences with P(Δ ≤ t) = (t/R_max)^exponent, drawn anew in every state."""

    exponent: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorCase(DrawnCase):
    """One reward difference Δ in every state."""

    difference: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RightCase(TabularCase):
    """The instance that is worst for Algorithm 1, whatever is measured on it."""

    def worst(self, variant: object = None) -> float:
        return super().worst(RIGHT)

    def interior(self, variant: object = None) -> tuple[bool, str]:
        return super().interior(RIGHT)


def margin_gap(case: MarginCase, method: Method, rng: np.random.Generator, replicates: int):
    """(R,) gaps beyond those of known rewards, weighted as reward differences are distributed."""
    study, shape = case.study, (replicates, case.world.num_states)
    drawn, weight = margin_differences(rng, shape, case.exponent, case.world.reward_bound)
    means = study.draw_means(method.run, drawn, rng, replicates)
    informed = replace(study, estimated=the_truth).gap(case.methods[0].run, means, drawn)
    return (weight * (study.gap(method.run, means, drawn) - informed)).mean(axis=1)


def squared_error(case: ErrorCase, method: Method, rng: np.random.Generator, replicates: int):
    """(R,) err² of Theorem C.1 at one reward difference."""
    study, true = case.study, np.array(case.difference)
    means = study.draw_means(method.run, true, rng, replicates)
    return statistical_error(case.world.pair_prob, study.estimate(method.run, means, true), true)


def peak_ratio(case: RightCase, method: Method, rng: np.random.Generator, replicates: int):
    """Largest mean gap of a simulated ladder over that of the rung which ``method.run`` picks."""
    worst = case.worst()
    gaps = [case.study.simulate(RIGHT, np.array(worst * m), rng, replicates) for m in PEAK]
    means = np.mean(gaps, axis=1)
    return means.max() / method.run(means)


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


def statistical_error_of(
    reference: np.ndarray, reward: np.ndarray, implicit: np.ndarray, reward_bound: float
) -> np.ndarray:
    """The same for any number of responses, implicit differences clipped at 2·R_max.

    Args:
        reference, reward, implicit: (..., A) π_ref, true and implicit rewards.
        reward_bound: R_max.

    Returns:
        (...,).
    """
    fitted = implicit[..., :, None] - implicit[..., None, :]
    off = np.clip(fitted, -2 * reward_bound, 2 * reward_bound)
    off -= reward[..., :, None] - reward[..., None, :]
    return np.einsum("...a,...b,...ab->...", reference, reference, off**2)
