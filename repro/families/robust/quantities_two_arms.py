"""Offline RLHF in states with two responses each: gaps as suprema over the margin.

On one fixed margin the gap decays exponentially in n; rates are suprema over margins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.stats import chi2

from repro.base.notation import flip_prob, privacy_cost
from repro.corruption.budget import checked_corruption
from repro.corruption.debiasing import debiased
from repro.corruption.orders import Order, Randomize, channel
from repro.families.robust.adversaries_strong import StrongAdversary
from repro.families.robust.algorithms_pessimism import separable_pessimism
from repro.families.robust.attack_targets import LogisticTarget
from repro.preferences.label_counts import LabelCounts
from repro.preferences.label_law import as_fitted, bradley_terry
from repro.study.case import Case

RUNGS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0, 1.5, 2.5)
"""Margins, in units of the estimate's standard deviation plus the width of its confidence set."""

BALL = 4.0
"""B: estimates are cut off here; margins of the noise rows are far inside."""


@dataclass(frozen=True)
class TwoArmStates:
    """d states of probability 1/d, two responses each, a pair seen with probability ``mass``.

    Attributes:
        num_states: d, also the number of features.
        mass: probability of each state's informative pair, at most 1/d.
    """

    num_states: int
    mass: float

    @property
    def condition_number(self) -> float:
        """κ(π†, π_ref) = ρ_s/m_s: π† takes the first response everywhere, π_ref the second."""
        return 1 / (self.num_states * self.mass)


def deviation(states: TwoArmStates, n_pairs: float, epsilon: float) -> float:
    """Standard deviation of one estimated margin near 0: 2c(ε)/√(nm)."""
    return 2 * privacy_cost(epsilon) / math.sqrt(n_pairs * states.mass)


def calibrated_width(
    states: TwoArmStates, n_pairs: float, epsilon: float, failure_prob: float
) -> float:
    """Γ with P(‖θ̂ − θ‖_Σ̂ ≤ Γ) = 1 − δ for large n: the root of a χ² quantile."""
    quantile = float(chi2.ppf(1 - failure_prob, states.num_states))
    return 2 * privacy_cost(epsilon) * math.sqrt(quantile / n_pairs)


def response_by_cost(win_prob: float, epsilon: float) -> float:
    """Randomized response written with c(ε): flip + p/c(ε)."""
    return flip_prob(epsilon) + win_prob / privacy_cost(epsilon)


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginCase(Case):
    """Gaps on a ladder of margins, nobody corrupting.

    Attributes:
        world: the instance; every state has the same margin in favour of the first response.
        width: Γ of the pessimistic policy; 0 for the greedy one.
        labels: what labels are drawn from.
        channel: who randomizes them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: TwoArmStates
    width: float
    labels: Callable[[Any], Any] = bradley_terry
    channel: Callable[[Any, float], Any] = response_by_cost
    estimate: Callable[[Any, Any], Any] = as_fitted


def supremum_gap(case: MarginCase, rng: np.random.Generator, replicates: int) -> float:
    """Largest mean gap over the ladder of margins; NaN where the worst rung is an end of it.

    Args:
        case: the instance, n, ε and Γ.
        rng: simulation stream.
        replicates: R datasets for each rung.
    """
    states = case.world
    reach = case.width / math.sqrt(states.mass * states.num_states)
    unit = deviation(states, case.n_pairs, case.epsilon) + reach
    gaps = [share * unit * _miss(case, share * unit, rng, replicates) for share in RUNGS]
    worst = int(np.argmax(gaps))
    return gaps[worst] if 0 < worst < len(RUNGS) - 1 else math.nan


def estimated_margins(
    case: MarginCase, margin: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R, d) debiased estimates of the margin, state by state: Algorithm 1 in closed form."""
    states, epsilon = case.world, case.epsilon
    prob = np.full(states.num_states, states.mass)
    rest = max(0.0, 1 - float(prob.sum()))
    pairs = rng.multinomial(case.n_pairs, np.append(prob, rest), size=replicates)[:, :-1]
    win = case.channel(case.labels(1 / (1 + math.exp(-margin))), epsilon)
    rate = rng.binomial(pairs, win) / np.maximum(pairs, 1)
    read = np.clip(privacy_cost(epsilon) * (rate - flip_prob(epsilon)), 1e-12, 1 - 1e-12)
    fitted = torch.from_numpy(np.clip(np.log(read / (1 - read)), -BALL, BALL))
    return case.estimate(fitted, torch.full_like(fitted, margin)).numpy()


@lru_cache(maxsize=1024)
def attacked_floor(
    order: Order, epsilon: float, corruption: float, reward_bound: float, width: float
) -> float:
    """sup over mass m and margin t of SubOpt/√κ = √m·t under the strong adversary, n → ∞ exactly.

    A margin is lost where the attacked estimate stays below Γ/√m, the reach of the set.

    Args:
        order: CTL or LTC.
        epsilon: privacy budget.
        corruption: α.
        reward_bound: B′, largest margin.
        width: Γ.
    """
    masses = np.geomspace(1e-5, 0.95, 90)
    margins = np.linspace(0.02, 1.0, 50) * reward_bound
    m, t = (x.ravel() for x in np.meshgrid(masses, margins, indexing="ij"))
    estimate = _attacked(m, t, order, epsilon, corruption, reward_bound)
    lost = estimate <= width / np.sqrt(m)
    found = np.where(lost, np.sqrt(m) * t, 0.0).reshape(len(masses), -1).max(axis=1)
    worst = int(found.argmax())
    return float(found[worst]) if 0 < worst < len(masses) - 1 else math.nan


def _miss(case: MarginCase, margin: float, rng: np.random.Generator, replicates: int) -> float:
    """Mean probability of the second, worse response."""
    states = case.world
    found = estimated_margins(case, margin, rng, replicates)
    rho = np.full(states.num_states, 1 / states.num_states)
    mass = np.full(states.num_states, states.mass)
    return float(1 - (separable_pessimism(found, rho, mass, case.width) @ rho).mean())


def _attacked(m, t, order, epsilon, corruption, reward_bound) -> np.ndarray:
    """(P,) estimated margin of cells of mass m and margin t under attack."""
    pairs = torch.from_numpy(m)[:, None]
    wins = pairs * torch.sigmoid(torch.from_numpy(t))[:, None]
    x, zero = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    root = -torch.ones(1, 1, 1, dtype=torch.float64)
    target = LogisticTarget(x, pairs, zero, reward_bound, root, 2 * reward_bound)
    adversary = StrongAdversary(checked_corruption(corruption), target)
    read = debiased(epsilon)
    stages = channel(order, Randomize.response(epsilon), adversary)
    seen = stages.apply(None, LabelCounts(pairs, wins), read)
    return target.estimate(read(seen))[:, 0].numpy()
