"""P2 Proposition E.1: fast rates for the KL-regularised objective, and the floor it misprints.

Statement (Proposition E.1).  There are offline algorithms such that with probability 1−δ

    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·c(ε)²·log(|G|/δ) )                  privacy only,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + α²) )           CTL,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + c(ε)²·α²) )     LTC.

In code: T is horizon, β kl_weight, log|G| is of the order of the number of states S.

Privacy only is held two-sided on a plug-in policy with tabular rewards: exponents −1 in T, 2 in
c(ε), −1 in β (D² and the reward fixed, Δ ≪ β), 1 in S; with a linear class, on a linear world or
on text pairs (instance=preference_text), −1 in T.

The printed CTL and LTC bounds divide α² by T.  That cannot be: by Lemma 3.3 the squared error over
T labels is c²·log|G| + T·α², so after division by T the floor α² stays.  Row printed_floor_*
measures the paper's own algorithm against the worst Huber adversary; rows printed_floor_any_*
settle the matter for every algorithm: Δ and Δ' with tanh(Δ/2) − tanh(Δ'/2) = 2α/(1−α) (times c
under LTC) give the very same distribution of corrupted labels, so on one of the two every
algorithm has at least the gap of the best compromise policy, computed exactly, whatever T (a
guarantee with probability above ½ in both would need a policy that is good in both).  All
assumptions hold (α < 1/2, realizable rewards, D² finite: two responses, uniform π_ref).  The
corrected form is

    D²/β·(c(ε)²·log(|G|/δ)/T + α²)   and   D²/β·(c(ε)²·log(|G|/δ)/T + c(ε)²·α²):

rows floor_* hold its exponents 0 in T, 2 in α, and 0 (CTL) or 2 (LTC) in c(ε), −1 in β.  The same
code without an adversary has exponent −1 in T (control without_adversary of floor_horizon_*), so
that the contradiction is the adversary's doing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import torch

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Count, KLWeight, Positive, Probability
from repro.corruption.huber_square import HuberOrder, reported_mean
from repro.estimators.mixture_mle import mixture_mle
from repro.families.chipo.algorithms_plugin import PluginStudy
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.policies.gibbs import gibbs_suboptimality
from repro.preferences.label_counts import draw_label_counts
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row, SweepConfig
from repro.study.privacy_mistakes import PrivacyMistakes
from repro.study.results import AssumptionResult

GAP = "regularised suboptimality [reward]"
NAIVE = ("naive_likelihood",)


class FastRateOfflineConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        num_states, kl_weight, difference: S, β and Δ where they are not swept.
        corruption: α where it is not swept.
    """

    num_states: Count
    kl_weight: KLWeight
    difference: Positive
    corruption: Probability


