"""P4 Theorems 5.4, 5.7, 6.1–6.3 and P2 Lemma 3.3, Theorems 5.2, 5.3: LTC costs c(ε) more than CTL.

Statement (P4, Section 6; arXiv 2505.15694).  With an α-corruption of labels before local privacy
(CTL) the part of the error that more labels cannot remove, the floor, is free of ε; behind it
(LTC) it carries a factor c(ε) = (e^ε+1)/(e^ε−1):

    floor_LTC / floor_CTL = c(ε)     for estimation in L2, for greedy RLHF and for DPO.

In code: an order is a row of stages (repro.corruption.orders), α is corruption, and a flip is worth
1/N to the debiased win rate before the randomizer and c(ε)/N behind it.

Measured with the strong adversary (sees all, sets ⌊αn⌋ labels, refits the estimator exactly) and
with Huber's model at its exact worst B, at n = 1e13, where noise is below 1 % of every floor, with
c·α/ξ below .1, where the logistic curve is still straight.  Huber's ratio is (c + |h|)/(1 + |h|)
with h = 2σ(⟨x, θ⟩) − 1: it is c(ε) only for even labels, and `huber_ratio` checks that formula at
uneven ones.  With corruption on both sides of the randomizer (CLC) the floors add.

For RLHF the floor is the largest margin that greedy RLHF gets wrong (P4's Theorem 6.2 with η = 0
at the worst instance), for DPO |J(π*) − J(π̂)| of three responses.  P2 (Lemma 3.3, Theorems 5.2,
5.3) claims the same factor under Huber corruption for its square loss, whose minimiser in a
saturated class is the same debiased win rate: the Huber rows are that statement for the
estimate.  P2's algorithms themselves are run in its own experiments.

Six wrong implementations must not show the ratio: no debiasing, shifting without scaling, c² for
c, the orders swapped, random flips in place of an adversary, and the mask process of P4's
Appendix D, whose ratio is (c+1)/2.  All six stand in the row `ratio_value`; the slope rows have
those whose slope is wrong at every ε (random flips are free of ε under CTL as well, rightly).  No
debiasing keeps the sign of a margin, so the RLHF rows are held against swapped orders alone.

What would refute it: a slope of the ratio in c(ε) away from 1, or of the floor away from 1 (LTC) or
0 (CTL).  Two-sided, because the adversary attains the printed floors on these instances.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Finite, Model, Positive
from repro.corruption.orders import Order, order_of
from repro.families.robust.algorithms_estimation import Scene
from repro.families.robust.quantities_floors import (
    dpo_floor,
    estimation_floor,
    greedy_floor,
    separation,
    swapped,
)
from repro.families.robust.sweep import (
    PairSweep,
    PairSweepConfig,
    require_adversary,
    require_labels,
)
from repro.families.robust.worlds_log_linear import three_arms
from repro.families.robust.worlds_pairs import pairs_of
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

MAX_SHIFT = 0.1
"""Largest c·α/ξ: beyond, the curvature of the logistic function shows."""

WRONG = {
    "no_debias": {"reading": "no_debias"},
    "shift_without_scale": {"reading": "shift_without_scale"},
    "cost_squared": {"reading": "cost_squared"},
    "orders_swapped": {},
    "random_flips": {"adversary": "uniform"},
    "mask_process": {"adversary": "mask"},
}
"""The six wrong implementations and what they change."""

ALL_SIX = tuple(WRONG)
SLOPE_WRONG = ("no_debias", "orders_swapped", "random_flips")
"""Those whose slope is wrong over the whole range of ε: the mask process' (c+1)/2 has slope
c/(c+1), near 1 at large c, and unbounded readings end at the ball."""
RATIO = "floor under LTC / floor under CTL"
OVER_COST = "floor under LTC / floor under CTL / c(ε)"
FLOOR = "floor of ‖θ̂ − θ_true‖₂"


class Arms(Model):
    """Three responses in one state: their probabilities under π_sft, rewards, B′ and β."""

    reference: tuple[Positive, Positive, Positive]
    reward: tuple[Finite, Finite]
    reward_bound: Positive
    kl_weight: Positive


ESTIMATION = ("instance_ratio", "ratio", "ratio_value", "ltc_floor", "ctl_floor", "clc_floor")
"""Rows on estimates under the strong adversary, P4's."""


