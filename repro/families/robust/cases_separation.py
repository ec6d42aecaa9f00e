"""What a row of the separation compares, and the experiment that makes cases of it.

Floors of infinitely many labels at a small α, floors of one cell at any α, errors of n labels in
one cell: each kind of comparison builds its own cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Number, Positive
from repro.corruption.orders import Order, order_of
from repro.families.robust.adversaries import adversary_of
from repro.families.robust.assumptions import Assumed, covered, inside_the_class
from repro.families.robust.bounds_response import strong_floor
from repro.families.robust.cases import Attack, RobustExperiment, RobustProbes
from repro.families.robust.measures import SeparationCase
from repro.families.robust.quantities_sizes import (
    Closed,
    ManyBudgets,
    estimation_closed,
    mean_estimation,
    with_closed_ratios,
    worst_margin,
)
from repro.families.robust.quantities_uncovered import Uncovered, largest_condition_number
from repro.families.robust.rare_labels import RarePairs
from repro.study.case import Point
from repro.study.config import Overrides, Probe
from repro.study.experiment import Setting
from repro.study.results import AssumptionResult
from repro.study.row import Row

LARGEST_KAPPA = 1.5
"""κ_Π of the family without coverage, at most."""
MAX_SHIFT = 0.02
"""Largest c·α/ξ: beyond, the curvature of the logistic function shows."""

Budget = Annotated[Number, Field(ge=0.01, le=20)]
"""One ε of a list; an infinite one has no separation."""


@dataclass(frozen=True)
class Comparison(Attack):
    """Also the order whose floor divides the other's, and where.

    Attributes:
        against: the order of the denominator.
        rare: in the worst of rare pairs instead of a world with coverage.
        even: margins climb a ladder of nearly even labels, where Huber's ratio is c itself.
    """

    against: Order = Order.CTL
    rare: bool = False
    even: bool = False

    def case(self, one: SeparationExperiment, point: Point) -> SeparationCase:
        """Floors of two orders, in units of the one that is claimed."""
        world, claimed = self._place(one, point)
        margins = one.config.even_margins if self.even else one.config.margins
        return SeparationCase(
            methods=point.methods, epsilon=point.epsilon, world=world, claimed=claimed,
            margins=margins, against=self.against, **one.attacked(point, self),
        )  # fmt: skip

    def _place(self, one: SeparationExperiment, point: Point) -> tuple[Any, float]:
        """The world and its claimed floor; rare pairs claim a ratio alone."""
        share = one.corruption(point)
        if self.rare:
            return one.config.rare.pairs(share), 1.0
        world = one.world(point)
        return world, strong_floor(world, share, self.worth(point.epsilon))


@dataclass(frozen=True)
class AnyShare(Comparison):
    """In one cell at an α that need not be small.

    Attributes:
        closed: the floor as a formula.
        wide: margins climb the whole class.
    """

    closed: Closed = estimation_closed
    wide: bool = False

    def case(self, one: SeparationExperiment, point: Point) -> ManyBudgets:
        """One cell, or rare pairs, at every ε of the list."""
        margins = one.config.wide_margins if self.wide else one.config.margins
        share = one.corruption(point)
        world: Any = one.config.rare.pairs(share) if self.rare else one.world(point)
        case = ManyBudgets(
            methods=point.methods, world=world, margins=margins,
            against=self.against, epsilons=one.config.epsilons, **one.attacked(point, self),
        )  # fmt: skip
        return with_closed_ratios(case, self.closed)


@dataclass(frozen=True)
class AnyNumber(Comparison):
    """In one cell with n labels.

    Attributes:
        mean: the mean error as a formula; None: greedy RLHF at its worst margin.
    """

    mean: Callable[[Any], float] | None = mean_estimation

    def case(self, one: SeparationExperiment, point: Point) -> SeparationCase:
        """n labels of one cell, in units of the mean error; greedy at its worst margin."""
        case = SeparationCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=one.world(point), margins=one.config.margins, against=self.against,
            **one.attacked(point, self),
        )  # fmt: skip
        if self.mean is not None:
            return replace(case, claimed=self.mean(case))
        margin, claimed = worst_margin(case, one.config.wide_margins[1])
        world = one.built(point.row.on, reward_diff=margin)
        return replace(case, world=world, claimed=claimed)


class SeparationProbes(RobustProbes):
    """Numbers of the experiment; conf/theorem/ctl_ltc_separation.yaml gives them."""

    instance_adversary: str
    instance_orders: tuple[str, str]
    margins: tuple[Positive, Positive]
    even_margins: tuple[Positive, Positive]
    wide_margins: tuple[Positive, Positive]
    epsilons: Annotated[tuple[Budget, ...], Field(min_length=1)]
    rare: RarePairs


class SeparationExperiment(RobustExperiment[SeparationCase]):
    """Rows that hold a :class:`Comparison` each, or take the one of the configured instance."""

    config_type = SeparationProbes
    config: SeparationProbes

    def __init__(self, config: SeparationProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        dear, cheap = (order_of(o, "theorem.instance_orders") for o in config.instance_orders)
        key, name = "theorem.instance_adversary", config.instance_adversary
        adversary = adversary_of(key, name, lambda: len(self.instance_world().cell_prob))
        self.on_instance = Comparison(dear, adversary, cheap)

    def case(self, point: Point) -> SeparationCase:
        """World, adversary, two orders and ε of one grid point."""
        comparison: Comparison = point.row.given or self.on_instance
        return comparison.case(self, point)

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """At its own number of labels a row is compared with what holds at that number."""
        return 1.0 if row.over == "n_pairs" else super().more_labels(row, probe, given)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Coverage ξ > 0, the truth inside the class, ‖x‖ ≤ 1, and c·α/ξ in the straight range;
        on rare pairs that κ_Π is bounded."""
        return tuple(
            AssumptionResult(f"{trial.row.name}: {name}", holds, detail)
            for trial in self.trials
            for name, holds, detail in _assumed(trial.cases[-1])
        )


def _assumed(case: SeparationCase) -> tuple[Assumed, ...]:
    """At the largest c(ε) of a sweep."""
    if isinstance(case.world, Uncovered):
        bounded = largest_condition_number()
        return (("bounded κ_Π", bounded <= LARGEST_KAPPA, f"κ_Π ≤ {bounded:g}"),)
    if case.n_pairs or isinstance(case, ManyBudgets):
        return (covered(case.world), *inside_the_class(case.world))
    shift = privacy_cost(case.epsilon) * case.corruption / case.world.min_eigenvalue
    small = ("small shift", shift <= MAX_SHIFT, f"cα/ξ = {shift:.3g}")
    return (covered(case.world), *inside_the_class(case.world), small)
