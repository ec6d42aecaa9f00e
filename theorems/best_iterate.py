"""P2 Theorems 4.8 and 5.3 at small rewards: the best iterate, on many states.

Statements (Theorem 4.8; Theorem 5.3 at α = 0).  With a proper γ the best iterate by J_β of
Algorithm 2, and of Algorithm 4 with its sign corrected, has with probability at least 1−δ

    J_β(π*_β) − J_β(π̂) ≲ (V_max + R_max)·e^{2R_max}·log T·√(C_cov·log(|Π|T/δ)/T)·c(ε).

An unstated condition, R_max ≥ 1 (Lemma C.7, on which the proof rests, prints it): below it the
factor goes to 0 with the rewards, the price of an inverse sigmoid does not.  ``private_xpo`` and
``square_xpo`` show this of the average iterate; on their world of one state the best one is exact
nearly always.  Here are S states, two responses in each, π_ref even, rewards (R, 0) or (0, R) by
state, β = R/2, and Π the 2^S policies with log odds ±2 in every state.  No iterate is right in all
states while labels do not tell: at T = 9S·c(ε)²/R² the best one, of three γ over four decades and
in hindsight, lies above the printed bound with constant 1, and by more the smaller R is (checks
``printed_*``).  A learner that learns nothing would refute the bound too, so only runs count whose
best iterate is at least 5 % nearer than π_ref, which is the first.

That no constant is enough, for any rule that chooses the iterates, is machine checked
(proofs/p2_theorems_4_8_5_3_small_rewards.v); checks are about these algorithms and constant 1.

The supremum over R of the best iterate's gap falls like 1/√T, as with the corrected factor, which
is of order 1 for small R_max (``own.reward_range``; checks ``rate_*``).  These checks settle
nothing about optimism: π_ref is even, so its own responses tell about every state, and a learner
with γ = 0 has the same rate (``rate_without_optimism``).

Controls read labels with the wrong sign.  What would refute the checks: a best iterate below the
printed bound; one whose supremum falls faster or slower than 1/√T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS, Count, GridRatio, Positive
from repro.core.check import Check, Quantity, Theorem, named
from repro.core.claims import Ratio, Slope
from repro.labels.preferences.block_draws import geometric_times
from repro.labels.preferences.label_law import on_arrays
from repro.labels.preferences.two_rewards import released_win_prob
from repro.p2.xpo.runs import EveryReward
from repro.p2.xpo.small_rewards import printed_factor
from repro.worlds.instances.labelled import PrivateLabels

TILT = 2.0
"""Log odds of the better response under π*_β: β = R/2."""
OF_REFERENCE = math.log(math.cosh(TILT / 2)) / TILT
OF_WRONG = math.tanh(TILT / 2)
"""KL-regularised gaps over R, in one state, of π_ref and of the wrong response raised."""
FIRST_CHANGE = 0.01
"""Policies first change after this multiple of √T rounds; those before tell nothing."""
LEARNT = 0.95
"""A run has learnt something where its best iterate is below this share of π_ref's gap."""
FAILURE_PROB = 0.05
"""δ."""


# The world ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SignedStates(PrivateLabels):
    """T private labels of S states, every choice of responses a policy.

    The stage ``estimate`` is (by how much the better response's policy is preferred, 1) → the same.

    Attributes:
        num_states: S.
        grid_ratio: of the times at which policies change.
    """

    num_states: Count
    grid_ratio: GridRatio

    @property
    def rounds(self) -> int:
        """T."""
        raise NotImplementedError

    @property
    def rewards(self) -> np.ndarray:
        """(M,) R of the problems that are played."""
        raise NotImplementedError

    def more_labels(self, other: PrivateLabels) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class OneSize(SignedStates):
    """One R, and T = S·(steps·c(ε)/R)² rounds.

    Attributes:
        inverse_reward_bound: 1/R, at least 1.
        steps: R·√(T/S)/c(ε).
    """

    inverse_reward_bound: Annotated[Positive, Field(ge=1)]
    steps: Positive

    def __post_init__(self) -> None:
        if self.rounds > MAX_PAIRS:
            raise ValueError(f"at most {MAX_PAIRS:g} rounds S·(steps·c(ε)/R_max)²")

    @property
    def rounds(self) -> int:
        scale = self.steps * privacy_cost(self.epsilon) * self.inverse_reward_bound
        return max(1, round(self.num_states * scale**2))

    @property
    def rewards(self) -> np.ndarray:
        return np.array([1 / self.inverse_reward_bound])


