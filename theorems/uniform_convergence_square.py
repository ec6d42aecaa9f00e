"""P2 Lemma 3.3: uniform convergence of the square loss under privacy and Huber corruption.

Statement (Lemma 3.3).  For a finite class H of functions to [−1, 1] containing h* = E[y|x], with
probability at least 1−δ, for all n ≤ T and all h,

    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·α²          under CTL,
    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·c(ε)²·α²    under LTC,

with L̂(h) = Σ(h(x) − c(ε)·z)² and E^(n)(h) = Σ_t E[(h(x^(t)) − h*(x^(t)))² | past].

Testable: E/n of least squares on ten inputs against the worst Huber adversary.  Its floor in n
has exponent 2 in α under both orders, and 0 (CTL) or 2 (LTC) in c(ε); before the floor it is
∝ 1/n; the floor's constant is exactly the mean of α²(1+|h*|)² (CTL) or α²(c+|h*|)² (LTC): an
adversary who tosses coins keeps the exponent and misses the constant.  The older bound nα (Zhou
et al., square loss) is loose by a factor that vanishes with α: row older_bound holds E/(nα) ∝ α.
The inequality itself is held at every n ≤ T, for iid and adaptive inputs, with the constants of
repro.families.losses.bounds_uniform.

Slip in the proof: eqs. (4) and (5) bound F* − h* from above only; Lemma B.2 needs |F* − h*|.
The same bound holds from below (row two_sided_bias: every bad mean b, every h*), so the lemma
stands.

What would refute it: a floor with a smaller exponent in α, or a larger one in c.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.schema import Count, Number, Probability
from repro.corruption.huber_square import HuberOrder, reported_mean, worst_bad_mean, worst_bias
from repro.families.losses.algorithms_square_loss import SquareStudy
from repro.families.losses.bounds_uniform import square_loss_violated
from repro.families.losses.worlds_sequences import (
    Design,
    draw_sequence,
    packing_class,
    random_class,
)
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig
from repro.study.privacy_mistakes import PrivacyMistakes
from repro.study.results import AssumptionResult

ERROR = "mean squared error of ĥ"
FLOOR = "mean squared error / α²·mean(reach+|h*|)²"
OVER_OLD = "mean squared error / α"
VIOLATED = "inequality violated at some n ≤ T [frequency]"
BIAS = "|E[c·z] − h*| / bound"

Mean = Annotated[Number, Field(ge=-1, le=1)]


class UniformConvergenceSquareConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        means: h* of the ten inputs.
        small_means: h* of the sweep of c, where |h*| ≪ c keeps the exponent clean.
        corruption: α where it is not swept.
        class_size: N of the classes of the inequality.
        failure_prob: δ.
    """

    means: Annotated[tuple[Mean, ...], Field(min_length=1, max_length=1000)]
    small_means: Annotated[tuple[Mean, ...], Field(min_length=1, max_length=1000)]
    corruption: Probability
    class_size: Count
    failure_prob: Probability


