"""Theorem 5.2 of P1 corrected: e^B + e^(2B)·e^ε/(e^ε−1)² for e^(2B)/(2α−1)², and a cap of 2B.

Own statement (proofs in docs/explanations/corrected_theorem_5_2.md).  W(B, ε) is the inverse
private Fisher information at the difference B.  Algorithm 2 with the private maximum likelihood
estimate for least squares, λ = 4B², Γ² = 4B² + 8·W·log(N/δ) and b = min{2B, Γ·U} has, with
probability at least 1−2δ and for every T at once,

    Σ_{t≤T} J(π*) − J(π²_t) ≤ β·B²/8 + 3.17·β·Γ²·(d_T + log(1/δ)),

d_T the sum of squared uncertainties of T drawn pairs.  Γ has no T.  Without privacy the factor is
e^B, so Corollary 5.5's e^(2B) comes from Γ_T alone; with it no learner does better than
(β/2)·σ′(βa)·S·W(b−a)·log(1 + T·a²/(π²·S·W)) on tables of S states with b = log(C−1)/β: the factor
is W(B) where b is near B.

Most of the regret is the bonus's own, which a learner who knows r* pays too.  So π* plays both
responses nearly alike in the checks of the repaired Γ, where the bonus costs less than the
estimate: exponents are those beyond the estimate's part, which would be negative without an error,
constants those of the sum.  An upper bound is held where some run's estimate was wrong at some
time, for without an error nothing is tested.

Checks.  Where e^(2B) comes from (``estimation_*``, ``printed_eps_inf``, ``repaired_*``): exponents
in B of the regret per unit of log T.  The constants against the closed form.  The likelihood's own
confidence set pays for the differences that there are, not for B (``likelihood_*``).  Γ without
T covers the error (``event``), and the 8 and the log(N/δ) in it are needed (``radius_*``, which
read the learner's own Γ).  That there is a bonus is noticed by ``constant_*``, not by ``bound``.

The cap.  With eq. (13)'s cap of 1, B > 1 and β ≥ 4/(B−1) + 8, one early label that misleads, with
probability free of T and β, makes π² shun the best response for e^{β(B−1)}/4 rounds: regret grows
like T that long, so Theorem 5.2 as printed fails for every constant (``cap_one``, contradicted);
with a cap of 2B it stays put.

The abstract's regret ∝ 1/(e^ε−1)² names no range of ε: right for ε ≤ 1, the range of Remark 4.4, up
to a constant (``abstract_small``); at all ε, a reading that the paper does not make, it is not
(``abstract``, contradicted), since Theorem 5.2 has 2α−1.

Probability: the (1−δ)-quantile of the regret against the bound at that δ, with privacy and without.

What would refute it: another exponent, a constant outside its margin, one quantile above its bound.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.special import chdtri

from repro.base.schema import Positive, RewardBound
from repro.core.check import (
    Assumed,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    largest_of,
    named,
    of_world,
)
from repro.core.claims import Claim, Frequency, Inequality, Ratio, Slope
from repro.labels.preferences.label_information import inverse_information, inverse_slope
from repro.p1.pokl.algorithms import hidden_randomizer, naive_labels
from repro.p1.pokl.bonus import repaired_net_weight, repaired_weight, ridge_of
from repro.p1.pokl.curves import (
    OVER_LIMIT,
    RegretCurve,
    curious_regret,
    limit,
    marked_regret,
    of_curve,
    rate,
    simulate,
    tested,
    total_limit,
)
from repro.p1.pokl.events import fails_in_runs, how_covered
from repro.p1.pokl.finite import RandomFinite, two_rewards
from repro.p1.pokl.learning import RewardsOn
from repro.p1.pokl.least_squares import finite_likelihood
from repro.p1.pokl.rate import regret_rate
from repro.p1.pokl.repaired import eluder_sum, estimate_over_floor, needed_radius, regret_bound
from repro.p1.pokl.run import OnlineRun, printed_weight
from repro.p1.pokl.tables import LikelihoodTables, TwoResponseTables

# Worlds: a class of rewards with its Γ, which has no T -------------------------------------------

Weight = Callable[[OnlineRun, int], float]
RANDOM_CLASS = RandomFinite(class_size=16, seed=3, losses=finite_likelihood)
"""Around the truth, fitted by the likelihood."""


def weight_of_class(world: OnlineRun, horizon: int) -> float:
    """Γ² = 4B² + 8·W·log(N/δ), for a finite class."""
    return repaired_weight(*world.sizes(horizon))


def weight_of_net(world: OnlineRun, horizon: int) -> float:
    """Γ of an infinite class, by its net."""
    return repaired_net_weight(*world.sizes(horizon))


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesRun(OnlineRun):
    """Over all tables, with Γ by their net."""

    rewards: RewardsOn = TwoResponseTables
    weight: Weight = weight_of_net


@dataclass(frozen=True, eq=False, kw_only=True)
class OppositeRun(OnlineRun):
    """Over the two opposite rewards of their own instance."""

    rewards: RewardsOn = two_rewards
    weight: Weight = weight_of_class


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomClassRun(OnlineRun):
    """Over a random finite class."""

    rewards: RewardsOn = RANDOM_CLASS
    weight: Weight = weight_of_class


@dataclass(frozen=True, kw_only=True)
class Radius:
    """N wrong rewards, one of which is to beat the truth with probability δ.

    Attributes:
        class_size: N.
        log_inverse_delta: log(1/δ), up to 700.
    """

    class_size: Positive
    log_inverse_delta: Positive

    @property
    def failure_prob(self) -> float:
        """δ."""
        return math.exp(-self.log_inverse_delta)


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """Tables whose differences reach B.

    Attributes:
        reward_bound: B > 1/10.
    """

    reward_bound: RewardBound


# Algorithms: what the learner is told, right and wrong -------------------------------------------


def repaired(world: OnlineRun) -> OnlineRun:
    """Γ of the world with λ = 4B² and b = min{2B, Γ·U}."""
    bound = world.linear.reward_bound
    return replace(world, ridge=ridge_of(bound), bonus_cap=2 * bound)


def printed(world: OnlineRun) -> OnlineRun:
    """Wrong: Γ_T, λ and the cap of 1 as printed, for the same class."""
    return replace(world, weight=printed_weight, bonus_cap=1.0)


def repaired_less_bonus(world: OnlineRun) -> OnlineRun:
    """The same estimate without exploration: what estimation alone costs."""
    return replace(repaired(world), gamma=0.0)


def a_quarter_more(world: OnlineRun) -> OnlineRun:
    """Wrong for a claim about the constant: a bonus a quarter too large."""
    return replace(repaired(world), gamma=1.25 * world.bonus_weight)


def capped_at_one(world: OnlineRun) -> OnlineRun:
    """Wrong: b = min{1, Γ·U}, all else repaired."""
    return replace(repaired(world), bonus_cap=1.0)


def tenth_of_the_bonus(world: OnlineRun) -> OnlineRun:
    """Wrong: a tenth of Γ."""
    return replace(repaired(world), gamma=world.bonus_weight / 10)


repaired_instead = named("repaired", repaired, "the repaired Γ")
estimate_alone = named("repaired_less_bonus", repaired_less_bonus, "no exploration")


def likelihood_set(world: OnlineRun) -> OnlineRun:
    """The bonus is the width of {r : Σ(1 − affinity with r̄) ≤ level}, in the place of Γ·U."""
    return replace(repaired(world), gamma=1.0, rewards=LikelihoodTables(likelihood_level(world)))


def likelihood_level(world: OnlineRun) -> float:
    """(√(log(N/δ) + 1) + ½)² for tables by their net of radius τ ≤ 1/T (Theorem 2)."""
    logs = world.log_size - math.log(world.failure_prob) + 1
    return (math.sqrt(logs) + 0.5) ** 2


# Bounds of a world, right and wrong --------------------------------------------------------------


def corrected_bound(world: OnlineRun) -> float:
    """The bound of the world's own δ, for tables or for two rewards."""
    return _bound(world, world.bonus_weight)


