"""The two terms of the score at the truth: noise (P4, Claims E.1, E.3) and corruption (E.2,
E.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import scipy
import torch
from numpy.fft import irfft, rfft
from pydantic import Field
from scipy.fft import next_fast_len

from repro.base.notation import label_signal
from repro.base.schema import Count, Finite, Pairs, Positive, Probability
from repro.p4.debiased_mle.estimation import target_of, true_counts
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.label_cells.pairs import PairWorld, pair_world
from repro.worlds.instances.labelled import PrivateLabels


@dataclass(frozen=True, kw_only=True)
class ScoreNoise:
    """Rademacher noise (σ = 1) on d orthogonal unit vectors, n/d pairs of each.

    Attributes:
        n_pairs: n, rounded down to a multiple of 2d; its exact law takes memory of order n.
        num_features: d.
        constant: C of the claims.
        failure_prob: δ.
    """

    n_pairs: Annotated[Pairs, Field(le=1e7)]
    num_features: Count
    constant: Positive
    failure_prob: Probability = 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class CorruptedScore(PrivateLabels, AttackedLabels):
    """Infinitely many labels of a cell with just enough losses for an adversary to turn.

    The truth is at −B′, so a report is −1 with probability q = ½(1 + tanh(ε/2)·tanh(B′/2)).  The
    mass of the cell is α/q: all flips fit in, at every ε and in both orders, and all go one way.

    Attributes:
        reward_bound: B′.
        length: ‖x‖, at most 1 as the claims have it.
        ridge: λ of the norm ‖·‖_{(Σ̂+λI)⁻¹}; None for the L2 norm.
    """

    reward_bound: Positive
    length: Positive = 1.0
    ridge: Annotated[Finite, Field(ge=0)] | None = None

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0

    @property
    def mass(self) -> float:
        """m of the cell, α/q."""
        loss_prob = (1 + label_signal(self.epsilon) * math.tanh(self.reward_bound / 2)) / 2
        return self.corruption / loss_prob

    @property
    def world(self) -> PairWorld:
        """The cell."""
        x, mass, truth = (
            torch.tensor(value, dtype=torch.float64)
            for value in ([[self.length]], [self.mass], [-self.reward_bound / self.length])
        )
        return pair_world(x, mass, truth, self.reward_bound)


def noise_failure(world: ScoreNoise, constant: float, weighted: bool) -> float:
    """P(‖(1/n)Σ η_i·x_i‖ exceeds constant·√((dim + ln(1/δ))/n)), exactly.

    n²·‖·‖² is a sum of squares of d sums of n/d signs, each a multiple of 4; the laws of two halves
    of it meet in one sum over the ways to stay below the bound.

    Args:
        world: n, d and δ.
        constant: C.
        weighted: norm ‖·‖_{Σ̂⁻¹} with λ → 0, where dim is d (Claim E.1), instead of ‖·‖₂, where
            it is 1 (Claim E.3).
    """
    features = world.num_features
    each = 2 * (world.n_pairs // (2 * features))
    n, dim = each * features, features if weighted else 1
    most = math.floor(constant**2 * (dim - math.log(world.failure_prob)) * n / dim / 4)
    steps = np.arange(math.isqrt(most) + 1)
    mass = scipy.stats.binom.pmf(each // 2 + steps, each, 0.5) * np.where(steps == 0, 1, 2)
    half = _squares(mass, most + 1, features // 2)
    rest = _squares(mass, most + 1, features - features // 2) if features % 2 else half
    # The tails are small: summed from above they lose no digits.
    tails = np.cumsum(rest[::-1]) - rest[::-1]
    return float(1 - half.sum() * rest.sum() + half @ tails)


def failure_over_delta(world: ScoreNoise, weighted: bool, share: float = 1.0) -> float:
    """The same over δ, of a share of the world's constant."""
    return noise_failure(world, share * world.constant, weighted) / world.failure_prob


def _squares(mass: np.ndarray, below: int, terms: int) -> np.ndarray:
    """(below,) law of a sum of squares of independent numbers of law ``mass``, by doubling."""
    steps = np.arange(len(mass) if terms else 1)
    if terms < 2:
        return np.bincount(steps**2, mass[: len(steps)] if terms else None, below)
    if terms == 2:
        both = np.add.outer(steps**2, steps**2)
        kept = both < below
        return np.bincount(both[kept], np.outer(mass, mass)[kept], below)
    size = next_fast_len(2 * below - 1, real=True)
    law = rfft(_squares(mass, below, terms // 2), size) ** 2
    if terms % 2:
        law = rfft(irfft(law, size)[:below], size) * rfft(_squares(mass, below, 1), size)
    return irfft(law, size)[:below]


def corruption_term(
    labels: AttackedLabels, rng: np.random.Generator | None, replicates: int
) -> float:
    """‖(1/n)Σ b_i·x_i‖, b what corruption adds to a label as read: infinitely many labels.

    In the L2 norm (Claim E.4), or in that of (Σ̂+λI)⁻¹ where the labels have a ridge (E.2).
    """
    counts = true_counts(labels, rng, 1)
    target = target_of(labels, counts)

    def read(attack: AttackedLabels) -> torch.Tensor:
        return attack.read(attack.passage(target).apply(None, counts, attack.read))

    added = read(labels) - read(replace(labels, adversary=labels.idle_adversary))
    score = (target.mass * added)[0] @ target.features
    if labels.ridge is None:
        return float(score.norm())
    x = target.features
    metric = (x * target.mass[0][:, None]).T @ x + labels.ridge * torch.eye(x.shape[1]).to(x)
    return float((score @ torch.linalg.solve(metric, score)).sqrt())
