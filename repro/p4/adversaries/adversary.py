"""Adversaries as objects: who corrupts labels, under the name that a config may give them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from repro.labels.corruption.budget import checked_corruption, flip_budget
from repro.labels.corruption.orders import Channel, Corruption, Order, Randomize, channel
from repro.labels.corruption.random_flips import UniformFlips, masked
from repro.p4.adversaries.huber import MAX_CELLS, WorstHuber
from repro.p4.adversaries.strong import AttackTarget, StrongAdversary


@dataclass(frozen=True)
class Adversary:
    """Who corrupts labels, knowing the estimator.

    Attributes:
        name: in configs and messages; never compared.
        model: (α, n, target) → the corruption; n = 0 stands for infinitely many labels.
        acts: False where it leaves all labels alone.
        most_cells: number of label cells that it can attack.
    """

    name: str
    model: Callable[[float, int, AttackTarget], Corruption]
    acts: bool = True
    most_cells: float = math.inf

    def channel(
        self,
        order: Order,
        randomize: Randomize,
        corruption: float,
        n_pairs: int,
        target: AttackTarget,
    ) -> Channel:
        """What stands between true labels and the estimator.

        Args:
            order: of this adversary and the randomizer.
            randomize: the local randomizer.
            corruption: α in [0, 1/2).
            n_pairs: n; 0 for infinitely many labels.
            target: the estimator under attack.
        """
        return channel(order, randomize, self.model(corruption, n_pairs, target))


@dataclass(frozen=True)
class MaskProcess(Adversary):
    """P4's Appendix D: corruption sets a mask that privacy flips; the two are one channel."""

    def channel(self, order, randomize, corruption, n_pairs, target) -> Channel:
        return Channel((masked(order, randomize, corruption),))


def _nobody(corruption: float, n_pairs: int, target: AttackTarget) -> Corruption:
    return UniformFlips(0.0)


def _strong(corruption: float, n_pairs: int, target: AttackTarget) -> Corruption:
    budget = flip_budget(corruption, n_pairs) if n_pairs else checked_corruption(corruption)
    return StrongAdversary(budget, target)


def _huber(corruption: float, n_pairs: int, target: AttackTarget) -> Corruption:
    return WorstHuber(corruption, target.damage)


def _uniform(corruption: float, n_pairs: int, target: AttackTarget) -> Corruption:
    return UniformFlips(corruption)


NONE = Adversary("none", _nobody, acts=False)
STRONG = Adversary("strong", _strong)
HUBER = Adversary("huber", _huber, most_cells=MAX_CELLS)
UNIFORM = Adversary("uniform", _uniform)
MASK = MaskProcess("mask", _uniform)

ADVERSARIES = {adversary.name: adversary for adversary in (NONE, STRONG, HUBER, UNIFORM, MASK)}
"""By the name that a config may give."""
