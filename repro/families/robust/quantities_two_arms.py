"""Offline RLHF in states with two responses each: what a margin costs that is hard to see.

On one fixed margin the gap decays exponentially in n; the margin here shrinks with the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom, chi2

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, privacy_cost
from repro.corruption.debiasing import ReadingOf, debiased
from repro.families.robust.algorithms_pessimism import separable_pessimism
from repro.preferences.label_law import as_fitted, bradley_terry
from repro.study.case import Case, Point
from repro.study.row import method

BALL = 4.0
"""B: estimates are cut off here unless a case says otherwise; margins are far inside."""

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
    return math.sqrt(chi2.isf(failure_prob, states.num_states))


def response_by_cost(win_prob: float, epsilon: float) -> float:
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
    found = minimize_scalar(
        lost, bounds=(1e-3, reach + 5), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x), float(-found.fun)


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
    norm = brentq(excess, 1e-6, 1.0) if excess(1e-6) > 0 else 0.0
    return margin * float(1 - chosen(norm).mean())  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginCase(Case):
    """The gap on one margin, nobody corrupting.

    Attributes:
        world: the instance; every state has the same margin in favour of the first response.
        margin: t > 0.
        width: Γ of the pessimistic policy; 0 for the greedy one.
        known: what a labelled pair shows beside the margin: ⟨x, θ⟩ of a direction that all other
            pairs show, so that it is taken as known.  It makes labels uneven: 1/γ.
        ball: where estimates are cut off.
        claimed: the gap that is claimed.
        labels: what labels are drawn from.
        channel: who randomizes them.
        reading: how the estimator, believing in ε, reads them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: TwoArmStates
    margin: float
    width: float
    known: float = 0.0
    ball: float = BALL
    claimed: float = 1.0
    labels: Callable[[Any], Any] = bradley_terry
    channel: Callable[[Any, float], Any] = response_by_cost
    reading: ReadingOf = debiased
    estimate: Callable[[Any, Any], Any] = as_fitted


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibratedCase(MarginCase):
    """The same with a Γ that is calibrated on the case's own estimates, at no formula.

    Attributes:
        width: not read; Γ comes from the estimates.
        failure_prob: δ that Γ is calibrated for.
        share: of the calibrated Γ that is used.
    """

    width: float = 0.0
    failure_prob: float
    share: float = 1.0


CALIBRATION = 400
"""Datasets on which Γ of many states is calibrated."""


def exact_calibrated_gap(case: CalibratedCase, rng: Any = None, replicates: int = 1) -> float:
    """``exact_gap`` with the (1 − δ)-quantile of √m·|error| under the law of the estimate as Γ."""
    return exact_gap(replace(case, width=case.share * exact_tail(case)))


def exact_error(case: CalibratedCase, rng: Any = None, replicates: int = 1) -> float:
    """The least w with P(|error| > w) ≤ δ in one state, δ being divided between the two sides."""
    pairs, win, delta = round(case.n_pairs * case.world.mass), _win_prob(case), case.failure_prob

    def error(wins: Any) -> float:
        return float(_margins(case, np.array([[wins / pairs]]))[0, 0]) - case.margin

    def both(odds: float) -> tuple[float, float]:
        below, above = delta * expit(odds), delta * expit(-odds)
        return -error(binom.ppf(below, pairs, win)), error(binom.isf(above, pairs, win))

    low, high = -ODDS, ODDS
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        under, over = both(middle)
        low, high = (middle, high) if under > over else (low, middle)
    return max(both(high))


def exact_tail(case: CalibratedCase, rng: Any = None, replicates: int = 1) -> float:
    """The same in the norm of the data, √m·|error|."""
    return math.sqrt(case.world.mass) * exact_error(case)


def tail_case(point: Point, mass: float, margin: float) -> CalibratedCase:
    """Labels of one cell, nobody corrupting, along ln(1/δ); what |N(0, s²)| exceeds is claimed.

    Args:
        point: of a row over log_inverse_delta.
        mass: of the cell.
        margin: its reward difference.
    """
    states, delta = TwoArmStates(1, mass), math.exp(-point.value)
    unit = deviation(states, point.n_pairs, point.epsilon, margin)
    return CalibratedCase(
        methods=point.methods, n_pairs=point.n_pairs, epsilon=point.epsilon, world=states,
        margin=margin, failure_prob=delta, claimed=-unit * float(ndtri(delta / 2)),
    )  # fmt: skip


