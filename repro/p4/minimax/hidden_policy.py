"""What hidden parameters cost a policy: a margin that no learner can read the sign of.

Three states.  In the first a rare pair shows the margin 2θ₁, in the second plentiful pairs show
2θ₀, and in the third, where nothing is seen, two responses differ by s·(θ₁ + y·θ₀).  2θ₁ is hidden
between −B₁ and −B₁ + t, where the logistic curve is flat, and y moves the two margins of the third
state to ∓s·t/4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.linear_rlhf.bandit import (
    Bandit,
    difference_covariance,
    relative_condition_number,
)
from repro.p4.minimax.hidden_pairs import ParameterPairs, hidden_mass


@dataclass(frozen=True)
class HiddenMargin:
    """The family of three states.

    Attributes:
        reward_bound: B′ = 2B, the largest margin.
        slant: θ₁/θ₀ at the end of the class, large.
        known: probability of the second state, small.
    """

    reward_bound: float
    slant: float
    known: float

    @property
    def parts(self) -> tuple[float, float]:
        """B₁, the largest margin 2θ₁ beside θ₀, and θ₀."""
        other = self.reward_bound / 2 / np.hypot(1, self.slant)
        return 2 * self.slant * other, other

    def bandit(self, mass: float, offset: float, margin: float) -> Bandit:
        """One problem of the family.

        Args:
            mass: probability of a pair that shows θ₁.
            offset: y.
            margin: 2θ₁.
        """
        direction = np.array([1.0, offset]) / np.hypot(1, offset)
        first, second = np.eye(2)
        features = np.array([[first, -first], [second, -second], [direction, -direction]])
        rare = 2 * mass
        state_prob = np.array([rare, self.known, 1 - rare - self.known])
        data = np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
        reference = np.array([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])
        theta = np.array([margin / 2, self.parts[1]])
        return Bandit(features, state_prob, data, reference, theta, self.reward_bound / 2)


def hidden_regret(case: AttackedLabels, rng: Any = None, replicates: int = 1) -> float:
    """Least over learners of the worst mean of SubOpt/√κ of a pair that corruption can hide.

    The comparator is optimal, π_ref mixes evenly in the third state, and κ is the larger one.
    """
    bound, other = case.world.parts
    start, step = ParameterPairs(bound).ladder
    mass = hidden_mass(case, start, step)
    worst = int(np.argmax(mass * step**2))
    lower, apart, rare = float(start[worst]), float(step[worst]), float(mass[worst])
    offset = -(lower + apart / 2) / (2 * other)
    two = [case.world.bandit(rare, offset, margin) for margin in (lower, lower + apart)]
    lost = two[0].state_prob[2] * _mean_loss(two)
    return float(lost / np.sqrt(max(_condition(problem) for problem in two)))


def _mean_loss(two: list[Bandit]) -> float:
    """Least over policies of the worst loss in the third state, under two opposite margins."""
    reward = [problem.features[2] @ problem.theta for problem in two]
    chosen = np.linspace(0, 1, 101)
    lost = [r.max() - chosen * r[0] - (1 - chosen) * r[1] for r in reward]
    return float(np.maximum(*lost).min())


def _condition(bandit: Bandit) -> float:
    """κ(π*, π_ref)."""
    place = (bandit.features, bandit.state_prob)
    data = difference_covariance(*place, bandit.data, bandit.data)
    target = difference_covariance(*place, bandit.best, bandit.reference)
    return relative_condition_number(target, data)