def bound_in_e_b(world: OnlineRun) -> float:
    """Wrong at finite ε: the factor e^B, without the term of privacy."""
    bound = world.linear.reward_bound
    share = inverse_slope(bound) / inverse_information(bound, world.epsilon)
    return _bound(world, world.bonus_weight * math.sqrt(share))


def fortieth(world: OnlineRun) -> float:
    """Wrong: a fortieth of the bound, which is 18 to 28 times what is measured."""
    return corrected_bound(world) / 40


def hundredth(world: OnlineRun) -> float:
    """Wrong: a hundredth of the bound."""
    return corrected_bound(world) / 100


def _bound(world: OnlineRun, weight: float) -> float:
    linear = world.linear
    eluder = eluder_sum(len(linear.state_prob), world.horizon)
    return regret_bound(weight, linear.reward_bound, linear.kl_weight, eluder, world.failure_prob)


def estimation_limit(world: OnlineRun) -> float:
    """What the rate tends to without a bonus."""
    return limit(world).estimation


def likelihood_limit(world: OnlineRun) -> float:
    """The rate's limit where the bonus has the information at the difference itself."""
    linear, difference = world.linear, float(world.linear.reward_diff[0])
    width = math.sqrt(8 * likelihood_level(world) * inverse_information(difference, world.epsilon))
    return regret_rate(linear, world.epsilon, linear.kl_weight, width).total


