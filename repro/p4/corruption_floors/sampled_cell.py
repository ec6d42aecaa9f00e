"""Errors of n labels of one cell, from where noise rules to where corruption does.

Errors are held against their exact means (`one_cell`).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from repro.base.schema import Positive
from repro.core.check import Algorithm
from repro.labels.corruption.orders import Order
from repro.p4.corruption_floors import one_cell
from repro.p4.debiased_mle.estimation import estimation_floor, fitted, true_counts
from repro.p4.debiased_mle.labels import SampledPairs, built_pairs
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.label_cells.choices import CellsChoice, pair_choice_at


@dataclass(frozen=True, kw_only=True)
class SampledCell(SampledPairs):
    """n labels of one cell.

    Attributes:
        against: the order whose mean error divides that of ``order``, where two are compared.
    """

    against: Order = Order.CTL

    def more_labels(self, other: Any) -> float:
        """At its own number of labels a check is held against what is true of that number."""
        return 1.0

    @property
    def count(self) -> float:
        """Expected number of labels in the cell."""
        return self.n_pairs * float(built_pairs(self.instance).cell_prob[0])


@dataclass(frozen=True, kw_only=True)
class CostliestMargin(SampledCell):
    """n labels of the margin that costs greedy RLHF most under the strong adversary.

    Attributes:
        costliest_under: the order under which it does.
        largest: margin that is looked at.
    """

    instance: CellsChoice
    costliest_under: Order
    largest: Positive

    @property
    def margin_and_gap(self) -> tuple[float, float]:
        """The margin, and what it costs on average."""
        mass = float(built_pairs(self.instance).cell_prob[0])
        attacker = one_cell.Strong(self.corruption, mass)
        return one_cell.costliest_margin(
            attacker, self.count, self.epsilon, self.costliest_under, self.largest
        )

    @property
    def stated(self) -> Any:
        """The cell at that margin."""
        margin, _ = self.margin_and_gap
        return built_pairs(pair_choice_at(self.instance, reward_diff=margin))


@lru_cache(maxsize=256)
def mean_error(world: SampledCell) -> float:
    """E|θ̂ − θ_true| of n labels that the strong adversary attacks."""
    return _mean_error(world, _strong(world))


@lru_cache(maxsize=256)
def mean_error_by_huber(world: SampledCell) -> float:
    """The same under Huber's corruption."""
    return _mean_error(world, one_cell.Certain(world.corruption))


@lru_cache(maxsize=256)
def mean_dpo_gap(world: SampledCell) -> float:
    """E|J(π*) − J(π̂)| of n labels of two responses that the strong adversary attacks."""
    truth, bound, beta = _truth(world), world.stated.radius, world.stated.policies.kl_weight

    def gap(rate: np.ndarray) -> np.ndarray:
        return one_cell.dpo_gap_at(rate, truth, bound, beta)

    return _labels(world).expected(_strong(world), gap)


def costliest_gap(world: CostliestMargin) -> float:
    """t·P(θ̂ ≤ 0)."""
    return world.margin_and_gap[1]


def greedy_loss(world: SampledCell, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) what greedy RLHF loses on the cell's own margin, the attack aiming at its sign."""
    counts, cells = true_counts(world, rng, replicates), world.world
    x, margin = cells.coordinates, float(cells.reward_diff[0])
    target = LogisticTarget.signed(x, counts.pairs / world.n_pairs, cells.radius, -x[None])
    estimated = fitted(world, target, counts, rng, cells.truth) @ x[0]
    return margin * (estimated <= 0).double().numpy()


def mean_ratio(
    world: SampledCell, change: Algorithm, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) error under the world's order over the mean error under the other, n labels each."""
    above, below = (
        estimation_floor(change(replace(world, order=order)), rng, replicates)
        for order in (world.order, world.against)
    )
    return above / below.mean()


def _mean_error(world: SampledCell, attacker: one_cell.Attacker) -> float:
    truth, bound = _truth(world), world.stated.radius

    def error(rate: np.ndarray) -> np.ndarray:
        return np.abs(one_cell.margin_of(rate, bound) - truth)

    return _labels(world).expected(attacker, error)


def _labels(world: SampledCell) -> one_cell.Labels:
    """The labels of the cell, as the formulas see them."""
    return one_cell.Labels(_truth(world), world.count, world.epsilon, world.order)


def _strong(world: SampledCell) -> one_cell.Strong:
    """The formulas' own copy of the adversary, who knows the cell's mass."""
    return one_cell.Strong(world.corruption, float(world.stated.cell_prob[0]))


def _truth(world: SampledCell) -> float:
    """⟨x, θ_true⟩ of the one cell."""
    return float(world.stated.reward_diff[0])
