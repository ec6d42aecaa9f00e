"""P4's Algorithm 1 under privacy and corruption, run on counts, with its error."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.debiased_mle.targets import LogisticTarget, l2_root, weighted_root


def true_counts(
    case: AttackedLabels, rng: np.random.Generator | None, replicates: int
) -> LabelCounts:
    """(R, C) true labels; of infinitely many their law itself, as shares."""
    world = case.world
    if case.n_pairs == 0:
        pairs = world.cell_prob[None]
        return LabelCounts(pairs, pairs * case.labels(torch.sigmoid(world.reward_diff)))
    assert rng is not None
    args = (rng, world.cell_prob, world.reward_diff, case.n_pairs, math.inf, replicates)
    return draw_label_counts(*args, case.labels)


def target_of(case: AttackedLabels, counts: LabelCounts) -> LogisticTarget:
    """Algorithm 1 on the pairs of some datasets, judged in the case's norm."""
    world = case.world
    mass = counts.pairs / (case.n_pairs or 1)
    x = world.coordinates
    root = l2_root(x) if case.ridge is None else weighted_root(x, mass, case.ridge)
    return LogisticTarget(x, mass, world.truth, world.radius, root)


def fitted(
    case: AttackedLabels,
    target: LogisticTarget,
    counts: LabelCounts,
    rng: np.random.Generator | None,
    truth: Tensor | None = None,
) -> Tensor:
    """(R, k) what Algorithm 1 returns after true labels have passed privacy and corruption.

    Args:
        case: the stages that labels pass.
        target: the estimator as the adversary meets it.
        counts: (R, C) true labels.
        rng: simulation stream; None, or n = 0, for exact expectations.
        truth: θ_true, for ablations of the estimate; the target's unless given.
    """
    read = case.read
    drawn_by = rng if case.n_pairs else None
    seen = case.passage(target).apply(drawn_by, counts, read)
    return case.estimate(target.estimate(read(seen)), target.truth if truth is None else truth)


def estimate(
    case: AttackedLabels, rng: np.random.Generator | None, replicates: int = 1
) -> tuple[Tensor, LogisticTarget]:
    """(R, k) θ̂ − θ_true in identified coordinates, and the target that knows the norm.

    Args:
        case: the world, and what happens to its labels.
        rng: simulation stream; it may be None where n = 0.
        replicates: R; 1 where nothing is random.
    """
    counts = true_counts(case, rng, replicates)
    target = target_of(case, counts)
    return fitted(case, target, counts, rng) - target.truth, target


def estimation_error(
    case: AttackedLabels, rng: np.random.Generator | None = None, replicates: int = 1
) -> Tensor:
    """(R,) ‖θ̂ − θ_true‖ in the case's norm (P4, Theorems 5.4 and 5.7)."""
    error, target = estimate(case, rng, replicates)
    return (target.root @ error[..., None])[..., 0].norm(dim=-1)


def estimation_floor(
    case: AttackedLabels, rng: np.random.Generator | None, replicates: int
) -> np.ndarray:
    """(R,) ``estimation_error``, as a measure reads it."""
    return estimation_error(case, rng, replicates).cpu().numpy()