def radius_of_class(world: Radius) -> float:
    """(Γ² − λ)/W of a finite class: 8·log(N/δ)."""
    weight = repaired_weight(*UNIT, math.log(world.class_size), 1, world.failure_prob)
    return (weight**2 - ridge_of(UNIT[0])) / inverse_information(*UNIT)


def radius_of_net(world: Radius) -> float:
    """The same of a net, less what its radius adds: 8·(log(N/δ) + 1)."""
    weight = repaired_net_weight(*UNIT, math.log(world.class_size), 1, world.failure_prob)
    return (math.sqrt(weight**2 - ridge_of(UNIT[0])) - 2) ** 2 / inverse_information(*UNIT)


def needed_over(
    world: Radius, radius: Callable[[Radius], float], share: float = 1.0, known_size: bool = True
) -> float:
    """The radius that the event needs over a share of Γ's, whose class may be taken for one."""
    needed = needed_radius(math.log(world.class_size), world.log_inverse_delta)
    return needed / (share * radius(world if known_size else replace(world, class_size=1.0)))


eight_logs = named("eight_logs", needed_over, radius=radius_of_class)
seven_logs = named(
    "seven_logs",
    needed_over,
    "a radius with 7 in the place of 8",
    radius=radius_of_class,
    share=7 / 8,
)
size_left_out = named(
    "size_left_out",
    needed_over,
    "a radius that leaves the class size N out",
    radius=radius_of_class,
    known_size=False,
)
eight_logs_of_net = named("eight_logs", needed_over, radius=radius_of_net)
seven_logs_of_net = named(
    "seven_logs",
    needed_over,
    "a radius with 7 in the place of 8",
    radius=radius_of_net,
    share=7 / 8,
)

BUDGETS = (0.1, 1.0, 4.0, 16.0, math.inf)
UNIT = 1.3, 0.8
"""B and ε at which Γ is held to the radius; W is divided out."""
WEIGHTS = (0.07, 0.2, 1.0)
"""1/β; at the second the floor's constant is least: there βa = 1/2 with a = 1/10."""


@largest_of
def within(world: LowerBound, most: float) -> Iterator[float]:
    """The estimate's rate over so many times the floor's, the largest over ε and β."""
    for epsilon, kl_weight in product(BUDGETS, WEIGHTS):
        yield estimate_over_floor(world.reward_bound, epsilon, kl_weight) / most


within_3_2 = named("within_3_2", within, most=3.2)
within_2_9 = named("within_2_9", within, "a factor of 2.9, not 3.2", most=2.9)
"""Wrong: 2.9 for 3.2."""


