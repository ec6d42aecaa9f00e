"""P2 Lemmas C.4 and C.5: what the online meta theorem (C.3) stands on.

Statements (P2, appendix C.2).  For fixed t, with probability at least 1−δ, for all π in Π:

    C.4   κ·E_μ[(f_π − f_π*)²] ≤ L̂(π) − L̂(π*) + err,   err = c(ε)²·log(|Π|T/δ) by Lemma C.6;
    C.5   γ(t−1)·E_ref[log π − log π*] ≤ B̂(π) − B̂(π*) + (γ/β)·V_max·√((t−1)·log(|Π|/δ)).

Both fail as printed, on one state with two responses and a class of two policies; assumptions 4.5
(π* in the class) and 4.6 (|β·log π/π_ref| ≤ V_max) hold by construction.

* ``likelihood_printed``: the text defines L̂ = c²·L̂_XPO, a log likelihood (Algorithm 2), which π*
  makes large.  C.4 then asks a nonnegative number to be below one that falls like −t.  It holds
  with L̂(π*) − L̂(π), and with the factor t − 1 on the left that eq. (6) divides by
  (``likelihood_corrected``; the constant of err, which the paper leaves to ≲, is 2).  κ is far
  smaller than need be, so the lemma itself notices little; how fast the likelihoods part is held as
  a number (``likelihood_growth``).  For SquareXPO
  L̂ is a loss and the printed sign is right, but then the update of Algorithm 4 has the wrong one
  (see ``square_xpo``).
* ``optimism_printed``: Hoeffding's inequality has √8 where C.5 has 1, as log(π/π*) ranges over
  4V/β.  For two equally likely values the probability of failure is exact: up to .13 at δ = .01.
  ``optimism_corrected`` holds at every δ, and 7.2 in the place of 8 under the root is found.

Neither changes a rate of Theorems 4.8 or 5.3, which hide constants and use the right sign.

Lemma C.7 brings V_max into both theorems.  Rows ``value_growth`` and ``value_floor``
(``own.online_value``, docs/explanations/reward_range.md, Theorem 6): with every γ > 0 the gap is at
least .1·V_max/√T on a problem without rewards, with C_cov ≤ 2.5, so the factor V_max is necessary.

The theorems hold with probability 1−δ.  Row ``confidence_every_algorithm`` (``own.confidence``, the
same page, Theorem 9): with probability δ every algorithm loses c(ε)·√(log(1/δ)/T) up to a constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from repro.families.xpo.bounds_optimism import TwoPolicies, optimism_term_failure
from repro.families.xpo.confidence import (
    CONFUSION,
    OnlineConfidenceCase,
    root_of_log,
    root_of_log_doubled,
)
from repro.families.xpo.spurious_values import (
    OVER_GAP,
    SPURIOUS_GAP,
    SpuriousCase,
    capped_class,
    every_gamma,
    optimistic,
    without_optimism,
)
from repro.study.case import Case, Point
from repro.study.claims import Frequency, Inequality, Ratio, Slope
from repro.study.experiment import Experiment, Setting
from repro.study.label_cases import LabelCase
from repro.study.row import Evidence, Measure, Method, Need, Row, Values, per_method

POLICIES = TwoPolicies(optimal=1.0, other=-0.5, epsilon=1.0, failure_prob=0.05)
RATIO_BOUNDS = np.geomspace(1e-4, 10, 30)
"""V_max/β of the cases of C.5."""
TERMS = 60
"""So many δ."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LikelihoodCase(LabelCase):
    """Rounds of the two policies.

    Attributes:
        policies: the optimal and one other.
    """

    policies: TwoPolicies


def likelihood_fails(case: LikelihoodCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) failures of C.4; ``method.run`` says whether its sign is the printed one."""
    policies, rounds = case.policies, case.horizon
    excess = policies.log_likelihood_excess(rng, rounds, replicates, case.labels, case.channel)
    return {m.name: policies.likelihood_lemma_fails(excess, rounds, m.run) for m in case.methods}


def likelihood_growth(case: LikelihoodCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) growth of L̂(π*) − L̂(π) per round over its limit; ``method.run`` is its sign."""
    policies, rounds = case.policies, case.horizon
    excess = policies.log_likelihood_excess(rng, rounds, replicates, case.labels, case.channel)
    limit = rounds * policies.likelihood_rate()
    return {m.name: m.run * excess / limit for m in case.methods}


@dataclass(frozen=True, eq=False, kw_only=True)
class OptimismCase(Case):
    """Rounds, and the δ at which C.5 is computed.

    Attributes:
        log_terms: least and largest log(|Π|/δ), |Π| = 2.
    """

    log_terms: tuple[float, float]


def optimism_failures(case: OptimismCase, m: Method, rng: object, replicates: int) -> float:
    """Largest exact failure probability of C.5 over δ; ``method.run`` is its constant."""
    return max(
        optimism_term_failure(case.horizon, float(v), m.run, float(x)) * math.exp(x) / 2
        for v in RATIO_BOUNDS
        for x in np.geomspace(*case.log_terms, TERMS)
    )


def on_labels(point: Point) -> LikelihoodCase:
    """Rounds that draw labels, at the policies' own ε."""
    return LikelihoodCase(methods=point.methods, horizon=point.horizon, policies=POLICIES)


