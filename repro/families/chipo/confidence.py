"""What a small failure probability δ costs χPO: √log(1/δ) if β knows δ, log(1/δ) if it does not.

The two worlds of ``value_ratio``.  Known: the class is π*_β alone.  Spurious: a second policy
prefers a rare bad response; it is chosen with a probability of at least δ where π_ref(bad) is at
most of order log(1/δ)·c²/n.  So the (1−δ) quantile of the gap is exact.  And every algorithm: two
rewards that n labels confuse with a probability of at least δ.
docs/explanations/reward_range.md, Theorems 7 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import binom

from repro.chipo.policy import two_arm_wrong_prob
from repro.families.chipo.cases_two_policies import TwoPolicyCase
from repro.families.chipo.value_ratio import DIFFERENCES
from repro.preferences.label_law import on_arrays
from repro.preferences.two_rewards import (
    hidden_difference,
    likely_counts,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)
from repro.study.row import Method, method

HALVINGS = 26


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfidenceCase(TwoPolicyCase):
    """One δ.

    Attributes:
        log_inverse_delta: log(1/δ), at most log 1e300.
        coverage: C.
        reward_bound: R_max; V_max is twice that, so nothing is clipped.
    """

    log_inverse_delta: float
    coverage: float
    reward_bound: float

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
        reports = _Reports(self.n_pairs, self.cost, best, self.win_prob(best))
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
class _Reports:
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
def _informative(reports: _Reports, failure_prob: float) -> float:
    """The largest expected number of pairs at which a mistake has probability ≥ δ."""
    low, high = 0.0, math.log(reports.n_pairs / 4)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        likely = reports.mistaken(math.exp(middle)) >= failure_prob
        low, high = (middle, high) if likely else (low, middle)
    return math.exp(low)


@method
def knows_delta(case: ConfidenceCase) -> float:
    """β ∝ √log(|Π|/δ), as in the proof of Theorem 4.4; |Π| = 2."""
    return case.unit * math.sqrt(case.log_inverse_delta + math.log(2))


@method
def free_of_delta(case: ConfidenceCase) -> float:
    """β that does not know δ."""
    return case.unit


def gap_quantile(
    case: ConfidenceCase, tuned: Method[Callable[[ConfidenceCase], float]], rng: object, _: int
) -> float:
    """Larger (1−δ) quantile of the gap of both worlds."""
    kl_weight = tuned.run(case)
    return max(case.known_gap(kl_weight), case.spurious_gap(kl_weight))


root_of_log: Method[float] = Method("root_of_log", 1.0)
root_of_log_doubled: Method[float] = Method("root_of_log_doubled", 2.0)


def confusion(case: ConfidenceCase, share: Method[float], rng: object, _: int) -> float:
    """δ over the chance that the best test of two rewards errs; at most 1."""
    error = case.confused(case.hidden(share.run))
    kept = float(on_arrays(case.estimate, np.ones(1), np.zeros(1))[0])
    return case.failure_prob / max(kept * error, 1e-308)
