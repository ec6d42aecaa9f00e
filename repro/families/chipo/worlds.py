"""Two responses a state, the better one rare: the world on which χPO attains its rate (P2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from repro.chipo.policy import two_arm_wrong_prob


@dataclass(frozen=True)
class RareGoodArm:
    """S equally likely states; the better response has π_ref = 1/C, so C^π* = C (P2, Def. 4.3).

    Attributes:
        num_states: S.
        coverage: C > 1.
        reward_bound: R_max; the reward difference Δ lies in (0, R_max].
    """

    num_states: int
    coverage: float
    reward_bound: float

    @property
    def good_reference(self) -> float:
        """π_ref of the better response."""
        return 1.0 / self.coverage

    def under_uniform_reference(self) -> RareGoodArm:
        """The same where both responses are equally likely under π_ref: C^π* = 2."""
        return replace(self, coverage=2.0)

    @property
    def pair_prob(self) -> float:
        """Probability that two draws from π_ref differ."""
        return 2 * self.good_reference * (1 - self.good_reference)

    def draw_pairs(self, rng: np.random.Generator, n_pairs: int, replicates: int) -> np.ndarray:
        """(R, S) number of informative pairs a state, of ``n_pairs`` prompts."""
        each = np.full(self.num_states + 1, self.pair_prob / self.num_states)
        each[-1] = 1 - self.pair_prob
        return rng.multinomial(n_pairs, each, size=replicates)[:, :-1]

    def floor(self, corruption: float, tuning: float) -> tuple[float, float]:
        """Δ of the largest χPO gap at n = ∞ under CTL, β = tuning·α/√C, and that gap (P2, Thm 5.2).

        The worst Huber adversary leaves E[y] = (1−α)h − α of h = tanh(Δ/2), so Δ̂ is 2·artanh of it.

        Args:
            corruption: α > 0.
            tuning: the factor of β.
        """
        ladder = gap_ladder(self.reward_bound, smallest=corruption / 10, rungs=20001)
        mean = (1 - corruption) * np.tanh(ladder / 2) - corruption
        scaled = 2 * np.arctanh(mean) * np.sqrt(self.coverage) / (tuning * corruption)
        gap = ladder * two_arm_wrong_prob(np.array(self.good_reference), scaled)
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
