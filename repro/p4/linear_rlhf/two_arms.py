"""Offline RLHF in states with two responses each: what a margin costs that is hard to see.

On one fixed margin the gap decays exponentially in n; the margin here shrinks with the noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import scipy
import torch
from scipy.special import chdtri, expit, ndtr, ndtri

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, privacy_cost
from repro.base.schema import Count, Number, Pairs, Positive, Probability, Share
from repro.labels.corruption.debiasing import ReadingOf, debiased
from repro.labels.preferences.label_law import Channel
from repro.p4.linear_rlhf.pessimism import separable_pessimism
from repro.worlds.instances.labelled import PrivateLabels

BALL = 4.0
"""B: estimates are cut off here unless a world says otherwise; margins are far inside."""

ODDS, ROUNDS = 40.0, 50
"""Largest log odds in which a failure probability is divided, and rounds of their bisection."""
QUANTILES = 1001
"""Equally likely outcomes that stand for the law of one state's labels: 5e-4 of a probability."""


@dataclass(frozen=True)
class TwoArmStates:
    """d states of probability 1/d, two responses each, a pair seen with probability ``mass``.

    Attributes:
        num_states: d, also the number of features.
        mass: probability of each state's informative pair, at most 1/d.
    """

    num_states: int
    mass: float

    def under_uniform_reference(self) -> TwoArmStates:
        """The same states where both responses are equally likely: half of the pairs inform."""
        return replace(self, mass=0.5 / self.num_states)


def deviation(states: TwoArmStates, n_pairs: float, epsilon: float, shown: float = 0.0) -> float:
    """Standard deviation of one estimated margin, c(ε)·√(r(1−r)/(nm))/σ′: 2c(ε)/√(nm) near 0.

    Args:
        states: whose pairs are labelled.
        n_pairs: n.
        epsilon: ε.
        shown: ⟨x, θ⟩ of the labelled pair; r is the mean of its private label.
    """
    cost, win = privacy_cost(epsilon), float(expit(shown))
    mean = flip_prob(epsilon) + win / cost
    noise = math.sqrt(mean * (1 - mean) / (n_pairs * states.mass))
    return cost * noise / (win * (1 - win))


def reach_of(states: TwoArmStates, failure_prob: float) -> float:
    """Γ/√m in standard deviations of one margin.

    Raises:
        BadInput: δ is 0, or so small that a double holds no such number.
    """
    if failure_prob <= 0:
        raise BadInput("failure_prob", failure_prob, "allowed: above 0")
    # 1 − δ would be 1 below δ = 1e-16
    return math.sqrt(chdtri(states.num_states, failure_prob))


def response_by_cost(win_prob: Any, epsilon: float) -> Any:
    """Randomized response written with c(ε): flip + p/c(ε)."""
    return flip_prob(epsilon) + win_prob / privacy_cost(epsilon)


@lru_cache(maxsize=64)
def worst_margin(reach: float) -> tuple[float, float]:
    """(u, K) with K = u·Φ(reach − u) largest: in one state a margin u·s costs K·s.

    A learner who needs an estimate above reach·s, its error N(0, s²), misses a margin t with
    probability Φ(reach − t/s).

    >>> tuple(round(x, 4) for x in worst_margin(0.0))
    (0.7518, 0.17)
    """
    lost = lambda u: -u * ndtr(reach - u)  # noqa: E731
    optimum: Any = scipy.optimize.minimize_scalar(
        lost, bounds=(1e-3, reach + 5), method="bounded", options={"xatol": 1e-10}
    )
    return float(optimum.x), float(-optimum.fun)


