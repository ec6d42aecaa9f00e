"""What a small failure probability δ costs χPO: √log(1/δ) if β knows δ, log(1/δ) if it does not.

The two worlds of ``value_ratio``.  Known: the class is π*_β alone.  Spurious: a second policy
prefers a rare bad response; it is chosen with a probability of at least δ where π_ref(bad) is at
most of order log(1/δ)·c²/n.  So the (1−δ) quantile of the gap is exact.  And every algorithm: two
rewards that n labels confuse with a probability of at least δ.
docs/explanations/reward_range.md, Theorems 7 and 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field
from scipy.stats import binom

from repro.base.notation import privacy_cost
from repro.base.schema import Finite, Pairs, Positive, RewardBound
from repro.chipo.policy import two_arm_wrong_prob
from repro.chipo.value_ratio import DIFFERENCES
from repro.core.check import named
from repro.instances.labelled import PrivateLabels
from repro.preferences.label_law import on_arrays
from repro.preferences.two_rewards import (
    hidden_difference,
    likely_counts,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)

HALVINGS = 26


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallFailureProb(PrivateLabels):
    """The known and the spurious world at one δ.

    Attributes:
        n_pairs: n.
        log_inverse_delta: log(1/δ), at most log 1e300.
        coverage: C.
        reward_bound: R_max; V_max is twice that, so nothing is clipped.
    """

    n_pairs: Pairs
    log_inverse_delta: Positive
    coverage: Annotated[Finite, Field(gt=1)]
    reward_bound: RewardBound

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    def __post_init__(self) -> None:
        """Refuse a δ for which Theorem 7 has no difference of rewards.

        Raises:
            BadInput: log_inverse_delta.
        """
        refuse_delta(self.log_inverse_delta, self.n_pairs, self.cost)

    @property
    def failure_prob(self) -> float:
        """δ."""
        return math.exp(-self.log_inverse_delta)

    @property
    def unit(self) -> float:
        """c/√(Cn)."""
        return self.cost / math.sqrt(self.coverage * self.n_pairs)

    def win_prob(self, difference: float) -> float:
        """P(z = +1) of a pair whose rewards differ by Δ."""
        return released_win_prob(self.labels, self.channel, difference, self.epsilon)

    @property
    def rare(self) -> float:
        """The largest π_ref(bad) at which the spurious policy is chosen with probability ≥ δ."""
        chosen = float(on_arrays(self.estimate, np.ones(1), np.zeros(1))[0])
        if not chosen:
            return 0.0
        best = self.reward_bound
        reports = SpuriousReports(self.n_pairs, self.cost, best, self.win_prob(best))
        informative = _informative(reports, self.failure_prob) / self.n_pairs
        return informative / (1 + math.sqrt(1 - 2 * informative))  # 2w(1 − w) = informative

    def known_gap(self, kl_weight: float) -> float:
        """Largest gap of π*_β over rewards up to R_max."""
        rewards = np.minimum(kl_weight * self.coverage * DIFFERENCES, self.reward_bound)
        wrong = two_arm_wrong_prob(np.array(1 / self.coverage), rewards / kl_weight)
        return float((rewards * wrong).max())

    def spurious_gap(self, kl_weight: float) -> float:
        """Gap of the spurious policy in its world."""
        if not self.rare:
            return 0.0
        rare, value = np.array(self.rare), np.array(2 * self.reward_bound / kl_weight)
        return float(self.reward_bound * (1 - two_arm_wrong_prob(rare, value)))

    def hidden(self, share: float) -> float:
        """Δ with h(Δ) = share·c·√(ℓ/(n+ℓ)), ℓ = log(1/(4δ)) (Theorem 7)."""
        return hidden_difference(self.log_inverse_delta, self.n_pairs, self.cost, share)

    def confused(self, difference: float) -> float:
        """Exact chance that the likelier of (Δ, 0) and (0, Δ) is the wrong one; π_ref = ½."""
        return wrong_majority_prob(self.n_pairs, 0.5, self.win_prob(difference))


@dataclass(frozen=True)
class SpuriousReports:
    """Of the pairs of the spurious world.

    Attributes:
        n_pairs: n.
        cost: c(ε).
        reward_bound: R_max.
        win_prob: P(z = +1) for the good response.
    """

    n_pairs: int
    cost: float
    reward_bound: float
    win_prob: float

    def mistaken(self, expected: float) -> float:
        """Exact chance that the log loss prefers the spurious policy, by the expected pairs."""
        best = self.reward_bound
        true, spurious = (1 + np.tanh(np.array([best, -2 * best]) / 2) / self.cost) / 2
        win, lose = np.log(true / spurious), np.log((1 - spurious) / (1 - true))
        pairs = likely_counts(expected)
        fewer = np.ceil(pairs * lose / (win + lose)) - 1
        chance = binom.pmf(pairs, self.n_pairs, expected / self.n_pairs)
        return float(chance @ binom.cdf(fewer, pairs, self.win_prob))


@lru_cache(maxsize=64)
def _informative(reports: SpuriousReports, failure_prob: float) -> float:
    """The largest expected number of pairs at which a mistake has probability ≥ δ."""
    low, high = 0.0, math.log(reports.n_pairs / 4)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        likely = reports.mistaken(math.exp(middle)) >= failure_prob
        low, high = (middle, high) if likely else (low, middle)
    return math.exp(low)


def gap_quantile(world: SmallFailureProb, kl_weight: float) -> float:
    """Larger (1−δ) quantile of the gap of both worlds."""
    return max(world.known_gap(kl_weight), world.spurious_gap(kl_weight))


def knows_delta(world: SmallFailureProb) -> float:
    """β ∝ √log(|Π|/δ), as in the proof of Theorem 4.4; |Π| = 2."""
    return gap_quantile(world, world.unit * math.sqrt(world.log_inverse_delta + math.log(2)))


def free_of_delta(world: SmallFailureProb) -> float:
    """β that does not know δ."""
    return gap_quantile(world, world.unit)


def confusion(world: SmallFailureProb, share: float) -> float:
    """δ over the chance that the best test of two rewards errs; at most 1."""
    error = world.confused(world.hidden(share))
    kept = float(on_arrays(world.estimate, np.ones(1), np.zeros(1))[0])
    return world.failure_prob / max(kept * error, 1e-308)


root_of_log = named("root_of_log", confusion, share=1.0)
root_of_log_doubled = named("root_of_log_doubled", confusion, share=2.0)
"""Wrong: a difference twice as large."""