class SeparationConfig(PairSweepConfig):
    """Numbers of the experiment; conf/theorem/ctl_ltc_separation.yaml gives them."""

    corruption: Corruption
    instance_corruption: Corruption
    instance_adversary: str
    instance_orders: tuple[str, str]
    margins: tuple[Positive, Positive]
    arms: dict[str, Arms]


class CtlLtcSeparation(PairSweep):
    """The ratio of the floors of the two orders, everywhere it is claimed."""

    slug = "ctl_ltc_separation"
    title = "P4 Theorems 5.4–6.3, P2 Theorems 5.2, 5.3: LTC costs c(ε) more than CTL"
    statements = ("p4.thm_5_4", "p4.thm_5_7", "p4.thm_6_1", "p4.thm_6_2", "p4.thm_6_3",
                  "p2.lem_3_3", "p2.thm_5_2", "p2.thm_5_3")  # fmt: skip
    settled_by = {
        **dict.fromkeys(("p4.thm_5_4", "p4.thm_5_7"), ESTIMATION),
        **dict.fromkeys(("p4.thm_6_1", "p4.thm_6_2"), ("ratio_rlhf",)),
        "p4.thm_6_3": ("ratio_dpo",),
        "p2.lem_3_3": ("ratio_huber", "huber_ratio"),
        **dict.fromkeys(("p2.thm_5_2", "p2.thm_5_3"), ("ratio_rlhf_huber", "ratio_dpo_huber")),
    }
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"n_pairs"})
    config_type = SeparationConfig
    config: SeparationConfig

    rows = (
        Row("instance_ratio", "privacy_cost", INSTANCE, "algorithm_1",
            ("no_debias", "orders_swapped"), RATIO,
            "estimation, strong adversary: ratio of floors ∝ c(ε)"),
        Row("ratio", "privacy_cost", "two_cells", "strong", SLOPE_WRONG, RATIO,
            "estimation, strong adversary: ratio of floors ∝ c(ε)"),
        Row("ratio_value", "privacy_cost", "two_cells", "strong", ALL_SIX, OVER_COST,
            "estimation, strong adversary: ratio of floors = c(ε)"),
        Row("ratio_huber", "privacy_cost", "even_cells", "huber",
            ("shift_without_scale", "orders_swapped"), RATIO,
            "estimation, Huber: ratio of floors ∝ c(ε)"),
        Row("ratio_rlhf", "privacy_cost", "two_cells", "strong", ("orders_swapped",), RATIO,
            "RLHF, strong adversary: ratio of floors ∝ c(ε)"),
        Row("ratio_rlhf_huber", "privacy_cost", "two_cells", "huber", ("orders_swapped",), RATIO,
            "RLHF, Huber: ratio of floors ∝ c(ε)"),
        Row("ratio_dpo", "privacy_cost", "three_arms", "strong",
            ("no_debias", "orders_swapped", "random_flips"), RATIO,
            "DPO, strong adversary: ratio of floors ∝ c(ε)"),
        Row("ratio_dpo_huber", "privacy_cost", "even_arms", "huber",
            ("orders_swapped", "random_flips"), RATIO, "DPO, Huber: ratio of floors ∝ c(ε)"),
        Row("ltc_floor", "privacy_cost", "two_cells", "strong", SLOPE_WRONG, FLOOR,
            "LTC: floor ∝ c(ε)"),
        Row("ctl_floor", "privacy_cost", "two_cells", "strong",
            ("no_debias", "orders_swapped"), FLOOR, "CTL: floor free of ε"),
        Row("huber_ratio", "privacy_cost", "two_cells", "huber_formula", ("cost_alone",),
            "ratio of floors / ((c+|h|)/(1+|h|))", "Huber at uneven labels: (c+|h|)/(1+|h|)"),
        Row("clc_floor", "privacy_cost", "two_cells", "clc_over_sum", ("ltc_over_sum",),
            "CLC floor / (CTL floor + LTC floor)", "CLC: the floors add"),
    )  # fmt: skip

    def __init__(self, config: SeparationConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.instance_orders = tuple(
            order_of(name, "theorem.instance_orders") for name in config.instance_orders
        )
        require_adversary(
            "theorem.instance_adversary",
            config.instance_adversary,
            lambda: len(self.instance_world().cell_prob),
        )
        require_labels(self, lambda check, _: self._share(check))
        self.arms = {
            name: three_arms(**arms.model_dump(), device=setting.device)
            for name, arms in config.arms.items()
        }

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Floors, or their ratios, per method."""
        n_pairs, epsilon = self.size(check, value)
        found = {m: self._of(check, m, n_pairs, epsilon, rng, replicates) for m in check.methods}
        return {m: np.broadcast_to(np.asarray(x), (replicates,)) for m, x in found.items()}

    def _of(self, check: Check, method: str, n_pairs, epsilon, rng, replicates):
        floor = lambda order, name: self._floor(  # noqa: E731
            check, self._scene(check, order, epsilon, name), n_pairs, rng, replicates
        )
        match check.name, method:
            case "huber_ratio", _:
                return self._huber(check, method, epsilon, floor)
            case "clc_floor", _:
                top = floor(Order.CLC if method == "clc_over_sum" else Order.LTC, "strong")
                return top / (floor(Order.CTL, "strong") + floor(Order.LTC, "strong"))
            case "ltc_floor", _:
                return floor(Order.LTC, method)
            case "ctl_floor", _:
                return floor(Order.CTL, method)
        unit = privacy_cost(epsilon) if check.quantity == OVER_COST else 1.0
        on_instance = check.settings["world"] == INSTANCE
        dear, cheap = self.instance_orders if on_instance else (Order.LTC, Order.CTL)
        return separation(floor(dear, method), floor(cheap, method)) / unit

    def _huber(self, check: Check, method: str, epsilon: float, floor):
        """Huber's ratio over its prediction, or over c(ε) alone."""
        ratio = separation(floor(Order.LTC, "huber"), floor(Order.CTL, "huber"))
        cost = privacy_cost(epsilon)
        h = float(torch.tanh(self.world(check, cost).reward_diff.abs().max() / 2))
        return ratio / ((cost + h) / (1 + h) if method == "huber_formula" else cost)

    def _scene(self, check: Check, order: Order, epsilon: float, method: str) -> Scene:
        """What a method does to the labels of a check."""
        adversary = "huber" if "huber" in check.name or method == "huber" else "strong"
        if check.settings["world"] == INSTANCE:
            adversary = self.config.instance_adversary
        order = swapped(order) if method == "orders_swapped" else order
        world = self._pairs(check)
        scene = Scene(world, order, epsilon, self._share(check), adversary)
        return replace(scene, **WRONG.get(method, {}))

    def _share(self, check: Check) -> float:
        on_instance = check.settings["world"] == INSTANCE
        return self.config.instance_corruption if on_instance else self.config.corruption

    def _pairs(self, check: Check):
        name = str(check.settings["world"])
        if name in self.arms:
            return pairs_of(self.arms[name])
        return self.world(check, check.grid[0])

    def _floor(self, check: Check, scene: Scene, n_pairs, rng, replicates) -> np.ndarray | float:
        if "rlhf" in check.name:
            return greedy_floor(scene, n_pairs, rng, self.config.margins)
        if "dpo" in check.name:
            arms = self.arms[str(check.settings["world"])]
            return dpo_floor(scene, arms, n_pairs, rng, replicates).cpu().numpy()
        return estimation_floor(scene, n_pairs, rng, replicates).cpu().numpy()

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Coverage ξ > 0, the truth inside the class, ‖x‖ ≤ 1, and c·α/ξ in the straight range."""
        return tuple(one for check in self.checks() for one in self._assumed(check))

    def _assumed(self, check: Check) -> tuple[AssumptionResult, ...]:
        world = self._pairs(check)
        coverage = world.min_eigenvalue
        shift = check.grid[-1] * self._share(check) / coverage
        norm, length = float(world.theta.norm()), float(world.feature_diff.norm(dim=1).max())
        return (
            AssumptionResult(f"{check.name}: coverage", coverage > 0, f"ξ = {coverage:.3g}"),
            AssumptionResult(f"{check.name}: class", norm <= world.radius, f"‖θ‖ = {norm:.3g}"),
            AssumptionResult(f"{check.name}: features", length <= 1 + 1e-9, f"‖x‖ ≤ {length:.3g}"),
            AssumptionResult(
                f"{check.name}: small shift", shift <= MAX_SHIFT, f"cα/ξ = {shift:.3g}"
            ),
        )
