"""Theorem 5.2 of P1 corrected: e^B + e^(2B)·e^ε/(e^ε−1)² for e^(2B)/(2α−1)², and a cap of 2B.

Statement (ours; proofs in docs/explanations/corrected_theorem_5_2.md).  W(B, ε) is the inverse
private Fisher information at the difference B.  Algorithm 2 with the private maximum likelihood
estimate for least squares, λ = 4B², Γ² = 4B² + 8·W·log(N/δ) and b = min{2B, Γ·U} has, with
probability at least 1−2δ and for every T at once,

    Σ_{t≤T} J(π*) − J(π²_t) ≤ β·B²/8 + 3.17·β·Γ²·(d_T + log(1/δ)),

d_T the sum of squared uncertainties of T drawn pairs.  Γ has no T.  Without privacy the factor is
e^B, so Corollary 5.5's e^(2B) comes from Γ_T alone; with it no learner does better than
(β/2)·σ′(βa)·S·W(b−a)·log(1 + T·a²/(π²·S·W)) on tables of S states with b = log(C−1)/β: the factor
is W(B) where b is near B.

Rows.  Where e^(2B) comes from (``estimation_*``, ``printed_eps_inf``, ``repaired_*``): exponents
in B of the regret per unit of log T.  The constants against the closed form.  The likelihood's own
confidence set pays for the differences that there are, not for B (``likelihood_*``).  Γ without
T covers the error (``event``), and the 8 and the log(N/δ) in it are needed (``radius_*``).

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

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from scipy.stats import chi2

from repro.families.online_kl import wrong_repaired as version
from repro.families.online_kl.bounds_events import optimism_deficit
from repro.families.online_kl.cases import OnlineCase, OnlineExperiment, OnlineProbes
from repro.families.online_kl.quantities import (
    RATE_OVER_CLOSED_FORM,
    curious_regret,
    limit,
    of_curve,
    rate_over_closed_form,
)
from repro.families.online_kl.simulation import RegretCurve, simulate
from repro.families.online_kl.wrong_pokl import CLASS_SEED, hidden_randomizer, naive_labels
from repro.families.online_kl.wrong_repaired import likelihood_level, repaired
from repro.pokl.bonus import repaired_net_weight, repaired_weight
from repro.pokl.finite import RandomFinite, two_rewards
from repro.pokl.least_squares import finite_likelihood
from repro.pokl.rate import regret_rate
from repro.pokl.repaired import (
    eluder_sum,
    estimate_over_floor,
    needed_radius,
    regret_bound,
)
from repro.pokl.tables import TwoResponseTables
from repro.preferences.label_information import inverse_information, inverse_slope
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Frequency, Inequality, Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import (
    INSTANCE,
    Evidence,
    Measure,
    Method,
    Need,
    Row,
    Values,
    method,
    per_method,
)

CLASS_SIZE = 16
"""N of the random finite class."""
Bound = Callable[[OnlineCase], float]
"""What the regret of a case is held against."""


def tables(case: OnlineCase) -> OnlineCase:
    """All tables, with Γ by their net."""
    return replace(case, rewards=TwoResponseTables, weight=repaired_net_weight)


def two(case: OnlineCase) -> OnlineCase:
    """The two opposite rewards of their own world."""
    return replace(case, rewards=two_rewards, weight=repaired_weight)


def finite(case: OnlineCase) -> OnlineCase:
    """A random finite class, fitted by the likelihood."""
    rewards = RandomFinite(CLASS_SIZE, CLASS_SEED, finite_likelihood)
    return replace(case, rewards=rewards, weight=repaired_weight, bonus_cap=math.inf)


def scaled_rate(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) regret per unit of log T, over β."""
    return case.world.kl_weight * curve.rate()


def per_round(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) mean regret of a round up to T."""
    return curve.cumulative[-1] / case.horizon


def likelihood_over_limit(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) rate over its limit, whose bonus has the information at the difference itself."""
    world, difference = case.world, float(case.world.reward_diff[0])
    width = math.sqrt(8 * likelihood_level(case) * inverse_information(difference, case.epsilon))
    return curve.rate() / regret_rate(world, case.epsilon, world.kl_weight, width).total


