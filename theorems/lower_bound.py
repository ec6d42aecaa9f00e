"""P1 Theorem 4.5: no learner beats the hypercube (with Lemma A.6 and the use of A.5).

Statement (arXiv 2510.13512, Theorem 4.5).  Under ε-LDP labels the minimax gap is

    Ω( min{ β·C*·log N / ((e^ε−1)²n),  √(C*·log N) / ((e^ε−1)√n) } ),     log N = S.

In code: β is 1/kl_weight, C* coverage.  Unstated conditions, executed as assumptions here: the
proof takes a = √(SC)/((e^ε−1)√n) < B/2, so n > 4SC/((e^ε−1)²B²); and b < B/2.

Measured on the hypercube of the proof: the gap averaged over its corners, its supremum over the
tilt a on a ladder that does not move with n.  (With the proof's own a ∝ n^(−1/2) the exponent is a
tautology that a policy without data passes; on a fixed ladder that policy has exponent 0, and it is
the control of every row.)  The posterior mean over the hypercube is the Bayes rule of the uniform
corner, so its risk bounds every learner's worst case from below and an exact sum of it above the
explicit bound proves the inequality for all learners at that n, a.

Rows: exponents in n, c(ε), S, C, β in the regime βa ≪ 1 (posterior mean, private MLE, MLE less a
standard error) and in n, c(ε), S, C where βa ≫ 1.  There b = log(C−1)/β nearly vanishes, and a
learner who forgets to debias is right by symmetry: that regime has no such control.  Inequalities:
the explicit bound ¼·min{βa²/8, 3a/10}·exp(−n·KL) against the exact Bayes risk; the separation of
step 3 against its exact minimum 2·log cosh(βa/2)/β; the KL of step 4; Lemma A.6 on random families.

ε both ways.  What the hypercube costs is governed by c(ε) = 1/(2α−1) at all ε, not by e^ε−1: the
local exponent in e^ε−1 is −2·2/(e^ε+1), which is −2 only as ε → 0 (``epsilon_minus_one_small``).
The theorem survives, as a lower bound that is loose for ε ≳ 0.3.  What does not survive is the
abstract's gap Õ(1/[(e^ε−1)²n]), called optimal there: as an upper bound over all ε it says that the
gap vanishes as ε → ∞, and even the Bayes rule contradicts that (``epsilon_minus_one``, expected
contradicted; all assumptions hold).  Corrected form: (2α−1)² in both bounds; the proof gives it
with KL ≤ (2α−1)²a²/(SC) in step 4 (``pair_kl_sharper``, our statement, sharp).  Proof: for
q = 1−α + (2α−1)σ, d/dx KL(q_y‖q_x) = q′_x/(q_x(1−q_x))·∫_y^x q′, where q′ = (2α−1)σ′ ≤ (2α−1)/4
and q(1−q) ≥ σ(1−σ) = σ′ make the first factor at most 2α−1; so KL(q_y‖q_x) ≤ (2α−1)²(x−y)²/8,
and x − y = 2a, times the share 2(C−1)/(SC²) of such pairs.

What would refute the theorem: a learner with a steeper exponent, or a Bayes risk below the bound.
The inequalities of the proof have slack (printed as max_ratio), so their planted faults are larger
than 10 % except for ``pair_kl_sharper``, where a constant 10 % too small is found.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.notation import label_signal
from repro.base.schema import Count, Model, Positive, Share, Whole
from repro.families.offline_kl.bounds_hypercube import CASE_OF
from repro.families.offline_kl.quantities_hypercube import Ladder, risk, worst_rung
from repro.families.offline_kl.worlds_hypercube import HypercubePrior
from repro.study.checks import Check, InequalityCheck
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

GAP, RATIO = "sup over a of the mean gap [reward]", "bound / exact value"
BAYES, CASES = "posterior_mean", "random cases"
BLIND = ("no_data",)
NAIVE = ("no_data", "naive_posterior")


class World(Model):
    """The hypercube but for a and ε."""

    num_states: Count
    coverage: Positive
    kl_weight: Positive
    reward_bound: Positive


class LadderConfig(Model):
    """Numbers of ``Ladder``."""

    smallest: Share
    rungs: Annotated[Whole, Field(ge=3, le=1000)]
    pilot: Annotated[Whole, Field(ge=1, le=10**6)]


class LowerBoundConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/lower_bound.yaml gives them."""

    worlds: dict[str, World]
    ladder: LadderConfig


