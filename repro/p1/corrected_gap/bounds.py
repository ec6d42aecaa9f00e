"""The corrected Theorem 4.2: upper bounds, lower bound, and the bonus that goes with them.

Everywhere W(B, ε) = ``inverse_information(B, ε)``.  Proofs: docs/explanations/
corrected_theorem_4_2.md, whose theorems the functions name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.labels.preferences.label_information import inverse_information, log_likelihood_slope

HELLINGER = 8.0
"""(Δ − Δ′)² ≤ 8·W·(1 − affinity) of two private labels (Lemma 2); no smaller constant will do."""
LARGEST_TILT = 0.1
"""Half width of the cube behind the lower bound at large n, and what B leaves above b."""
LARGE = 10.0
"""At large n the prior of the lower bound has at most a tenth of the data's information."""
AT_LARGE_N = 0.0889
"""The lower bound at large n is this times β·W(b)/(n·q): σ′(½)/(2·(e^0.2 + 0.1)), rounded down."""
CONSTANTS_APART = 14.0
"""Upper over lower bound at large n, at most."""


def squared_error(
    reward_bound: float, epsilon: float, log_term: float, n_pairs: float, net_radius: float
) -> float:
    """ē: E_{d₀×π_ref}(r̄ − b − r*)² of the private MLE stays below it with probability ≥ 1−δ.

    ½·(√(8·W·(L/n + τ·tanh(ε/4))) + 2τ)² (Theorem 2).

    Args:
        reward_bound: B.
        epsilon: privacy budget in (0, inf].
        log_term: L = log(N(τ)/δ).
        n_pairs: n.
        net_radius: τ; 0 for a finite class.
    """
    likelihood = log_term / n_pairs + net_radius * log_likelihood_slope(epsilon)
    root = math.sqrt(HELLINGER * inverse_information(reward_bound, epsilon) * likelihood)
    return (root + 2 * net_radius) ** 2 / 2


@dataclass(frozen=True)
class Cell:
    """One state of the table: how often its pair is drawn, and what the gap weighs it with.

    Attributes:
        kl_weight: 1/β.
        share: q, probability that a draw is a pair of this state with both responses.
        epsilon: budget of the labels.
    """

    kl_weight: float
    share: float
    epsilon: float

    def upper(self, reward_bound: float, n_pairs: float) -> float:
        """β·W(B)/((n+1)·q): mean gap of the MLE in this state, for every n (Theorem 5)."""
        spread = inverse_information(reward_bound, self.epsilon)
        return HELLINGER / 8 * spread / ((n_pairs + 1) * self.share * self.kl_weight)

    def lower(self, base: float, tilt: float, n_pairs: float) -> float:
        """What every learner's worst case is at least, for every n (Theorem 6).

        (β/2)·σ′(βa)/(n·q·max I + π²/a²), max I over differences within a of b.

        Args:
            base: b, where the cube of differences is centred.
            tilt: a, its half width; rewards must leave room for b + a.
            n_pairs: n.
        """
        least = inverse_information(max(base - tilt, 0.0), self.epsilon)
        odds = tilt / self.kl_weight
        slope = 1 / (4 * math.cosh(odds / 2) ** 2)
        information = n_pairs * self.share / least + (math.pi / tilt) ** 2
        return slope / (2 * self.kl_weight * information)

    def lower_at_large_n(self, base: float, n_pairs: float) -> float:
        """0.0889·β·W(b)/(n·q), from ``large(base)`` labels on (Theorem 6)."""
        spread = inverse_information(base, self.epsilon)
        return AT_LARGE_N * spread / (n_pairs * self.share * self.kl_weight)

    @property
    def tilt(self) -> float:
        """a = min{1/10, 1/(2β)}, the half width behind ``lower_at_large_n``."""
        return min(LARGEST_TILT, self.kl_weight / 2)

    def large(self, base: float) -> float:
        """n₀ = 10·π²·W(b)/(a²·q)."""
        spread = inverse_information(base, self.epsilon)
        return LARGE * (math.pi / self.tilt) ** 2 * spread / self.share


def hypercube_cell(num_states: int, coverage: float, kl_weight: float, epsilon: float) -> Cell:
    """A state of P1's hypercube: π_ref(−1|s) = 1/C and uniform d₀, q = 2(C−1)/(S·C²)."""
    share = 2 * (coverage - 1) / (num_states * coverage**2)
    return Cell(kl_weight, share, epsilon)


def algorithm_1_upper(concentrability: float, kl_weight: float, error: float) -> float:
    """2·β·D²_π*·ē: gap of Algorithm 1 with the repaired bonus, with probability ≥ 1−δ (Theorem 3).

    Args:
        concentrability: D²_π*.
        kl_weight: 1/β.
        error: ē, by ``squared_error``.
    """
    return 2 * concentrability * error / kl_weight
