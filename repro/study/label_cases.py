"""Cases with comparisons whose labels are randomized, and corrupted by Huber's adversary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from repro.corruption.huber_reports import (
    Adversary,
    HuberReports,
    idle_adversary,
    worst_adversary,
)
from repro.corruption.orders import Order
from repro.preferences.label_law import Channel, LabelLaw, bradley_terry, randomized_response
from repro.study.case import Case


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelCase(Case):
    """Labels that are drawn and randomized.

    Attributes:
        labels: what labels are drawn from.
        channel: who randomizes them.
    """

    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response


@dataclass(frozen=True, eq=False, kw_only=True)
class HuberCase(LabelCase):
    """Such labels, a share of which is replaced before they are randomized, or after.

    Attributes:
        corruption: α in [0, 1/2).
        order: of corruption and privacy, the one in force.
        adversary: who replaces labels.
    """

    corruption: float = 0.0
    order: Order = Order.CTL
    adversary: Adversary = worst_adversary
    idle_adversary: ClassVar[Any] = staticmethod(idle_adversary)

    @property
    def reports(self) -> HuberReports:
        """How a label becomes a report."""
        return HuberReports(
            self.epsilon, self.corruption, self.order, self.labels, self.channel, self.adversary
        )
