"""P4 Theorem 6.3: private and robust DPO with log-linear policies.

Statement (arXiv 2505.15694, Theorem 6.3).  The policy of Algorithm 1's output has, w.p. ≥ 1−δ,

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ),

ζ = 1 (CTL) or c(ε) (LTC), γ = 1/(2 + e^βB + e^−βB).  By Remark 6.4 the algorithm is rDPO.

Measured: |J(π*) − J(π̂)|, because J has no KL term and the gap is signed.  On three responses of
one state: noise in n and c (two-sided), floors in c (two-sided: the strong adversary aims at the
gradient of J) and in α, where the floor of a fixed instance goes like α, locally, below the √α of
the bound (`printed_corruption`, at_least ½; its neighbours show that it could fail).  On two
responses whose reference is lopsided the noise goes like √κ_Π; there B is the reward difference,
and the gap is measured in its unit.

`uncovered`: a response that the reference draws with probability μ, nμ from 1000 to 10.  DPO needs
coverage of the whole class and loses more as μ falls; pessimistic RLHF on the same labels does not
(P4, Remark 4.8): it is the method, DPO the control.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from repro.base.schema import Finite, Model, Number, Positive
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene
from repro.families.robust.quantities_dpo import Uncovered, losses
from repro.families.robust.quantities_floors import dpo_floor, swapped
from repro.families.robust.sweep import require_labels
from repro.families.robust.worlds_log_linear import three_arms, two_arms
from repro.families.robust.worlds_pairs import pairs_of
from repro.instances.linear import LinearWorld
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

GAP = "|J(π*) − J(π̂)| without corruption"
FLOOR = "|J(π*) − J(π̂)| when labels are plentiful"
METHODS = {"rdpo": {}, "no_debias": {"reading": "no_debias"}, "orders_swapped": {}}


class ThreeArms(Model):
    """Probabilities under π_sft, θ_true, B′ and β."""

    reference: tuple[Positive, Positive, Positive]
    reward: tuple[Finite, Finite]
    reward_bound: Positive
    kl_weight: Positive


class UncoveredNumbers(Model):
    """Rewards of the three responses, B′ and β."""

    rewards: tuple[Finite, Finite, Finite]
    reward_bound: Positive
    kl_weight: Positive


class PrivateRobustDpoConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/private_robust_dpo.yaml gives them."""

    corruption: Number
    three_arms: ThreeArms
    lopsided_kl_weight: Positive
    uncovered: UncoveredNumbers


class PrivateRobustDpo(SweepExperiment):
    """Theorem 6.3 and what pessimism adds."""

    slug = "private_robust_dpo"
    title = "P4 Theorem 6.3: private and robust DPO"
    statements = ("p4.thm_6_3",)
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = PrivateRobustDpoConfig
    config: PrivateRobustDpoConfig

    rows = (
        Row("n_pairs", "n_pairs", "three_arms", "rdpo", ("no_debias",), GAP, "gap ∝ n^−½"),
        Row("privacy_cost", "privacy_cost", "three_arms", "rdpo", ("no_debias",), GAP,
            "gap ∝ c(ε)"),
        Row("coverage", "coverage", "lopsided", "rdpo", ("no_debias",),
            "|J(π*) − J(π̂)| / reward difference", "gap ∝ √κ_Π"),
        Row("ltc_corruption", "corruption", "three_arms", "rdpo", ("no_debias",), FLOOR,
            "LTC: floor ∝ α on a fixed instance"),
        Row("ctl_corruption", "corruption", "three_arms", "rdpo", ("no_debias",), FLOOR,
            "CTL: floor ∝ α on a fixed instance"),
        Row("printed_corruption", "corruption", "three_arms", "rdpo", ("no_debias",), FLOOR,
            "LTC, as printed: floor ≤ O(√α)"),
        Row("ltc_cost", "privacy_cost", "three_arms", "rdpo", ("orders_swapped",), FLOOR,
            "LTC: floor ∝ c(ε)"),
        Row("ctl_cost", "privacy_cost", "three_arms", "rdpo", ("orders_swapped",), FLOOR,
            "CTL: floor free of ε"),
        Row("uncovered", "coverage", "uncovered", "pessimistic", ("dpo",),
            "reward lost against the best response",
            "pessimistic RLHF does not pay for an uncovered response"),
    )  # fmt: skip

    def __init__(self, config: PrivateRobustDpoConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        require_labels(self, self._corrupted)
        self._arms = three_arms(**config.three_arms.model_dump())

    def _corrupted(self, check: Check, value: float) -> float | None:
        """α of a floor row."""
        if check.quantity != FLOOR:
            return None
        return value if check.axis == "corruption" else self.config.corruption

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gaps, floors or losses per method."""
        n_pairs, epsilon = self.size(check, value)
        if check.name == "uncovered":
            case = Uncovered(1 / value, **self.config.uncovered.model_dump())
            return losses(case, n_pairs, epsilon, rng, replicates)
        world = self._policies(check, value)
        unit = float(world.reward.max() - world.reward.min()) if check.name == "coverage" else 1.0
        return {
            m: dpo_floor(
                self._scene(check, value, world, epsilon, m), world, n_pairs, rng, replicates
            ).numpy() / unit
            for m in check.methods
        }  # fmt: skip

    def _policies(self, check: Check, value: float) -> LinearWorld:
        if check.name != "coverage":
            return self._arms
        share = (1 - math.sqrt(1 - 1 / value)) / 2
        return two_arms(share, self.config.lopsided_kl_weight)

    def _scene(self, check, value, world, epsilon, method) -> Scene:
        order = Order.CTL if check.name.startswith("ctl") else Order.LTC
        order = swapped(order) if method == "orders_swapped" else order
        scene = Scene(pairs_of(world), order, epsilon, **METHODS[method])
        if check.quantity != FLOOR:
            return scene
        share = self._corrupted(check, value) or 0.0
        return replace(scene, corruption=share, adversary="strong")

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 4.5: one-hot features hold every policy; θ_true lies inside the class."""
        norm = float(self._arms.theta.norm())
        inside = norm <= self._arms.radius
        return (AssumptionResult("class", inside, f"‖θ_true‖ = {norm:.3g}"),)
