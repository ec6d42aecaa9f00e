"""P2 Theorem 4.4: Privχ𝖯𝖮 with the mixture log loss reaches c(ε)·√(log|Π|/n).

Statement (Improved bounds for private and robust alignment, Theorem 4.4).  For any comparator π*
and a proper β, with probability at least 1−δ, Algorithm 1 has

    J(π*) − J(π̂) ≲ e^{2R_max}·(V_max/R_max)·√C^π* · c(ε)·√(log(|Π|/δ)/n),

J unregularised.  In code: β is kl_weight, tuned as Theorem C.1 says, β ∝ c·√(S/n)/√C; C^π* is
coverage; log|Π| is of the order of S for S states with a free reward difference (also for the
finite class {±Δ}^S); R_max is reward_bound and V_max = 2·R_max after clipping.

Testable: the exponents in n, c(ε), S and C^π*; Theorem C.1 as an inequality, draw by draw; the rate
of err²; faster rates under a margin condition.  Rates are attained as a supremum over instances:
on one instance the unregularised gap falls exponentially.  Every grid point takes the worst
reward difference of a ladder from 1e-9 to R_max, found by quadrature before any draw; that it is
interior is an assumption of the run, and ``peak`` simulates the ladder around it.  Fixed β gives
no rate.  A naive likelihood survives n on symmetric states (it only rescales Δ̂), so it is
caught by c(ε) there and by n on the offset instance, rewards (0, x, 0.4) with x unknown.

What would refute it: an exponent above the printed one.

Slips in the proof, none of which touches the statement.  The last display before Theorem 4.4's
conclusion reads err² ≲ e^{4R_max}·c²·log(|Π|/δ), without 1/n: row statistical_error measures the
exponent −1 that the theorem needs.  Algorithm 1 ranks by z although its labels are called ỹ:
without corruption the two are the same.  χ² must be ½·E_ref(π/π_ref − 1)², as C^π* = 2χ² + 1
in the proof of Theorem C.1 says (checked in p2_scalar_lemmas).

With instance=preference_text the linear class of text features replaces the random linear world.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from repro.base.schema import Count, Positive
from repro.families.chipo.algorithms_linear import LinearChipo
from repro.families.chipo.algorithms_offset import OFFSET_VARIANTS, OffsetStudy
from repro.families.chipo.algorithms_tabular import VARIANTS, ChipoStudy
from repro.families.chipo.quantities import (
    PEAK,
    bound_ratio,
    margin_gap,
    peak_ratio,
    squared_error,
)
from repro.families.chipo.worlds import RareGoodArm
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row, SweepConfig
from repro.study.privacy_mistakes import PrivacyMistakes
from repro.study.results import AssumptionResult

GAP = "suboptimality [reward]"


class PrivateChipoConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        num_states, coverage, reward_bound: S, C^π* and R_max where they are not swept.
        tuning: β = tuning·c·√(S/n)/√C.
        fixed_kl_weight: β of the control that does not tune it.
        difference: Δ of the row of the statistical error.
        margins: exponents a of P(Δ ≤ t) = t^a, by world.
    """

    num_states: Count
    coverage: Positive
    reward_bound: Positive
    tuning: Positive
    fixed_kl_weight: Positive
    difference: Positive
    margins: dict[Literal["margin_one", "margin_two"], Positive]


