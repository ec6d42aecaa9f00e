"""Worlds of P4: labels that are randomized, attacked by who knows the estimator, and read by it.

Every stage of a label's way is a field.  An algorithm is a change of the world (another reading,
order or adversary): what is measured is a number of the changed world.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from repro.base.device import device_in_use
from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Finite, Pairs, Positive
from repro.core.check import Algorithm, Quantity, privacy_mistake
from repro.labels.corruption import debiasing
from repro.labels.corruption.budget import checked_corruption, flip_budget
from repro.labels.corruption.debiasing import Reading, ReadingOf, debiased
from repro.labels.corruption.orders import Channel, Order, Randomize
from repro.p4.adversaries.adversary import (
    ADVERSARIES,
    HUBER,
    MASK,
    NONE,
    STRONG,
    UNIFORM,
    Adversary,
)
from repro.p4.adversaries.strong import AttackTarget
from repro.p4.label_cells.choices import AnyPairs, PairChoice, build_pair_world
from repro.p4.label_cells.pairs import PairWorld, pairs_of
from repro.worlds.instances.labelled import LabelStages, PrivateLabels, built

# Worlds ------------------------------------------------------------------------------------------


def worth_of_flip(order: Order, epsilon: float) -> float:
    """ζ: c(ε) behind the randomizer (LTC), 1 in front of it (CTL), and the sum where each of two
    adversaries has a share α (CLC).
    """
    cost = privacy_cost(epsilon)
    return {Order.LTC: cost, Order.CTL: 1.0, Order.CLC: 1.0 + cost}[order]


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackedLabels(LabelStages):
    """Labels that are randomized, a share of them corrupted, and read by an estimator.

    Attributes:
        corruption: α in [0, 1/2).
        adversary: who corrupts labels.
        spent: what the adversary spends, in units of α.
        order: corruption before the randomizer (CTL) or behind it (LTC).
        reading: how the estimator, believing in ε, reads labels.
        idle_adversary: the one that corrupts nothing, for ablations.
        epsilon: ε that the learner believes in; worlds give it, or what it follows from.
        n_pairs: n; 0 for infinitely many labels: exact expectations, no draws.
        world: the label cells, or the family of them.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}; None for the L2 norm.
    """

    corruption: Corruption = 0.0
    adversary: Adversary = NONE
    spent: Positive = 1.0
    order: Order = Order.LTC
    reading: ReadingOf = debiased
    idle_adversary: ClassVar[Adversary] = NONE
    epsilon: ClassVar[float]
    n_pairs: ClassVar[int] = 0
    world: ClassVar[Any]
    ridge: ClassVar[float | None] = None
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {"adversary": ADVERSARIES}

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)
        if self.adversary.acts and self.n_pairs:
            flip_budget(self.corruption, self.n_pairs)

    @property
    def flip_worth(self) -> float:
        """ζ: what a flip is worth under the order in force."""
        return worth_of_flip(self.order, self.epsilon)

    @property
    def moved(self) -> float:
        """ζα: the mass of debiased labels that corruption moves."""
        return self.flip_worth * self.corruption

    @property
    def read(self) -> Reading:
        """The estimator's reading at the budget that it believes in."""
        return self.reading(self.epsilon)

    @property
    def attacked_share(self) -> float:
        """Share of labels that the adversary may set: α times what it spends, 0 if it is idle."""
        return self.adversary.acts * self.spent * self.corruption

    def passage(self, target: AttackTarget) -> Channel:
        """What stands between true labels and the estimator ``target``."""
        way = self.order, Randomize.of(self.channel, self.epsilon)
        return self.adversary.channel(*way, self.attacked_share, self.n_pairs, target)


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackedPairs(AttackedLabels):
    """Such labels of the cells of an instance.

    Attributes:
        instance: the numbers that the cells are built from.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}; None for the L2 norm.
        reference: whether pairs are as likely as stated, or all equally.
    """

    instance: AnyPairs
    ridge: Annotated[Finite, Field(ge=0)] | None = None
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def stated(self) -> Any:
        """The instance, built."""
        return built_pairs(self.instance)

    @property
    def world(self) -> Any:
        """The instance, built, under the reference in force."""
        return self.stated if self.reference == "as_stated" else _even(self.stated)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairLabels(PrivateLabels, AttackedPairs):
    """Infinitely many labels of the cells of an instance."""

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledPairs(PairLabels):
    """n such labels.

    Attributes:
        n_pairs: n.
    """

    n_pairs: Pairs = field()  # type: ignore[assignment]

    def more_labels(self, other: Any) -> float:
        """n/c(ε)² is what a regime is."""
        return PrivateLabels.more_labels(self, other)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClimbingMargin(PairLabels):
    """States of two responses; the first cell is the state in question.

    Attributes:
        margins: smallest and largest margin of the ladder that its reward difference climbs.
    """

    margins: tuple[Positive, Positive]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelsOfCells(PrivateLabels, AttackedLabels):
    """Infinitely many labels of cells that are built already, such as random ones.

    Attributes:
        world: the label cells.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}; None for the L2 norm.
    """

    world: PairWorld
    ridge: float | None = None

    @classmethod
    def of(cls, labels: AttackedLabels, world: PairWorld) -> "LabelsOfCells":
        """The cells' labels on the way that other labels take."""
        stages = {field.name: getattr(labels, field.name) for field in fields(AttackedLabels)}
        return cls(world=world, ridge=labels.ridge, epsilon=labels.epsilon, **stages)


