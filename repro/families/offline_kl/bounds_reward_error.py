"""The events and the in-sample bound (19) behind P1's Lemma B.1, on the class where they are worst.

One state, two responses, rewards (B, 0), the truth, and (0, B).  A pair holds two different
responses with probability p = 2π(1−π) ≤ ½ and says nothing otherwise, so the number m of telling
pairs is binomial, and given m the private labels are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy import stats

from repro.base.notation import label_signal, privacy_cost
from repro.instances.two_arms import TwoArmWorld
from repro.preferences.label_counts import LabelCounts, private_win_prob
from repro.preferences.label_law import Estimate, as_fitted
from repro.preferences.label_process import AS_STATED, LabelProcess

CLASS_SIZE = 2
UNHEARD = 1e-22
"""Share of a sum's largest term below which terms are left out; there are thousands at most."""


@dataclass(frozen=True)
class OppositeRewards:
    """The class and its data.

    Attributes:
        reward_bound: B.
        epsilon: budget of the labels.
        n_pairs: n.
        telling_prob: p in (0, ½].
        log_term: log(N/δ), N = 2; at least log 2.
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    n_pairs: int
    telling_prob: float
    log_term: float
    process: LabelProcess = AS_STATED

    @property
    def failure_prob(self) -> float:
        """δ = N·exp(−log_term)."""
        return CLASS_SIZE * math.exp(-self.log_term)

    def population_boundary(self, factor: float) -> float:
        """How far m may fall below n·p by eq. (20), in units of (2B)².

        Args:
            factor: k in √(k·n·B²·log(N/δ)·E Δ²): 4 as printed; 8 by Freedman's inequality, whose
                2·v is 2·4B²·n·E Δ².
        """
        root = math.sqrt(factor / 4 * self.n_pairs * self.telling_prob * self.log_term)
        return root + 2 / 3 * self.log_term

    def population_failure(self, factor: float) -> float:
        """P(eq. (20) fails)."""
        highest = self.n_pairs * self.telling_prob - self.population_boundary(factor)
        return float(stats.binom.cdf(math.ceil(highest) - 1, self.n_pairs, self.telling_prob))

    def in_sample_limit(self, printed: bool) -> float:
        """The largest m·(2B)² that eq. (19) allows, over log(N/δ), as printed or corrected."""
        inverse = 2 + 2 * math.cosh(self.reward_bound)
        constant = 4 * inverse if printed else 16 * inverse**2
        return constant * privacy_cost(self.epsilon) ** 2

    def mistake_prob(self, telling: np.ndarray) -> np.ndarray:
        """P(the private MLE is the wrong reward | m); ties count as mistakes."""
        right = self.process.win_prob(self.reward_bound, self.epsilon)
        return stats.binom.cdf(telling // 2, telling, right)

    def either_fails(self, printed: bool) -> float:
        """P(eq. (19) or eq. (20) fails), both with the printed or both with the right constants."""
        m = np.arange(self.n_pairs + 1)
        below = m < self.n_pairs * self.telling_prob - self.population_boundary(4 if printed else 8)
        squared = m * (2 * self.reward_bound) ** 2
        above = (squared > self.in_sample_limit(printed) * self.log_term) & ~below
        prob, fails, some = np.zeros(len(m)), below.astype(float), below | above
        if some.any():
            prob[some] = stats.binom.pmf(m[some], self.n_pairs, self.telling_prob)
        if above.any():
            heard = above & self._heard(np.where(above, prob, 0.0))
            fails[heard] = self.mistake_prob(m[heard])
        return float(prob @ fails)

    def _heard(self, prob: np.ndarray) -> np.ndarray:
        """Where Σ prob·mistake_prob has terms that its largest does not drown out.

        The largest is at least that at the likeliest m, and a mistake there at least as likely
        as ⌊m/2⌋ right labels, (1−r)·(4r(1−r))^⌊m/2⌋/(m+1) or more with r the larger chance.
        """
        likeliest = int(prob.argmax())
        right = self.process.win_prob(self.reward_bound, self.epsilon)
        wrong = min(right, 1 - right)
        least = wrong * (4 * wrong * (1 - wrong)) ** (likeliest // 2) / (likeliest + 1)
        return prob >= UNHEARD * least * prob[likeliest]


JUST_ABOVE = 1.1
"""Squared distance of the two rewards over the bound, at the mean number of pairs."""


def printed_bound(reward_bound: float, epsilon: float, log_term: float) -> float:
    """4(1+e^B)²/((2α−1)²e^B)·(log(N/δ) + 2τn), as printed."""
    growth = (1 + math.exp(reward_bound)) ** 2 / math.exp(reward_bound)
    return 4 * growth * log_term / label_signal(epsilon) ** 2


def corrected_bound(reward_bound: float, epsilon: float, log_term: float) -> float:
    """16(1+e^B)⁴/((2α−1)²e^2B)·(…): σ′² for σ′ in (15), and 1/16 for 1/4 in step (b) of (18)."""
    growth = (1 + math.exp(reward_bound)) ** 2 / math.exp(reward_bound)
    return 16 * growth**2 * log_term / label_signal(epsilon) ** 2


def bound_fails(
    world: TwoArmWorld,
    bound: Callable[[float, float, float], float],
    epsilon: float,
    failure_prob: float,
    n_pairs: int,
    counts: LabelCounts,
    estimate: Estimate = as_fitted,
) -> np.ndarray:
    """1.0 where Σ(Δ_r* − Δ_r̄)² exceeds a bound, r̄ the private MLE in a class of two rewards.

    The class holds the truth and a reward just far enough away to break the bound if chosen, so
    no class of two is worse for it.  Its N is 2, and τ = 0: the class is its own net.

    Args:
        world: one state, two responses.
        bound: ``printed_bound`` or ``corrected_bound``.
        epsilon: budget of the labels.
        failure_prob: δ.
        n_pairs: n.
        counts: (R, 1) privatised labels of n pairs.
        estimate: (fitted, truth) → how far the chosen reward is from the truth.
    """
    allowed = bound(world.reward_bound, epsilon, math.log(2 / failure_prob))
    distance = math.sqrt(JUST_ABOVE * allowed / (n_pairs * float(world.cell_prob[0])))
    pairs, wins = counts.pairs[:, 0], counts.wins[:, 0]
    true, other = (
        float(private_win_prob(world.reward_diff - shift, epsilon)[0]) for shift in (0, distance)
    )
    step = other - true
    gain = wins * math.log1p(step / true) + (pairs - wins) * math.log1p(-step / (1 - true))
    chosen = estimate(torch.where(gain > 0, distance, 0.0), torch.zeros(1))
    return (pairs * chosen**2 > allowed).double().cpu().numpy()
