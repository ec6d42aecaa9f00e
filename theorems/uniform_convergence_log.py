"""P2 Lemma 3.1: uniform convergence of the log loss under label privacy.

Statement (Lemma 3.1).  For a finite class {P_θ}, realizable labels on adaptively chosen inputs and
randomized response at ε, with probability at least 1−δ, for all n ≤ T and all θ,

    Σ_{t≤n} E[‖P_θ − P_θ*‖²_TV | F^(t−1)] ≲ c(ε)²·(L̂^(n)(θ) − L̂^(n)(θ*) + log(|Θ|/δ)).

So the private MLE has a left side of order c(ε)²·log|Θ|, whatever n.  Lemma B.1 is its version for
Hellinger distance without privacy.

Testable: the exponents 0 in n, 2 in c(ε) and 1 in d = log₂|Θ| on a class that attains them, the
hypercube {p₀, p₀+h}^d with the worst h of a ladder (found in closed form before any draw) and a
product grid; and the inequality itself, at every n ≤ T at once, for iid and adaptive inputs, in
the form that the proof gives with constants, c²·[ΔL + 2·log(|Θ|/δ)].  Not testable: the hidden
constant.

The truth must be off ½: at p₀ = ½ shrinking by c moves nothing and a naive likelihood passes the
sweep of n, while at p₀ = 0.8 it has exponent 1.  A class of one truth among needles would not show
log|Θ|: no two needles are ever close.

Both have their constants: the share of wrong cells at the worst h, and the variance of the debiased
share of reports.

What would refute it: growth with n, another constant, a larger power of c or d, or violations more
often than δ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import ndtr, xlogy

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.base.schema import Count, Pairs, Probability
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    at_both_ends,
    privacy_mistake,
)
from repro.core.claims import Claim, Frequency, Ratio, Slope
from repro.labels.preferences.label_law import on_arrays, released
from repro.p2.losses.sequences import (
    Design,
    LabelSequence,
    draw_sequence,
    packing_class,
    random_class,
)
from repro.worlds.instances.labelled import PrivateLabels

GRID_STEP = 1e-6
EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


def private_prob(clean: np.ndarray | float, epsilon: float) -> np.ndarray:
    """P̃(+1) = (2σ(ε)−1)·P(+1) + 1 − σ(ε) (P2, Lemma 3.1)."""
    return flip_prob(epsilon) + label_signal(epsilon) * np.asarray(clean)


def log_likelihood(wins, pairs, clean, epsilon: float) -> np.ndarray:
    """log P̃_θ of counts."""
    win = private_prob(clean, epsilon)
    return xlogy(wins, win) + xlogy(pairs - wins, 1 - win)


# Worlds: reports on d cells, and on a sequence of inputs -----------------------------------------


@dataclass(frozen=True, kw_only=True)
class Reports(PrivateLabels):
    """Reports of labels with known probabilities."""

    def report_prob(self, clean: np.ndarray) -> np.ndarray:
        """P(z = +1) of a report, where P(y = +1) is ``clean`` under the Bradley–Terry law."""
        return released(self.channel, on_arrays(self.labels, clean), self.epsilon)


@dataclass(frozen=True, kw_only=True)
class Cells(Reports):
    """d equally likely cells with P(y = +1) of p₀ or p₀ + h.

    Worlds are equal where all fields are, so that a worst h is looked for once.

    Attributes:
        n_pairs: n.
        num_features: d.
        base: p₀.
    """

    n_pairs: Pairs
    num_features: Count
    base: Probability

    def ladder(self) -> np.ndarray:
        """(K,) values of h up to p₀ + h = 0.99."""
        return np.geomspace(1e-8, 0.99 - self.base, 241)

    def expected(self, assumed: float, h: np.ndarray) -> np.ndarray:
        """(K,) left side over {p₀, p₀+h}^d with the share of reports normal.

        Args:
            assumed: ε that the likelihood believes in.
            h: (K,) steps.
        """
        zero, one_prob = private_prob(self.base, assumed), private_prob(self.base + h, assumed)
        for_one, for_zero = np.log(one_prob / zero), np.log((1 - one_prob) / (1 - zero))
        threshold = for_zero / (for_zero - for_one)
        count = self.n_pairs / self.num_features
        wrong = 0.0
        for clean, side in ((np.full_like(h, self.base), -1.0), (self.base + h, 1.0)):
            win = self.report_prob(clean)
            wrong = wrong + ndtr(side * (threshold - win) / np.sqrt(win * (1 - win) / count)) / 2
        return self.n_pairs * h**2 * wrong

    def draw(self, truth: np.ndarray, rng: np.random.Generator, replicates: int):
        """Reports and labels per cell, both (R, d)."""
        share = np.full(self.num_features, 1 / self.num_features)
        pairs = rng.multinomial(self.n_pairs, share, size=replicates)
        return rng.binomial(pairs, self.report_prob(truth)), pairs

    def error(self, chosen: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(R,) n·E TV² of what a likelihood has chosen, (R, d)."""
        estimate = on_arrays(self.estimate, chosen, truth)
        return self.n_pairs * ((estimate - truth) ** 2).mean(axis=1)


