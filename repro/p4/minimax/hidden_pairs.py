"""The minimax floor measured: hidden pairs of parameters, and estimators under attack.

Floors are of n → ∞ labels: exact expectations, no draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from repro.labels.corruption.orders import Corrupt, Randomize, channel
from repro.labels.corruption.random_flips import UniformFlips
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.corruption_floors.rare_cell import rare_cell_floors
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.minimax.centre import MidpointOnLine
from repro.p4.minimax.halfspace import HalfspaceOnLine

STARTS = 33
"""Smaller margins of a pair that are tried, from −B′ to B′."""
STEPS = 2400
"""Distances t of a pair that are tried, evenly in log t up to 2B′: half a percent apart."""
SHORTEST = 1e-5
"""Least of them, in units of 2B′."""
RATIO = 1.03
"""Between masses of the ladder up which the worst one is looked for."""
RUNGS = 400
TRUTHS = 17
"""Parameters of an estimator's world that are tried, from −B′ to B′."""


@dataclass(frozen=True)
class ParameterPairs:
    """All pairs of margins in [−B′, B′], in a cell of mass ξ or more.

    Attributes:
        reward_bound: B′.
        coverage: ξ; 0 where none is assumed.
    """

    reward_bound: float
    coverage: float = 0.0

    def under_uniform_reference(self) -> ParameterPairs:
        """The same where half of all pairs inform, as with two equally likely responses."""
        return replace(self, coverage=0.5)

    @property
    def ladder(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) lower margins and distances."""
        bound = self.reward_bound
        starts = np.linspace(-bound, bound, STARTS)
        steps = 2 * bound * np.geomspace(SHORTEST, 1, STEPS)
        start, step = (axis.ravel() for axis in np.meshgrid(starts, steps, indexing="ij"))
        inside = start + step <= bound * (1 + 1e-12)
        return start[inside], step[inside]


def hidden_floor(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """Half the largest ‖θ − θ′‖_Σ of a pair that corruption can hide from every estimator.

    Each corruption of the case's order may set a share α of labels, and brings the laws under both
    parameters to their mean: half of the difference of the laws that it meets, per label.
    """
    start, step = case.world.ladder
    mass = np.minimum(hidden_mass(case, start, step), 1.0)
    return float(np.where(mass >= case.world.coverage, np.sqrt(mass) * step / 2, 0.0).max())


def hidden_distance(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """Half the largest |θ − θ′| of such a pair in a cell of mass ξ: the L2 norm."""
    start, step = case.world.ladder
    hidden = hidden_mass(case, start, step) >= case.world.coverage
    return float(np.where(hidden, step / 2, 0.0).max())


def hidden_mass(case: AttackedLabels, start: np.ndarray, step: np.ndarray) -> np.ndarray:
    """(P,) largest mass of a cell in which corruption hides margins ``start`` and start + step."""
    laws = [
        case.labels(torch.sigmoid(torch.from_numpy(margin))) for margin in (start, start + step)
    ]
    randomize, mass = Randomize.of(case.channel, case.epsilon), np.zeros_like(start)
    for stage in channel(case.order, randomize, UniformFlips(0.0)).stages:
        if isinstance(stage, Corrupt):
            apart = (laws[1] - laws[0]).abs().clamp(min=1e-300).numpy()
            mass = mass + 2 * case.attacked_share / apart
        else:
            laws = [_randomized(stage, law) for law in laws]
    return mass


def _randomized(stage: Randomize, law: torch.Tensor) -> torch.Tensor:
    return law * stage.win_given_win + (1 - law) * stage.win_given_loss


def halfspace_on_line(case: AttackedLabels) -> float:
    """‖θ̂ − θ_true‖_Σ of the halfspace estimator under attack, in a world of one feature."""
    world = case.world
    mass = world.cell_prob[None]
    target = HalfspaceOnLine(world.coordinates[:, 0], mass, world.truth[0], world.radius)
    counts = LabelCounts(mass, mass * case.labels(torch.sigmoid(world.reward_diff)))
    seen = case.passage(target).apply(None, counts, case.read)
    theta = case.estimate(target.estimate(case.read(seen)), world.truth)
    return float(target.distance(theta)[0])


OnLine = Callable[[torch.Tensor, torch.Tensor, float, float], HalfspaceOnLine]
"""(P, 1) masses of a cell, (P,) truths, B′, Z that is believed in → an estimator under attack."""


def least_of_halfspaces(
    mass: torch.Tensor, truth: torch.Tensor, bound: float, allowed: float
) -> HalfspaceOnLine:
    """The halfspace estimator, in one cell Algorithm 1 itself; it needs no Z."""
    return HalfspaceOnLine(torch.ones(1, dtype=mass.dtype), mass, truth, bound)


def midpoint(
    mass: torch.Tensor, truth: torch.Tensor, bound: float, allowed: float
) -> HalfspaceOnLine:
    """The middle of the parameters that labels off by Z leave possible."""
    x = torch.ones(1, dtype=mass.dtype)
    return MidpointOnLine(x, mass, truth, bound, allowed=allowed)


def floor_on_line(
    case: AttackedLabels, estimator: OnLine, allowed: float, truths: int = TRUTHS
) -> float:
    """Largest floor of an estimator in the norm of Σ̂, over truths and masses of ξ or more.

    Args:
        case: of one cell in [−B′, B′] (``ParameterPairs``).
        estimator: of one feature.
        allowed: the Z that it believes in.
        truths: how many are tried, from −B′ to B′; 0 alone if it is 1.
    """
    bound = case.world.reward_bound
    # a lighter cell hides the whole class, and the floor falls with its mass
    lightest = max(2 * case.moved / math.tanh(bound / 2), case.world.coverage, 1e-300)
    masses = np.minimum(lightest * RATIO ** np.arange(RUNGS), 1.0)
    tried = np.linspace(-bound, bound, truths) if truths > 1 else np.zeros(1)
    mass, truth = (torch.from_numpy(axis.ravel()) for axis in np.meshgrid(masses, tried))
    target = estimator(mass[:, None], truth, bound, allowed)
    counts = LabelCounts(mass[:, None], mass[:, None] * case.labels(truth.sigmoid())[:, None])
    seen = case.passage(target).apply(None, counts, case.read)
    theta = case.estimate(target.estimate(case.read(seen)), truth[:, None])
    return float(target.distance(theta).max())


def covered_floor(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """Algorithm 1's floor in the norm of Σ̂ in the worst cell of mass ``fixed_mass`` or more."""
    masses = case.world.fixed_mass * RATIO ** np.arange(RUNGS)
    return float(rare_cell_floors(case, masses[masses <= 1]).max())


def covered_distance(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """Algorithm 1's floor in the L2 norm in a cell of mass ``fixed_mass``."""
    mass = case.world.fixed_mass
    return float(rare_cell_floors(case, np.array([mass]))[0] / np.sqrt(mass))