def not_optimistic(game, now):
    """1.0 where the event of Lemma C.4 fails."""
    return (optimism_deficit(game, now) > 1e-9).double()


def ever(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) whether it happened from the first label on."""
    return curve.regret[1:].max(axis=0)


def regrets(case: OnlineCase, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) regret of the corrected algorithm after T rounds."""
    game = case.game([repaired.run(case)], replicates)
    return simulate(game, case.horizon, case.exploration.grid_ratio, rng).cumulative[-1, 0]


def over_bound(case: OnlineCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) regret over each method's bound."""
    found = regrets(case, rng, replicates)
    return {m.name: found / m.run(case) for m in case.methods}


def quantile_over_bound(case: OnlineCase, rng: np.random.Generator, replicates: int) -> Values:
    """The (1−δ)-quantile of the regret over each method's bound at that δ."""
    found = np.quantile(regrets(case, rng, replicates), 1 - case.exploration.failure_prob)
    return {m.name: float(found) / m.run(case) for m in case.methods}


def gap_quantile(case: OnlineCase, curve: RegretCurve) -> list[float]:
    """M (1−δ)-quantiles of the gap after T labels, over that of the limit, a χ² of S states."""
    world, delta = case.world, case.exploration.failure_prob
    states, mean = len(world.state_prob), limit(case).estimation / case.horizon
    exact = mean * float(chi2.isf(delta, states)) / states
    return [float(np.quantile(gaps, 1 - delta)) / exact for gaps in curve.regret[-1]]


def above_bound(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) 1.0 where the regret after T rounds exceeds the bound of the corrected theorem."""
    return (curve.cumulative[-1] > corrected_bound(case)).astype(float)


def corrected_bound(case: OnlineCase) -> float:
    """The bound of the case's own δ, for tables or for two rewards."""
    return _bound(case, repaired.run(case).bonus_weight)


def bound_in_e_b(case: OnlineCase) -> float:
    """Wrong at finite ε: the factor e^B, without the term of privacy."""
    bound, weight = case.world.reward_bound, repaired.run(case).bonus_weight
    share = inverse_slope(bound) / inverse_information(bound, case.epsilon)
    return _bound(case, weight * math.sqrt(share))


def fortieth(case: OnlineCase) -> float:
    """Wrong: a fortieth of the bound, which is 18 to 28 times what is measured."""
    return corrected_bound(case) / 40


def _bound(case: OnlineCase, weight: float) -> float:
    world = case.world
    eluder = eluder_sum(len(world.state_prob), case.horizon)
    return regret_bound(
        weight, world.reward_bound, world.kl_weight, eluder, case.exploration.failure_prob
    )


def of_value(case: PointCase, formula: Method, rng: object, replicates: int) -> float:
    """A closed form of the swept value."""
    return formula.run(case.value)


LOG_CLASS, LOG_DELTA = math.log(CLASS_SIZE), 100.0
"""log N of the sweep in log(1/δ), and log(1/δ) of that in N."""


@method
def eight_logs_of_delta(log_inverse_delta: float) -> float:
    """Against 8·log(N/δ)."""
    return needed_radius(LOG_CLASS, log_inverse_delta) / (8 * (LOG_CLASS + log_inverse_delta))


@method
def seven_logs_of_delta(log_inverse_delta: float) -> float:
    """Wrong: against 7·log(N/δ)."""
    return 8 / 7 * eight_logs_of_delta.run(log_inverse_delta)


@method
def eight_logs_of_size(class_size: float) -> float:
    """Against 8·log(N/δ)."""
    logs = math.log(class_size)
    return needed_radius(logs, LOG_DELTA) / (8 * (logs + LOG_DELTA))


@method
def size_left_out(class_size: float) -> float:
    """Wrong: against 8·log(1/δ)."""
    return needed_radius(math.log(class_size), LOG_DELTA) / (8 * LOG_DELTA)


