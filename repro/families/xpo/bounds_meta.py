"""Both sides of the tuning in P2's online meta theorem (Theorem C.3) and of Theorem 5.3.

Logarithms of the class, log(|Π|T/δ), are held at one number; ≲ is read with constant 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from repro.base.notation import privacy_cost


@dataclass(frozen=True)
class Tuning:
    """What the proof of Theorem 5.3 under CTL fixes before the run.

    Attributes:
        epsilon: budget of the labels.
        corruption: α in (0, ½).
        horizon: T ≥ 3.
        kl_weight: β.
        log_class: log(|Π|T/δ).
        bounds: R_max = V_max.
        coverage: C_cov(Π).
    """

    epsilon: float
    corruption: float
    horizon: float
    kl_weight: float = 1.0
    log_class: float = 10.0
    bounds: float = 1.0
    coverage: float = 4.0

    @property
    def margin(self) -> float:
        """κ = (8(R_max + V_max)e^(2R_max))⁻²."""
        return (8 * 2 * self.bounds * math.exp(2 * self.bounds)) ** -2

    def statistical_error(self, rounds: float) -> float:
        """err = c²·log(|Π|T/δ) + t·α² after t rounds (Lemma D.2, CTL)."""
        return privacy_cost(self.epsilon) ** 2 * self.log_class + rounds * self.corruption**2

    def optimism(self, rounds: float) -> float:
        """γ = √(βκ·β·err/(T·C_cov)), with err at t = rounds: the proof prints a free t."""
        spread = self.horizon * self.coverage
        return self.kl_weight * math.sqrt(self.margin * self.statistical_error(rounds) / spread)

    def step(self, printed: bool) -> float:
        """η = βκ/(αT) as printed; βκ/(γT) as the proof of Theorem 4.8 has it."""
        scale = self.corruption if printed else self.optimism(self.horizon)
        return self.kl_weight * self.margin / (scale * self.horizon)

    def step_share(self, printed: bool) -> float:
        """η(t−1)/2 at t = T over βκ/γ: at most 1, or eq. (6) does not cover the squared term."""
        allowed = self.kl_weight * self.margin / self.optimism(self.horizon)
        return self.step(printed) * (self.horizon - 1) / 2 / allowed

    def guarantee(self, rounds: float) -> float:
        """Right side of Theorem C.3 at η = βκ/(γT), γ with err at t = rounds."""
        log_horizon, gamma = math.log(self.horizon), self.optimism(rounds)
        eta = self.kl_weight * self.margin / (gamma * self.horizon)
        constant = privacy_cost(self.epsilon) ** 2 * self.log_class * log_horizon
        squared = constant + self.horizon * self.corruption**2
        optimism = 2 * self.bounds * math.sqrt(self.log_class / self.horizon)
        return (
            self.bounds / self.horizon
            + self.coverage * log_horizon / (eta * self.horizon)
            + eta * self.bounds**2
            + self.kl_weight * squared / (gamma * self.horizon)
            + optimism
        )

    def stated(self) -> float:
        """(V+R)e^(2R)·log T·√C_cov·(c·√(log(|Π|T/δ)/T) + α), the rate of Theorem 5.3, CTL."""
        noise = privacy_cost(self.epsilon) * math.sqrt(self.log_class / self.horizon)
        scale = 2 * self.bounds * math.exp(2 * self.bounds) * math.sqrt(self.coverage)
        return scale * math.log(self.horizon) * (noise + self.corruption)


def squared_error_bound(rounds: float, counted: bool) -> float:
    """What Lemma C.4 leaves of κ·E(f−f*)² for the likelihood's maximiser, over err.

    With its sign corrected the lemma says κ·E(f − f*)² ≤ err for that policy; eq. (6) needs
    (t−1)·κ·E(f − f*)² ≤ err (counted).
    """
    return 1 / rounds if counted else 1.0
