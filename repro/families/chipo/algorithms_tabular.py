"""Algorithms 1 and 3 of P2 on two responses a state, where both losses have one closed form.

The class has a free reward difference per state, so the minimiser of the mixture log loss and of
the square loss is Δ̂ = 2·artanh(c·z̄), clipped to ±2·R_max.  The worst reward difference of a
ladder is chosen before any draw, from the exact mean and variance of z̄ by quadrature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from repro.base.notation import privacy_cost
from repro.chipo.policy import two_arm_wrong_prob
from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order
from repro.families.chipo.variants import ChipoVariant
from repro.families.chipo.worlds import RareGoodArm, gap_ladder
from repro.preferences.label_law import Estimate, as_fitted, on_arrays

NODES = np.linspace(-8.0, 8.0, 401)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()
REFINED = 61
"""Rungs of the second, finer ladder around the first one's maximum."""


@dataclass(frozen=True)
class ChipoStudy:
    """One grid point: the world, the labels and the tuning constant.

    Attributes:
        world: states, coverage, R_max.
        n_pairs: n.
        reports: how labels become reports.
        assumed_order: order of corruption and privacy that β is tuned for.
        tuning: β = tuning·(c·√(S/n) + α or c·α)/√C.
        fixed_kl_weight: β of the variants that do not tune it.
        estimated: (fitted, truth) → what the estimator returns.
    """

    world: RareGoodArm
    n_pairs: int
    reports: HuberReports
    assumed_order: Order = Order.CTL
    tuning: float = 1.0
    fixed_kl_weight: float = 0.1
    estimated: Estimate = as_fitted

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return self.reports.cost

    def kl_weight(self, variant: ChipoVariant) -> float:
        """β of a variant (P2, Theorem C.1: β ∝ err_stat/√C)."""
        if not variant.tunes:
            return self.fixed_kl_weight
        error = self.cost * np.sqrt(self.world.num_states / self.n_pairs)
        if variant.knows_corruption:
            reach = 1.0 if self.assumed_order is Order.CTL else self.cost
            error += self.reports.corruption * reach
        return self.tuning * error / np.sqrt(self.world.coverage)

    def report_mean(self, variant: ChipoVariant, difference: np.ndarray) -> np.ndarray:
        """E[z] at reward differences in favour of the better response."""
        reports = self.reports
        if variant.order is not None:
            reports = replace(reports, order=variant.order)
        return reports.mean(np.tanh(difference / 2))

    def estimate(
        self, variant: ChipoVariant, mean: np.ndarray, difference: np.ndarray
    ) -> np.ndarray:
        """Δ̂ from z̄; ``difference`` is the true Δ, also that of a finite class {±Δ}^S."""
        fitted = self._fitted(variant, variant.sign * mean, difference)
        return on_arrays(self.estimated, fitted, difference)

    def _fitted(self, variant: ChipoVariant, mean, difference) -> np.ndarray:
        if variant.finite_class:
            return difference * np.where(mean >= 0, 1.0, -1.0)
        removed = privacy_cost(variant.budget_share * self.reports.epsilon)
        limit = np.tanh(self.world.reward_bound)
        return 2 * np.arctanh(np.clip(removed * mean, -limit, limit))

    def gap(self, variant: ChipoVariant, mean: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """J(π*) − J(π̂) of each state: Δ·π̂(worse response)."""
        scaled = self.estimate(variant, mean, difference) / self.kl_weight(variant)
        return difference * two_arm_wrong_prob(np.array(self.world.good_reference), scaled)

    def expected_gaps(self, variant: ChipoVariant, ladder: np.ndarray) -> np.ndarray:
        """(K,) E[gap] on a ladder with z̄ normal, by quadrature."""
        mean = self.report_mean(variant, ladder)
        count = self.n_pairs * self.world.pair_prob / self.world.num_states
        spread = np.sqrt((1 - mean**2) / count)
        nodes = np.clip(mean[:, None] + spread[:, None] * NODES, -1, 1)
        return self.gap(variant, nodes, ladder[:, None]) @ WEIGHTS

    def worst(self, variant: ChipoVariant) -> tuple[float, bool]:
        """The ladder's Δ of largest expected gap, and whether it is interior."""
        ladder = gap_ladder(self.world.reward_bound)
        best = int(np.argmax(self.expected_gaps(variant, ladder)))
        if not 0 < best < len(ladder) - 1:
            return float(ladder[best]), False
        finer = np.geomspace(ladder[best - 1], ladder[best + 1], REFINED)
        return float(finer[np.argmax(self.expected_gaps(variant, finer))]), True

    def draw_means(
        self,
        variant: ChipoVariant,
        difference: np.ndarray,
        rng: np.random.Generator,
        replicates: int,
    ) -> np.ndarray:
        """(R, S) z̄ of simulated datasets; 0 in a state without pairs."""
        pairs = self.world.draw_pairs(rng, self.n_pairs, replicates)
        win = (1 + self.report_mean(variant, difference)) / 2
        wins = rng.binomial(pairs, np.clip(win, 0, 1))
        return (2.0 * wins - pairs) / np.maximum(pairs, 1)

    def simulate(
        self,
        variant: ChipoVariant,
        difference: np.ndarray,
        rng: np.random.Generator,
        replicates: int,
    ) -> np.ndarray:
        """(R,) gap of simulated datasets, averaged over states."""
        means = self.draw_means(variant, difference, rng, replicates)
        return self.gap(variant, means, difference).mean(axis=1)