def built_pairs(instance: Any) -> Any:
    """The label cells of an instance, once a process."""
    if isinstance(instance, PairChoice):
        return build_pair_world(instance, device_in_use())  # type: ignore[arg-type]
    return _cells_of(built(instance))


_cells_of = lru_cache(maxsize=64)(pairs_of)


@lru_cache(maxsize=64)
def _even(world: PairWorld) -> PairWorld:
    return world.under_uniform_reference()


# Changes: right, and wrong on purpose ------------------------------------------------------------


def algorithm_1(world: AttackedLabels) -> AttackedLabels:
    """Nothing is done wrong."""
    return world


@privacy_mistake
def no_debias(world: AttackedLabels) -> AttackedLabels:
    """Wrong: privatised labels taken as clean."""
    return replace(world, reading=debiasing.no_debias)


@privacy_mistake
def orders_swapped(world: AttackedLabels) -> AttackedLabels:
    """Wrong: the other order of privacy and corruption."""
    return replace(world, order=world.order.swapped)


def biased_reading(world: AttackedLabels) -> AttackedLabels:
    """Wrong: a flip probability that is 1 % too high."""
    return replace(world, reading=debiasing.biased)


def strong_adversary(world: AttackedLabels) -> AttackedLabels:
    """Wrong where the claim is about Huber's corruption."""
    return replace(world, adversary=STRONG)


def huber_adversary(world: AttackedLabels) -> AttackedLabels:
    """Wrong where the claim is about the strong adversary."""
    return replace(world, adversary=HUBER)


@privacy_mistake
def shift_without_scale(world: AttackedLabels) -> AttackedLabels:
    """Wrong: z + σ(ε) − 1 without the factor c(ε)."""
    return replace(world, reading=debiasing.shift_without_scale)


@privacy_mistake
def cost_squared(world: AttackedLabels) -> AttackedLabels:
    """Wrong: c(ε)² in the place of c(ε)."""
    return replace(world, reading=debiasing.cost_squared)


def random_flips(world: AttackedLabels) -> AttackedLabels:
    """Wrong: flips that look at nothing, in the place of an adversary."""
    return replace(world, adversary=UNIFORM)


def mask_process(world: AttackedLabels) -> AttackedLabels:
    """Wrong: the masks of P4's Appendix D in the place of an adversary."""
    return replace(world, adversary=MASK)


def attacked_on_both_sides(world: AttackedLabels) -> AttackedLabels:
    """Wrong for one adversary: α in front of the randomizer and α behind it."""
    return replace(world, order=Order.CLC)


# Quantities --------------------------------------------------------------------------------------

Measured = Callable[[Any, Any, int], Any]
"""(world, stream, replicates) → (R,) values or one number; no stream where nothing is drawn."""


def of_changed(
    words: str, number: Measured, over: Callable[[Any], float] | None = None
) -> Quantity:
    """A number of the world as each algorithm changes it, drawn, over what is claimed of it."""

    def of(world: Any, change: Algorithm, rng: np.random.Generator, replicates: int) -> Any:
        return number(change(world), rng, replicates)

    return Quantity(words, of, over=over)


def over_claimed(
    words: str, number: Measured, over: Callable[[Any], float] | None = None
) -> Quantity:
    """The same of infinitely many labels: nothing is drawn."""

    def of(world: Any, change: Algorithm, rng: np.random.Generator, replicates: int) -> Any:
        return number(change(world), None, 1)

    return Quantity(words, of, evidence="exact", over=over)