CURIOUS = "on the curious side"
LIKELIHOOD = of_curve(f"regret rate {CURIOUS} / closed form", likelihood_over_limit, curious_regret)
OVER_LIMIT = of_curve(f"regret rate {CURIOUS} / closed form", rate_over_closed_form, curious_regret)
CURIOUS_SCALED = of_curve(f"regret per unit of log T {CURIOUS} · kl_weight", scaled_rate,
                          curious_regret)  # fmt: skip
BUDGETS = (0.1, 1.0, 4.0, 16.0, math.inf)
SHARP_WEIGHT = 0.2
"""1/β at which the floor's constant is least: there βa = 1/2 with a = 1/10."""


@method
def within_3_2(reward_bound: float) -> float:
    """The estimate's rate over 3.2 times the floor's, the largest over ε."""
    rates = [estimate_over_floor(reward_bound, eps, SHARP_WEIGHT) for eps in BUDGETS]
    return max(rates) / 3.2


@method
def within_2_9(reward_bound: float) -> float:
    """Wrong: 2.9 for 3.2."""
    return 3.2 / 2.9 * within_3_2.run(reward_bound)


SCALED = of_curve("regret per unit of log T · kl_weight", scaled_rate)
PER_ROUND = of_curve("mean regret of a round [reward]", per_round)
EVENT = of_curve("event fails for some t ≤ T [frequency]", ever, not_optimistic)
ABOVE = of_curve("regret above its bound [frequency]", above_bound)
OVER_BOUND = Measure("regret / bound", over_bound, Evidence.MEASURED)
GAP_QUANTILE = of_curve("(1−δ)-quantile of T · gap / that of the limit", gap_quantile)
QUANTILE = Measure("(1−δ)-quantile of the regret / bound", quantile_over_bound, Evidence.MEASURED)
APART = Measure("upper / (3.2 · lower)", per_method(of_value), Evidence.COMPUTED)
RADIUS = Measure("needed Σ(Δ − Δ*)² / (8·W·log(N/δ))", per_method(of_value), Evidence.COMPUTED)

PROVED, IN_E_B = Method("bound", corrected_bound), Method("bound_in_e_b", bound_in_e_b)
FORTIETH = Method("fortieth", fortieth)
LABELS, HIDDEN = (Need.LABELS,), (Need.LABELS, Need.TRUTH_HIDDEN)
EPS = ("epsilon",)
THEOREM, CAP = "own.corrected_theorem_5_2", "own.cap_of_eq_13"
PRINTED, COROLLARY = "p1.thm_5_2", "p1.cor_5_5"
NEAR, FAR, OPPOSITE = "near_bound", "far_below", "opposite"
STAYS = "the rate tends to that without privacy, which is not 0"
SHUNNED = "one misleading label, and π² shuns the best response for e^{β(B−1)} rounds"