def every_delta(point: Point) -> OptimismCase:
    """δ from 1 down to 1e-26: the constant is for every δ."""
    return OptimismCase(methods=point.methods, horizon=point.horizon, log_terms=(0.01, 60.0))


def ordinary_delta(point: Point) -> OptimismCase:
    """δ from .2 to .01, as it is used."""
    terms = math.log(2 / 0.2), math.log(2 / 0.01)
    return OptimismCase(methods=point.methods, horizon=point.horizon, log_terms=terms)


def no_rewards(point: Point) -> SpuriousCase:
    """β = 1, R_max = 1."""
    return SpuriousCase(
        methods=point.methods, epsilon=point.epsilon, horizon=point.horizon, kl_weight=1.0,
        value_bound=point.swept("value_ratio", FLOOR_VALUE),
    )  # fmt: skip


def hidden_difference(point: Point) -> OnlineConfidenceCase:
    """Two problems that T labels confuse with probability δ."""
    return OnlineConfidenceCase(
        methods=point.methods, epsilon=point.epsilon, horizon=point.horizon,
        log_inverse_delta=point.value,
    )  # fmt: skip


FLOOR_VALUE = 64.0
"""V_max of value_floor."""
FAILS = Measure("C.4 fails [frequency]", likelihood_fails, Evidence.MEASURED)
GROWTH = Measure("(L̂(π*) − L̂(π))/(t−1) / limit", likelihood_growth, Evidence.MEASURED)
RATIO = Measure("P(failure) / δ", per_method(optimism_failures), Evidence.COMPUTED)
PRINTED_SIGN, CORRECTED_SIGN = Method("printed_sign", True), Method("corrected_sign", False)
TRUE_MINUS_OTHER, OTHER_MINUS_TRUE = Method("corrected_sign", -1.0), Method("printed_sign", 1.0)
PRINTED, HOEFFDING = Method("printed", 1.0), Method("hoeffding", math.sqrt(8))
TEN_PERCENT_OFF = Method("hoeffding_ten_percent", math.sqrt(8 * 0.9))
C_4, C_5 = ("p2.lem_c_4",), ("p2.lem_c_5",)
BOTH = (*C_4, "p2.lem_c_6")
VALUE, HOPES = ("own.online_value",), (Need.TRUTH_HIDDEN, Need.OPTIMISM)


class P2OptimismLemmas(Experiment):
    """Two lemmas, as printed and corrected; a row is given how its cases follow from a point."""

    title = "P2 Lemmas C.4, C.5: likelihood and optimism terms of XPO"

    rows = (
        Row("likelihood_printed", "horizon",
            Frequency("C.4 as printed fails with probability ≤ δ"), FAILS, PRINTED_SIGN,
            given=on_labels, needs=(Need.LABELS,), settles=C_4, expected="contradicted",
            why="π* makes the log-likelihood large, so the difference has the wrong sign"),
        Row("likelihood_corrected", "horizon",
            Frequency("C.4 with L̂(π*) − L̂(π) fails with probability ≤ δ"), FAILS,
            CORRECTED_SIGN, (PRINTED_SIGN,), given=on_labels, needs=(Need.LABELS,), settles=BOTH),
        Row("likelihood_growth", "horizon",
            Ratio("(L̂(π*) − L̂(π))/(t−1) → KL/2 of the labels' laws, far above κ·E(f − f*)²/c²"),
            GROWTH, TRUE_MINUS_OTHER, (OTHER_MINUS_TRUE,), given=on_labels,
            needs=(Need.LABELS, Need.PRIVACY), settles=C_4),
        Row("optimism_printed", "horizon",
            Inequality("C.5 as printed, δ = .2 to .01, fails with probability ≤ δ"), RATIO, PRINTED,
            given=ordinary_delta, settles=C_5, expected="contradicted",
            why="Hoeffding's inequality has √8 where C.5 has 1"),
        Row("optimism_corrected", "horizon",
            Inequality("C.5 with √8 fails with probability ≤ δ"), RATIO, HOEFFDING,
            (PRINTED, TEN_PERCENT_OFF), given=every_delta, settles=C_5),
        Row("value_growth", "value_ratio", Slope(1, "no rewards: gap {rate}"), SPURIOUS_GAP,
            optimistic, (capped_class,), given=no_rewards, needs=HOPES,
            settles=VALUE),
        Row("value_floor", "horizon", Inequality("three γ > 0: gap ≥ .1·V_max/√T"), OVER_GAP,
            every_gamma, (capped_class, without_optimism), given=no_rewards, needs=HOPES,
            settles=VALUE),
        Row("confidence_every_algorithm", "log_inverse_delta",
            Inequality("h(Δ) = c·√(ℓ/(2T+ℓ)), ℓ = log(1/4δ): the best test of T labels errs ≥ δ"),
            CONFUSION, root_of_log, (root_of_log_doubled,), given=hidden_difference,
            needs=(Need.TRUTH_HIDDEN, Need.PRIVACY), settles=("own.confidence",)),
    )  # fmt: skip

    def __init__(self, config: object, setting: Setting) -> None:
        super().__init__(config, setting)
        self.failure_prob = POLICIES.failure_prob

    def case(self, point: Point) -> Case:
        """As the row is given; Assumptions 4.5 and 4.6 hold by construction of the policies."""
        return point.row.given(point)