class UniformConvergenceSquare(PrivacyMistakes):
    """Lemma 3.3: floors, their constants, and the inequality over all n."""

    slug = "uniform_convergence_square"
    title = "P2 Lemma 3.3: uniform convergence of the square loss under CTL and LTC"
    statements = ("p2.lem_3_3", "p2.lem_b_2")
    settled_by = {
        "p2.lem_b_2": ("two_sided_bias", "all_n_iid", "all_n_adaptive"),
        "p2.lem_3_3": ("corruption_ctl", "corruption_ltc", "privacy_cost_ctl", "privacy_cost_ltc",
            "prefactor_ctl", "prefactor_ltc", "n_pairs", "privacy_cost", "older_bound",
            "two_sided_bias", "all_n_iid", "all_n_adaptive"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs", "horizon"})
    config_type = UniformConvergenceSquareConfig
    privacy_mistakes = frozenset({"without_privacy_cost"})

    rows = (
        Row("corruption_ctl", "corruption", "ctl", "square_loss", ("without_privacy_cost",),
            ERROR, "CTL: floor ∝ α²"),
        Row("corruption_ltc", "corruption", "ltc", "square_loss", ("without_privacy_cost",),
            ERROR, "LTC: floor ∝ α²"),
        Row("privacy_cost_ctl", "privacy_cost", "ctl/small", "square_loss",
            ("corruption_after_privacy",), ERROR, "CTL: floor does not grow with c(ε)"),
        Row("privacy_cost_ltc", "privacy_cost", "ltc/small", "square_loss",
            ("corruption_before_privacy",), ERROR, "LTC: floor ∝ c(ε)²"),
        Row("prefactor_ctl", "corruption", "ctl", "square_loss", ("weak_adversary",), FLOOR,
            "CTL: floor = α²·mean (1+|h*|)²"),
        Row("prefactor_ltc", "corruption", "ltc", "square_loss", ("weak_adversary",), FLOOR,
            "LTC: floor = α²·mean (c+|h*|)²"),
        Row("n_pairs", "n_pairs", "clean", "square_loss", ("without_privacy_cost",), ERROR,
            "before the floor: ∝ 1/n"),
        Row("privacy_cost", "privacy_cost", "clean/small", "square_loss",
            ("without_privacy_cost",), ERROR, "before the floor: ∝ c(ε)²"),
        Row("older_bound", "corruption", "ctl", "square_loss", ("without_privacy_cost",),
            OVER_OLD, "the older bound nα is loose by a factor ∝ α"),
        Row("two_sided_bias", "corruption", "bias", "both_sides", ("reach_one_under_ltc",), BIAS,
            "|F* − h*| ≤ 2α (CTL), (c+1)α (LTC), from both sides"),
        Row("all_n_iid", "privacy_cost", "random/iid", "square_loss", ("without_privacy_cost",),
            VIOLATED, "iid inputs: all n ≤ T and all h with probability ≥ 1−δ"),
        Row("all_n_adaptive", "privacy_cost", "packing/adaptive", "square_loss",
            ("without_privacy_cost",), VIOLATED, "adaptive inputs: the same"),
    )  # fmt: skip

    def __init__(self, config: UniformConvergenceSquareConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.numbers = config
        self.allowed_failure = config.failure_prob

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Mean squared errors in the check's unit, or whether the inequality fails."""
        world = str(check.settings["world"])
        if world == "bias":
            found = {m: self._bias_ratio(m, value, rng, replicates) for m in check.methods}
            return found
        if check.quantity == VIOLATED:
            return self._violations(check, value, rng, replicates)
        study = self.study(check, value)
        unit = {ERROR: 1.0, FLOOR: study.predicted_floor(), OVER_OLD: study.corruption}
        return {
            m: self._error(study, m, rng, replicates) / unit[check.quantity] for m in check.methods
        }

    def study(self, check: Check, value: float, order: HuberOrder | None = None) -> SquareStudy:
        """One grid point of the floors."""
        kind, _, small = str(check.settings["world"]).partition("/")
        alpha = value if check.axis == "corruption" else self.numbers.corruption
        n_pairs, epsilon = self.size(check, value)
        means = self.numbers.small_means if small else self.numbers.means
        chosen: HuberOrder = order or ("ltc" if kind == "ltc" else "ctl")
        return SquareStudy(means, n_pairs, epsilon, 0.0 if kind == "clean" else alpha, chosen)

    def _error(self, study: SquareStudy, method: str, rng, replicates: int) -> np.ndarray:
        orders: dict[str, HuberOrder] = {
            "corruption_after_privacy": "ltc",
            "corruption_before_privacy": "ctl",
        }
        order = orders.get(method, study.order)
        seen = SquareStudy(study.means, study.n_pairs, study.epsilon, study.corruption, order)
        removed = 1.0 if method == "without_privacy_cost" else None
        return seen.simulate(rng, replicates, removed, weak=method == "weak_adversary")

    def _bias_ratio(self, method: str, alpha: float, rng, replicates: int) -> np.ndarray:
        """(R,) |F* − h*| over its bound at random h*, b and c, for both orders; the largest."""
        clean, bad = rng.uniform(-1, 1, replicates), rng.uniform(-1, 1, replicates)
        cost = 1 / rng.uniform(0.02, 1, replicates)
        ctl = np.abs(_bias(clean, cost, alpha, "ctl", bad)) / (2 * alpha)
        reach = 2.0 if method == "reach_one_under_ltc" else cost + 1
        ltc = np.abs(_bias(clean, cost, alpha, "ltc", bad)) / (reach * alpha)
        return np.maximum(ctl, ltc)

    def _violations(self, check, value, rng, replicates) -> dict[str, np.ndarray]:
        kind, name = str(check.settings["world"]).split("/")
        size, delta = self.numbers.class_size, self.numbers.failure_prob
        means = 2 * (random_class(size) if kind == "random" else packing_class(size)) - 1
        cost, alpha = value, self.numbers.corruption
        order: HuberOrder = "ltc" if name == "adaptive" else "ctl"
        seen_mean = reported_mean(means[0], cost, alpha, order, worst_bad_mean(means[0]))
        bias = float(worst_bias(means[0], cost, alpha, order).max())
        design: Design = "iid" if name == "iid" else "adaptive"
        rounds = int(self._fixed(check, "horizon"))
        seen = draw_sequence(rng, (1 + seen_mean) / 2, design, rounds, replicates)
        removed = {"square_loss": cost, "without_privacy_cost": 1.0}
        return {
            m: square_loss_violated(seen, means, removed[m], cost, bias, delta)
            for m in check.methods
        }

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """h* inside [−1, 1] with room for the worst bias; α < 1/2."""
        largest = max(abs(mean) for mean in (*self.numbers.means, *self.numbers.small_means))
        found = [AssumptionResult("h* inside [−1, 1]", largest < 1, f"|h*| ≤ {largest:g}")]
        for check in self.checks():
            if check.settings["world"] in ("bias",) or check.quantity == VIOLATED:
                continue
            study = self.study(check, check.grid[-1])
            bias = worst_bias(study.truth, study.cost, study.corruption, study.order).max()
            fits = bool(study.corruption < 0.5 and bias < 2)
            name = f"{check.name}: clipping leaves the bias"
            found.append(AssumptionResult(name, fits, f"bias ≤ {bias:.3g}, α = {study.corruption}"))
        return tuple(found)


def _bias(clean, cost, alpha: float, order: HuberOrder, bad) -> np.ndarray:
    return cost * reported_mean(clean, cost, alpha, order, bad) - clean
