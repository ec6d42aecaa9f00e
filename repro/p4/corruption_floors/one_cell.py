"""One cell of pairs at any α and any n: what corruption does to it, in closed form.

Elsewhere floors are first-order in ζα.  Where all pairs that count lie in one cell of mass m the
debiased win rate p of Algorithm 1 is moved to

    p ± ζα/m                     by the strong adversary (P4, Definition 3.3),
    (1−α)p + α(1 ± ζ)/2          by Huber's (P2, Definition 2.3) with certain answers,

ζ = 1 under CTL and c(ε) under LTC, and θ̂ is its logit, cut off at ±B′.  So every floor is exact at
every α, up to where the whole class is lost.  With n labels the rate that the adversary sees is
binomial, all but Gaussian; the adversary picks the worse side, and the noise it does not see is
added behind it (P4's T_privacy): means over both are one-dimensional integrals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import scipy
from scipy.special import expit, logit, ndtr, ndtri

from repro.base.notation import flip_prob, keep_prob, privacy_cost
from repro.labels.corruption.orders import Order

Rate = np.ndarray | float
Damage = Callable[[np.ndarray], np.ndarray]
"""Debiased win rates → what they cost."""

RUNGS = 80
"""Of the ladder on which the costliest margin is looked for before it is refined."""
QUANTILES = 400
"""Equally likely outcomes that stand for a Gaussian: 1e-3 of a mean."""


@dataclass(frozen=True)
class Strong:
    """Sets a share α of all labels, all of them in the cell.

    Attributes:
        corruption: α.
        mass: m of the cell.
    """

    corruption: float
    mass: float

    def moved(self, rate: Rate, worth: float, up: bool) -> Rate:
        """The win rate after the attack, a flip being worth ``worth``."""
        step = worth * self.corruption / self.mass
        return rate + step if up else rate - step

    def least_rate(self, reached: float, worth: float) -> float:
        """The rate that an attack brings down to ``reached``."""
        return reached + worth * self.corruption / self.mass

    def variance(self, rate: Rate, up: bool) -> Rate:
        """Variance that the attack itself adds to one label: it draws nothing."""
        return np.zeros_like(rate)


@dataclass(frozen=True)
class Certain:
    """Huber's: replaces each label with probability α by the same answer.

    Attributes:
        corruption: α.
    """

    corruption: float

    def moved(self, rate: Rate, worth: float, up: bool) -> Rate:
        """The debiased win rate after the attack; an answer reads as (1 ± ζ)/2."""
        answer = (1 + worth) / 2 if up else (1 - worth) / 2
        return (1 - self.corruption) * rate + self.corruption * answer

    def least_rate(self, reached: float, worth: float) -> float:
        """The rate that an attack brings down to ``reached``."""
        return (reached - self.corruption * (1 - worth) / 2) / (1 - self.corruption)

    def variance(self, rate: Rate, up: bool) -> Rate:
        """Variance that replacing adds to one label as it is seen."""
        replaced = 1 - rate if up else rate
        return self.corruption * (1 - self.corruption) * replaced


class Attacker(Protocol):
    """Who moves the win rate of the cell, and how far."""

    def moved(self, rate: Any, worth: float, up: bool) -> Any:
        """The debiased win rate after the attack."""
        ...

    def variance(self, rate: Any, up: bool) -> Any:
        """Variance that the attack adds to one label."""
        ...


def margin_of(rate: Rate, bound: float) -> np.ndarray:
    """θ̂ = logit(w) cut off at ±B′, for a debiased rate w of any size."""
    return logit(np.clip(rate, expit(-bound), expit(bound)))


def estimation_at(attacker: Attacker, worth: float, truth: float, bound: float) -> float:
    """max |θ̂ − θ_true|: the floor of Algorithm 1, never above B′ + |θ_true|."""
    ends = [attacker.moved(float(expit(truth)), worth, up) for up in (False, True)]
    return float(np.abs(margin_of(np.array(ends), bound) - truth).max())


def greedy_at(attacker: Strong | Certain, worth: float, largest: float) -> float:
    """Largest margin that greedy RLHF gets wrong; NaN if every one up to ``largest`` is."""
    return _margin(attacker.least_rate(0.5, worth), largest)


def pessimism_at(attacker: Strong | Certain, worth: float, ladder: tuple[float, float]) -> float:
    """Largest margin that pessimism gives up, Γ the attack's largest error on the ladder.

    t − θ̂(t) falls while |θ̂| > t and rises after, so it is largest at an end.
    """
    ends = np.array(ladder)
    reached = logit(np.clip(attacker.moved(expit(ends), worth, False), 1e-300, 1 - 1e-16))
    reach = float((ends - reached).max())
    return _margin(attacker.least_rate(float(expit(reach)), worth), ladder[1])


def dpo_gap_at(rate: Rate, truth: float, bound: float, kl_weight: float) -> np.ndarray:
    """|J(π*) − J(π̂)| of two responses where π* is even: truth·|σ((θ̂ − θ_true)/β) − ½|."""
    off = (margin_of(rate, bound) - truth) / kl_weight
    return truth * np.abs(expit(off) - 0.5)


def dpo_at(
    attacker: Attacker, worth: float, truth: float, bound: float, kl_weight: float
) -> float:  # fmt: skip
    """The larger of that gap on either side."""
    ends = [attacker.moved(float(expit(truth)), worth, up) for up in (False, True)]
    return float(dpo_gap_at(np.array(ends), truth, bound, kl_weight).max())


@dataclass(frozen=True)
class Labels:
    """The labels of one cell.

    Attributes:
        truth: ⟨x, θ_true⟩ of the cell.
        count: expected number of them.
        epsilon: ε.
        order: of adversary and randomizer.
    """

    truth: float
    count: float
    epsilon: float
    order: Order

    def expected(self, attacker: Attacker, damage: Damage) -> float:
        """Mean damage, the adversary taking the side that costs more by what it sees.

        Args:
            attacker: who corrupts.
            damage: of debiased rates.
        """
        sides = []
        for up in (False, True):
            at, deviation = self._attacked(attacker, up)
            drawn = at[:, None] + deviation[:, None] * _standard()
            sides.append((damage(at), damage(drawn).mean(axis=1)))
        (down, cost_down), (above, cost_up) = sides
        return float(np.where(above > down, cost_up, cost_down).mean())

    def chance_below(self, attacker: Attacker, rate: float) -> float:
        """P(w ≤ ``rate``) under an adversary who lowers w."""
        at, deviation = self._attacked(attacker, up=False)
        return float(ndtr((rate - at) / np.maximum(deviation, 1e-300)).mean())

    def _attacked(self, attacker: Attacker, up: bool) -> tuple[np.ndarray, np.ndarray]:
        """(Q,) mean of w given what the adversary sees, and its deviation."""
        keep, flip = keep_prob(self.epsilon), flip_prob(self.epsilon)
        cost, win = privacy_cost(self.epsilon), float(expit(self.truth))
        behind = self.order is Order.LTC
        worth = cost if behind else 1.0
        mean = flip + win / cost if behind else win
        seen = mean + math.sqrt(mean * (1 - mean) / self.count) * _standard()
        at = attacker.moved(cost * (seen - flip) if behind else seen, worth, up)
        private = 0.0 if behind else cost**2 * keep * flip
        # an attack in front of the randomizer is read at worth 1 on average, as a flip is
        added = worth**2 * attacker.variance(seen, up) + private
        return at, np.sqrt(added / self.count)


@lru_cache(maxsize=256)
def costliest_margin(
    attacker: Attacker, count: float, epsilon: float, order: Order, largest: float
) -> tuple[float, float]:
    """(t, t·P(θ̂ ≤ 0)) where that product is largest: the gap of greedy RLHF with n labels.

    Args:
        attacker: who corrupts.
        count: expected number of labels of the cell.
        epsilon: ε.
        order: of adversary and randomizer.
        largest: margin that is looked at.
    """

    def cost(margin: float) -> float:
        labels = Labels(margin, count, epsilon, order)
        return margin * labels.chance_below(attacker, 0.5)

    ladder = np.geomspace(1e-4 * largest, largest, RUNGS)
    best = int(np.argmax([cost(margin) for margin in ladder]))
    around = (ladder[max(best - 1, 0)], ladder[min(best + 1, RUNGS - 1)])
    optimum: Any = scipy.optimize.minimize_scalar(
        lambda t: -cost(t), bounds=around, method="bounded"
    )
    return float(optimum.x), float(-optimum.fun)


def _standard() -> np.ndarray:
    """(Q,) equally likely outcomes of N(0, 1)."""
    return ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)


def _margin(rate: float, largest: float) -> float:
    """The margin of a win rate; NaN above ``largest``."""
    return float(logit(rate)) if rate < expit(largest) else math.nan
