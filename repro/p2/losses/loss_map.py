"""Which loss wins where: simulated and predicted risks over (B, ε, α, order, n)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.labels.corruption.orders import Order
from repro.p2.losses.label_losses import LOSSES, LossName
from repro.p2.losses.risk import LossRisk, always, simulate_risk
from repro.p2.losses.scalar_error import ScalarError
from repro.p2.losses.worlds import scalar_world

REWARD_BOUNDS = (2.0, 4.0, 12.0)
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
LABELS = (10**3, 10**4, 10**5, 10**6, 10**7)
ADVERSARIES: tuple[tuple[float, Order], ...] = (
    (0.0, Order.CTL),
    (0.01, Order.CTL),
    (0.05, Order.CTL),
    (0.01, Order.LTC),
)
TIE = 0.02
"""Losses whose root mean squared errors are this close to the best one share the win."""
LEARNT = 0.4
"""A loss has learnt something where its error is below this share of the rewards' own size."""
PERTURBATIONS = 200
"""Random changes of an adversary that are tried against it."""


Place = tuple[float, float, float, Order, int]
"""B, ε, α, order, n."""


@dataclass(frozen=True)
class MapCell:
    """One loss at one place of the map.

    Attributes:
        reward_bound, epsilon, corruption, order, n_pairs: the place.
        loss: which.
        predicted: mean squared error by the law of the score [reward²].
        simulated: the same of the simulation [reward²].
        standard_error: of ``simulated``.
        learnt: whether the prediction is meant to hold here.
        gain: the largest error under random changes of the adversary over that under the adversary.
    """

    reward_bound: float
    epsilon: float
    corruption: float
    order: Order
    n_pairs: int
    loss: LossName
    predicted: float
    simulated: float
    standard_error: float
    learnt: bool
    gain: float = 1.0

    @property
    def place(self) -> Place:
        """Everything but the loss."""
        return self.reward_bound, self.epsilon, self.corruption, self.order, self.n_pairs

    @property
    def agrees(self) -> bool:
        """Whether simulation and prediction are within three standard errors."""
        return abs(self.simulated - self.predicted) <= 3 * self.standard_error


def loss_map(
    replicates: int,
    seed: int = 0,
    reward_bounds: tuple[float, ...] = REWARD_BOUNDS,
    epsilons: tuple[float, ...] = EPSILONS,
    labels: tuple[int, ...] = LABELS,
) -> list[MapCell]:
    """Simulate every place of the map with every loss, on the scalar world.

    The losses of a place see draws from one stream, so that their comparison is paired.

    Args:
        replicates: R, datasets a cell.
        seed: of the simulation.
        reward_bounds: B, the largest reward difference.
        epsilons: ε.
        labels: n.
    """
    places = itertools.product(reward_bounds, ADVERSARIES, epsilons)
    return [
        cell
        for number, (bound, adversary, epsilon) in enumerate(places)
        for cell in _column(bound, adversary, epsilon, labels, replicates, (seed, number))
    ]


def _column(bound, adversary, epsilon, labels, replicates, key) -> Iterator[MapCell]:
    world = scalar_world(bound)
    alpha, order = adversary
    for loss, kind in LOSSES.items():
        error = ScalarError(world, kind, epsilon, alpha, order)
        for n_pairs in labels:
            bad = error.worst(n_pairs)
            risk = LossRisk(world, kind, epsilon, alpha, order, adversary=always(bad))
            seen = simulate_risk(risk, n_pairs, np.random.default_rng([*key, n_pairs]), replicates)
            predicted = float(error.mean_squared(bad[None], (n_pairs,)))
            yield MapCell(
                bound,
                epsilon,
                alpha,
                order,
                n_pairs,
                loss,
                predicted,
                float(seen.mean()),
                float(seen.std(ddof=1) / math.sqrt(replicates)),
                predicted < LEARNT**2 * error.size,
                perturbation_gain(error, bad, n_pairs) if alpha else 1.0,
            )


def perturbation_gain(error: ScalarError, bad: Tensor, n_pairs: float, seed: int = 0) -> float:
    """The largest error under changed adversaries over that under b (C,).

    A change turns the labels of some pairs round, or gives them random means.
    """
    rng = np.random.default_rng([seed, 41])
    turned = bad.numpy() * np.where(rng.random((PERTURBATIONS, len(bad))) < 0.5, -1.0, 1.0)
    turned[::2] = rng.uniform(-1, 1, turned[::2].shape)
    share = 2.0 ** -rng.integers(1, 6, PERTURBATIONS)
    chosen = rng.random(turned.shape) < share[:, None]
    changed = torch.from_numpy(np.where(chosen, turned, bad.numpy()))
    mean_squares = error.mean_squared(torch.cat((bad[None], -bad[None], changed)), (n_pairs,))[:, 0]
    return float(mean_squares[1:].max() / mean_squares[0])


@dataclass(frozen=True)
class Winner:
    """How the losses compare at one place.

    Attributes:
        error: root mean squared error of the best loss [reward].
        ratio: of each loss's root mean squared error to the best one's, in the order of ``LOSSES``.
    """

    error: float
    ratio: tuple[float, ...]

    @property
    def losses(self) -> tuple[LossName, ...]:
        """The losses within ``TIE`` of the best."""
        return tuple(n for n, r in zip(LOSSES, self.ratio, strict=True) if r <= 1 + TIE)


def winners(cells: list[MapCell]) -> dict[Place, Winner]:
    """Who wins at each place, by simulated root mean squared error."""
    places: dict[Place, dict[LossName, float]] = {}
    for cell in cells:
        places.setdefault(cell.place, {})[cell.loss] = math.sqrt(cell.simulated)
    best_by_place = {}
    for place, errors in places.items():
        best = min(errors.values())
        best_by_place[place] = Winner(best, tuple(errors[loss] / best for loss in LOSSES))
    return best_by_place
