"""Which loss for privatised labels?  P2's open question (§6): log loss or square loss.

§6 asks for a comparison of log and square loss in the private setting; §5 recommends the square
loss under corruption because it is bounded.  Here the mixture log loss (Lemma 3.1), the square
loss (Lemma 3.3) and the debiased log loss (Chowdhury et al.; P4) are compared where they differ,
in unsaturated classes (in a saturated class all three coincide).  Every loss has a score
w(s)·(p̂ − σ(s))·x; the risk, E_x⟨x, θ̂ − θ⟩², is

    squared bias against the loss's own worst Huber adversary + trace of the sandwich / n.

The scalar world has x uniform (by quadrature) with rewards filling [−B, B]; the other has five
Gaussian features; with instance=preference_text the pairs are texts.

Testable: simulated over predicted risk is 1 for each loss under privacy only, CTL and LTC (54
cells on the scalar world); the exact bias is the influence function's as α → 0; square ≡ mixture
as ε → 0 and debiased ≡ mixture as ε → ∞; at ε = 1 the square loss needs at most 1 % more labels
than the mixture for every B ≤ 12, the debiased loss far more.  ``python -m repro.which_loss``
draws the map over (ε, α, n) and says who wins by how much, small n included.

Controls: a likelihood that ignores privacy; the influence of the other order; another loss's
variance.  What would refute the comparison: simulated risks off the predicted ones.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Positive, Probability
from repro.corruption.huber_square import HuberOrder
from repro.families.losses.algorithms_losses import LossName
from repro.families.losses.quantities_risk import LossRisk, simulate_risk
from repro.families.losses.worlds_losses import (
    LogisticWorld,
    gaussian_world,
    logistic_world,
    scalar_world,
)
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row, SweepConfig
from repro.study.privacy_mistakes import PrivacyMistakes
from repro.study.results import AssumptionResult

RISK = "simulated risk / predicted risk"
VARIANCE = "variance / variance of the mixture loss"
BIAS = "squared bias / squared bias by the influence function"
NAIVE = ("naive",)


def _risk_rows() -> tuple[Row, ...]:
    """Simulated against predicted risk, per loss and setting."""
    settings = {
        "": ("scalar/clean", "scalar reward, privacy only"),
        "_ctl": ("scalar/ctl", "scalar reward, CTL"),
        "_ltc": ("scalar/ltc", "scalar reward, LTC"),
        "_five": ("five/clean", "five features, privacy only"),
        "_five_ltc": ("five/ltc", "five features, LTC"),
    }
    return tuple(
        Row(f"risk_{loss}{end}", "privacy_cost", world, loss, NAIVE, RISK, f"{words}: as predicted")
        for end, (world, words) in settings.items()
        for loss in ("mixture", "square", "debiased")
    )


def _influence_rows() -> tuple[Row, ...]:
    """Exact limits against influence functions, per loss and order."""
    return tuple(
        Row(f"influence_{loss}_{order}", "corruption", f"scalar/{order}", loss, ("other_order",),
            BIAS, f"{order.upper()}: bias = α·influence as α → 0")
        for order in ("ctl", "ltc")
        for loss in ("mixture", "square", "debiased")
    )  # fmt: skip


class LossComparisonConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        reward_bound: B where it is not swept.
        corruption: α of the corrupted rows.
        tolerated: the square loss's allowed excess of labels over the mixture at ε = 1.
    """

    reward_bound: Positive
    corruption: Probability
    tolerated: Positive