# Quantities --------------------------------------------------------------------------------------


def scaled_rate(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) regret per unit of log T, over β."""
    return world.linear.kl_weight * curve.rate()


def scaled_estimation(world: OnlineRun) -> float:
    """The estimate's part of its limit."""
    return world.linear.kl_weight * estimation_limit(world)


def per_round(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) mean regret of a round up to T; NaN where no estimate of any run was ever wrong."""
    return tested(curve).cumulative[-1] / world.horizon


def above_bound(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) 1.0 where the regret after T rounds exceeds the bound; NaN as in ``per_round``."""
    regret = tested(curve).cumulative[-1]
    return np.where(np.isnan(regret), np.nan, ~(regret <= corrected_bound(world)))


def gap_quantile(world: OnlineRun, curve: RegretCurve) -> float:
    """The (1−δ)-quantile of the gap after T labels."""
    return float(np.quantile(curve.regret[-1], 1 - world.failure_prob))


def quantile_of_limit(world: OnlineRun) -> float:
    """That of the limit, a χ² of S states."""
    states, mean = len(world.linear.state_prob), estimation_limit(world) / world.horizon
    return mean * float(chdtri(states, world.failure_prob)) / states


def regrets(world: OnlineRun, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) regret of the corrected algorithm after T rounds; NaN as in ``per_round``."""
    (curve,) = simulate([repaired(world)], replicates, rng, marked_regret)
    return tested(curve).cumulative[-1]


def over_bound(world: OnlineRun, bound, regret: np.ndarray, replicates: int) -> np.ndarray:
    """(R,) regret over a bound."""
    return regret / bound(world)


def quantile_over_bound(world: OnlineRun, bound, regret: np.ndarray, replicates: int) -> float:
    """The (1−δ)-quantile of the regret over a bound at that δ."""
    return float(np.quantile(regret, 1 - world.failure_prob)) / bound(world)


CURIOUS = "on the curious side"
LIKELIHOOD = of_curve(f"regret rate {CURIOUS} / closed form", rate, curious_regret,
                      likelihood_limit)  # fmt: skip
CURIOUS_OVER_LIMIT = of_curve(f"regret rate {CURIOUS} / closed form", rate, curious_regret,
                              total_limit)  # fmt: skip
CURIOUS_SCALED = of_curve(f"regret per unit of log T {CURIOUS} · kl_weight", scaled_rate,
                          curious_regret)  # fmt: skip
SCALED = of_curve("regret per unit of log T · kl_weight", scaled_rate)
SCALED_BEYOND = of_curve("regret per unit of log T · kl_weight beyond the estimate's own",
                         scaled_rate, less=scaled_estimation)  # fmt: skip
OVER_ESTIMATION = of_curve(OVER_LIMIT.words, rate, over=estimation_limit)
PER_ROUND = of_curve("mean regret of a round [reward]", per_round, marked_regret)
EVENT = of_curve("event fails for some t ≤ T [frequency]", fails_in_runs, how_covered)
ABOVE = of_curve("regret above its bound [frequency]", above_bound, marked_regret)
OVER_BOUND = Quantity("regret / bound", over_bound, drawn=regrets)
GAP_QUANTILE = of_curve("(1−δ)-quantile of T · gap / that of the limit", gap_quantile,
                        over=quantile_of_limit, stream_per_block=True)  # fmt: skip
QUANTILE = Quantity(
    "(1−δ)-quantile of the regret / bound",
    quantile_over_bound,
    drawn=regrets,
    stream_per_block=True,
)
APART = Quantity("upper / (3.2 · lower)", of_world, evidence="computed")
RADIUS = Quantity("needed Σ(Δ − Δ*)² / (Γ² − λ)", of_world, evidence="computed")


# The claims --------------------------------------------------------------------------------------

THE_THEOREM, CAP = "own.corrected_theorem_5_2", "own.cap_of_eq_13"
AS_PRINTED, COROLLARY = "p1.thm_5_2", "p1.cor_5_5"
bound = named("bound", corrected_bound)


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, right: Any, *wrong: Any,
    settles: tuple[str, ...] = (), **more: Any,
) -> Check:  # fmt: skip
    """A check, its wrong algorithms last."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, **more)  # fmt: skip


