"""What a small failure probability δ costs χPO: √log(1/δ) if β knows δ, log(1/δ) if it does not.

The spurious world of ``value_ratio``: a second policy prefers a rare bad response; it is chosen
with a probability of at least δ where π_ref(bad) is at most of order log(1/δ)·c²/n.  The third,
π_ref, has no opinion.  So the (1−δ) quantile of the gap is exact.  And every algorithm: two rewards
that n labels confuse with a probability of at least δ.
docs/explanations/reward_range.md, Theorems 7 and 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Literal

import numpy as np
import scipy
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Finite, Pairs, Positive, RewardBound
from repro.core.check import named
from repro.labels.preferences.label_law import on_arrays
from repro.labels.preferences.two_rewards import (
    hidden_difference,
    likely_counts,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)
from repro.p2.chipo.policy import two_arm_wrong_prob
from repro.p2.chipo.value_ratio import LARGEST_RARE
from repro.worlds.instances.labelled import PrivateLabels

HALVINGS = 26
Policy = Literal["spurious", "unsure"]
POLICIES: tuple[Policy, Policy] = ("spurious", "unsure")


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallFailureProb(PrivateLabels):
    """The spurious world at one δ.

    Attributes:
        n_pairs: n.
        log_inverse_delta: log(1/δ), at most log 1e300.
        coverage: C, which β is tuned for.
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
    def rarest(self) -> tuple[float, float]:
        """The largest w at which the spurious policy, and π_ref, is chosen with probability ≥ δ."""
        sign = float(on_arrays(self.estimate, np.ones(1), np.zeros(1))[0])
        if not sign:
            return 0.0, 0.0
        best = self.reward_bound
        reports = SpuriousReports(self.n_pairs, self.cost, best, self.win_prob(best), sign)
        spurious, unsure = (
            _largest_rare(reports, policy, self.failure_prob) for policy in POLICIES
        )
        return spurious, unsure

    def beyond(self, kl_weight: float) -> float:
        """(1−δ) quantile of the gap of the worst w, beyond that of known rewards."""
        spurious, unsure = (np.array(rare) for rare in self.rarest)
        if not spurious:
            return 0.0
        best, value = self.reward_bound, np.array(2 * self.reward_bound / kl_weight)
        played = 1 - two_arm_wrong_prob(spurious, value)
        right = [two_arm_wrong_prob(1 - rare, value / 2) for rare in (spurious, unsure)]
        return float(best * max(played - right[0], unsure - right[1]))

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
        sign: −1 for a learner that takes the worst policy for the best.
    """

    n_pairs: int
    cost: float
    reward_bound: float
    win_prob: float
    sign: float = 1.0

    def chosen(self, policy: Policy, expected: float) -> float:
        """Exact chance that a policy has the least log loss, by the expected number of pairs.

        The log loss is convex in what a policy expects, so policies win in the order of what they
        expect, and the one between the others is never the worst.
        """
        best = self.reward_bound
        means = -2 * best, 0.0, best
        wins = [(1 + np.tanh(mean / 2) / self.cost) / 2 for mean in means]
        pairs = likely_counts(expected)
        chance = scipy.stats.binom.pmf(pairs, self.n_pairs, expected / self.n_pairs)
        if self.sign < 0:
            more = scipy.stats.binom.sf(_fewer(pairs, wins[0], wins[2]), pairs, self.win_prob)
            return float(chance @ more) if policy == "spurious" else 0.0
        below = scipy.stats.binom.cdf(_fewer(pairs, wins[0], wins[1]), pairs, self.win_prob)
        if policy == "spurious":
            return float(chance @ below)
        return float(
            chance
            @ (scipy.stats.binom.cdf(_fewer(pairs, wins[1], wins[2]), pairs, self.win_prob) - below)
        )


def _fewer(pairs: np.ndarray, low: float, high: float) -> np.ndarray:
    """The most wins with which the win probability ``low`` is likelier than ``high``."""
    win, lose = math.log(high / low), math.log((1 - low) / (1 - high))
    return np.ceil(pairs * lose / (win + lose)) - 1


@lru_cache(maxsize=64)
def _largest_rare(reports: SpuriousReports, policy: Policy, failure_prob: float) -> float:
    """The largest w ≤ ¼ at which a policy is chosen with probability ≥ δ."""
    low, high = 0.0, math.log(2 * LARGEST_RARE * (1 - LARGEST_RARE) * reports.n_pairs)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        likely = reports.chosen(policy, math.exp(middle)) >= failure_prob
        low, high = (middle, high) if likely else (low, middle)
    informative = math.exp(low) / reports.n_pairs
    return informative / (1 + math.sqrt(1 - 2 * informative))  # 2w(1 − w) = informative


def knows_delta(world: SmallFailureProb) -> float:
    """β ∝ √log(|Π|/δ), as in the proof of Theorem 4.4; |Π| = 3."""
    return world.beyond(world.unit * math.sqrt(world.log_inverse_delta + math.log(3)))


def free_of_delta(world: SmallFailureProb) -> float:
    """β that does not know δ."""
    return world.beyond(world.unit)


def confusion(world: SmallFailureProb, share: float) -> float:
    """δ over the chance that the best test of two rewards errs; at most 1."""
    error = world.confused(world.hidden(share))
    kept = float(on_arrays(world.estimate, np.ones(1), np.zeros(1))[0])
    return world.failure_prob / max(kept * error, 1e-308)


root_of_log = named("root_of_log", confusion, share=1.0)
root_of_log_doubled = named(
    "root_of_log_doubled", confusion, "twice the hidden difference", share=2.0
)
"""Wrong: a difference twice as large."""
