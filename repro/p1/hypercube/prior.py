"""The hypercube {±1}^S of P1's lower bound as a prior, with the law of a private label."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from repro.base.notation import flip_prob, label_signal
from repro.labels.preferences.label_law import Channel, LabelLaw, bradley_terry, randomized_response


@dataclass(frozen=True)
class HypercubePrior:
    """Steps 1 and 2 of the proof of Theorem 4.5 (P1, appendix B), the corner v uniform.

    π_ref(−1|s) = 1/C and r_v(s, −1) − r_v(s, +1) = b + v_s·a with b = kl_weight·log(C−1), so that
    π*_v(−1|s) = sigmoid(v_s·a/kl_weight).

    Attributes:
        num_states: S ≥ 1, uniform.
        coverage: C > 2.
        kl_weight: 1/β.
        reward_bound: B.
        tilt: a in (0, B/2).
        epsilon: budget of the labels, in (0, inf].
    """

    num_states: int
    coverage: float
    kl_weight: float
    reward_bound: float
    tilt: float
    epsilon: float

    def under_uniform_reference(self) -> HypercubePrior:
        """The same where both responses are equally likely under π_ref: C = 2."""
        return replace(self, coverage=2.0)

    @property
    def base(self) -> float:
        """b, the mean reward difference; the proof needs b < B/2."""
        return self.kl_weight * math.log(self.coverage - 1)

    @property
    def cell_prob(self) -> float:
        """Probability that a draw is a pair of state s with both responses: 2(C−1)/(S·C²)."""
        return 2 * (self.coverage - 1) / (self.num_states * self.coverage**2)

    @property
    def log_odds(self) -> float:
        """a/kl_weight: log odds of π*_v at v_s = +1."""
        return self.tilt / self.kl_weight

    @property
    def clean_win_prob(self) -> tuple[float, float]:
        """P(y prefers −1) at v_s = +1 and −1, before the randomizer."""
        above, below = (1 / (1 + math.exp(-(self.base + v * self.tilt))) for v in (1, -1))
        return above, below

    def win_prob(self, epsilon: float) -> tuple[float, float]:
        """P(z prefers −1) at v_s = +1 and −1, for labels of budget ``epsilon``."""
        above, below = self.clean_win_prob
        flip, signal = flip_prob(epsilon), label_signal(epsilon)
        return flip + signal * above, flip + signal * below

    @cached_property
    def pair_kl(self) -> float:
        """Exact KL(P_v‖P_v′) of one private record where v and v′ differ in one state.

        The larger of the two directions.
        """
        q, p = self.win_prob(self.epsilon)
        return self.cell_prob * max(bernoulli_kl(q, p), bernoulli_kl(p, q))


def bernoulli_kl(q: float, p: float) -> float:
    """KL(Bern(q)‖Bern(p)) for q, p in (0, 1), accurate where they are close.

    >>> round(bernoulli_kl(0.5, 0.25), 12) == round(0.5 * math.log(4 / 3), 12)
    True
    """
    d = p - q
    return max(0.0, -q * _log1p_rest(d / q) - (1 - q) * _log1p_rest(-d / (1 - q)))


def _log1p_rest(x: float) -> float:
    """log(1 + x) − x: the linear parts of the two terms of a KL cancel exactly."""
    if abs(x) < 1e-3:
        return x * x * (-1 / 2 + x / 3 - x * x / 4 + x**3 / 5)
    return math.log1p(x) - x


def draw_counts(
    prior: HypercubePrior,
    rng: np.random.Generator,
    n_pairs: int,
    replicates: int,
    labels: LabelLaw = bradley_terry,
    channel: Channel = randomized_response,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners and the private labels they give, exactly, as counts.

    Args:
        prior: the hypercube.
        rng: the block's stream.
        n_pairs: n.
        replicates: R.
        labels: what labels are drawn from.
        channel: who randomizes them.

    Returns:
        (R, S) each: signs v, informative pairs m and privatised wins k of response −1.
    """
    shape = (replicates, prior.num_states)
    signs = rng.choice([-1.0, 1.0], size=shape)
    cells = np.full(prior.num_states + 1, prior.cell_prob)
    cells[-1] = 1.0 - prior.num_states * prior.cell_prob
    pairs = rng.multinomial(n_pairs, cells, size=replicates)[:, :-1]
    clean = torch.tensor(prior.clean_win_prob, dtype=torch.float64)
    above, below = channel(labels(clean), prior.epsilon).tolist()
    wins = rng.binomial(pairs, np.where(signs > 0, above, below))
    return signs, pairs.astype(float), wins.astype(float)