EPS: Any = {"keeps": ("epsilon",)}
GAMMA_ALONE = {"estimate": "what Γ_T alone costs: a learner who knows r* pays it too"}
WORSE = dict.fromkeys(
    ("labels", "algorithm"), "a counterexample with the labels as stated, as it is with worse ones"
)
NOT_ZERO = dict.fromkeys(
    ("labels", "algorithm"), "regret that does not vanish as ε → ∞; with worse labels it is larger"
)
FACTOR = [
    check("estimation_eps_inf", "reward_bound",
          Slope("estimation alone, ε = ∞: regret {rate}", 1), SCALED, repaired_less_bonus,
          hidden_randomizer, settles=(THE_THEOREM, COROLLARY), **EPS),
    check("estimation_eps_one", "reward_bound", Slope("estimation alone, ε = 1: regret {rate}", 2),
          SCALED, repaired_less_bonus, naive_labels, **EPS),
    check("printed_eps_inf", "reward_bound", Slope("the printed Γ_T, ε = ∞: regret {rate}", 2),
          CURIOUS_SCALED, printed, repaired_instead, settles=(COROLLARY,), blind=GAMMA_ALONE,
          **EPS),
    check("repaired_eps_inf", "reward_bound", Slope("the repaired Γ, ε = ∞: bonus costs {rate}", 1),
          SCALED_BEYOND, repaired, printed, settles=(THE_THEOREM, COROLLARY), **EPS),
    check("repaired_eps_16", "reward_bound", Slope("the repaired Γ, ε = 16: bonus costs {rate}", 1),
          SCALED_BEYOND, repaired, printed, **EPS),
    check("repaired_eps_one", "reward_bound", Slope("the repaired Γ, ε = 1: bonus costs {rate}", 2),
          SCALED_BEYOND, repaired, naive_labels, **EPS),
]  # fmt: skip
CONSTANTS = [
    check("constant_b", "reward_bound", Ratio("closed form at every B, ε = 1"),
          CURIOUS_OVER_LIMIT, repaired, printed, estimate_alone, a_quarter_more,
          **EPS),
    check("constant_epsilon", "epsilon", Ratio("closed form at every ε, B = 6"),
          CURIOUS_OVER_LIMIT, repaired, printed, estimate_alone, a_quarter_more),
    check("constant_estimation", "epsilon", Ratio("estimation alone at every ε, B = 6"),
          OVER_ESTIMATION, repaired_less_bonus, naive_labels),
    check("likelihood_constant", "epsilon",
          Ratio("the likelihood's set: Γ² → 8·W(Δ)·level at every ε"), LIKELIHOOD,
          likelihood_set, repaired_instead, estimate_alone),
    check("likelihood_bound", "reward_bound",
          Ratio("the likelihood's set: Γ² → 8·W(Δ)·level at every B"), LIKELIHOOD,
          likelihood_set, repaired_instead),
]  # fmt: skip
ABSTRACT = [
    check("abstract", "epsilon_minus_one",
          Slope("the abstract's regret {rate} at all ε", -2, "at_most"), SCALED,
          repaired_less_bonus, settles=("own.abstract_at_every_epsilon",),
          expected="contradicted",
          why="the rate tends to that without privacy, which is not 0", blind=NOT_ZERO),
    check("abstract_small", "epsilon_minus_one",
          Slope("the abstract's regret {rate} as ε → 0", -2), SCALED, repaired_less_bonus,
          naive_labels, settles=("p1.abs_2",)),
]  # fmt: skip
WEIGHT = [
    check("event", "horizon", Frequency("Lemma C.4 with the repaired Γ, which has no T"), EVENT,
          repaired, tenth_of_the_bonus),
    check("radius_delta", "log_inverse_delta",
          Ratio("the event needs 8·W·log(N/δ) as δ → 0"), RADIUS,
          eight_logs, seven_logs),
    check("radius_net", "log_inverse_delta", Ratio("a net's Γ: 8·W·(log(N/δ) + 1) as δ → 0"),
          RADIUS, eight_logs_of_net, seven_logs_of_net),
    check("radius_size", "class_size",
          Ratio("the event needs 8·W·log(N/δ) at every N, δ = e^−100"), RADIUS,
          eight_logs, size_left_out),
    check("floor", "reward_bound",
          Inequality("the estimate's rate ≤ 3.2 times every learner's, ε from .1 to ∞"), APART,
          within_3_2, within_2_9),
    check("bound", "reward_bound", Inequality("regret ≤ its bound at every B, ε = 1"),
          OVER_BOUND, bound, bound_in_e_b, **EPS),
    check("bound_small", "horizon", Inequality("regret ≤ its bound after 1e3 to 1e6 rounds, B = 1"),
          OVER_BOUND, bound, hundredth),
]  # fmt: skip
CAPS = [
    check("cap_one", "horizon",
          Slope("as printed: mean regret of a round {rate}", -1, "at_most", tolerance=0.1),
          PER_ROUND, printed, settles=(AS_PRINTED,), expected="contradicted",
          why="one misleading label, and π² shuns the best response for e^{β(B−1)} rounds",
          blind=WORSE),
    check("cap_one_linear", "horizon",
          Slope("cap 1: mean regret of a round {rate}", 0, tolerance=0.1), PER_ROUND, printed,
          repaired_instead, settles=(CAP,), blind=WORSE),
    check("cap_two_bounds", "horizon",
          Slope("cap 2B: mean regret of a round {rate}", -1, "at_most", tolerance=0.1), PER_ROUND,
          repaired, capped_at_one, settles=(THE_THEOREM, CAP)),
    check("cap_in_probability", "horizon",
          Frequency("cap 2B: regret ≤ its bound with probability ≥ 1−δ"), ABOVE, repaired,
          capped_at_one, settles=(THE_THEOREM, CAP)),
]  # fmt: skip
PROBABILITY = [
    check("quantile_gap", "log_inverse_delta",
          Ratio("estimation alone: (1−δ)-quantile of the gap → χ²_S·β·W/(4T)"), GAP_QUANTILE,
          repaired_less_bonus, naive_labels, repaired_instead),
    check("quantile_eps_one", "log_inverse_delta",
          Inequality("ε = 1: (1−δ)-quantile of the regret ≤ the bound at δ"), QUANTILE, bound,
          fortieth, bound_in_e_b, settles=(THE_THEOREM, AS_PRINTED), **EPS),
    check("quantile_eps_inf", "log_inverse_delta",
          Inequality("ε = ∞: (1−δ)-quantile of the regret ≤ the bound at δ"), QUANTILE, bound,
          fortieth, settles=(THE_THEOREM, COROLLARY), **EPS),
]  # fmt: skip


def within_bound(world: OnlineRun) -> Iterable[Assumed]:
    """Realizability: differences of the truth are at most B."""
    largest = float(world.linear.reward_diff.abs().max())
    yield "differences ≤ B", largest <= world.linear.reward_bound, f"{largest:.3g}"


def fine_net(world: OnlineRun) -> Iterable[Assumed]:
    """τ ≤ 1/T where Γ counts a net."""
    fine = world.net_radius * world.horizon
    yield "T·τ ≤ 1", fine <= 1 + 1e-9, f"{fine:.3g}"


THEOREM = Theorem(
    title="P1 Theorem 5.2 corrected: what B and ε cost online",
    settles=[THE_THEOREM],
    checks=[*FACTOR, *CONSTANTS, *ABSTRACT, *WEIGHT, *CAPS, *PROBABILITY],
    corrected={
        "abstract": "abstract_small",
        "cap_one": "cap_two_bounds",
    },
    worlds={
        "tables": TablesRun,
        "two_rewards": OppositeRun,
        "finite": RandomClassRun,
        "radius": Radius,
        "floor": LowerBound,
    },
    assumes=at_both_ends(within_bound, fine_net, of=OnlineRun),
)