@lru_cache(maxsize=64)
def cost_in_many_states(margin: float, reach: float) -> float:
    """K: in many states a margin u·s in each costs K·s, reach being Γ/√(m·d) over s.

    Pessimism maximises E[q·x] − reach·√E[q²] over 0 ≤ q(x) ≤ 1 with x ~ N(u, 1) the estimate over
    s, by the law of large numbers over states; its q is clip(x·N/reach), N² = E[q²].
    """
    x = margin + ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)

    def chosen(norm: float) -> np.ndarray:
        return np.clip(x * norm / reach, 0, 1)

    excess = lambda norm: math.sqrt((chosen(norm) ** 2).mean()) - norm  # noqa: E731
    norm = scipy.optimize.brentq(excess, 1e-6, 1.0) if excess(1e-6) > 0 else 0.0
    return margin * float(1 - chosen(norm).mean())  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginLabels(PrivateLabels):
    """n labels of states of two responses, nobody corrupting; every state has the same margin in
    favour of the first response, which quantities are told.

    Attributes:
        n_pairs: n.
        known: what a labelled pair shows beside the margin: ⟨x, θ⟩ of a direction that all other
            pairs show, so that it is taken as known.  It makes labels uneven: 1/γ.
        failure_prob: δ.
        channel: who randomizes labels.
        reading: how the estimator, believing in ε, reads them.
        reference: whether informative pairs are as likely as stated, or half of all pairs.
    """

    n_pairs: Pairs
    known: Number = 0.0
    failure_prob: Probability = 0.05
    channel: Channel = response_by_cost
    reading: ReadingOf = debiased
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def stated(self) -> TwoArmStates:
        """The states, and how often their pairs are labelled."""
        raise NotImplementedError

    @property
    def states(self) -> TwoArmStates:
        """The same under the reference in force."""
        as_stated = self.reference == "as_stated"
        return self.stated if as_stated else self.stated.under_uniform_reference()

    @property
    def ball(self) -> float:
        """Where estimates are cut off."""
        return BALL

    @property
    def unit(self) -> float:
        """Standard deviation of one estimated margin, as stated."""
        return deviation(self.stated, self.n_pairs, self.epsilon, self.known)


@dataclass(frozen=True, eq=False, kw_only=True)
class InformativePairs(MarginLabels):
    """The same in d states that share a mass.

    Attributes:
        num_features: d, the number of states.
        mass: probability of informative pairs, all states together.
        share: of a calibrated Γ that is used.
    """

    num_features: Count = 1
    mass: Share
    share: Positive = 1.0

    @property
    def stated(self) -> TwoArmStates:
        return TwoArmStates(self.num_features, self.mass / self.num_features)


@dataclass(frozen=True, eq=False, kw_only=True)
class CellLabels(InformativePairs):
    """Labels of one cell.

    Attributes:
        margin: its reward difference.
    """

    margin: Positive


CALIBRATION = 400
"""Datasets on which Γ of many states is calibrated."""


def exact_calibrated_gap(world: InformativePairs, margin: float) -> float:
    """``exact_gap`` with the (1 − δ)-quantile of √m·|error| under the law of the estimate as Γ."""
    return exact_gap(world, margin, world.share * exact_tail(world, margin))


def exact_error(world: MarginLabels, margin: float) -> float:
    """The least w with P(|error| > w) ≤ δ in one state, δ being divided between the two sides."""
    pairs, win = _pairs(world), _win_prob(world, margin)
    delta = world.failure_prob

    def error(wins: Any) -> float:
        return float(_margins(world, margin, np.array([[wins / pairs]]))[0, 0]) - margin

    def both(odds: float) -> tuple[float, float]:
        below, above = delta * expit(odds), delta * expit(-odds)
        return -error(scipy.stats.binom.ppf(below, pairs, win)), error(
            scipy.stats.binom.isf(above, pairs, win)
        )

    low, high = -ODDS, ODDS
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        under, over = both(middle)
        low, high = (middle, high) if under > over else (low, middle)
    return max(both(high))


def exact_tail(world: MarginLabels, margin: float) -> float:
    """The same in the norm of the data, √m·|error|."""
    return math.sqrt(world.states.mass) * exact_error(world, margin)


def error_exceeded(world: MarginLabels, margin: float) -> float:
    """What |N(0, s²)| exceeds with probability δ, s the deviation of the margin as stated."""
    unit = deviation(world.stated, world.n_pairs, world.epsilon, margin)
    return -unit * float(ndtri(world.failure_prob / 2))


def at_one_deviation(world: MarginLabels) -> MarginLabels:
    """Wrong for a sweep of δ: what is exceeded a third of the time."""
    return replace(world, failure_prob=1 / 3)


def even_labels(world: MarginLabels) -> MarginLabels:
    """Wrong for a sweep of B′: labels as even as those of the margin alone, no 1/γ."""
    return replace(world, known=0.0)


def exact_fall(world: MarginLabels, margin: float) -> float:
    """How far the estimate of one state falls short of the margin with probability δ."""
    lowest = _margins(world, margin, _rates(world, margin, np.array([world.failure_prob])))
    return margin - float(lowest[0, 0])


def exact_loss_prob(world: MarginLabels, margin: float) -> float:
    """P(the estimate of one state's margin is at most 0), from the binomial law of the wins.

    The estimate must be monotone in the wins, which way does not matter.
    """
    pairs, win = _pairs(world), _win_prob(world, margin)

    def lost(wins: int) -> bool:
        return bool(_margins(world, margin, np.array([[wins / pairs]]))[0, 0] <= 0)

    low, high, at_low = 0, pairs, lost(0)
    if at_low == lost(pairs):
        return float(at_low)
    # low stays on the side of no wins, high on that of all
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if lost(middle) == at_low else (low, middle)
    return float(
        scipy.stats.binom.cdf(low, pairs, win) if at_low else scipy.stats.binom.sf(low, pairs, win)
    )