class FastRateOffline(PrivacyMistakes):
    """Proposition E.1 and the corrected form of its floors."""

    slug = "fast_rate_offline"
    title = "P2 Proposition E.1: offline fast rates, and the floor of corruption"
    statements = ("p2.prop_e_1",)
    instances = ("linear", "preference_text")
    used_overrides = frozenset({"epsilon", "horizon"})
    config_type = FastRateOfflineConfig
    privacy_mistakes = frozenset({"naive_likelihood", "without_privacy_cost"})

    rows = (
        Row("horizon_linear", "horizon", INSTANCE, "plugin", NAIVE, GAP,
            "privacy only, linear class: ∝ 1/T"),
        Row("horizon", "horizon", "clean", "plugin", NAIVE, GAP, "privacy only: ∝ 1/T"),
        Row("privacy_cost", "privacy_cost", "clean", "plugin", NAIVE, GAP,
            "privacy only: ∝ c(ε)²"),
        Row("kl_weight", "kl_weight", "clean", "plugin", ("inverted_kl_weight",), GAP,
            "privacy only: ∝ 1/β"),
        Row("num_states", "num_states", "clean", "plugin", NAIVE, GAP, "privacy only: ∝ S"),
        Row("printed_floor_ctl", "horizon", "ctl", "plugin", (), GAP,
            "as printed, CTL: ≤ O(1/T)"),
        Row("printed_floor_ltc", "horizon", "ltc", "plugin", (), GAP,
            "as printed, LTC: ≤ O(1/T)"),
        Row("printed_floor_any_ctl", "horizon", "ctl", "any_algorithm", (), GAP,
            "as printed, CTL, least gap of any algorithm: ≤ O(1/T)"),
        Row("printed_floor_any_ltc", "horizon", "ltc", "any_algorithm", (), GAP,
            "as printed, LTC, least gap of any algorithm: ≤ O(1/T)"),
        Row("floor_horizon_ctl", "horizon", "ctl", "plugin", ("without_adversary",), GAP,
            "corrected, CTL: floor constant in T"),
        Row("floor_horizon_ltc", "horizon", "ltc", "plugin", ("without_adversary",), GAP,
            "corrected, LTC: floor constant in T"),
        Row("floor_corruption_ctl", "corruption", "ctl", "plugin", ("without_privacy_cost",), GAP,
            "corrected, CTL: floor ∝ α²"),
        Row("floor_corruption_ltc", "corruption", "ltc", "plugin", ("without_privacy_cost",), GAP,
            "corrected, LTC: floor ∝ α²"),
        Row("floor_privacy_cost_ctl", "privacy_cost", "ctl", "plugin",
            ("corruption_after_privacy",), GAP, "corrected, CTL: floor free of c(ε)"),
        Row("floor_privacy_cost_ltc", "privacy_cost", "ltc", "plugin",
            ("corruption_before_privacy",), GAP, "corrected, LTC: floor ∝ c(ε)²"),
        Row("floor_kl_weight", "kl_weight", "ctl", "plugin", ("inverted_kl_weight",), GAP,
            "corrected: floor ∝ 1/β"),
    )  # fmt: skip

    def __init__(self, config: FastRateOfflineConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.numbers = config

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Regularised gaps, per method."""
        if check.settings["world"] == INSTANCE:
            return self._linear(check, value, rng, replicates)
        study = self.study(check, value)
        return {m: _gap(study, m, rng, replicates) for m in check.methods}

    def study(self, check: Check, value: float) -> PluginStudy:
        """World and labels of one grid point."""
        kind, numbers = str(check.settings["world"]), self.numbers
        order: HuberOrder = "ltc" if kind == "ltc" else "ctl"
        alpha = value if check.axis == "corruption" else numbers.corruption
        return PluginStudy(
            int(value) if check.axis == "num_states" else numbers.num_states,
            numbers.difference,
            value if check.axis == "kl_weight" else numbers.kl_weight,
            *self._labels(check, value),
            0.0 if kind == "clean" else alpha,
            order,
        )

    def _labels(self, check: Check, value: float) -> tuple[int, float]:
        horizon = value if check.axis == "horizon" else self._fixed(check, "horizon")
        on_cost = check.axis == "privacy_cost"
        return int(horizon), epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")

    @cached_property
    def world(self) -> LinearWorld:
        """The linear world or the text pairs of the ``instance`` group."""
        choice = instance_choice(self.setting.instance)
        world = build_world(choice, self.setting.cache, self.setting.device)
        assert isinstance(world, LinearWorld)
        return world

    def _linear(self, check, value, rng, replicates) -> dict[str, np.ndarray]:
        world = self.world
        horizon, epsilon = self._labels(check, value)
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, horizon, epsilon, replicates
        )
        found = {}
        for method in check.methods:
            assumed = np.inf if method == "naive_likelihood" else epsilon
            theta = mixture_mle(counts, world.feature_diff, assumed, world.radius)
            error = torch.einsum("sad,rd->rsa", world.features, theta - world.theta)
            gaps = gibbs_suboptimality(
                world.optimal_policy, error / world.kl_weight, world.state_prob, world.kl_weight
            )
            found[method] = gaps.cpu().numpy()
        return found

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < 1/2, realizable differences, and twins with equal reports where they are used."""
        found = []
        for check in self.checks():
            if check.settings["world"] == INSTANCE:
                continue
            study = self.study(check, check.grid[-1])
            fits = study.corruption < 0.5 and study.difference < study.reward_bound
            detail = f"Δ = {study.difference:g}, α = {study.corruption:g}"
            found.append(AssumptionResult(f"{check.name}: realizable, α < 1/2", fits, detail))
            if check.method == "any_algorithm":
                found.append(_twins_agree(check.name, study))
        return tuple(found)


def _gap(study: PluginStudy, method: str, rng, replicates: int) -> np.ndarray:
    orders: dict[str, HuberOrder] = {
        "corruption_after_privacy": "ltc",
        "corruption_before_privacy": "ctl",
    }
    if method == "any_algorithm":
        return np.full(replicates, study.best_worst_gap())
    seen = replace(study, order=orders.get(method, study.order))
    removed = 1.0 if method in ("naive_likelihood", "without_privacy_cost") else None
    weight = 1 / study.kl_weight if method == "inverted_kl_weight" else None
    return seen.simulate(rng, replicates, removed, method == "without_adversary", weight)


def _twins_agree(name: str, study: PluginStudy) -> AssumptionResult:
    """Both worlds' corrupted labels have one distribution, the twin's adversary reporting +1."""
    clean = np.tanh(study.twin_difference() / 2)
    twin = reported_mean(clean, study.cost, study.corruption, study.order, 1.0)
    apart = abs(float(twin) - study.report_mean)
    detail = f"difference of E[z] = {apart:.1e}"
    return AssumptionResult(f"{name}: the twins' labels agree", apart < 1e-12, detail)
