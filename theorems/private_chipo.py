"""P2 Theorem 4.4: Privχ𝖯𝖮 with the mixture log loss reaches c(ε)·√(log|Π|/n).

Statement (Improved bounds for private and robust alignment, Theorem 4.4).  For any comparator π*
and a proper β, with probability at least 1−δ, Algorithm 1 has

    J(π*) − J(π̂) ≲ e^{2R_max}·(V_max/R_max)·√C^π* · c(ε)·√(log(|Π|/δ)/n),

J unregularised.  In code: β is kl_weight, tuned as Theorem C.1 says, β ∝ c·√(S/n)/√C; C^π* is
coverage; log|Π| is of the order of S for S states with a free reward difference (also for the
finite class {±Δ}^S); R_max is reward_bound and V_max = 2·R_max after clipping.

Testable: the exponents in n, c(ε), S and C^π*; Theorem C.1, proved by intervals; the rate
of err²; faster rates under a margin condition.  Rates are attained as a supremum over instances:
on one instance the unregularised gap falls exponentially.  Every grid point takes the worst
reward difference of a ladder from 1e-9 to R_max, found by quadrature before any draw; that it is
interior is an assumption of the run, and ``peak`` simulates the ladder around it.  Fixed β gives
no rate.  A naive likelihood survives n on symmetric states (it only rescales Δ̂), so it is
caught by c(ε) there and by n on the offset instance, rewards (0, x, 0.4) with x unknown.  A
learner who knows the rewards has a gap too, ∝ β and so of the claimed rates; it is taken off.

What would refute it: an exponent above the printed one.

Slips in the proof, none of which touches the statement.  The last display before Theorem 4.4's
conclusion reads err² ≲ e^{4R_max}·c²·log(|Π|/δ), without 1/n: check statistical_error measures the
exponent −1 that the theorem needs.  Algorithm 1 ranks by z although its labels are called ỹ:
without corruption the two are the same.  χ² must be ½·E_ref(π/π_ref − 1)², as C^π* = 2χ² + 1
in the proof of Theorem C.1 says (checked in p2_scalar_lemmas).

The printed V_max/R_max is not attained either: for the best β the factor is √(V_max/R_max), and no
β does better (``own.value_ratio``, docs/explanations/reward_range.md, Theorems 4 and 5): checks
``value_ratio_tuned``, ``value_ratio_every_beta`` and ``value_ratio_bound``.

√log(1/δ) is attained by Algorithm 1 with a β that contains δ, as the proof's does, and necessary
for every algorithm; with a β free of δ the quantile grows like log(1/δ) (``own.confidence``,
Theorems 7 and 8 there): checks ``confidence*``, from exact laws down to δ = 1e-300.

What β costs where rewards are known is taken off in these checks but ``value_ratio_every_beta``,
and π_ref is in their class: it wins where labels say nothing.

The printed e^{2R_max} is not attained: K_R ~ R·e^R is enough (price_of_adaptivity.md, Lemma 1), and
e^{R_max} is necessary for every algorithm (``own.reward_range``): check ``reward_growth``.

Classes that do not saturate: checks ``printed*`` minimise the algorithm's own loss over policies,
log-linear ones (five features, twelve reward differences) and twelve of them, with π*_β among them;
there is no closed form, as the implicit reward bends with θ.  Under corruption (no claim of
Theorem 4.4) the log loss has the floors of Theorem 5.2.

With instance=preference_text the linear class of text features replaces the random linear world.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.schema import Finite, Positive
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    applied,
    named,
    of_world,
    privacy_mistake,
)
from repro.core.claims import Inequality, Ratio, Slope
from repro.core.proofs import Claimed, proof_of
from repro.labels.preferences.label_law import the_truth
from repro.p2.chipo import confidence, meta_theorem, twin_rewards, value_ratio
from repro.p2.chipo.falling import FallingPreferences, Fit, by_log_loss
from repro.p2.chipo.labels import (
    ChipoLabels,
    epsilon_overstated,
    fixed_kl_weight,
    label_flip,
    naive_likelihood,
)
from repro.p2.chipo.linear import LinearReward
from repro.p2.chipo.log_linear import LogLinearClass
from repro.p2.chipo.offset import OffsetReward
from repro.p2.chipo.statistical_error import statistical_error
from repro.p2.chipo.tabular import RareGoodResponse, margin_differences, worst_difference

# Worlds: those of repro.p2.chipo, and these -------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MarginOfRewards(RareGoodResponse):
    """Reward differences with P(Δ ≤ t) = (t/R_max)^exponent, drawn anew in every state."""

    exponent: Positive

    def interior(self) -> tuple[bool, str]:
        return True, "reward differences drawn in (0, R_max]"


@dataclass(frozen=True, kw_only=True)
class OneDifference(RareGoodResponse):
    """One reward difference Δ in every state."""

    difference: Positive

    def interior(self) -> tuple[bool, str]:
        return True, "reward difference fixed in (0, R_max]"


@dataclass(frozen=True, kw_only=True)
class FallingByLogLoss(FallingPreferences):
    """Algorithm 1 over a class of entropy 1/τ."""

    fit: Fit = by_log_loss


@dataclass(frozen=True, kw_only=True)
class EveryPolicy:
    """Any policy, reward and estimate.

    Attributes:
        coverage: C^π* at which a wrong bound is refuted.
    """

    coverage: Annotated[Finite, Field(gt=1)]


# Algorithms: what a learner is told, right and wrong on purpose -----------------------------------


def private_chipo(world: ChipoLabels) -> ChipoLabels:
    """Algorithm 1: the mixture log loss."""
    return world


finite_class = named("finite_class", private_chipo)
"""Algorithm 1 on the class {±Δ}^S."""
finite_class_label_flip = named("finite_class_label_flip", label_flip)
naive, overstated = privacy_mistake(naive_likelihood), privacy_mistake(epsilon_overstated)
PEAK = np.geomspace(1 / 8, 8, 25)
"""Multiples of the chosen reward difference that are simulated."""


def largest_rung(world: RareGoodResponse, rng: np.random.Generator, replicates: int) -> float:
    """Largest mean gap of a simulated ladder around the chosen reward difference."""
    return max(_rungs(world, PEAK, rng, replicates))


def ladder_end(world: RareGoodResponse, rng: np.random.Generator, replicates: int) -> float:
    """Wrong: the mean gap on the first rung."""
    (first,) = _rungs(world, PEAK[:1], rng, replicates)
    return first


def _rungs(world: RareGoodResponse, multiples: np.ndarray, rng, replicates: int) -> list[float]:
    worst = worst_difference(world)[0]
    gaps = (world.simulate(np.array(worst * m), rng, replicates) for m in multiples)
    return [float(gap.mean()) for gap in gaps]


def by_quadrature(world: RareGoodResponse) -> float:
    """The expected gap at the chosen reward difference."""
    return float(world.expected_gaps(np.array([worst_difference(world)[0]]))[0])


def theorem_c_1(world: EveryPolicy) -> Claimed:
    """gap ≤ 2ρ√C·err + βC + 2ρ²err²/β, for every policy."""
    return meta_theorem.meta(first=2.0, last=2.0)


def coverage_ignored(world: EveryPolicy) -> Claimed:
    """Wrong: a bound without the coverage C."""
    return meta_theorem.coverage_ignored(world.coverage)


# Quantities ---------------------------------------------------------------------------------------


def beyond_known(world: ChipoLabels, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) each learner's gap where rewards are worst for it, less what β alone costs."""
    return applied(algorithm, world).beyond(world, rng, replicates)


