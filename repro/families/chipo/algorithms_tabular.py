"""Algorithms 1 and 3 of P2 on two responses a state, where both losses have one closed form.

The class has a free reward difference per state, so the minimiser of the mixture log loss and of
the square loss is Δ̂ = 2·artanh(c·z̄), clipped to ±2·R_max.  The worst reward difference of a
ladder is chosen before any draw, from the exact mean and variance of z̄ by quadrature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from repro.base.notation import privacy_cost
from repro.corruption.huber_square import HuberOrder, reported_mean
from repro.families.chipo.algorithms_policy import two_arm_wrong_prob
from repro.families.chipo.worlds import RareGoodArm, gap_ladder

NODES = np.linspace(-8.0, 8.0, 401)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()
EPSILON_OVERSTATED = 1.2
REFINED = 61
"""Rungs of the second, finer ladder around the first one's maximum."""


@dataclass(frozen=True)
class ChipoVariant:
    """An implementation, right or wrong on purpose.

    Attributes:
        removes: the privacy cost it removes from labels: the true one, none (a clean
            likelihood, or no c in the square loss) or that of a budget 20 % too high.
        sign: −1 where it reads labels upside down.
        tuning: β from c, S, n, C and α; from all but α; or fixed.
        finite_class: the class is {±Δ}^S instead of all differences.
        bad_mean: mean of the adversary's labels; −1 is the worst, 0 a coin.
        order: of corruption and privacy, where it differs from the setting's.
    """

    removes: Literal["true", "none", "overstated"] = "true"
    sign: float = 1.0
    tuning: Literal["known", "adaptive", "fixed"] = "known"
    finite_class: bool = False
    bad_mean: float = -1.0
    order: HuberOrder | None = None


@dataclass(frozen=True)
class ChipoStudy:
    """One grid point: the world, the labels and the tuning constant.

    Attributes:
        world: states, coverage, R_max.
        n_pairs: n.
        epsilon: ε.
        corruption: α.
        order: of corruption and privacy.
        tuning: β = tuning·(c·√(S/n) + α or c·α)/√C.
        fixed_kl_weight: β of the variants that do not tune it.
    """

    world: RareGoodArm
    n_pairs: int
    epsilon: float
    corruption: float = 0.0
    order: HuberOrder = "ctl"
    tuning: float = 1.0
    fixed_kl_weight: float = 0.1

    @cached_property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    def kl_weight(self, variant: ChipoVariant) -> float:
        """β of a variant (P2, Theorem C.1: β ∝ err_stat/√C)."""
        if variant.tuning == "fixed":
            return self.fixed_kl_weight
        error = self.cost * np.sqrt(self.world.num_states / self.n_pairs)
        if variant.tuning == "known":
            error += self.corruption * (1.0 if self.order == "ctl" else self.cost)
        return self.tuning * error / np.sqrt(self.world.coverage)

    def report_mean(self, variant: ChipoVariant, difference: np.ndarray) -> np.ndarray:
        """E[z] at reward differences in favour of the better response."""
        order = variant.order or self.order
        clean = np.tanh(difference / 2)
        return reported_mean(clean, self.cost, self.corruption, order, variant.bad_mean)

    def estimate(
        self, variant: ChipoVariant, mean: np.ndarray, difference: np.ndarray
    ) -> np.ndarray:
        """Δ̂ from z̄; ``difference`` is the Δ of a finite class {±Δ}^S."""
        mean = variant.sign * mean
        if variant.finite_class:
            return difference * np.where(mean >= 0, 1.0, -1.0)
        removed = {
            "true": self.cost,
            "none": 1.0,
            "overstated": privacy_cost(EPSILON_OVERSTATED * self.epsilon),
        }[variant.removes]
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

    def worst_difference(self, variant: ChipoVariant) -> tuple[float, bool]:
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

    def at(self, **changes: object) -> ChipoStudy:
        """The same study with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]


RIGHT = ChipoVariant()
VARIANTS = {
    "private_chipo": RIGHT,
    "square_chipo": RIGHT,
    "adaptive_tuning": ChipoVariant(tuning="adaptive"),
    "finite_class": ChipoVariant(finite_class=True),
    "finite_class_label_flip": ChipoVariant(finite_class=True, sign=-1.0),
    "naive_likelihood": ChipoVariant(removes="none"),
    "without_privacy_cost": ChipoVariant(removes="none"),
    "epsilon_overstated": ChipoVariant(removes="overstated"),
    "label_flip": ChipoVariant(sign=-1.0),
    "fixed_kl_weight": ChipoVariant(tuning="fixed"),
    "adaptive_corruption_before_privacy": ChipoVariant(tuning="adaptive", order="ctl"),
    "corruption_after_privacy": ChipoVariant(order="ltc"),
    "weak_adversary": ChipoVariant(bad_mean=0.0),
}
"""Algorithms 1 and 3 and deliberately wrong versions, by name."""
