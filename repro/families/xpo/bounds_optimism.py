"""Both sides of the two lemmas behind P2's online meta theorem, on two responses."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from scipy import stats

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.preferences.label_law import Channel, LabelLaw, bradley_terry, randomized_response


@dataclass(frozen=True)
class TwoPolicies:
    """One state, two responses, π_ref uniform, and a class of the optimal and one other policy.

    f_π is the implicit reward difference β·log π/π_ref between the responses; both policies keep
    |β·log π/π_ref| ≤ |f_π|.

    Attributes:
        optimal: f of π*_β, the true reward difference.
        other: f of the other policy.
        epsilon: budget of the labels.
        failure_prob: δ.
    """

    optimal: float
    other: float
    epsilon: float
    failure_prob: float

    @property
    def margin(self) -> float:
        """κ = (8(R_max + V_max)e^(2R_max))⁻² (P2, Theorem C.3)."""
        reward, ratio = abs(self.optimal), max(abs(self.optimal), abs(self.other))
        return (8 * (reward + ratio) * math.exp(2 * reward)) ** -2

    def win_prob(self, difference: float) -> float:
        """P(ỹ = +1) of a private label of a pair of the two responses, under a policy's f."""
        clean = 1 / (1 + math.exp(-difference))
        return flip_prob(self.epsilon) + label_signal(self.epsilon) * clean

    def log_likelihood_excess(
        self,
        rng: np.random.Generator,
        rounds: int,
        replicates: int,
        labels: LabelLaw = bradley_terry,
        channel: Channel = randomized_response,
    ) -> np.ndarray:
        """(R,) L̂_XPO(π) − L̂_XPO(π*) of Algorithm 2 after t − 1 rounds, π the other policy.

        Half of the pairs hold two different responses; the others say nothing.

        Args:
            rng: the block's stream.
            rounds: t − 1.
            replicates: R.
            labels: what labels are drawn from.
            channel: who randomizes them.
        """
        pairs = rng.binomial(rounds, 0.5, replicates)
        true, wrong = self.win_prob(self.optimal), self.win_prob(self.other)
        clean = torch.tensor(1 / (1 + math.exp(-self.optimal)), dtype=torch.float64)
        wins = rng.binomial(pairs, float(channel(labels(clean), self.epsilon)))
        return wins * math.log(wrong / true) + (pairs - wins) * math.log((1 - wrong) / (1 - true))

    def likelihood_rate(self) -> float:
        """lim of (L̂_XPO(π*) − L̂_XPO(π))/(t − 1): half of KL between the labels' two laws."""
        true, wrong = self.win_prob(self.optimal), self.win_prob(self.other)
        win, loss = true * math.log(true / wrong), (1 - true) * math.log((1 - true) / (1 - wrong))
        return (win + loss) / 2

    def likelihood_lemma_fails(self, excess: np.ndarray, rounds: int, printed: bool) -> np.ndarray:
        """1.0 where Lemma C.4 fails for the other policy.

        Printed: κ·E(f − f*)² ≤ c²(L̂(π) − L̂(π*)) + err.  Corrected: (t−1)·κ·E(f − f*)² ≤
        c²(L̂(π*) − L̂(π)) + 2·err.  err = c²·log(|Π|T/δ), |Π| = 2 and T = t − 1.
        """
        scale = privacy_cost(self.epsilon) ** 2
        err = scale * math.log(2 * rounds / self.failure_prob)
        left = self.margin * 0.5 * (self.other - self.optimal) ** 2
        if printed:
            return np.where(left > scale * excess + err, 1.0, 0.0)
        return np.where(rounds * left > -scale * excess + 2 * err, 1.0, 0.0)


def optimism_term_failure(
    rounds: int, ratio_bound: float, constant: float, log_term: float
) -> float:
    """Exact P(Lemma C.5 fails) for the pair of policies where it is tightest.

    Two equally likely responses; π/π_ref is 2 − e^−v and e^−v, π*/π_ref the reverse, so that
    log(π/π*) is ±L with mean 0 under π_ref, L ≈ 2v for small v = V_max/β.

    Args:
        rounds: t − 1.
        ratio_bound: v > 0.
        constant: in front of the root; 1 as printed, √8 by Hoeffding's inequality.
        log_term: log(|Π|/δ).
    """
    step = math.log((2 - math.exp(-ratio_bound)) / math.exp(-ratio_bound))
    boundary = constant * ratio_bound / step * math.sqrt(rounds * log_term)
    return float(stats.binom.sf(math.floor((rounds + boundary) / 2), rounds, 0.5))
