"""Which loss wins where: simulated and predicted risks over (B, ε, α, order, n)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from repro.corruption.orders import Order
from repro.families.losses.algorithms_losses import LOSSES, LossName
from repro.families.losses.quantities_risk import LossRisk, simulate_risk
from repro.families.losses.worlds_losses import scalar_world

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
LARGE_SAMPLE = 0.001
"""A cell is in the large-sample regime where variance/n is below this share of E s*²."""


Place = tuple[float, float, float, Order, int]
"""B, ε, α, order, n."""


@dataclass(frozen=True)
class MapCell:
    """One loss at one place of the map.

    Attributes:
        reward_bound, epsilon, corruption, order, n_pairs: the place.
        loss: which.
        predicted: large-sample risk [reward²].
        simulated: mean squared error of the simulation [reward²].
        standard_error: of ``simulated``.
        large_sample: whether the prediction is meant to hold here.
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
    large_sample: bool

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
    spread = float(world.cell_prob @ world.reward_diff.square())
    for loss, kind in LOSSES.items():
        risk = LossRisk(world, kind, epsilon, alpha, order)
        for n_pairs in labels:
            rng = np.random.default_rng([*key, n_pairs])
            errors = simulate_risk(risk, n_pairs, rng, replicates)
            yield MapCell(
                bound,
                epsilon,
                alpha,
                order,
                n_pairs,
                loss,
                risk.risk(n_pairs),
                float(errors.mean()),
                float(errors.std(ddof=1) / math.sqrt(replicates)),
                risk.variance / n_pairs < LARGE_SAMPLE * spread,
            )


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
    found = {}
    for place, errors in places.items():
        best = min(errors.values())
        found[place] = Winner(best, tuple(errors[loss] / best for loss in LOSSES))
    return found


def winner_at(place: Place, replicates: int, seed: int = 0) -> Winner:
    """How the losses compare at a place of one's own.

    Args:
        place: B, ε, α, order and n.
        replicates: R, datasets.
        seed: of the simulation; the losses see draws from one stream.
    """
    bound, epsilon, alpha, order, n_pairs = place
    cells = _column(bound, (alpha, order), epsilon, (n_pairs,), replicates, (seed, 0))
    return winners(list(cells))[place]