@lru_cache(maxsize=4096)
def worst_step(world: Cells, assumed: float) -> tuple[float, bool]:
    """h of the largest expected left side, and whether it is interior."""
    ladder = world.ladder()
    best = int(np.argmax(world.expected(assumed, ladder)))
    return float(ladder[best]), 0 < best < len(ladder) - 1


@dataclass(frozen=True, eq=False, kw_only=True)
class LogSequences(Reports):
    """A finite class on a sequence of labels; the inequality is about every n ≤ T.

    Attributes:
        horizon: T.
        class_size: N.
        members: how the class is made; its first member is the truth.
        design: how inputs are chosen.
        failure_prob: δ.
    """

    horizon: Pairs
    class_size: Count
    members: Literal["random", "packing"]
    design: Design
    failure_prob: Probability

    @property
    def table(self) -> np.ndarray:
        """(N, X) P(y = +1)."""
        return (random_class if self.members == "random" else packing_class)(self.class_size)


# Algorithms: the likelihood, and wrong ones ------------------------------------------------------


@dataclass(frozen=True)
class Likelihood:
    """A likelihood and the inequality that is held of it.

    Attributes:
        assumed: ε that it believes in.
        cost: c(ε) on the right-hand side.
    """

    assumed: float
    cost: float


def mixture_mle(world: Reports) -> Likelihood:
    """The mixture log loss."""
    return Likelihood(world.epsilon, privacy_cost(world.epsilon))


@privacy_mistake
def naive_likelihood(world: Reports) -> Likelihood:
    """Wrong: the clean likelihood on privatised labels."""
    return Likelihood(math.inf, privacy_cost(world.epsilon))


@privacy_mistake
def epsilon_overstated(world: Reports) -> Likelihood:
    """Wrong: the likelihood assumes a budget 20 % too high."""
    return Likelihood(world.epsilon * EPSILON_OVERSTATED, privacy_cost(world.epsilon))


@privacy_mistake
def without_privacy_cost(world: Reports) -> Likelihood:
    """Wrong: no c(ε)² on the right."""
    return Likelihood(world.epsilon, 1.0)


# Quantities --------------------------------------------------------------------------------------


def on_the_hypercube(world: Cells, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) n·E TV² over {p₀, p₀+h}^d at the worst h; the truth alternates over cells."""
    assumed = algorithm(world).assumed
    step, _ = worst_step(world, assumed)
    truth = world.base + step * (np.arange(world.num_features) % 2)
    wins, pairs = world.draw(truth, rng, replicates)
    upper = log_likelihood(wins, pairs, world.base + step, assumed)
    lower = log_likelihood(wins, pairs, world.base, assumed)
    return world.error(np.where(upper > lower, world.base + step, world.base), truth)


def on_a_grid(world: Cells, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) n·E TV² over the product of grids of step 1e-6 on [0, 1], truth p₀ everywhere.

    A likelihood of one cell is unimodal, so the best grid point is next to its maximum.
    """
    truth, assumed = np.full(world.num_features, world.base), algorithm(world).assumed
    wins, pairs = world.draw(truth, rng, replicates)
    peak = (wins / np.maximum(pairs, 1) - flip_prob(assumed)) / label_signal(assumed)
    below = np.floor(np.clip(peak, 0, 1) / GRID_STEP) * GRID_STEP
    above = np.minimum(below + GRID_STEP, 1.0)
    upper, lower = (log_likelihood(wins, pairs, candidate, assumed) for candidate in (above, below))
    return world.error(np.where(upper > lower, above, below), truth)


def seen(world: LogSequences, rng: np.random.Generator, replicates: int) -> LabelSequence:
    """R sequences of reports, which all forms of the inequality are held against."""
    win = world.report_prob(world.table[0])
    return draw_sequence(rng, win, world.design, world.horizon, replicates)


def violated(
    world: LogSequences, algorithm: Algorithm, sequence: LabelSequence, replicates: int
) -> np.ndarray:
    """(R,) 1.0 where ΣTV² ≤ c²·[ΔL + 2·log(N/δ)] fails for some n ≤ T and some θ.

    It holds with probability 1−δ: exp(½·Σ log P̃_θ/P̃_θ*) has conditional mean 1 − ½H² at each step,
    so by Ville and a union bound Σ H²(P̃_θ, P̃_θ*) ≤ ΔL + 2·log(N/δ) for every n, and TV² ≤ H²
    (unnormalised).
    """
    likelihood, table = algorithm(world), world.table
    win = private_prob(table, likelihood.assumed)
    excess = sequence.excess_loss(-np.log(win), -np.log1p(-win))
    allowed = 2 * np.log(len(table) / world.failure_prob)
    left = sequence.conditional_sums((table - table[0]) ** 2)
    holds = left <= likelihood.cost**2 * (excess + allowed)  # of a NaN nothing holds
    return 1.0 - holds.all(axis=(1, 2))


