"""Worlds without coverage: labels of rare pairs, whose masses are in units of α."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Model, Number, Positive
from repro.p4.corruption_floors.rare_pairs import Uncovered
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.worlds.instances.labelled import PrivateLabels


class RarePairs(Model):
    """Where no coverage is assumed: pairs of every mass.

    Attributes:
        reward_bound: B′.
        lightest: smallest mass, in units of α.
        heaviest: largest mass, likewise.
        ratio: between rungs.
        kl_weight: β of DPO.
    """

    reward_bound: Positive
    lightest: Positive
    heaviest: Positive
    ratio: Annotated[Number, Field(gt=1, le=100)]
    kl_weight: Positive

    def pairs(self, corruption: float) -> Uncovered:
        """The ladder of masses at α.

        Raises:
            BadInput: α is 0, and so is every mass.
        """
        if corruption <= 0:
            allowed = "allowed: above 0; rare pairs have masses in units of it"
            raise BadInput("corruption", corruption, allowed)
        masses = (self.lightest * corruption, min(0.5, self.heaviest * corruption))
        return Uncovered(self.reward_bound, masses, self.ratio, self.kl_weight)


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackedRarePairs(AttackedLabels):
    """Infinitely many labels of rare pairs of every mass.

    Attributes:
        instance: the ladder of masses, and the class.
        reference: whether the rare pair is as rare as stated, or as likely as the other one.
    """

    instance: RarePairs
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def stated(self) -> Uncovered:
        """The pairs; who spends more or less than α meets the same ones."""
        return self.instance.pairs(self.corruption)

    @property
    def world(self) -> Uncovered:
        """The same under the reference in force."""
        as_stated = self.reference == "as_stated"
        return self.stated if as_stated else self.stated.under_uniform_reference()


@dataclass(frozen=True, eq=False, kw_only=True)
class RarePairLabels(PrivateLabels, AttackedRarePairs):
    """The same at a budget."""

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0