@method
def at_one_deviation(case: CalibratedCase) -> CalibratedCase:
    """Wrong for a sweep of δ: what is exceeded a third of the time."""
    return replace(case, failure_prob=1 / 3)


def exact_fall(case: CalibratedCase, rng: Any = None, replicates: int = 1) -> float:
    """How far the estimate of one state falls short of the margin with probability δ."""
    lowest = _margins(case, _rates(case, np.array([case.failure_prob])))
    return case.margin - float(lowest[0, 0])


def sampled_calibrated_gap(
    case: CalibratedCase, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """``sampled_gap`` with the (1 − δ)-quantile of ‖error‖_Σ over datasets of their own as Γ."""
    error = estimated_margins(case, rng, CALIBRATION) - case.margin
    norm = np.sqrt(case.world.mass * (error**2).sum(axis=1))
    width = float(np.quantile(norm, 1 - case.failure_prob))
    return sampled_gap(replace(case, width=case.share * width), rng, replicates)


def exact_gap(case: MarginCase, rng: Any = None, replicates: int = 1) -> float:
    """The gap in one state, without drawing: every quantile of the wins is an outcome.

    The number of informative pairs is its mean n·m; what it varies by matters 1/(nm) only.
    """
    return float(_gap(case, _margins(case, _outcomes(case))).mean())


def sampled_gap(case: MarginCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) gaps, one dataset each."""
    return _gap(case, estimated_margins(case, rng, replicates))


def estimated_margins(case: MarginCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R, d) debiased estimates of the margin, state by state: Algorithm 1 in closed form."""
    states = case.world
    prob = np.full(states.num_states, states.mass)
    rest = max(0.0, 1 - float(prob.sum()))
    pairs = rng.multinomial(case.n_pairs, np.append(prob, rest), size=replicates)[:, :-1]
    return _margins(case, rng.binomial(pairs, _win_prob(case)) / np.maximum(pairs, 1))


def likely_errors(case: MarginCase, num: int) -> np.ndarray:
    """(num,) equally likely errors of one state's margin."""
    return _margins(case, _rates(case, (np.arange(num) + 0.5) / num))[:, 0] - case.margin


def _outcomes(case: MarginCase) -> np.ndarray:
    """(Q, 1) shares of wins, equally likely, in one state."""
    return _rates(case, (np.arange(QUANTILES) + 0.5) / QUANTILES)


def _rates(case: MarginCase, levels: np.ndarray) -> np.ndarray:
    """(Q, 1) shares of wins at so many levels of their law, in one state."""
    pairs = round(case.n_pairs * case.world.mass)
    wins = binom.ppf(levels, pairs, _win_prob(case))
    return (wins / pairs)[:, None]


def _win_prob(case: MarginCase) -> float:
    """P(z = +1)."""
    return case.channel(case.labels(float(expit(case.known + case.margin))), case.epsilon)


def _margins(case: MarginCase, rate: np.ndarray) -> np.ndarray:
    """(R, d) margins as estimated from shares of wins."""
    reading = case.reading(case.epsilon)
    read = np.clip(reading.scale * (rate - reading.shift), 1e-12, 1 - 1e-12)
    fitted = torch.from_numpy(
        np.clip(np.log(read / (1 - read)), -case.ball, case.ball) - case.known
    )
    return case.estimate(fitted, torch.full_like(fitted, case.margin)).numpy()


def _gap(case: MarginCase, estimated: np.ndarray) -> np.ndarray:
    """(R,) t times the share of states in which the second, worse response is taken."""
    states = case.world
    rho = np.full(states.num_states, 1 / states.num_states)
    mass = np.full(states.num_states, states.mass)
    return case.margin * (1 - separable_pessimism(estimated, rho, mass, case.width) @ rho)