def margin_gap(world: MarginOfRewards, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) gaps beyond those of known rewards, weighted as reward differences are distributed."""
    learner, shape = applied(algorithm, world), (replicates, world.num_states)
    drawn, weight = margin_differences(rng, shape, world.exponent, world.reward_bound)
    means = learner.draw_means(drawn, rng, replicates)
    informed = replace(world, estimate=the_truth).gap(means, drawn)
    return (weight * (learner.gap(means, drawn) - informed)).mean(axis=1)


def squared_error(world: OneDifference, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) err² of Theorem C.1 at one reward difference."""
    learner, true = applied(algorithm, world), np.array(world.difference)
    means = learner.draw_means(true, rng, replicates)
    return statistical_error(world.pair_prob, learner.fitted(means, true), true)


def of_chosen(world: Any, algorithm: Algorithm, chosen: value_ratio.Chosen, replicates: int):
    """What an algorithm makes of the policies that were chosen."""
    return algorithm(chosen)


GAP = Quantity("suboptimality beyond that of known rewards [reward]", beyond_known)
MARGIN = Quantity(GAP.words, margin_gap)
ERROR = Quantity("err² [reward²]", squared_error)
LARGEST = Quantity(
    "largest simulated gap of the ladder / quadrature at Δ",
    over=by_quadrature,
    stream_per_block=True,
)
MISTAKES = Quantity("mistakes of the best test / Φ(−√J/2)", over=lambda world: world.mistakes)
BOUND = Quantity("gap / right-hand side of Theorem C.1", proof_of, evidence="proved")
LARGER = "the larger of two worlds [reward]"
BEYOND = Quantity("largest gap over w beyond that of known rewards [reward]", of_chosen,
                  drawn=value_ratio.chosen, stream_per_block=True)  # fmt: skip
