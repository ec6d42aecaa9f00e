"""P4 Theorem 5.7, Claims E.3, E.4: private and robust estimation in the L2 norm.

Statement (arXiv 2505.15694, Theorem 5.7).  If λ_min(E[xxᵀ]) ≥ ξ and n ≥ 8·ln(d/δ)/ξ, then with
probability at least 1−δ Algorithm 1 has

    CTL:  ‖θ̂ − θ_true‖₂ ≤ C·( α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) )
    LTC:  ‖θ̂ − θ_true‖₂ ≤ C·( c(ε)·α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   γ = 1/(2+e^B′+e^−B′).

In code: α is corruption (strong adversary, ⌊αn⌋ labels), c(ε) privacy_cost, ξ min_eigenvalue, B′
reward_bound.  ⟨1, θ⟩ = 0 holds in every world by an isometry into the complement of 1.

Testable: the exponents of the noise (α = 0) in n, c and ξ, and of the floor (n → ∞) in α, c and
ξ. The floors are attained: the adversary spends everything on one cell of mass ξ.  The noise has
exponent −1 in ξ only where ξ = 1/d, the isotropic case (row `noise_isotropic`); at fixed d it is
−½, inside the printed bound.  Huber's corruption has to spread over the cells, so its floor is
free of ξ: the row `huber_floor` tells the two models apart, and each is the other's control.

Claim E.4, ‖(1/n)Σ b_i·x_i‖ ≤ ζα, holds with constant 1 where ‖x‖ ≤ 1.  P4 has ‖φ‖ ≤ 1 and x = φ −
φ′ (Assumption 4.1), so ‖x‖ ≤ 2 (Remark 5.2 sets ‖x‖ ≤ 1 "for simplicity"): the control
`x_of_norm_2` breaks the claim by that factor 2, which the universal constant C has to take up.

Assumption 5.6 read on all of R^d excludes one-hot features: their differences are orthogonal to
1, so λ_min(E[xxᵀ]) = 0.  Read on {θ : ⟨1, θ⟩ = 0}, where both θ's live and which is all that the
proof needs, it holds (row `one_hot_coverage`; its control is the literal reading).

What would refute the theorem: exponents beyond the printed ones, or an E.3 failure rate above δ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from repro.base.schema import Corruption, Positive
from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene, estimation_error
from repro.families.robust.bounds_floor import one_hot_coverage_ratio
from repro.families.robust.bounds_score import corruption_term_ratio, noise_term_fails
from repro.families.robust.quantities_floors import swapped
from repro.families.robust.sweep import PairSweep, PairSweepConfig, require_labels
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row
from repro.study.results import AssumptionResult

NOISE = "‖θ̂ − θ_true‖₂ without corruption"
FLOOR = "‖θ̂ − θ_true‖₂ when labels are plentiful"

METHODS = {
    "algorithm_1": {},
    "no_debias": {"reading": "no_debias"},
    "orders_swapped": {},
    "strong_adversary": {"adversary": "strong"},
    "huber_adversary": {"adversary": "huber"},
}
"""Algorithm 1 under the row's adversary, and what is changed."""


class EstimationL2Config(PairSweepConfig):
    """Numbers of the experiment; conf/theorem/estimation_l2.yaml gives them."""

    corruption: Corruption
    instance_corruption: Corruption
    claim_e3_constant: Positive