@dataclass(frozen=True, eq=False, kw_only=True)
class EverySize(EveryReward, SignedStates):
    """T rounds at every R of a ladder."""


def printed_bound(world: OneSize) -> float:
    """The bound of Theorem 4.8 over R, constant 1: V = β·log(1/2σ(−2)), C_cov = 2σ(2)."""
    (reward,), horizon = world.rewards, world.rounds
    value = reward / TILT * math.log((1 + math.exp(TILT)) / 2)
    logs = world.num_states * math.log(2) + math.log(horizon / FAILURE_PROB)
    coverage = 2 / (1 + math.exp(-TILT))
    rate = privacy_cost(world.epsilon) * math.sqrt(coverage * logs / horizon) * math.log(horizon)
    return rate * printed_factor(value, reward) / reward


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def best_iterates(
    world: SignedStates, rng: np.random.Generator, replicates: int,
    square: bool, multiples: Sequence[float], sign: float,
) -> np.ndarray:  # fmt: skip
    """(M, R) least gap over R of π_ref and all iterates, for every R of the world.

    An update splits into one for every state.  γ is a multiple of β·c(ε)/√T, the best in hindsight.

    Args:
        world: what is played.
        rng: the block's stream.
        replicates: runs at each R and multiple.
        square: the square loss of Algorithm 4, or the log loss of Algorithm 2.
        multiples: of γ.
        sign: −1 where labels are read with the wrong sign.
    """
    cost, horizon, states = privacy_cost(world.epsilon), world.rounds, world.num_states
    shape = len(world.rewards), len(multiples), replicates, states
    reward = world.rewards[:, None, None, None]
    win_prob = np.vectorize(_win_prob(world))(reward)
    mean = np.tanh(reward / 2) / cost  # of a label, as the loss believes
    pull = sign * (4 * mean * cost**2 if square else 2 * cost**2 * np.arctanh(mean))
    gamma = np.array(multiples)[:, None, None] * reward / TILT * cost / math.sqrt(horizon)
    drawn, label_sum, prob = np.zeros(shape), np.zeros(shape), np.full(shape, 0.5)
    least = np.full(shape[:-1], OF_REFERENCE)
    begin = max(1, int(FIRST_CHANGE * math.sqrt(horizon)))
    for before, now in pairwise(geometric_times(horizon, world.grid_ratio, begin)):
        rounds = rng.multinomial(now - before, np.full(states, 1 / states), size=shape[:-1])
        first = rng.binomial(rounds, 0.5)
        pairs = rng.binomial(rounds - first, prob) + rng.binomial(first, 1 - prob)
        label_sum += 2 * rng.binomial(pairs, win_prob) - pairs
        drawn += 2 * first - rounds
        preferred = on_arrays(world.estimate, pull * label_sum - 2 * gamma * drawn, np.ones(1))
        right = np.where(preferred == 0, rng.random(shape) < 0.5, preferred > 0)
        prob = 1 / (1 + np.exp(np.where(right, -TILT, TILT)))
        least = np.minimum(least, OF_WRONG * (1 - right.mean(axis=-1)))
    return least.min(axis=1)


def _win_prob(world: SignedStates):
    """R → P(z = +1) of a pair whose better response comes first."""
    return lambda reward: released_win_prob(world.labels, world.channel, reward, world.epsilon)