def expected_at_worst(world: Cells) -> float:
    """n·E TV² at the worst h: the share of cells whose less likely value wins, times n·h²."""
    step, _ = worst_step(world, world.epsilon)
    return float(world.expected(world.epsilon, np.array([step]))[0])


def debiased_variance(world: Cells) -> float:
    """d·q(1−q)·c(ε)²: n times the variance of the debiased share q of reports in a cell."""
    win = flip_prob(world.epsilon) + label_signal(world.epsilon) * world.base
    return world.num_features * win * (1 - win) * privacy_cost(world.epsilon) ** 2


# The claims --------------------------------------------------------------------------------------

CUBE = Quantity("n·E TV²(P_θ̂, P_θ*)", on_the_hypercube)
GRID = Quantity("n·E TV²(P_θ̂, P_θ*)", on_a_grid)
OVER_EXPECTED = replace(CUBE, words="n·E TV² / its normal limit", over=expected_at_worst)
OVER_VARIANCE = replace(GRID, words="n·E TV² / d·q(1−q)·c(ε)²", over=debiased_variance)
VIOLATED = Quantity("inequality violated at some n ≤ T [frequency]", violated, drawn=seen)
WRONG, NAIVE = (naive_likelihood, epsilon_overstated), (naive_likelihood,)
EVERY_MEMBER: Mapping[str, str] = dict.fromkeys(
    ("estimate", "algorithm"), "it is about every member of the class: nothing is fitted"
)


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, wrong: tuple[Algorithm, ...]
) -> Check:
    """A check of the maximiser's left side; a grid stands for a model of d parameters."""
    on_grid = quantity.of is on_a_grid
    settles = ["p2.lem_3_1", "p2.rem_3_2"] if on_grid else ["p2.lem_3_1"]
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=mixture_mle,
                 wrong=wrong, settles=settles)  # fmt: skip


def all_n(name: str, axis: str, words: str) -> Check:
    """A check of the inequality."""
    return Check(name=name, axis=axis, claim=Frequency(words), quantity=VIOLATED,
                 right=mixture_mle, wrong=(naive_likelihood, without_privacy_cost),
                 settles=("p2.lem_3_1", "p2.lem_b_1"), blind=EVERY_MEMBER)  # fmt: skip


CHECKS = [
    check("n_pairs", "n_pairs", Slope("worst h: {rate}", 0), CUBE, WRONG),
    check("privacy_cost", "privacy_cost", Slope("worst h: {rate}", 2), CUBE, NAIVE),
    check("num_features", "num_features", Slope("worst h: {rate} = log₂|Θ|", 1), CUBE, NAIVE),
    check("constant", "n_pairs", Ratio("worst h: n·h² times the share of wrong cells"),
          OVER_EXPECTED, NAIVE),
    check("n_pairs_grid", "n_pairs", Slope("grid: {rate}", 0), GRID, WRONG),
    check("privacy_cost_grid", "privacy_cost", Slope("grid: {rate}", 2), GRID, NAIVE),
    check("num_features_grid", "num_features", Slope("grid: {rate}", 1), GRID, NAIVE),
    check("constant_grid", "n_pairs", Ratio("grid: d·q(1−q)·c(ε)², the variance of q debiased"),
          OVER_VARIANCE, WRONG),
    all_n("all_n_random_iid", "class_size",
          "random class, iid inputs: all n ≤ T and all θ with probability ≥ 1−δ"),
    all_n("all_n_random_adaptive", "privacy_cost", "random class, adaptive inputs: the same"),
    all_n("all_n_packing_iid", "privacy_cost", "packing, iid inputs: the same"),
    all_n("all_n_packing_adaptive", "class_size", "packing, adaptive inputs: the same"),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """The worst h is interior at both ends of every sweep of the hypercube."""

    def interior(world: Cells):
        worst, inside = worst_step(world, mixture_mle(world).assumed)
        yield "worst h interior", inside, f"h = {worst:.3g}"

    return at_both_ends(interior)(swept) if swept.check.quantity.of is on_the_hypercube else ()


THEOREM = Theorem(
    title="P2 Lemma 3.1: uniform convergence of the log loss under label privacy",
    settles=["p2.lem_3_1"],
    checks=CHECKS,
    worlds={"cells": Cells, "sequences": LogSequences},
    assumes=assumes,
)
