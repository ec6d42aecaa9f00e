"""P4 Proposition 4.6: from estimation error to the gap of DPO with log-linear policies.

Statement (arXiv 2505.15694).  With π̂ = π_{θ̂/β + θ_sft},

    SubOpt(π̂, π*) ≤ √(3/2)·√κ_Π·B·Γ,      ‖θ̂ − θ_true‖_{Σ̂+λI} ≤ Γ,  κ_Π = max over Π of κ(π, π).

The proof goes (a) gap ≤ Δ_max·E TV with Δ_max = max(r* − β·ln Z_β) ≤ 2βB, (b, c) Pinsker and
Jensen, (d) E KL(π*, π̂) ≤ ¼·κ_Π·‖θ̂′ − θ*‖²_{Σ_sft}.  Measured on random one-feature instances
(every step in closed form), with |gap|, because J has no KL term and the gap is signed.  A third
of the cases is extreme: one response against 8, 60 or 400 copies of its opposite, θ* = B, θ_sft =
−B.

* `proposition` is contradicted, by 2/√3 = 1.155.  Every assumption holds: φ = ±u, ‖u‖ = 1, ⟨1, u⟩
  = 0; θ*, θ_sft ∈ Θ_B; Γ is the error itself at n → ∞, λ → 0; κ_Π is the maximum over all of eq.
  (12).  With 8 copies and B = ln(8)/2, π* gives ½ to either side, so Pinsker and step (d) are
  equalities for θ̂ near θ_true, and so is step (a): |gap| = 4βB·½‖θ̂′ − θ*‖ against a bound of
  √3·βB·‖θ̂′ − θ*‖.  The √3 of Lemma H.1 does not make up for the 2 that is missing in Δ_max.
* `step_a`: true with the *span* of r* within a state; false with the maximum as printed
  (control `maximum_as_printed`): a small maximum can go with a large negative minimum.
* `reward_range`: the span is at most 4βB; neither it nor the maximum is below 2βB as printed, both
  because ‖θ* − θ_sft‖ can be 2B (controls).
* `step_d`: true with κ_Π over ‖θ‖ ≤ 3B, where θ̂′ = θ̂/β + θ_sft lies.  Read with the ‖θ‖ ≤ B that
  Assumption 4.5 has for θ*, it is false (control `class_of_B`); eq. (12) itself has no bound on θ.
* `corrected`: |gap| ≤ √(3/2)·√κ_Π(3B)·2B·Γ, from the corrected steps: the printed rate with twice
  the constant.

The controls of the step rows are the printed steps, so they confirm the slips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repro.base.schema import Positive
from repro.families.robust.worlds_line import ALL, LogLinearLine, random_line
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult


@dataclass(frozen=True)
class Case:
    """An instance, an estimate θ̂ in [−2βB, 2βB], and its policy's parameter θ̂′."""

    line: LogLinearLine
    estimate: float

    @property
    def parameter(self) -> float:
        """θ̂′ = θ̂/β + θ_sft."""
        return self.estimate / self.line.kl_weight + self.line.reference

    @property
    def error(self) -> float:
        """‖θ̂ − θ_true‖_{Σ_sft}, the least Γ (λ → 0, n → ∞)."""
        off = abs(self.estimate - self.line.true_parameter)
        return off * self.line.pair_variance(self.line.reference) ** 0.5

    def bound(self, class_bound: float, reward_factor: float) -> float:
        """√(3/2)·√κ_Π·(reward_factor·B)·Γ."""
        kappa = self.line.condition_number(class_bound)
        return (1.5 * kappa) ** 0.5 * reward_factor * self.line.bound * self.error

    def kl_bound(self, class_bound: float) -> float:
        """¼·κ_Π·‖θ̂′ − θ*‖²_{Σ_sft}."""
        kappa = self.line.condition_number(class_bound)
        return kappa * (self.error / self.line.kl_weight) ** 2 / 4