class PrivateChipo(PrivacyMistakes):
    """Theorem 4.4 on rare good responses, an offset instance and linear rewards."""

    slug = "private_chipo"
    title = "P2 Theorem 4.4: offline χPO with the private log loss"
    statements = ("p2.thm_4_4", "p2.thm_c_1", "p2.alg_1")
    settled_by = {
        "p2.thm_c_1": ("meta_theorem",),
        "p2.thm_4_4": ("n_pairs_linear", "n_pairs", "n_pairs_offset", "privacy_cost", "num_states",
            "num_states_finite_class", "coverage", "margin_one", "margin_two", "statistical_error",
            "peak"),
    }  # fmt: skip
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = PrivateChipoConfig
    privacy_mistakes = frozenset({"naive_likelihood", "epsilon_overstated"})

    rows = (
        Row("n_pairs_linear", "n_pairs", INSTANCE, "private_chipo", ("fixed_kl_weight",), GAP,
            "linear class: worst gap ∝ n^−½"),
        Row("n_pairs", "n_pairs", "tabular", "private_chipo", ("fixed_kl_weight", "label_flip"),
            GAP, "Algorithm 1: worst gap ∝ n^−½"),
        Row("n_pairs_offset", "n_pairs", "offset", "private_chipo",
            ("naive_likelihood", "epsilon_overstated", "label_flip"), GAP,
            "rewards (0, x, 0.4): worst gap ∝ n^−½"),
        Row("privacy_cost", "privacy_cost", "tabular", "private_chipo", ("naive_likelihood",), GAP,
            "worst gap ∝ c(ε)"),
        Row("num_states", "num_states", "tabular", "private_chipo", ("fixed_kl_weight",), GAP,
            "worst gap ∝ √S"),
        Row("num_states_finite_class", "num_states", "tabular", "finite_class",
            ("finite_class_label_flip",), GAP, "class of 2^S policies: worst gap ∝ √log|Π|"),
        Row("coverage", "coverage", "tabular", "private_chipo", ("fixed_kl_weight",), GAP,
            "worst gap ∝ √C^π*"),
        Row("margin_one", "n_pairs", "margin_one", "private_chipo", ("fixed_kl_weight",), GAP,
            "P(Δ ≤ t) = t: gap ∝ n^−1"),
        Row("margin_two", "n_pairs", "margin_two", "private_chipo", ("fixed_kl_weight",), GAP,
            "P(Δ ≤ t) = t²: gap ∝ n^−3/2"),
        Row("statistical_error", "n_pairs", "error", "private_chipo", ("naive_likelihood",),
            "err² [reward²]", "err² ∝ 1/n; the proof's last display lacks 1/n"),
        Row("peak", "n_pairs", "peak", "private_chipo", ("ladder_end",),
            "largest simulated gap of the ladder / gap at the chosen Δ",
            "the chosen Δ is the ladder's maximum"),
        Row("meta_theorem", "coverage", "meta", "private_chipo", ("coverage_ignored",),
            "gap / right-hand side of Theorem C.1", "Theorem C.1 holds in every draw"),
    )  # fmt: skip

    def __init__(self, config: PrivateChipoConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.numbers = config
        self._worst = lru_cache(maxsize=None)(self._find_worst)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """The check's quantity per method."""
        world = str(check.settings["world"])
        return {m: self._one(world, check, value, m, rng, replicates) for m in check.methods}

    def _one(self, world, check, value, method, rng, replicates) -> np.ndarray:
        size = self.size(check, value)
        if world == INSTANCE:
            return self._linear.simulate(*size, rng, replicates, fixed=method == "fixed_kl_weight")
        if world == "offset":
            study = OffsetStudy(*size, self.numbers.tuning)
            x = self._worst(study, method)[0]
            return study.simulate(OFFSET_VARIANTS[method], x, rng, replicates)
        study = self.study(check, value)
        if world in self.numbers.margins:
            exponent = self.numbers.margins[world]
            return margin_gap(study, VARIANTS[method], exponent, rng, replicates)
        if world == "error":
            difference = self.numbers.difference
            return squared_error(study, VARIANTS[method], difference, rng, replicates)
        if world == "peak":
            centre = 0 if method == "ladder_end" else len(PEAK) // 2
            return peak_ratio(study, self._worst(study, check.method)[0], centre, rng, replicates)
        if world == "meta":
            wrong = method == "coverage_ignored"
            return bound_ratio(study, self._worst(study, check.method)[0], wrong, rng, replicates)
        worst = np.array(self._worst(study, method)[0])
        return study.simulate(VARIANTS[method], worst, rng, replicates)

    def study(self, check: Check, value: float) -> ChipoStudy:
        """World and labels of one grid point."""
        states = int(value) if check.axis == "num_states" else self.numbers.num_states
        coverage = value if check.axis == "coverage" else self.numbers.coverage
        world = RareGoodArm(states, float(coverage), self.numbers.reward_bound)
        n_pairs, epsilon = self.size(check, value)
        fixed, tuning = self.numbers.fixed_kl_weight, self.numbers.tuning
        return ChipoStudy(world, n_pairs, epsilon, tuning=tuning, fixed_kl_weight=fixed)

    def _find_worst(self, study, method: str) -> tuple[float, bool]:
        if isinstance(study, OffsetStudy):
            return study.worst_x(OFFSET_VARIANTS[method])
        return study.worst_difference(VARIANTS[method])

    @property
    def _linear(self) -> LinearChipo:
        if not hasattr(self, "_linear_study"):
            choice = instance_choice(self.setting.instance)
            world = build_world(choice, self.setting.cache, "cpu")
            assert isinstance(world, LinearWorld)
            numbers = self.numbers
            self._linear_study = LinearChipo(world, numbers.tuning, numbers.fixed_kl_weight)
        return self._linear_study

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The worst instance is interior at both ends of every sweep, and realizable."""
        found = []
        for check in self.checks():
            for value in (check.grid[0], check.grid[-1]):
                found.append(self._interior(check, value))
        return tuple(found)

    def _interior(self, check: Check, value: float) -> AssumptionResult:
        world = str(check.settings["world"])
        if world == INSTANCE:
            where, inside = self._linear.worst_multiple
            n_pairs, epsilon = self.size(check, value)
            norm, radius = where * self._linear.unit(n_pairs, epsilon), self._linear.world.radius
            inside = inside and norm < radius
            detail = f"worst ‖θ‖ = {norm:.3g} inside the class of radius {radius:.3g}"
        elif world == "offset":
            study = OffsetStudy(*self.size(check, value), self.numbers.tuning)
            where, inside = self._worst(study, check.method)
            detail = f"worst x = {where:.6g} in (0.4, 1)"
        elif world in (*self.numbers.margins, "error"):
            inside, detail = True, "reward differences drawn or fixed in (0, R_max]"
        else:
            where, inside = self._worst(self.study(check, value), check.method)
            detail = f"worst Δ = {where:.3g} inside (0, R_max]"
        return AssumptionResult(
            f"{check.name} at {value:g}: worst instance interior", inside, detail
        )
