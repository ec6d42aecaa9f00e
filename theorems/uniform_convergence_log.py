"""P2 Lemma 3.1: uniform convergence of the log loss under label privacy.

Statement (Lemma 3.1).  For a finite class {P_θ}, realizable labels on adaptively chosen inputs and
randomized response at ε, with probability at least 1−δ, for all n ≤ T and all θ,

    Σ_{t≤n} E[‖P_θ − P_θ*‖²_TV | F^(t−1)] ≲ c(ε)²·(L̂^(n)(θ) − L̂^(n)(θ*) + log(|Θ|/δ)).

So the private MLE has a left side of order c(ε)²·log|Θ|, whatever n.  Lemma B.1 is its version for
Hellinger distance without privacy.

Testable: the exponents 0 in n, 2 in c(ε) and 1 in d = log₂|Θ| on a class that attains them, the
hypercube {p₀, p₀+h}^d with the worst h of a ladder (found in closed form before any draw) and a
product grid; and the inequality itself, at every n ≤ T at once, for iid and adaptive inputs, in
the form that the proof gives with constants, c²·[ΔL + 2·log(|Θ|/δ)].  Not testable: the hidden
constant.

The truth must be off ½: at p₀ = ½ shrinking by c moves nothing and a naive likelihood passes the
sweep of n, while at p₀ = 0.8 it has exponent 1.  A class of one truth among needles would not show
log|Θ|: no two needles are ever close.

What would refute it: growth with n, a larger power of c or d, or violations more often than δ.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import Count, Probability
from repro.families.losses.algorithms_log_loss import HypercubeStudy, private_prob
from repro.families.losses.bounds_uniform import log_loss_violated
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

LEFT = "n·E TV²(P_θ̂, P_θ*)"
VIOLATED = "inequality violated at some n ≤ T [frequency]"
WRONG = ("naive_likelihood", "without_privacy_cost")


class UniformConvergenceLogConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        base: p₀ of the hypercube and of the grid.
        num_features: d where it is not swept.
        class_size: N of the classes where it is not swept.
        failure_prob: δ.
    """

    base: Probability
    num_features: Count
    class_size: Count
    failure_prob: Probability


class UniformConvergenceLog(PrivacyMistakes):
    """Lemma 3.1 on classes that attain it, and as an inequality over all n."""

    slug = "uniform_convergence_log"
    title = "P2 Lemma 3.1: uniform convergence of the log loss under label privacy"
    statements = ("p2.lem_3_1", "p2.lem_b_1")
    settled_by = {
        "p2.lem_b_1": ("all_n_random_iid", "all_n_random_adaptive", "all_n_packing_iid",
            "all_n_packing_adaptive"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs", "horizon"})
    config_type = UniformConvergenceLogConfig
    privacy_mistakes = frozenset({"naive_likelihood", "epsilon_overstated", "without_privacy_cost"})

    rows = (
        Row("n_pairs", "n_pairs", "hypercube", "mixture_mle",
            ("naive_likelihood", "epsilon_overstated"), LEFT, "worst h: does not grow with n"),
        Row("privacy_cost", "privacy_cost", "hypercube", "mixture_mle", ("naive_likelihood",),
            LEFT, "worst h: ∝ c(ε)²"),
        Row("num_features", "num_features", "hypercube", "mixture_mle", ("naive_likelihood",),
            LEFT, "worst h: ∝ d = log₂|Θ|"),
        Row("n_pairs_grid", "n_pairs", "grid", "mixture_mle",
            ("naive_likelihood", "epsilon_overstated"), LEFT, "grid: does not grow with n"),
        Row("privacy_cost_grid", "privacy_cost", "grid", "mixture_mle", ("naive_likelihood",),
            LEFT, "grid: ∝ c(ε)²"),
        Row("num_features_grid", "num_features", "grid", "mixture_mle", ("naive_likelihood",),
            LEFT, "grid: ∝ d"),
        Row("all_n_random_iid", "class_size", "random/iid", "mixture_mle", WRONG, VIOLATED,
            "random class, iid inputs: all n ≤ T and all θ with probability ≥ 1−δ"),
        Row("all_n_random_adaptive", "privacy_cost", "random/adaptive", "mixture_mle", WRONG,
            VIOLATED, "random class, adaptive inputs: the same"),
        Row("all_n_packing_iid", "privacy_cost", "packing/iid", "mixture_mle", WRONG, VIOLATED,
            "packing, iid inputs: the same"),
        Row("all_n_packing_adaptive", "class_size", "packing/adaptive", "mixture_mle", WRONG,
            VIOLATED, "packing, adaptive inputs: the same"),
    )  # fmt: skip

    def __init__(self, config: UniformConvergenceLogConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.numbers = config
        self.allowed_failure = config.failure_prob
        self._worst = lru_cache(maxsize=None)(HypercubeStudy.worst_step)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Left sides, or whether the inequality fails, per method."""
        world = str(check.settings["world"])
        if "/" in world:
            return self._violations(check, value, rng, replicates)
        study = self.study(check, value)
        if world == "grid":
            return {m: study.simulate_grid(m, rng, replicates) for m in check.methods}
        return {
            m: study.simulate(m, self._worst(study, m)[0], rng, replicates) for m in check.methods
        }

    def study(self, check: Check, value: float) -> HypercubeStudy:
        """One grid point of the exponents."""
        features = value if check.axis == "num_features" else self.numbers.num_features
        return HypercubeStudy(int(features), self.numbers.base, *self.size(check, value))

    def _violations(self, check, value, rng, replicates) -> dict[str, np.ndarray]:
        kind, design = str(check.settings["world"]).split("/")
        size = int(value) if check.axis == "class_size" else self.numbers.class_size
        table = random_class(size) if kind == "random" else packing_class(size)
        epsilon = self._epsilon(check, value)
        chosen: Design = "iid" if design == "iid" else "adaptive"
        rounds = int(self._fixed(check, "horizon"))
        seen = draw_sequence(rng, private_prob(table[0], epsilon), chosen, rounds, replicates)
        cost, delta = privacy_cost(epsilon), self.numbers.failure_prob
        forms = {
            "mixture_mle": (epsilon, cost),
            "naive_likelihood": (math.inf, cost),
            "without_privacy_cost": (epsilon, 1.0),
        }
        return {m: log_loss_violated(seen, table, *forms[m], delta) for m in check.methods}

    def _epsilon(self, check: Check, value: float) -> float:
        on_cost = check.axis == "privacy_cost"
        return epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The worst h is interior at both ends of every sweep of the hypercube."""
        found = []
        for check in self.checks():
            if check.settings["world"] != "hypercube":
                continue
            for value in (check.grid[0], check.grid[-1]):
                worst, inside = self._worst(self.study(check, value), check.method)
                name = f"{check.name} at {value:g}: worst h interior"
                found.append(AssumptionResult(name, inside, f"h = {worst:.3g}"))
        return tuple(found)