class LowerBound(SweepExperiment):
    """Theorem 4.5 by the sup over a, and the steps of its proof by random cases."""

    slug = "lower_bound"
    title = "P1 Theorem 4.5: lower bound of the offline gap under label LDP"
    statements = (
        "p1.thm_4_5",
        "p1.lem_a_5",
        "p1.lem_a_6",
        "own.lower_bound_in_keep_prob",
        "p1.abs_1",
    )
    settled_by = {
        "p1.thm_4_5": ("n_pairs", "n_pairs_mle", "n_pairs_pessimistic", "privacy_cost",
            "epsilon_minus_one_small", "num_states", "coverage", "kl_weight", "n_pairs_root",
            "privacy_cost_root", "num_states_root", "coverage_root", "explicit_bound", "separation",
            "pair_kl"),
        "p1.lem_a_5": ("pair_kl",),
        "p1.lem_a_6": ("assouad",),
        "own.lower_bound_in_keep_prob": ("privacy_cost", "privacy_cost_root", "pair_kl_sharper"),
        "p1.abs_1": ("epsilon_minus_one_small", "epsilon_minus_one"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "n_pairs"})
    config_type = LowerBoundConfig

    rows = (
        Row("n_pairs", "n_pairs", "small_tilt", BAYES, NAIVE, GAP, "Bayes rule: gap ∝ 1/n"),
        Row("n_pairs_mle", "n_pairs", "small_tilt", "mle", ("no_data", "naive_mle"), GAP,
            "private MLE: gap ∝ 1/n"),
        Row("n_pairs_pessimistic", "n_pairs", "small_tilt", "pessimistic", BLIND, GAP,
            "MLE less a standard error: gap ∝ 1/n"),
        Row("privacy_cost", "privacy_cost", "small_tilt", BAYES, BLIND, GAP, "gap ∝ c(ε)²"),
        Row("epsilon_minus_one_small", "epsilon_minus_one", "small_tilt", BAYES, BLIND, GAP,
            "gap ∝ (e^ε−1)⁻² as ε → 0"),
        Row("epsilon_minus_one", "epsilon_minus_one", "small_tilt", BAYES, (), GAP,
            "the abstract's gap ≤ O((e^ε−1)⁻²) at all ε"),
        Row("num_states", "num_states", "small_tilt", BAYES, BLIND, GAP, "gap ∝ S = log N"),
        Row("coverage", "coverage", "small_tilt", BAYES, BLIND, GAP, "gap ∝ C*"),
        Row("kl_weight", "kl_weight", "small_tilt", BAYES, BLIND, GAP, "gap ∝ β = 1/kl_weight"),
        Row("n_pairs_root", "n_pairs", "large_tilt", BAYES, BLIND, GAP, "βa ≫ 1: gap ∝ n^(−1/2)"),
        Row("privacy_cost_root", "privacy_cost", "large_tilt", BAYES, BLIND, GAP,
            "βa ≫ 1: gap ∝ c(ε)"),
        Row("num_states_root", "num_states", "large_tilt", BAYES, BLIND, GAP,
            "βa ≫ 1: gap ∝ √S"),
        Row("coverage_root", "coverage", "large_tilt", BAYES, BLIND, GAP, "βa ≫ 1: gap ∝ √C*"),
        Row("explicit_bound", "n_pairs", CASES, "bound", ("bound_without_quarter", "bound_sign"),
            RATIO, "¼·min{βa²/8, 3a/10}·exp(−n·KL) ≤ Bayes risk"),
        Row("separation", "kl_weight", CASES, "separation", ("separation_twice_beta",), RATIO,
            "min{βa²/8, 3a/10} ≤ SubOpt_s(v) + SubOpt_s(v′)"),
        Row("pair_kl", "epsilon_minus_one", CASES, "pair_kl", ("pair_kl_fifth",), RATIO,
            "KL of a private record ≤ (e^ε−1)²a²/(SC)"),
        Row("pair_kl_sharper", "epsilon_minus_one", CASES, "pair_kl_sharper",
            ("pair_kl_sharper_ten_percent",), RATIO,
            "KL of a private record ≤ (2α−1)²a²/(SC)"),
        Row("assouad", "num_states", CASES, "assouad", ("assouad_half",), RATIO,
            "Lemma A.6: S·c/4·min exp(−KL) ≤ risk"),
    )  # fmt: skip

    def __init__(self, config: LowerBoundConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.worlds = config.worlds
        self.ladder = Ladder(**config.ladder.model_dump())

    def size(self, check: Check, value: float) -> tuple[int, float]:
        """Also reads ε off the axis e^ε−1."""
        if check.axis != "epsilon_minus_one":
            return super().size(check, value)
        return int(self._fixed(check, "n_pairs")), math.log1p(value)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Gaps at the worst tilt of each method, or ratios of random cases."""
        if isinstance(check, InequalityCheck):
            case = CASE_OF[check.name]
            found = [case(value, rng) for _ in range(replicates)]
            return {m: np.array([ratios[m] for ratios in found]) for m in check.methods}
        prior, n_pairs = self.prior(check, value), self.size(check, value)[0]
        return {
            m: risk(_at_worst(prior, n_pairs, m, self.ladder)[0], n_pairs, m, rng, replicates)
            for m in check.methods
        }

    def prior(self, check: Check, value: float) -> HypercubePrior:
        """The hypercube of one grid point; its tilt is yet to be chosen."""
        world = self.worlds[str(check.settings["world"])].model_dump()
        if check.axis in world:
            world[check.axis] = int(value) if check.axis == "num_states" else value
        return HypercubePrior(**world, tilt=math.nan, epsilon=self.size(check, value)[1])

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The conditions of the proof, and an interior maximiser, at both ends of each sweep."""
        return tuple(
            AssumptionResult(f"{check.name} at {value:g}: {name}", holds, detail)
            for check in self.checks()
            if not isinstance(check, InequalityCheck)
            for value in (check.grid[0], check.grid[-1])
            for name, holds, detail in self._conditions(check, value)
        )

    def _conditions(self, check: Check, value: float):
        prior, n_pairs = self.prior(check, value), self.size(check, value)[0]
        room = 4 * prior.num_states * prior.coverage / prior.reward_bound**2
        enough = room / label_signal(prior.epsilon) ** 2
        yield "n > 4SC/((2α−1)²B²)", n_pairs > enough, f"{n_pairs:.3g} > {enough:.3g}"
        yield "b < B/2", prior.base < prior.reward_bound / 2, f"b = {prior.base:.3g}"
        if check.method == BAYES:
            worst, rung = _at_worst(prior, n_pairs, BAYES, self.ladder)
            inside = 0 < rung < self.ladder.rungs - 1
            yield "maximiser inside the ladder", inside, f"a = {worst.tilt:.3g}"
            small = check.settings["world"] == "small_tilt"
            name = "βa below 0.3" if small else "βa above 10"
            holds = worst.log_odds < 0.3 if small else worst.log_odds > 10
            yield name, holds, f"βa = {worst.log_odds:.3g}"


@lru_cache(maxsize=1024)
def _at_worst(
    prior: HypercubePrior, n_pairs: int, method: str, ladder: Ladder
) -> tuple[HypercubePrior, int]:
    """The hypercube at an estimator's worst tilt, and that tilt's rung."""
    rung = worst_rung(prior, n_pairs, method, ladder)
    return replace(prior, tilt=float(ladder.tilts(prior.reward_bound)[rung])), rung
