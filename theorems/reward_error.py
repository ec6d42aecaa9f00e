"""P1 Lemma B.1: the on-policy error of the private MLE.

Statement (arXiv 2510.13512, Lemma B.1).  With b(s) = E_π[r̄ − r*] and probability at least 1−2δ,

    E_{d₀×π}[(r̄ − r* − b)²] = O( e^B/(2α−1)²·(log(N_F(τ)/δ)/n + τ) ).

In code π is π_ref, 1/(2α−1) is privacy_cost; the left side is a quadratic form in θ̂ − θ.

Testable: the exponents in n, c(ε) and d; the constant of 1/n, which Fisher information gives
(tr(Σ_ref·I⁻¹)); the exponent in e^B; and (19), the in-sample bound of its proof, constants
included.  Not testable: the universal constant of O(·).

Contradicted as printed, at fixed ε < ∞: the factor e^B (``reward_bound_eps_one``; without privacy
it is right).  The proof loses a square in the last line of (15), where (σ(x) − σ(y))² is bounded
below by σ′·(x − y)² in the place of (σ′)²·(x − y)²; without privacy, labels near certainty make
up for it.  (19) itself fails with probability near 1/2 for B ≥ 4 on a class of two rewards, one the
truth (``in_sample_printed``): realisable, Bradley–Terry, its own net.  Step (b) of (18) moreover
turns 1/8 into 1/4 where (x + y)² ≥ x²/2 − y² gives 1/16.  Corrected form, which holds
(``in_sample_corrected``): 16(1+e^B)⁴/((2α−1)²e^2B)·(log(N/δ) + 2τn).

What would refute a supported row: an exponent or constant outside its margin.  The contradicted
rows need no control: each has a neighbour whose control they are, or which takes the place of one.
"""

from __future__ import annotations

import numpy as np

from repro.families.offline_kl.algorithms_reward import METHODS, draw_labels
from repro.families.offline_kl.bounds_reward_error import (
    bound_fails,
    corrected_bound,
    printed_bound,
)
from repro.families.offline_kl.quantities_gap import reward_error_constant
from repro.families.offline_kl.sweep import WorldSweep, WorldSweepConfig
from repro.instances.assumptions import realizable_and_covered
from repro.instances.linear import LinearWorld
from repro.instances.two_arms import TwoArmWorld
from repro.study.checks import Check, FrequencyCheck, RatioCheck
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

ERROR = "on-policy error of the reward [reward²]"
FAILS = "(19) fails [frequency]"
WRONG = ("naive_likelihood", "epsilon_overstated")
BOUNDS = {"printed": printed_bound, "corrected": corrected_bound}


class RewardError(WorldSweep):
    """Lemma B.1, its constant, and the bound inside its proof."""

    slug = "reward_error"
    title = "P1 Lemma B.1: on-policy error of the private MLE"
    statements = ("p1.lem_b_1", "p1.eq_19")
    settled_by = {
        "p1.lem_b_1": ("n_pairs", "privacy_cost", "constant", "num_features",
            "reward_bound_eps_one", "reward_bound_eps_inf"),
        "p1.eq_19": ("in_sample_printed", "in_sample_corrected"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = WorldSweepConfig

    rows = (
        Row("n_pairs", "n_pairs", INSTANCE, "private_mle", WRONG, ERROR, "error ∝ 1/n"),
        Row("privacy_cost", "privacy_cost", INSTANCE, "private_mle", WRONG, ERROR,
            "error ∝ c(ε)²", ("epsilon",)),
        Row("constant", "n_pairs", INSTANCE, "private_mle", WRONG, "error / predicted",
            "n·error → tr(Σ_ref·I⁻¹)"),
        Row("num_features", "num_features", "features", "private_mle", ("frozen_features",), ERROR,
            "error ∝ d"),
        Row("reward_bound_eps_one", "reward_bound", "large_difference", "private_mle", (), ERROR,
            "error ≤ O(e^B) at ε = 1", ("epsilon",)),
        Row("reward_bound_eps_inf", "reward_bound", "large_difference", "private_mle",
            ("hidden_randomizer",), ERROR, "error ≤ O(e^B) without privacy", ("epsilon",)),
        Row("in_sample_printed", "reward_bound", "large_difference", "printed", (), FAILS,
            "(19) with 4(1+e^B)²/e^B fails with probability ≤ δ", ("epsilon",)),
        Row("in_sample_corrected", "reward_bound", "large_difference", "corrected", ("printed",),
            FAILS, "(19) with 16(1+e^B)⁴/e^2B fails with probability ≤ δ", ("epsilon",)),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Errors, errors over their prediction, or failures of (19), per method."""
        world, size = self.world(check, value), self.size(check, value)
        if isinstance(check, FrequencyCheck):
            assert isinstance(world, TwoArmWorld)
            delta = self.allowed_failure
            return {
                m: bound_fails(world, BOUNDS[m], *size, delta, rng, replicates)
                for m in check.methods
            }
        labels = draw_labels(world, *size, rng, replicates)
        unit = 1.0
        if isinstance(check, RatioCheck):
            assert isinstance(world, LinearWorld)
            unit = reward_error_constant(world, size[1]) / size[0]
        return {m: METHODS[m](labels).cpu().numpy() / unit for m in check.methods}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 and Definition 3.3 at both ends of every sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in realizable_and_covered(self.world(check, value))
        )
