"""What corruption costs a policy where every direction is labelled: one margin, of either sign.

Two responses differ by the margin θ ∈ [−B′, B′] in every state; pairs of mass ξ show it.  A learner
that knows Z takes the first response with a probability that makes both signs cost alike; greedy
RLHF takes it for certain (docs/explanations/sharper_floor.md, Theorem 8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.minimax.halfspace import HalfspaceOnLine
from repro.p4.minimax.hidden_pairs import hidden_mass

TRUTHS, REACH = 401, 4.0
"""Margins of a learner's world that are tried, and the largest, in units of the least loss."""
LENGTHS, RUNGS = (0.05, 20.0), 1200
"""Least and largest margin of a hidden pair, in these units, and how many: half a percent apart."""


def least_loss(moved: float, coverage: float) -> float:
    """atanh(2Z/ξ): t/4 with ξ·tanh(t/4) = 2Z, what no learner's SubOpt stays below.

    >>> round(least_loss(1e-6, 0.5) / 4e-6, 9)
    1.0
    """
    return math.atanh(2 * moved / coverage)


def hidden_loss(case: AttackedLabels) -> float:
    """The least over policies of the worse loss under two margins that corruption can hide.

    Pairs of every two lengths up a ladder are tried, one margin of either sign.
    """
    world = case.world
    unit = least_loss(case.moved, world.coverage)
    lengths = np.minimum(unit * np.geomspace(*LENGTHS, RUNGS), world.reward_bound)
    low, high = (axis.ravel() for axis in np.meshgrid(lengths, lengths))
    hidden = hidden_mass(case, -low, low + high) >= world.coverage
    # the first response taken with probability q loses q·low or (1 − q)·high
    return float(np.where(hidden, low * high / (low + high), 0.0).max())


@dataclass(frozen=True, eq=False)
class MarginOnLine(HalfspaceOnLine):
    """A policy that reads the margin's sign, as an adversary meets it.

    Attributes:
        allowed: Z that the learner believes in; with 0 it is greedy.
        returned: (fitted, truth) → the margins that the estimator returns.
    """

    allowed: float = 0.0
    returned: Estimate = as_fitted

    def first(self, labels: Tensor) -> Tensor:
        """(P,) probability of the first response, by labels (P, 1) as read."""
        target = (self.mass * labels).sum(-1)
        low, high = (
            self.returned(self.root_of(target + off)[:, None], self.truth[:, None])[:, 0]
            for off in (-self.allowed, self.allowed)
        )
        mixed = high / (high - low).clamp(min=1e-300)
        return torch.where(low >= 0, 1.0, torch.where(high <= 0, 0.0, mixed))

    def damage(self, labels: Tensor) -> Tensor:
        """(P,) |θ| times the probability of the worse response."""
        first = self.first(labels)
        return self.truth.abs() * torch.where(self.truth > 0, 1 - first, first)


def loss_floor(case: AttackedLabels, allowed: float) -> float:
    """Largest loss of such a policy over margins, infinitely many labels.

    Args:
        case: of one cell of mass ξ in [−B′, B′] (``ParameterPairs``).
        allowed: Z that the learner believes in.
    """
    world = case.world
    end = min(world.reward_bound, REACH * least_loss(case.moved, world.coverage))
    truth = torch.linspace(-end, end, TRUTHS, dtype=torch.float64)
    mass = torch.full((TRUTHS, 1), world.coverage, dtype=torch.float64)
    x = torch.ones(1, dtype=torch.float64)
    target = MarginOnLine(x, mass, truth, world.reward_bound, allowed, case.estimate)
    counts = LabelCounts(mass, mass * case.labels(truth.sigmoid())[:, None])
    seen = case.passage(target).apply(None, counts, case.read)
    return float(target.damage(case.read(seen)).max())