RATIOS: dict[str, Callable[[Case], float]] = {
    "as_printed": lambda c: abs(c.line.gap(c.parameter)) / c.bound(ALL, 1.0),
    "bound_over_ten": lambda c: 10 * abs(c.line.gap(c.parameter)) / c.bound(ALL, 1.0),
    "span": lambda c: abs(c.line.gap(c.parameter)) / c.line.span / c.line.variation(c.parameter),
    "maximum_as_printed": lambda c: (
        abs(c.line.gap(c.parameter)) / c.line.reward.max() / c.line.variation(c.parameter)
    ),
    "span_over_4bB": lambda c: c.line.span / (4 * c.line.kl_weight * c.line.bound),
    "span_over_2bB": lambda c: c.line.span / (2 * c.line.kl_weight * c.line.bound),
    "maximum_over_2bB": lambda c: c.line.reward.max() / (2 * c.line.kl_weight * c.line.bound),
    "class_of_3B": lambda c: c.line.divergence(c.parameter) / c.kl_bound(3 * c.line.bound),
    "class_of_B": lambda c: c.line.divergence(c.parameter) / c.kl_bound(c.line.bound),
    "corrected_bound": lambda c: abs(c.line.gap(c.parameter)) / c.bound(3 * c.line.bound, 2.0),
    "corrected_over_fifty": lambda c: (
        50 * abs(c.line.gap(c.parameter)) / c.bound(3 * c.line.bound, 2.0)
    ),
}
"""Left over right side of one case."""


class DpoReductionConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/dpo_reduction.yaml gives them."""

    reward_bound: Positive


class DpoReduction(SweepExperiment):
    """Inequalities of the reduction, case by case."""

    slug = "dpo_reduction"
    title = "P4 Proposition 4.6: reduction of DPO to estimation"
    statements = ("p4.prop_4_6",)
    instances = ("linear",)
    used_overrides = frozenset[str]()
    config_type = DpoReductionConfig
    config: DpoReductionConfig

    rows = (
        Row("proposition", "num_states", "random", "as_printed", ("bound_over_ten",),
            "|gap| / √(3/2)·√κ_Π·B·Γ", "as printed: |gap| ≤ √(3/2)·√κ_Π·B·Γ"),
        Row("step_a", "num_states", "random", "span", ("maximum_as_printed",),
            "|gap| / Δ·E TV", "step (a) with Δ the span of r*"),
        Row("reward_range", "num_states", "random", "span_over_4bB",
            ("span_over_2bB", "maximum_over_2bB"), "Δ / 4βB", "span of r* ≤ 4βB"),
        Row("step_d", "num_states", "random", "class_of_3B", ("class_of_B",),
            "E KL / ¼κ_Π‖θ̂′ − θ*‖²", "step (d) with κ_Π over ‖θ‖ ≤ 3B"),
        Row("corrected", "num_states", "random", "corrected_bound", ("corrected_over_fifty",),
            "|gap| / √(3/2)·√κ_Π(3B)·2B·Γ", "corrected: |gap| ≤ √(3/2)·√κ_Π(3B)·2B·Γ"),
    )  # fmt: skip

    def __init__(self, config: DpoReductionConfig, setting: Setting) -> None:
        super().__init__(config, setting)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One random case a replicate, the same for all methods."""
        cases = [self._case(rng, int(value)) for _ in range(replicates)]
        return {m: np.array([RATIOS[m](case) for case in cases]) for m in check.methods}

    def _case(self, rng: np.random.Generator, states: int) -> Case:
        line = random_line(rng, states, self.config.reward_bound)
        largest = 2 * line.kl_weight * line.bound
        near, far = line.true_parameter * (1 - 1e-3), rng.uniform(-largest, largest)
        return Case(line, float(near if rng.random() < 0.5 else far))

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 4.5 holds by construction: π* and π_sft are log-linear with ‖θ‖ ≤ B."""
        return (AssumptionResult("Assumption 4.5", True, "by construction"),)
