"""A small failure probability online: with chance δ every algorithm is wrong about a difference.

Two problems, in which one response or the other is better by Δ.  T labels, however the policies
choose what they compare, tell no more than T labels that all compare the two responses, so the best
test of those errs least.  docs/explanations/reward_range.md, Theorem 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.base.notation import privacy_cost
from repro.preferences.label_law import Estimate, as_fitted, on_arrays
from repro.preferences.two_rewards import (
    hidden_difference,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)
from repro.study.label_cases import LabelCase
from repro.study.row import Evidence, Measure, Method, per_method

LEAST_CHANCE = 1e-308


@dataclass(frozen=True, eq=False, kw_only=True)
class OnlineConfidenceCase(LabelCase):
    """T labels and δ.

    Attributes:
        log_inverse_delta: log(1/δ).
        estimate: (fitted, truth) → whether the test is wrong.
    """

    log_inverse_delta: float
    estimate: Estimate = as_fitted

    def __post_init__(self) -> None:
        """Refuse a δ for which Theorem 9 has no difference of rewards.

        Raises:
            BadInput: log_inverse_delta.
        """
        refuse_delta(self.log_inverse_delta, 2 * self.horizon, privacy_cost(self.epsilon))

    def hidden(self, share: float) -> float:
        """Δ with h(Δ) = share·c·√(ℓ/(2T+ℓ)), ℓ = log(1/(4δ))."""
        cost = privacy_cost(self.epsilon)
        return hidden_difference(self.log_inverse_delta, 2 * self.horizon, cost, share)


def confusion(case: OnlineConfidenceCase, share: Method[float], rng: object, _: int) -> float:
    """δ over the chance that the best test of two problems errs; at most 1."""
    difference = case.hidden(share.run)
    win_prob = released_win_prob(case.labels, case.channel, difference, case.epsilon)
    wrong = float(on_arrays(case.estimate, np.ones(1), np.zeros(1))[0])
    errs = wrong * wrong_majority_prob(case.horizon, 1.0, win_prob)
    return math.exp(-case.log_inverse_delta) / max(errs, LEAST_CHANCE)


root_of_log: Method[float] = Method("root_of_log", 1.0)
root_of_log_doubled: Method[float] = Method("root_of_log_doubled", 2.0)
CONFUSION = Measure("δ / P(the best test errs)", per_method(confusion), Evidence.EXACT)