class CorrectedLogRegret(OnlineExperiment):
    """The corrected bound, where its factor comes from, and the cap."""

    title = "P1 Theorem 5.2 corrected: what B and ε cost online"
    settles = (THEOREM,)
    config_type = OnlineProbes

    rows = (
        Row("estimation_eps_inf", "reward_bound",
            Slope(1, "estimation alone, ε = ∞: regret {rate}"), SCALED,
            version.repaired_less_bonus, (hidden_randomizer,), on=NEAR, given=tables, needs=HIDDEN,
            settles=(THEOREM, COROLLARY), fixed=EPS),
        Row("estimation_eps_one", "reward_bound",
            Slope(2, "estimation alone, ε = 1: regret {rate}"), SCALED,
            version.repaired_less_bonus, (naive_labels,), on=NEAR, given=tables,
            needs=(*HIDDEN, Need.PRIVACY), fixed=EPS),
        Row("printed_eps_inf", "reward_bound",
            Slope(2, "the printed Γ_T, ε = ∞: regret {rate}"), CURIOUS_SCALED, version.printed,
            (repaired,), on=NEAR, given=tables,
            needs=(*LABELS, Need.OPTIMISM), settles=(COROLLARY,), fixed=EPS),
        Row("repaired_eps_inf", "reward_bound",
            Slope(1, "the repaired Γ, ε = ∞: regret {rate}"), SCALED, repaired,
            (version.printed,), on=NEAR, given=tables, needs=LABELS, settles=(THEOREM, COROLLARY),
            fixed=EPS),
        Row("repaired_eps_16", "reward_bound",
            Slope(1, "the repaired Γ, ε = 16: regret {rate}"), SCALED, repaired,
            (version.printed,), on=NEAR, given=tables, needs=LABELS, fixed=EPS),
        Row("repaired_eps_one", "reward_bound",
            Slope(2, "the repaired Γ, ε = 1: regret {rate}"), SCALED, repaired, (naive_labels,),
            on=NEAR, given=tables, needs=(*LABELS, Need.PRIVACY), fixed=EPS),
        Row("constant_b", "reward_bound", Ratio("closed form at every B, ε = 1"),
            OVER_LIMIT, repaired, (version.printed, version.repaired_less_bonus,
            version.a_quarter_more), on=NEAR, given=tables,
            needs=(Need.LABELS, Need.PRIVACY, Need.OPTIMISM)),
        Row("constant_epsilon", "epsilon", Ratio("closed form at every ε, B = 6"),
            OVER_LIMIT, repaired, (version.printed, version.repaired_less_bonus,
            version.a_quarter_more), on=NEAR, given=tables,
            needs=(Need.LABELS, Need.PRIVACY, Need.OPTIMISM)),
        Row("constant_estimation", "epsilon", Ratio("estimation alone at every ε, B = 6"),
            RATE_OVER_CLOSED_FORM, version.repaired_less_bonus, (naive_labels,), on=NEAR,
            given=tables, needs=(*HIDDEN, Need.PRIVACY)),
        Row("likelihood_constant", "epsilon",
            Ratio("the likelihood's set: Γ² → 8·W(Δ)·level at every ε"), LIKELIHOOD,
            version.likelihood_set, (repaired, version.repaired_less_bonus), on=FAR, given=tables,
            needs=(Need.LABELS, Need.PRIVACY, Need.OPTIMISM)),
        Row("likelihood_bound", "reward_bound",
            Ratio("the likelihood's set: Γ² → 8·W(Δ)·level at every B"), LIKELIHOOD,
            version.likelihood_set, (repaired,), on=FAR, given=tables,
            needs=(Need.LABELS, Need.OPTIMISM)),
        Row("abstract", "epsilon_minus_one",
            Slope(-2, "the abstract's regret {rate} at all ε", "at_most"), SCALED,
            version.repaired_less_bonus, on=NEAR, given=tables,
            needs=(Need.TRUTH_HIDDEN,), settles=("own.abstract_at_every_epsilon",),
            expected="contradicted", why=STAYS),
        Row("abstract_small", "epsilon_minus_one",
            Slope(-2, "the abstract's regret {rate} as ε → 0"), SCALED,
            version.repaired_less_bonus, (naive_labels,), on=NEAR, given=tables,
            needs=(*HIDDEN, Need.PRIVACY), settles=("p1.abs_2",)),
        Row("event", "horizon", Frequency("Lemma C.4 with the repaired Γ, which has no T"), EVENT,
            repaired, (version.tenth_of_the_bonus,), on=INSTANCE, given=finite,
            needs=(Need.LABELS, Need.OPTIMISM)),
        Row("radius_delta", "log_inverse_delta",
            Ratio("the event needs 8·W·log(N/δ) as δ → 0"), RADIUS, eight_logs_of_delta,
            (seven_logs_of_delta,)),
        Row("radius_size", "class_size",
            Ratio("the event needs 8·W·log(N/δ) at every N, δ = e^−100"), RADIUS,
            eight_logs_of_size, (size_left_out,)),
        Row("floor", "reward_bound",
            Inequality("the estimate's rate ≤ 3.2 times every learner's, ε from .1 to ∞"), APART,
            within_3_2, (within_2_9,)),
        Row("bound", "reward_bound", Inequality("regret ≤ its bound at every B, ε = 1"),
            OVER_BOUND, PROVED, (IN_E_B,), on=NEAR, given=tables, needs=LABELS, fixed=EPS),
        Row("cap_one", "horizon", Slope(-1, "as printed: mean regret of a round {rate}",
            "at_most", tolerance=0.1), PER_ROUND, version.printed, on=OPPOSITE, given=two,
            needs=(Need.TRUTH_HIDDEN,), settles=(PRINTED,), expected="contradicted",
            why=SHUNNED),
        Row("cap_one_linear", "horizon", Slope(0, "cap 1: mean regret of a round {rate}",
            tolerance=0.1), PER_ROUND, version.printed, (repaired,), on=OPPOSITE, given=two,
            needs=(Need.TRUTH_HIDDEN,), settles=(CAP,)),
        Row("cap_two_bounds", "horizon", Slope(-1, "cap 2B: mean regret of a round {rate}",
            "at_most", tolerance=0.1), PER_ROUND, repaired, (version.capped_at_one,),
            on=OPPOSITE, given=two, needs=(Need.LABELS, Need.OPTIMISM), settles=(THEOREM, CAP)),
        Row("cap_in_probability", "horizon",
            Frequency("cap 2B: regret ≤ its bound with probability ≥ 1−δ"), ABOVE, repaired,
            (version.capped_at_one,), on=OPPOSITE, given=two, needs=(Need.LABELS, Need.OPTIMISM),
            settles=(THEOREM, CAP)),
        Row("quantile_gap", "log_inverse_delta",
            Ratio("estimation alone: (1−δ)-quantile of the gap → χ²_S·β·W/(4T)"), GAP_QUANTILE,
            version.repaired_less_bonus, (naive_labels, repaired), on=NEAR, given=tables,
            needs=(*HIDDEN, Need.PRIVACY)),
        Row("quantile_eps_one", "log_inverse_delta",
            Inequality("ε = 1: (1−δ)-quantile of the regret ≤ the bound at δ"), QUANTILE, PROVED,
            (FORTIETH, IN_E_B), on=NEAR, given=tables, needs=LABELS, settles=(THEOREM, PRINTED),
            fixed=EPS),
        Row("quantile_eps_inf", "log_inverse_delta",
            Inequality("ε = ∞: (1−δ)-quantile of the regret ≤ the bound at δ"), QUANTILE, PROVED,
            (FORTIETH,), on=NEAR, given=tables, needs=LABELS, settles=(THEOREM, COROLLARY),
            fixed=EPS),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """The row's class with its Γ, and the swept δ; a number for rows without a world."""
        if not point.row.on:
            return PointCase(methods=point.methods, value=point.value)
        case = point.row.given(super().case(point))
        if point.row.over != "log_inverse_delta":
            return case
        exploration = replace_delta(case, math.exp(-point.value))
        return replace(case, exploration=exploration)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8, and a net fine enough for T rounds."""
        return self.at_both_ends(OnlineCase, within_bound, fine_net)


def replace_delta(case: OnlineCase, failure_prob: float):
    """What the algorithm leaves free, with another δ."""
    return case.exploration.model_copy(update={"failure_prob": failure_prob})


def within_bound(case: OnlineCase) -> Iterable[tuple[str, bool, str]]:
    """Realizability: differences of the truth are at most B."""
    largest = float(case.world.reward_diff.abs().max())
    yield "differences ≤ B", largest <= case.world.reward_bound, f"{largest:.3g}"


def fine_net(case: OnlineCase) -> Iterable[tuple[str, bool, str]]:
    """τ ≤ 1/T where Γ counts a net."""
    fine = case.exploration.net_radius * case.horizon
    yield "T·τ ≤ 1", fine <= 1 + 1e-9, f"{fine:.3g}"
