"""The events and the in-sample bound (19) behind P1's Lemma B.1, on the class where they are worst.

One state, two responses, rewards (B, 0), the truth, and (0, B).  A pair holds two different
responses with probability p = 2π(1−π) ≤ ½ and says nothing otherwise, so the number m of telling
pairs is binomial, and given m the private labels are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from repro.base.notation import privacy_cost
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
