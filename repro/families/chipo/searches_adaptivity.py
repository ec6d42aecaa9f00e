"""Steps of price_of_adaptivity.md in random cases, left over right side, and planted faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.families.chipo import bounds_adaptivity as bound
from repro.families.chipo.algorithms_adaptivity import Error, Learner, capped, coverage_of
from repro.families.chipo.algorithms_policy import chipo_policy
from repro.families.chipo.worlds_unsaturated import RareBadArm
from repro.study.case import PointCase
from repro.study.row import Evidence, Measure, Method, Values, method, per_method

BUDGETS, WEIGHTS = np.geomspace(0.1, 10, 5), 40
"""ε, and so many β, of the worlds of Theorem 2."""


def searched(draw: Callable[[float, np.random.Generator], Any]) -> Measure:
    """Left over right side in random cases: one per replicate, the same for every method.

    Args:
        draw: (swept value, stream) → a case, which each method's ``run`` takes.
    """

    def ratios(case: PointCase, rng: np.random.Generator, replicates: int) -> Values:
        found = [draw(case.value, rng) for _ in range(replicates)]
        return {m.name: np.array([m.run(one) for one in found]) for m in case.methods}

    return Measure("left side / right side", ratios, Evidence.SEARCHED)


def computed(cases: Callable[[float], Iterable[Any]]) -> Measure:
    """The largest left over right side in a fixed list of cases: a policy's value and a formula.

    Args:
        cases: swept value → what each method's ``run`` takes.
    """

    def largest(case: PointCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
        return max(m.run(one) for one in cases(case.value))

    return Measure("left side / right side", per_method(largest), Evidence.COMPUTED)


@dataclass(frozen=True)
class Estimated:
    """One state, R_max = 1: true rewards, fitted ones, and a comparator.

    Attributes:
        reference: (A,) π_ref.
        true: (A,) in [0, 1].
        fitted: (A,) implicit rewards.
        comparator: (A,) π*.
        kl_weight: β.
    """

    reference: np.ndarray
    true: np.ndarray
    fitted: np.ndarray
    comparator: np.ndarray
    kl_weight: float

    @cached_property
    def coverage(self) -> float:
        """C^π*."""
        return coverage_of(self.comparator, self.reference)

    @cached_property
    def value_ratio(self) -> float:
        """ρ = V_max/R_max, at least 1."""
        return max(1.0, float(np.ptp(self.fitted)))

    @cached_property
    def error(self) -> float:
        """err of clipped differences."""
        fitted, true = (r[:, None] - r[None] for r in (self.fitted, self.true))
        weight = self.reference[:, None] * self.reference[None]
        return math.sqrt(float((weight * (np.clip(fitted, -2, 2) - true) ** 2).sum()))

    def gap(self, kl_weight: float) -> float:
        """J(π*) − J(π̂) at some β."""
        policy = chipo_policy(self.reference, self.fitted, np.array(kl_weight))
        return float((self.comparator - policy) @ self.true)


def estimated(rare: float, rng: np.random.Generator) -> Estimated:
    """Half of them any rewards; half one response of mass ``rare`` that is thought too good."""
    if rng.random() < 0.5:
        size = int(rng.integers(2, 7))
        reference = rng.dirichlet(np.ones(size)) * (1 - 1e-9) + 1e-9 / size
        true, noise = rng.random(size), rng.normal(size=size)
        fitted = true + 10 ** rng.uniform(-3, 0.3) * noise
        comparator = rng.dirichlet(np.full(size, 0.3))
        return Estimated(reference, true, fitted, comparator, 10 ** rng.uniform(-4, 1))
    reference, true = np.array([1 - rare, rare]), np.array([1.0, 1 - rng.random()])
    fitted = true + np.array([0.0, 2.0 * rng.random()])
    kl_weight = max(np.ptp(fitted), 1e-3) * rare * 10 ** rng.uniform(0, 2)
    return Estimated(reference, true, fitted, reference, kl_weight)


@method
def meta(case: Estimated) -> float:
    """Theorem 1: the gap over ρ√C·err + βC + ρ²err²/(2β)."""
    weight = case.kl_weight
    right = bound.meta_bound(case.error, case.coverage, weight, case.value_ratio)
    return case.gap(weight) / right


@method
def meta_without_square(case: Estimated) -> float:
    """Wrong: its last term forgotten."""
    right = case.value_ratio * case.error * math.sqrt(case.coverage)
    return case.gap(case.kl_weight) / (right + case.kl_weight * case.coverage)


def _capped(case: Estimated) -> tuple[float, float]:
    """Gap and β₀ of the capped rule, C^π* known."""
    world = _AnyWorld(case.reference)
    error = Error(case.kl_weight * math.sqrt(case.coverage), 0.0, 0.0, case.coverage)
    return case.gap(capped(error, world, case.fitted)), case.kl_weight


@dataclass(frozen=True)
class _AnyWorld:
    """What ``capped`` reads of a world."""

    reference: np.ndarray

    def policy(self, kl_weight: float, reward: np.ndarray) -> np.ndarray:
        """Policy of a reward."""
        return chipo_policy(self.reference, reward, np.array(kl_weight))


@method
def cap(case: Estimated) -> float:
    """Theorem 4: the gap over (1 + √2)·ρ√C·err + β₀·C."""
    gap, least = _capped(case)
    return gap / bound.capped_bound(case.error, case.coverage, least, case.value_ratio)


@method
def cap_without_cap(case: Estimated) -> float:
    """Wrong: β₀ kept."""
    right = bound.capped_bound(case.error, case.coverage, case.kl_weight, case.value_ratio)
    return case.gap(case.kl_weight) / right


@dataclass(frozen=True)
class Minimiser:
    """Least squares between the truth and one other mean, on one pair, at n = ∞ or n finite.

    Attributes:
        true: h*.
        other: h of the other policy.
        bias: ζα.
        noise: c·√(log(|Π|/δ)/n).
        chosen: whether the other policy wins with a chance above δ.
    """

    true: float
    other: float
    bias: float
    noise: float
    chosen: bool


def minimiser(corruption: float, rng: np.random.Generator) -> Minimiser:
    """CTL at n = ∞, where the adversary always reports the label that the truth disfavours."""
    true = 1 - 10 ** rng.uniform(-6, 0)
    seen = (1 - corruption) * true - corruption
    other = true - 2 * (true - seen) * rng.uniform(0.9, 1.1)
    chosen = abs(other - seen) < abs(true - seen)
    return Minimiser(true, other, corruption, 0.0, bool(chosen) and abs(other) <= 1)


@method
def least_squares(case: Minimiser) -> float:
    """Lemma 2: |h − h*| of the chosen policy over 4ζα + 8c·√(log(|Π|/δ)/n)."""
    error = abs(case.other - case.true) if case.chosen else 0.0
    return error / bound.mean_error_bound(case.bias, case.noise)


@method
def least_squares_ten_percent(case: Minimiser) -> float:
    """Wrong: 3.6ζα for 4ζα."""
    return least_squares.run(case) / 0.9


@dataclass(frozen=True)
class Imitation:
    """The world of Theorem 2.

    Attributes:
        world: reference and class.
        bias: ζα.
        kl_weight: β.
        constant: κ₀ of the loss.
    """

    world: RareBadArm
    bias: float
    kl_weight: float
    constant: float

    @cached_property
    def gap(self) -> float:
        """Of the second policy."""
        return float(self.world.policy(self.kl_weight, self.world.rewards[1])[2])


def imitations(learner: Learner, constant: float) -> Callable[[float], Iterator[Imitation]]:
    """Worlds of a learner at a given ζα, ε from .1 to 10, β from the least that matters to ½."""

    def at(bias: float) -> Iterator[Imitation]:
        for epsilon, kl_weight in product(BUDGETS, np.geomspace(bias**2 / 20, 0.5, WEIGHTS)):
            world = learner.world(bias, privacy_cost(float(epsilon)))
            yield Imitation(world, bias, float(kl_weight), constant)

    return at


@method
def imitated(case: Imitation) -> float:
    """Theorem 2: min{½, κ₀·(ζα)²/β} over the gap of the second policy."""
    return min(0.5, case.constant * case.bias**2 / case.kl_weight) / case.gap


@method
def imitated_twice(case: Imitation) -> float:
    """Wrong: twice the bound."""
    return 2 * imitated.run(case)