class EstimationL2(PairSweep):
    """Theorem 5.7 and its claims."""

    slug = "estimation_l2"
    title = "P4 Theorem 5.7: private and robust estimation in the L2 norm"
    statements = ("p4.thm_5_7", "p4.claim_e_3", "p4.claim_e_4")
    settled_by = {
        "p4.claim_e_3": ("claim_e3",),
        "p4.claim_e_4": ("claim_e4",),
        "p4.thm_5_7": ("noise_n_pairs", "noise_privacy_cost", "ltc_corruption", "ctl_corruption",
            "ltc_privacy_cost", "ctl_privacy_cost", "noise_isotropic", "ltc_floor", "ctl_floor",
            "huber_floor", "one_hot_coverage"),
    }  # fmt: skip
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = EstimationL2Config
    config: EstimationL2Config
    allowed_failure = 0.05

    rows = (
        Row("noise_n_pairs", "n_pairs", INSTANCE, "algorithm_1", ("no_debias",), NOISE,
            "noise ∝ n^−½"),
        Row("noise_privacy_cost", "privacy_cost", INSTANCE, "algorithm_1", ("no_debias",), NOISE,
            "noise ∝ c(ε)"),
        Row("ltc_corruption", "corruption", INSTANCE, "algorithm_1", ("no_debias",), FLOOR,
            "LTC: floor ∝ α"),
        Row("ctl_corruption", "corruption", INSTANCE, "algorithm_1", ("no_debias",), FLOOR,
            "CTL: floor ∝ α"),
        Row("ltc_privacy_cost", "privacy_cost", INSTANCE, "algorithm_1", ("orders_swapped",),
            FLOOR, "LTC: floor ∝ c(ε)"),
        Row("ctl_privacy_cost", "privacy_cost", INSTANCE, "algorithm_1", ("orders_swapped",),
            FLOOR, "CTL: floor free of ε"),
        Row("noise_isotropic", "min_eigenvalue", "isotropic", "algorithm_1", ("no_debias",), NOISE,
            "noise ∝ 1/ξ where ξ = 1/d"),
        Row("ltc_floor", "min_eigenvalue", "two_cells", "algorithm_1", ("huber_adversary",), FLOOR,
            "LTC, strong adversary: floor ∝ 1/ξ"),
        Row("ctl_floor", "min_eigenvalue", "two_cells", "algorithm_1", ("huber_adversary",), FLOOR,
            "CTL, strong adversary: floor ∝ 1/ξ"),
        Row("huber_floor", "min_eigenvalue", "two_cells", "algorithm_1", ("strong_adversary",),
            FLOOR, "LTC, Huber: floor free of ξ"),
        Row("claim_e3", "num_features", "isotropic", "norm_too_large", ("a_third_of_the_constant",),
            "Claim E.3 fails [frequency]", "‖(1/n)Σηx‖₂ ≤ C·√((1+ln(1/δ))/n) w.p. ≥ 1−δ"),
        Row("claim_e4", "corruption", "isotropic", "worst_ratio", ("x_of_norm_2",),
            "‖(1/n)Σbx‖₂ / ζα", "Claim E.4: ‖(1/n)Σbx‖₂ ≤ ζα"),
        Row("one_hot_coverage", "num_features", "isotropic", "on_complement", ("on_all_of_rd",),
            "1/((d−1)·λ_min)", "uniform one-hot pairs: λ_min = 1/(d−1) on {⟨1,θ⟩ = 0}"),
    )  # fmt: skip

    def __init__(self, config: EstimationL2Config, setting: Setting) -> None:
        super().__init__(config, setting)
        require_labels(self, self._corrupted)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Error, floor, or a claim's ratio, per method."""
        if check.name == "claim_e4":
            lengths = {"worst_ratio": 1.0, "x_of_norm_2": 2.0}
            return {
                m: corruption_term_ratio(value, lengths[m], None, rng, replicates)
                for m in check.methods
            }
        if check.name == "claim_e3":
            return self._claim_e3(check, int(value), rng, replicates)
        if check.name == "one_hot_coverage":
            return {
                m: np.full(replicates, one_hot_coverage_ratio(int(value), m == "on_complement"))
                for m in check.methods
            }
        return {m: self._error(check, value, m, rng, replicates) for m in check.methods}

    def _claim_e3(self, check, features, rng, replicates) -> dict[str, np.ndarray]:
        constant = self.config.claim_e3_constant
        constants = {"norm_too_large": constant, "a_third_of_the_constant": constant / 3}
        n_pairs, delta = int(self._fixed(check, "n_pairs")), self.allowed_failure
        return {
            m: noise_term_fails(features, n_pairs, constants[m], delta, False, rng, replicates)
            for m in check.methods
        }

    def _error(self, check: Check, value: float, method: str, rng, replicates) -> np.ndarray:
        n_pairs, epsilon = self.size(check, value)
        scene = self._scene(check, value, epsilon)
        if method == "orders_swapped":
            scene = replace(scene, order=swapped(scene.order))
        scene = replace(scene, **METHODS[method])
        return estimation_error(scene, n_pairs, rng, replicates).cpu().numpy()

    def _scene(self, check: Check, value: float, epsilon: float) -> Scene:
        """Who corrupts what in a row: nobody, the strong adversary, or Huber's."""
        order = Order.CTL if check.name.startswith("ctl") else Order.LTC
        world = self.world(check, value)
        if check.quantity == NOISE:
            return Scene(world, order, epsilon)
        share = self._corrupted(check, value) or 0.0
        adversary = "huber" if check.name.startswith("huber") else "strong"
        return Scene(world, order, epsilon, share, adversary)

    def _corrupted(self, check: Check, value: float) -> float | None:
        """α of a floor row."""
        if check.quantity != FLOOR:
            return None
        return value if check.axis == "corruption" else self._share(check)

    def _share(self, check: Check) -> float:
        on_instance = check.settings["world"] == INSTANCE
        return self.config.instance_corruption if on_instance else self.config.corruption

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Definition 5.1 and Assumption 5.6 (on the complement of 1), and n ≥ 8·ln(d/δ)/ξ."""
        return tuple(
            one
            for check in self.checks()
            if check.quantity in {NOISE, FLOOR}
            for value in (check.grid[0], check.grid[-1])
            for one in self._assumed(check, value)
        )

    def _assumed(self, check: Check, value: float) -> tuple[AssumptionResult, ...]:
        world, (n_pairs, _) = self.world(check, value), self.size(check, value)
        xi, at = world.min_eigenvalue, f"{check.name} at {value:g}"
        enough = 8 * np.log(world.feature_diff.shape[1] / self.allowed_failure) / max(xi, 1e-300)
        norm, length = float(world.theta.norm()), float(world.feature_diff.norm(dim=1).max())
        return (
            AssumptionResult(f"{at}: coverage", xi > 0, f"ξ = {xi:.3g}"),
            AssumptionResult(f"{at}: enough labels", n_pairs >= enough, f"n ≥ {enough:.3g}"),
            AssumptionResult(f"{at}: class", norm <= world.radius, f"‖θ‖ = {norm:.3g}"),
            AssumptionResult(f"{at}: features", length <= 1 + 1e-9, f"‖x‖ ≤ {length:.3g}"),
        )