class LossComparison(PrivacyMistakes):
    """Asymptotic efficiency, worst-case bias, and simulation."""

    slug = "loss_comparison"
    title = "P2 §6: log, square or debiased loss for privatised labels"
    statements = ("p2.sec_6",)
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"n_pairs", "epsilon"})
    config_type = LossComparisonConfig
    privacy_mistakes = frozenset({"naive", "other_order"})

    rows = (
        *(
            Row(f"risk_{loss}_instance", "privacy_cost", INSTANCE, loss, NAIVE, RISK,
                "privacy only: as predicted")
            for loss in ("mixture", "square", "debiased")
        ),
        *_risk_rows(),
        *_influence_rows(),
        Row("square_is_mixture", "privacy_cost", "scalar/clean", "square", ("debiased",), VARIANCE,
            "square ≡ mixture as ε → 0"),
        Row("debiased_is_mixture", "privacy_cost", "scalar/clean", "debiased", ("square",),
            VARIANCE, "debiased ≡ mixture as ε → ∞"),
        Row("square_loses_little", "reward_bound", "scalar/clean", "square", ("debiased",),
            "variance / (1 + tolerated)·variance of the mixture loss",
            "at ε = 1 square needs at most 1 % more labels for every B", ("epsilon",)),
    )  # fmt: skip

    def __init__(self, config: LossComparisonConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.numbers = config
        self._risk = lru_cache(maxsize=None)(self._build_risk)
        self._world = lru_cache(maxsize=None)(self._build_world)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Ratios per method; exact ones are the same in every replicate."""
        if check.quantity == RISK:
            risk = self._at(check, value, check.method)
            n_pairs = self.size(check, value)[0]
            predicted = risk.risk(n_pairs)
            fits: dict[str, LossName] = {"naive": "naive"}
            return {
                m: simulate_risk(risk, n_pairs, rng, replicates, fits.get(m)) / predicted
                for m in check.methods
            }
        exact = self._bias_ratio if check.quantity == BIAS else self._variance_ratio
        return {m: np.full(replicates, exact(check, value, m)) for m in check.methods}

    def _variance_ratio(self, check: Check, value: float, method: str) -> float:
        ratio = self._at(check, value, method).variance
        ratio /= self._at(check, value, "mixture").variance
        return ratio if check.quantity == VARIANCE else ratio / (1 + self.numbers.tolerated)

    def _bias_ratio(self, check: Check, value: float, method: str) -> float:
        risk = self._at(check, value, check.method)
        if method != "other_order":
            return risk.squared_bias() / risk.first_order_squared_bias()
        other: HuberOrder = "ctl" if risk.order == "ltc" else "ltc"
        wrong = LossRisk(risk.world, risk.name, risk.epsilon, risk.corruption, other)
        return risk.squared_bias() / wrong.first_order_squared_bias()

    def _at(self, check: Check, value: float, loss: str) -> LossRisk:
        """One loss in the setting of one grid point."""
        _, _, kind = str(check.settings["world"]).partition("/")
        alpha = value if check.axis == "corruption" else self.numbers.corruption
        on_cost = check.axis == "privacy_cost"
        epsilon = epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")
        bound = value if check.axis == "reward_bound" else self.numbers.reward_bound
        order: HuberOrder = "ltc" if kind == "ltc" else "ctl"
        corrupted = alpha if kind in ("ctl", "ltc") else 0.0
        world = str(check.settings["world"]).split("/")[0]
        return self._risk(world, bound, loss, epsilon, corrupted, order)

    def _build_risk(self, world, bound, loss, epsilon, corruption, order) -> LossRisk:
        return LossRisk(self._world(world, bound), loss, epsilon, corruption, order)

    def _build_world(self, name: str, bound: float) -> LogisticWorld:
        if name == INSTANCE:
            choice = instance_choice(self.setting.instance)
            world = build_world(choice, self.setting.cache, "cpu")
            assert isinstance(world, LinearWorld)
            return logistic_world(world)
        return scalar_world(bound) if name == "scalar" else gaussian_world(bound)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Limits lie inside the class, so that the expansion around them is in its interior."""
        found = []
        for check in self.checks():
            value = check.grid[-1]
            risk = self._at(check, value, check.method)
            share = float(risk.limit.norm()) / risk.world.radius
            name = f"{check.name} at {value:g}: limit inside the class"
            found.append(AssumptionResult(name, share < 1, f"‖θ‖/radius = {share:.3g}"))
        return tuple(found)
