"""θ̃ and Σ̃ certified together: noise saved against ε/2 + ε/2, and the split of the budget.

Prints two Markdown tables at L = B = 1, d ≥ 2, the second from simulated gaps of Algorithm 3.

    python tools/joint_release.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from repro.labels.privacy.gaussian import exact_shift
from repro.p3.curator.axis_choice import TrappedChoice
from repro.p3.curator.certified_budget import PrivateBudget
from repro.p3.curator.learners import greedy, pessimistic
from repro.p3.curator.learning import CentralLearning
from repro.p3.objective_perturbation.calibration import Calibration, corrected
from repro.p3.objective_perturbation.gradients import Records, pairs
from repro.p3.objective_perturbation.joint_release import jointly_certified

EPSILONS, DELTAS, BOUNDS = (1.0, 0.1), (1e-6, 1e-12), (0.5, 1.0, 3.0)
SHARES, N_PAIRS, DATASETS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95), 400_000, 200


@dataclass(frozen=True)
class JointBudget(PrivateBudget):
    """Noise for pairs that is certified for θ̃ and Σ̃ together, at (ε, δ).

    Attributes:
        share: of the squared shift that Σ̃ has.
    """

    share: float = 0.5

    @property
    def estimate(self) -> Calibration:
        """σ and A of θ̃, with L = 1."""
        return self._both[0]

    def covariance_std(self, n_pairs: float) -> float:
        """σ of the noise on Σ_D."""
        return self.feature_norm**2 * self.largest_change / (n_pairs * self._both[1])

    @property
    def _both(self) -> tuple[Calibration, float]:
        delta = math.exp(-self.log_inverse_delta)
        return _jointly(self.epsilon, delta, self.records, self.share)


@lru_cache(maxsize=64)
def _jointly(
    epsilon: float, dp_delta: float, records: Records, share: float
) -> tuple[Calibration, float]:
    return jointly_certified(epsilon, dp_delta, records, share)


def saved() -> None:
    """Noise of halves over noise together, at equal shares."""
    print("| ε | δ | LB | b: halves / together | Σ̃: halves / together |")
    print("|---|---|---|---|---|")
    for epsilon, delta, bound in product(EPSILONS, DELTAS, BOUNDS):
        records = pairs(bound, 2)
        alone = corrected(epsilon / 2, delta / 2, records).sigma
        made, shift = jointly_certified(epsilon, delta, records, 0.5)
        spread = shift / exact_shift(epsilon / 2, delta / 2)
        print(f"| {epsilon:g} | {delta:g} | {bound:g} | {alone / made.sigma:.2f} | {spread:.2f} |")


@dataclass(frozen=True, eq=False, kw_only=True)
class JointLearning(CentralLearning):
    """Learning from releases that are certified together.

    Attributes:
        share: of the squared shift that Σ̃ has.
    """

    share: float

    @property
    def budget(self) -> JointBudget:
        return JointBudget(**self.budget_numbers, share=self.share)


def gaps() -> None:
    """Mean gap and its standard error of Algorithm 3, and of greedy choices, on ``trapped``."""
    print("| Σ̃'s share of the squared shift | b / halves | Σ̃ / halves | Algorithm 3 | greedy |")
    print("|---|---|---|---|---|")
    numbers: dict[str, Any] = {
        "epsilon": 1.0, "n_pairs": N_PAIRS, "failure_prob": 0.05, "feature_norm": 1.0,
        "radius": 1.0, "ridge_scale": 24.0, "theta_share": 0.9, "error_scale": 6.0,
        "optimizer_tol_power": 2.5, "private": True,
        "instance": TrappedChoice(kind="trapped", num_levels=9, trap_prob=0.25),
    }  # fmt: skip
    halves = CentralLearning(**numbers)
    _gap("ε/2 + ε/2", halves, halves)
    for share in SHARES:
        _gap(f"{share:g}", JointLearning(**numbers, share=share), halves)


def _gap(name: str, world: CentralLearning, halves: CentralLearning) -> None:
    data = world.draw(np.random.default_rng(0), DATASETS)
    found = [one(data).numpy() for one in (pessimistic, greedy)]
    means = [f"{gap.mean():.4f} ± {gap.std() / math.sqrt(len(gap)):.4f}" for gap in found]
    ratio = world.budget.noise_std / halves.budget.noise_std
    spread = world.budget.covariance_std(N_PAIRS) / halves.budget.covariance_std(N_PAIRS)
    print(f"| {name} | {ratio:.2f} | {spread:.2f} | {means[0]} | {means[1]} |", flush=True)


if __name__ == "__main__":
    saved()
    print()
    gaps()
