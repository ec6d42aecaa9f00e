"""Both sides of the tuning in P2's online meta theorem (Theorem C.3) and of Theorem 5.3.

Logarithms of the class, log(|Π|T/δ), are held at one number; ≲ is read with constant 1.  The error
of the private likelihood's maximiser is taken over a grid of policies of two responses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)


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


TRUTH, LARGEST, STEPS = 1.0, 3.0, 24001


def squared_error_of_maximiser(
    rng: np.random.Generator,
    rounds: int,
    epsilon: float,
    flipped: bool,
    replicates: int,
    labels: LabelLaw = bradley_terry,
    channel: Channel = randomized_response,
    estimate: Estimate = as_fitted,
) -> np.ndarray:
    """(R,) E_μ(f_π̂ − f*)² after t − 1 rounds of pairs from π_ref ⊗ π_ref, π_ref uniform.

    f_π, the implicit reward difference of the two responses, is on a grid of [−3, 3] that holds
    f* = 1; half of the pairs hold two different responses.

    Args:
        rng: the block's stream.
        rounds: t − 1.
        epsilon: budget that the learner believes in.
        flipped: the learner reads labels the wrong way round.
        replicates: R.
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimate: (fitted, true) f → what the learner returns.
    """
    grid = np.linspace(-LARGEST, LARGEST, STEPS)
    prob = flip_prob(epsilon) + label_signal(epsilon) / (1 + np.exp(-grid))
    clean = torch.tensor(1 / (1 + math.exp(-TRUTH)), dtype=torch.float64)
    pairs = np.maximum(rng.binomial(rounds, 0.5, replicates), 1)
    wins = rng.binomial(pairs, float(channel(labels(clean), epsilon)))
    share = (pairs - wins if flipped else wins) / pairs
    fitted = torch.from_numpy(grid[_nearest(prob, share)])
    found = estimate(fitted, torch.tensor(TRUTH, dtype=torch.float64)).numpy()
    return 0.5 * (found - TRUTH) ** 2


def _nearest(increasing: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of some increasing values."""
    right = np.clip(np.searchsorted(increasing, wanted), 1, len(increasing) - 1)
    below = wanted - increasing[right - 1] < increasing[right] - wanted
    return np.where(below, right - 1, right)