SWEPT, TUNED = (0.01, 1.0, 100.0), (1.0,)
"""Multiples of γ: a sweep for what no γ may reach, one for what an algorithm does reach."""
priv_xpo = named("priv_xpo", best_iterates, square=False, multiples=SWEPT, sign=1.0)
square_xpo = named("square_xpo", best_iterates, square=True, multiples=SWEPT, sign=1.0)
tuned_priv_xpo = named("priv_xpo", best_iterates, square=False, multiples=TUNED, sign=1.0)
tuned_square_xpo = named("square_xpo", best_iterates, square=True, multiples=TUNED, sign=1.0)
without_optimism = named(
    "without_optimism", best_iterates, square=False, multiples=(0.0,), sign=1.0
)
flipped = named(
    "label_flip",
    best_iterates,
    "labels are read with the wrong sign",
    square=False,
    multiples=TUNED,
    sign=-1.0,
)
square_flipped = named(
    "label_flip",
    best_iterates,
    "labels are read with the wrong sign",
    square=True,
    multiples=TUNED,
    sign=-1.0,
)


# Quantities --------------------------------------------------------------------------------------


def where_learnt(world: OneSize, algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) best gaps over R_max; NaN where the run has learnt nothing."""
    (gaps,) = algorithm(world, rng, replicates)
    return np.where(gaps < LEARNT * OF_REFERENCE, gaps, np.nan)


def worst_size(worlds, algorithms, rngs, replicates: int) -> list[list[np.ndarray]]:
    """(R,) best gaps at the R whose mean is largest; NaN of the algorithm under test at an end."""
    rows = []
    for world, rng in zip(worlds, rngs, strict=True):
        rows.append([])
        for k, algorithm in enumerate(algorithms):
            gaps = world.rewards[:, None] * algorithm(world, rng, replicates)
            worst = int(gaps.mean(axis=1).argmax())
            inside = 0 < worst < len(gaps) - 1 or k > 0
            rows[-1].append(gaps[worst] if inside else np.full(replicates, np.nan))
    return rows


OVER_PRINTED = Quantity("best iterate's gap / printed bound", where_learnt, over=printed_bound)
WORST = Quantity("best iterate's gap at the worst R_max [reward]", together=worst_size)


# The claims --------------------------------------------------------------------------------------

PRINTED: Any = {
    "axis": "inverse_reward_bound",
    "claim": Ratio(
        "T = 9S·(c/R_max)², best γ: best iterate's gap ≤ the printed bound", direction="at_most"
    ),
    "quantity": OVER_PRINTED,
    "expected": "contradicted",
    "why": "V_max + R_max goes to 0 with the rewards, the best iterate's price does not",
}
RATE: Any = {
    "axis": "horizon",
    "claim": Slope("sup over R_max: best iterate's gap {rate}", -0.5),
    "quantity": WORST,
}
PRIVATE, SQUARE = ["p2.thm_4_8"], ["p2.thm_5_3"]

CHECKS = [
    Check(name="printed_private", right=priv_xpo, settles=PRIVATE, **PRINTED),
    Check(name="printed_square", right=square_xpo, settles=SQUARE, **PRINTED),
    Check(name="rate_private", right=tuned_priv_xpo, wrong=[flipped],
          settles=["own.reward_range"], **RATE),
    Check(name="rate_square", right=tuned_square_xpo, wrong=[square_flipped],
          settles=["own.reward_range"], **RATE),
    Check(name="rate_without_optimism", right=without_optimism, wrong=[flipped],
          settles=["own.reward_range"], **RATE),
]  # fmt: skip

# π*_β is in the class, and |β·log π/π_ref| = V_max, by construction.
THEOREM = Theorem(
    title="P2 Theorems 4.8 and 5.3: the best iterate at small rewards",
    checks=CHECKS,
    corrected={
        "printed_private": "rate_private",
        "printed_square": "rate_square",
    },
    worlds={"one_size": OneSize, "every_size": EverySize},
)