WORST = replace(BEYOND, words=f"mean gap, {LARGER}")
OVER_ROOT = Quantity(
    "gap / corrected right-hand side of Theorem C.1", evidence="searched", stream_per_block=True
)
QUANTILE = Quantity(
    "(1−δ) quantile of the gap beyond that of known rewards, worst w [reward]", of_world,
    evidence="exact",
)  # fmt: skip
CONFUSION = Quantity("δ / chance that the best test errs", of_world, evidence="exact")

# The claims ---------------------------------------------------------------------------------------


def gap(name: str, axis: str, claim: Slope, wrong, right=private_chipo, **more: Any) -> Check:
    """A check of Algorithm 1's gap, unless it says otherwise."""
    return Check(**{"quantity": GAP, **more}, name=name, axis=axis, claim=claim, right=right,
                 wrong=wrong)  # fmt: skip


EVERY_POLICY: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"),
    "the bound holds for every implicit reward, drawn here: none is fitted, and no label is read",
)
ALGORITHM, RATIO = ["p2.alg_1"], ["own.value_ratio"]
BY_COVERING = ["own.metric_entropy", "p2.rem_3_2"]
RATES = [
    gap("n_pairs_linear", "n_pairs", Slope("linear class: worst gap {rate}", -0.5),
        [fixed_kl_weight]),
    gap("n_pairs", "n_pairs", Slope("Algorithm 1: worst gap {rate}", -0.5),
        [fixed_kl_weight, label_flip]),
    gap("n_pairs_offset", "n_pairs", Slope("rewards (0, x, 0.4): worst gap {rate}", -0.5),
        [naive, overstated, label_flip]),
    gap("privacy_cost", "privacy_cost", Slope("worst gap {rate}", 1), [naive]),
    gap("num_states", "num_states", Slope("worst gap {rate}", 0.5), [fixed_kl_weight]),
    gap("num_states_finite_class", "num_states",
        Slope("class of 2^S policies: worst gap {rate}", 0.5, symbol="log|Π|"),
        [finite_class_label_flip], finite_class),
    gap("coverage", "coverage", Slope("worst gap {rate}", 0.5, symbol="C^π*"),
        [fixed_kl_weight]),
    gap("margin_one", "n_pairs", Slope("P(Δ ≤ t) = t: gap {rate}", -1), [fixed_kl_weight],
        quantity=MARGIN),
    gap("margin_two", "n_pairs", Slope("P(Δ ≤ t) = t²: gap {rate}", -1.5), [fixed_kl_weight],
        quantity=MARGIN),
    gap("statistical_error", "n_pairs",
        Slope("err² {rate}; the proof's last display lacks 1/n", -1), [naive], quantity=ERROR),
    Check(name="peak", axis="n_pairs",
          claim=Ratio("the ladder's largest gap is that of the chosen Δ, by quadrature"),
          quantity=LARGEST, right=named("private_chipo", largest_rung), wrong=[ladder_end]),
    Check(name="meta_theorem", axis="coverage",
          claim=Inequality("Theorem C.1 holds for every policy"), quantity=BOUND,
          right=theorem_c_1, wrong=[coverage_ignored], settles=["p2.thm_c_1"]),
]  # fmt: skip
LOG_LINEAR = "log loss over log-linear policies"
CLASSES = [
    gap("printed", "n_pairs", Slope(f"{LOG_LINEAR}: worst gap {{rate}}", -0.5),
        [fixed_kl_weight, label_flip]),
    gap("printed_finite", "n_pairs", Slope("log loss over 12 policies: worst gap {rate}", -0.5),
        [label_flip]),
    gap("printed_privacy_cost", "privacy_cost", Slope(f"{LOG_LINEAR}: worst gap {{rate}}", 1),
        [naive]),
    gap("printed_ctl", "corruption", Slope(f"CTL, {LOG_LINEAR}: floor {{rate}}", 1),
        [fixed_kl_weight], settles=ALGORITHM),
    gap("printed_ltc", "corruption", Slope(f"LTC, {LOG_LINEAR}: floor {{rate}}", 1),
        [fixed_kl_weight], settles=ALGORITHM),
    gap("nonparametric", "n_pairs", Slope("log loss, class of entropy 1/τ: {rate}", -1 / 3),
        [fixed_kl_weight, label_flip], settles=BY_COVERING),
    gap("nonparametric_privacy_cost", "privacy_cost",
        Slope("log loss, class of entropy 1/τ: {rate}", 2 / 3), [naive], settles=BY_COVERING),
]  # fmt: skip
CONSTANTS = [
    Check(name="reward_growth", axis="reward_bound",
          claim=Ratio(
              "n ∝ C·c²·e^{2R_max}: the best test errs as a gap ∝ e^{R_max}·√C·c/√n says"),
          quantity=MISTAKES, right=twin_rewards.best_test,
          wrong=[named("label_flip", twin_rewards.best_test_flipped)],
          keeps=["epsilon"], settles=["own.reward_range"]),
    Check(name="value_ratio_tuned", axis="value_ratio",
          claim=Slope("β ∝ √(V_max/R_max): worst gap {rate}", 0.5), quantity=BEYOND,
          right=value_ratio.root_of_the_ratio,
          wrong=[value_ratio.as_printed, value_ratio.free_of_the_ratio], settles=RATIO),
    Check(name="value_ratio_every_beta", axis="value_ratio",
          claim=Slope("best β: worst gap {rate}", 0.5), quantity=WORST,
          right=value_ratio.every_beta, wrong=[value_ratio.capped], settles=RATIO),
    Check(name="value_ratio_bound", axis="value_ratio",
          claim=Inequality("gap ≤ 6√(C·err²) + (3V_max/R_max + ½)·err²/β + 2βC"),
          quantity=OVER_ROOT, right=value_ratio.with_the_ratio, blind=EVERY_POLICY,
          wrong=[value_ratio.without_the_ratio], settles=[*RATIO, "p2.thm_c_1"]),
    Check(name="confidence", axis="log_inverse_delta",
          claim=Slope("β ∝ √log(|Π|/δ): quantile of the gap {rate}", 0.5),
          quantity=QUANTILE, right=confidence.knows_delta,
          wrong=[named("free_of_delta", confidence.free_of_delta, "β does not know δ")],
          settles=["p2.thm_4_4", "own.confidence"]),
    Check(name="confidence_free", axis="log_inverse_delta",
          claim=Slope("β free of δ: quantile of the gap {rate}", 1), quantity=QUANTILE,
          right=confidence.free_of_delta,
          wrong=[named("knows_delta", confidence.knows_delta, "β knows δ")],
          settles=["own.confidence"]),
    Check(name="confidence_every_algorithm", axis="log_inverse_delta",
          claim=Inequality(
              "h(Δ) = c(ε)·√(ℓ/(n+ℓ)), ℓ = log(1/4δ): the best test errs with chance ≥ δ"),
          quantity=CONFUSION, right=confidence.root_of_log,
          wrong=[confidence.root_of_log_doubled], settles=["own.confidence"],
          blind={"labels": "a lower bound: labels that say nothing confuse more often"}),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """The worst instance is interior at both ends of every sweep, and realizable."""
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        if isinstance(world, ChipoLabels):
            holds, detail = world.interior()
            yield f"at {swept.sweep.grid[end]:g}: worst instance interior", holds, detail


THEOREM = Theorem(
    title="P2 Theorem 4.4: offline χPO with the private log loss",
    settles=["p2.thm_4_4", "p2.alg_1"],
    checks=[*RATES, *CLASSES, *CONSTANTS],
    worlds={
        "rare_good_response": RareGoodResponse,
        "margin": MarginOfRewards,
        "one_difference": OneDifference,
        "offset": OffsetReward,
        "linear": LinearReward,
        "log_linear": LogLinearClass,
        "falling": FallingByLogLoss,
        "every_policy": EveryPolicy,
        "twin_rewards": twin_rewards.TwinRewards,
        "spurious": value_ratio.SpuriousValue,
        "small_failure_prob": confidence.SmallFailureProb,
    },
    assumes=assumes,
)