def sampled_calibrated_gap(
    world: InformativePairs, margin: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """``sampled_gap`` with the (1 − δ)-quantile of ‖error‖_Σ over datasets of their own as Γ."""
    error = estimated_margins(world, margin, rng, CALIBRATION) - margin
    norm = np.sqrt(world.states.mass * (error**2).sum(axis=1))
    width = float(np.quantile(norm, 1 - world.failure_prob))
    return sampled_gap(world, margin, rng, replicates, world.share * width)


def exact_gap(world: MarginLabels, margin: float, width: float = 0.0) -> float:
    """The gap in one state, without drawing: every quantile of the wins is an outcome.

    The number of informative pairs is its mean n·m; what it varies by matters 1/(nm) only.

    Args:
        world: labels of one state.
        margin: t > 0.
        width: Γ of the pessimistic policy; 0 for the greedy one.
    """
    outcomes = _margins(world, margin, _outcomes(world, margin))
    return float(_gap(world, margin, outcomes, width).mean())


def sampled_gap(
    world: MarginLabels, margin: float, rng: np.random.Generator, replicates: int,
    width: float = 0.0,
) -> np.ndarray:  # fmt: skip
    """(R,) gaps, one dataset each."""
    return _gap(world, margin, estimated_margins(world, margin, rng, replicates), width)


def estimated_margins(
    world: MarginLabels, margin: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R, d) debiased estimates of the margin, state by state: Algorithm 1 in closed form."""
    states = world.states
    prob = np.full(states.num_states, states.mass)
    # numpy gives the last entry what is left, whatever it says
    pairs = rng.multinomial(world.n_pairs, np.append(prob, 0.0), size=replicates)[:, :-1]
    wins = rng.binomial(pairs, _win_prob(world, margin))
    return _margins(world, margin, wins / np.maximum(pairs, 1))


def likely_errors(world: MarginLabels, margin: float, num: int) -> np.ndarray:
    """(num,) equally likely errors of one state's margin."""
    rates = _likely_rates(_pairs(world), float(_win_prob(world, margin)), num)
    return _margins(world, margin, rates)[:, 0] - margin


def _outcomes(world: MarginLabels, margin: float) -> np.ndarray:
    """(Q, 1) shares of wins, equally likely, in one state."""
    return _likely_rates(_pairs(world), float(_win_prob(world, margin)), QUANTILES)


def _rates(world: MarginLabels, margin: float, levels: np.ndarray) -> np.ndarray:
    """(Q, 1) shares of wins at so many levels of their law, in one state."""
    pairs = _pairs(world)
    wins = scipy.stats.binom.ppf(levels, pairs, _win_prob(world, margin))
    return (wins / pairs)[:, None]


@lru_cache(maxsize=64)
def _likely_rates(pairs: int, win_prob: float, num: int) -> np.ndarray:
    """(num, 1) equally likely shares of wins; several algorithms ask for those of one law."""
    rates = scipy.stats.binom.ppf((np.arange(num) + 0.5) / num, pairs, win_prob) / pairs
    rates.setflags(write=False)
    return rates[:, None]


def _pairs(world: MarginLabels) -> int:
    """Labels of one state."""
    return round(world.n_pairs * world.states.mass)


def _win_prob(world: MarginLabels, margin: float) -> Any:
    """P(z = +1)."""
    # labels and channel take any number; their annotations speak of tensors
    law: Any = world.labels
    return world.channel(law(float(expit(world.known + margin))), world.epsilon)


def _margins(world: MarginLabels, margin: float, rate: np.ndarray) -> np.ndarray:
    """(R, d) margins as estimated from shares of wins."""
    reading = world.reading(world.epsilon)
    # logits of 0 and 1 are infinite; the ball is far inside of these
    read = np.clip(reading.scale * (rate - reading.shift), 1e-12, 1 - 1e-12)
    fitted = torch.from_numpy(
        np.clip(np.log(read / (1 - read)), -world.ball, world.ball) - world.known
    )
    return world.estimate(fitted, torch.full_like(fitted, margin)).numpy()


def _gap(world: MarginLabels, margin: float, estimated: np.ndarray, width: float) -> np.ndarray:
    """(R,) t times the share of states in which the second, worse response is taken."""
    states = world.states
    rho = np.full(states.num_states, 1 / states.num_states)
    mass = np.full(states.num_states, states.mass)
    return margin * (1 - separable_pessimism(estimated, rho, mass, width) @ rho)
