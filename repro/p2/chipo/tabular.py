"""Two responses a state, the better one rare: the world on which χPO attains its rate (P2).

The class has a free reward difference per state, so the minimiser of the mixture log loss and of
the square loss is Δ̂ = 2·artanh(c·z̄), clipped to ±2·R_max.  The worst reward difference of a
ladder is chosen before any draw, from the exact mean and variance of z̄ by quadrature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from repro.base.schema import Count, Finite, RewardBound
from repro.labels.preferences.label_law import on_arrays, the_truth
from repro.p2.chipo.labels import CorruptedChipoLabels
from repro.p2.chipo.policy import two_arm_wrong_prob

NODES = np.linspace(-8.0, 8.0, 401)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()
REFINED = 61
"""Rungs of the second, finer ladder around the first one's maximum."""


@dataclass(frozen=True, kw_only=True)
class RareGoodResponse(CorruptedChipoLabels):
    """S equally likely states; the better response has π_ref = 1/C, so C^π* = C (P2, Def. 4.3).

    Attributes:
        num_states: S.
        coverage: C > 1.
        reward_bound: R_max; the reward difference Δ lies in (0, R_max].
        finite_class: whether the class is {±Δ}^S instead of all differences.
        reference: as it is stated, or uniform: both responses equally likely, C^π* = 2.
    """

    num_states: Count
    coverage: Annotated[Finite, Field(gt=1)]
    reward_bound: RewardBound
    finite_class: bool = False
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def covered(self) -> float:
        """C^π* in force."""
        return self.coverage if self.reference == "as_stated" else 2.0

    @property
    def good_reference(self) -> float:
        """π_ref of the better response."""
        return 1.0 / self.covered

    @property
    def pair_prob(self) -> float:
        """Probability that two draws from π_ref differ."""
        return 2 * self.good_reference * (1 - self.good_reference)

    @property
    def kl_weight(self) -> float:
        """β (P2, Theorem C.1: β ∝ err_stat/√C)."""
        if not self.tunes:
            return self.fixed_kl_weight
        error = self.reports.cost * np.sqrt(self.num_states / self.n_pairs)
        if self.knows_corruption:
            error += self.believed_bias
        return self.tuning * error / np.sqrt(self.covered)

    def fitted(self, mean: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """Δ̂ from z̄; ``difference`` is the true Δ, also that of a finite class {±Δ}^S."""
        mean = self.sign * mean
        if self.finite_class:
            estimate = difference * np.where(mean >= 0, 1.0, -1.0)
        else:
            limit = np.tanh(self.reward_bound)
            estimate = 2 * np.arctanh(np.clip(self.believed_cost * mean, -limit, limit))
        return on_arrays(self.estimate, estimate, difference)

    def gap(self, mean: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """J(π*) − J(π̂) of each state: Δ·π̂(worse response)."""
        scaled = self.fitted(mean, difference) / self.kl_weight
        return difference * two_arm_wrong_prob(np.array(self.good_reference), scaled)

    def expected_gaps(self, ladder: np.ndarray) -> np.ndarray:
        """(K,) E[gap] on a ladder with z̄ normal, by quadrature."""
        mean = self.reports.mean(np.tanh(ladder / 2))
        count = self.n_pairs * self.pair_prob / self.num_states
        spread = np.sqrt((1 - mean**2) / count)
        nodes = np.clip(mean[:, None] + spread[:, None] * NODES, -1, 1)
        return self.gap(nodes, ladder[:, None]) @ WEIGHTS

    def draw_pairs(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R, S) number of informative pairs a state, of n prompts."""
        each = np.full(self.num_states + 1, self.pair_prob / self.num_states)
        each[-1] = 1 - self.pair_prob
        return rng.multinomial(self.n_pairs, each, size=replicates)[:, :-1]

    def draw_means(
        self, difference: np.ndarray, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(R, S) z̄ of simulated datasets; 0 in a state without pairs."""
        pairs = self.draw_pairs(rng, replicates)
        win = (1 + self.reports.mean(np.tanh(difference / 2))) / 2
        wins = rng.binomial(pairs, np.clip(win, 0, 1))
        return (2.0 * wins - pairs) / np.maximum(pairs, 1)

    def simulate(
        self, difference: np.ndarray, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(R,) gap of simulated datasets, averaged over states."""
        return self.gap(self.draw_means(difference, rng, replicates), difference).mean(axis=1)

    def gaps(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return self.simulate(np.array(worst_difference(self)[0]), rng, replicates)

    def informed_gap(self) -> float:
        informed = replace(self, estimate=the_truth)
        return float(informed.gap(np.array(0.0), np.array(worst_difference(self)[0])))

    def interior(self) -> tuple[bool, str]:
        worst, inside = worst_difference(self)
        return inside, f"worst Δ = {worst:.3g} inside (0, R_max]"


@lru_cache(maxsize=4096)
def worst_difference(world: RareGoodResponse) -> tuple[float, bool]:
    """The ladder's Δ of largest expected gap, and whether it is interior."""
    ladder = gap_ladder(world.reward_bound)
    best = int(np.argmax(world.expected_gaps(ladder)))
    if not 0 < best < len(ladder) - 1:
        return float(ladder[best]), False
    finer = np.geomspace(ladder[best - 1], ladder[best + 1], REFINED)
    return float(finer[np.argmax(world.expected_gaps(finer))]), True


@lru_cache(maxsize=64)
def largest_floor(world: RareGoodResponse) -> tuple[float, float]:
    """Δ of the largest χPO gap at n = ∞ under CTL, β = tuning·α/√C, and that gap (P2, Thm 5.2).

    The worst Huber adversary leaves E[y] = (1−α)h − α of h = tanh(Δ/2), so Δ̂ is 2·artanh of it.
    """
    alpha = world.corruption
    ladder = gap_ladder(world.reward_bound, smallest=alpha / 10, rungs=20001)
    mean = (1 - alpha) * np.tanh(ladder / 2) - alpha
    scaled = 2 * np.arctanh(mean) * np.sqrt(world.covered) / (world.tuning * alpha)
    gap = ladder * two_arm_wrong_prob(np.array(world.good_reference), scaled)
    return float(ladder[gap.argmax()]), float(gap.max())


def hidden_difference(corruption: float, reach: float) -> float:
    """The largest Δ that a Huber adversary turns round: (1−α)·tanh(Δ/2) = α·reach.

    Args:
        corruption: α.
        reach: of a bad label on the debiased mean: 1 under CTL, c(ε) under LTC.
    """
    return float(2 * np.arctanh(corruption * reach / (1 - corruption)))


def gap_ladder(reward_bound: float, smallest: float = 1e-9, rungs: int = 181) -> np.ndarray:
    """(K,) reward differences over which a supremum is taken, log-spaced up to R_max."""
    return np.geomspace(smallest, reward_bound, rungs)


def margin_differences(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    exponent: float,
    reward_bound: float,
    smallest: float = 1e-8,
) -> tuple[np.ndarray, np.ndarray]:
    """Reward differences with P(Δ ≤ t) = (t/R_max)^exponent, by importance sampling.

    Drawn log-uniformly above ``smallest``·R_max, so that the rare small ones are seen; averages
    take the weights (the mass left out is smallest^exponent).

    Returns:
        Differences and weights, both of ``shape``.
    """
    share = smallest ** rng.random(shape)
    return reward_bound * share, -np.log(smallest) * exponent * share**exponent
