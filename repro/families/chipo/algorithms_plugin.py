"""The KL-regularised plug-in policy on two responses a state (P2, Proposition E.1).

π̂ ∝ π_ref·exp(r̂/β) with Δ̂ = 2·artanh(c·z̄) state by state, the minimiser of the mixture log loss and
of the square loss alike; its gap is β·KL(π̂‖π*) exactly.  Labels may be corrupted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.corruption.huber_reports import HuberReports
from repro.policies.gibbs import gibbs_suboptimality
from repro.preferences.label_law import Estimate, as_fitted, on_arrays


@dataclass(frozen=True)
class PluginStudy:
    """One grid point: S equally likely states, uniform π_ref, reward difference Δ everywhere.

    Attributes:
        num_states: S.
        difference: Δ.
        kl_weight: β.
        horizon: T labels.
        reports: how labels become reports; the worst adversary reports the worse response.
        estimated: (fitted, truth) → what the estimator returns.
        reward_bound: Δ̂ is clipped to ± this.
    """

    num_states: int
    difference: float
    kl_weight: float
    horizon: int
    reports: HuberReports
    estimated: Estimate = as_fitted
    reward_bound: float = 2.0

    @property
    def report_mean(self) -> float:
        """E[z] in every state."""
        return float(self.reports.mean(np.tanh(self.difference / 2)))

    def gap(
        self,
        estimate: np.ndarray,
        truth: float | None = None,
        policy_weight: float | None = None,
    ) -> np.ndarray:
        """(R,) J_β(π*) − J_β(π̂) of estimated differences.

        Args:
            estimate: (R, S) Δ̂.
            truth: the true difference, Δ unless given.
            policy_weight: β that π̂ is computed with, the true one unless given.
        """
        true = self.difference if truth is None else truth
        best = torch.sigmoid(torch.tensor([true, -true], dtype=torch.float64) / self.kl_weight)
        own = estimate / (policy_weight or self.kl_weight)
        error = torch.from_numpy(own - true / self.kl_weight)
        ratio = torch.stack([error, torch.zeros_like(error)], dim=-1)
        states = error.shape[-1]
        uniform = torch.full((states,), 1.0 / states, dtype=torch.float64)
        return gibbs_suboptimality(best.expand(states, 2), ratio, uniform, self.kl_weight).numpy()

    def simulate(
        self,
        rng: np.random.Generator,
        replicates: int,
        removed_cost: float | None = None,
        policy_weight: float | None = None,
    ) -> np.ndarray:
        """(R,) gaps of simulated datasets.

        Args:
            rng: the block's stream.
            replicates: R.
            removed_cost: factor of z, c unless given.
            policy_weight: as in ``gap``.
        """
        half = np.full(self.num_states + 1, 0.5 / self.num_states)
        half[-1] = 0.5
        pairs = rng.multinomial(self.horizon, half, size=replicates)[:, :-1]
        wins = rng.binomial(pairs, (1 + self.report_mean) / 2)
        average = (2.0 * wins - pairs) / np.maximum(pairs, 1)
        limit = np.tanh(self.reward_bound / 2)
        removed = self.reports.cost if removed_cost is None else removed_cost
        fitted = 2 * np.arctanh(np.clip(removed * average, -limit, limit))
        estimate = on_arrays(self.estimated, fitted, np.array(self.difference))
        return self.gap(estimate, policy_weight=policy_weight)

    def noise_gap(self, epsilon: float) -> float:
        """E[gap] without corruption to second order in Δ̂ − Δ: Σ Var(π*)·Var(Δ̂)/(2β) over states.

        Args:
            epsilon: budget of the labels.
        """
        mean, cost = np.tanh(self.difference / 2), privacy_cost(epsilon)
        variance = (2 / (1 - mean**2)) ** 2 * (cost**2 - mean**2) * 2 * self.num_states
        best = 1 / (1 + np.exp(-self.difference / self.kl_weight))
        return float(best * (1 - best) * variance / (2 * self.kl_weight * self.horizon))

    def floor(self, reach: float) -> float:
        """Gap at T = ∞ where the worst adversary leaves E[y] = (1−α)h − α·reach.

        Args:
            reach: of a bad label on the debiased mean: 1 under CTL, c(ε) under LTC.
        """
        alpha = self.reports.corruption
        mean = (1 - alpha) * np.tanh(self.difference / 2) - alpha * reach
        return float(self.gap(np.array([[2 * np.arctanh(mean)]]))[0])

    def twin_difference(self) -> float:
        """Δ' < Δ whose corrupted labels can have the very distribution of Δ's.

        Both adversaries mix in α: (1−α)·h + α·b = (1−α)·h' + α·b' with b = −1, b' = 1 where h is
        the mean of a raw (CTL) or privatised (LTC) label, so h − h' = 2α/(1−α) or c times that.
        """
        alpha = self.reports.corruption
        shift = 2 * alpha / (1 - alpha) * self.reports.reach
        return float(2 * np.arctanh(np.tanh(self.difference / 2) - shift))

    def best_worst_gap(self) -> float:
        """min over policies of the larger gap on the twins: no algorithm beats it at any T."""
        twin = self.twin_difference()
        low, high = twin, self.difference
        here = there = 0.0
        for _ in range(100):
            middle = (low + high) / 2
            here = self.gap(np.array([[middle]]))[0]
            there = self.gap(np.array([[middle]]), truth=twin)[0]
            low, high = (middle, high) if here > there else (low, middle)
        return float(max(here, there))
