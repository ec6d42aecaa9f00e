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
  smaller than need be, so the lemma itself notices little; how fast the likelihoods part, less
  its left side, is held as a number (``likelihood_growth``).  For SquareXPO L̂ is a loss and the
  printed sign is right, but then the update of Algorithm 4 has the wrong one (see ``square_xpo``).
* ``optimism_printed``: Hoeffding's inequality has √8 where C.5 has 1, as log(π/π*) ranges over
  4V/β.  For two equally likely values the probability of failure is exact: up to .13 at δ = .01.
  ``optimism_corrected`` holds at every δ, and 7.2 in the place of 8 under the root is found.

Neither changes a rate of Theorems 4.8 or 5.3, which hide constants and use the right sign.

Lemma C.7 brings V_max into both theorems.  Checks ``value_growth`` and ``value_floor``
(``own.online_value``, docs/explanations/reward_range.md, Theorem 6): with every γ > 0 the gap is at
least .1·V_max/√T on a problem without rewards, with C_cov ≤ 2.5, so the factor V_max is necessary.

The theorems hold with probability 1−δ.  Check ``confidence_every_algorithm`` (``own.confidence``,
the same page, Theorem 9): with probability δ every algorithm loses c(ε)·√(log(1/δ)/T) up to a
constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.base.schema import Finite, Pairs, Positive, Probability
from repro.base.tails import binomial_above
from repro.core.check import (
    FAILURE_PROB,
    Algorithm,
    Check,
    Quantity,
    Theorem,
    largest_of,
    named,
    of_world,
)
from repro.core.claims import Frequency, Inequality, Ratio, Slope
from repro.labels.preferences.label_law import on_arrays
from repro.labels.preferences.two_rewards import (
    hidden_difference,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)
from repro.p2.xpo.spurious_values import SpuriousLearner, SpuriousValues, gaps_of
from repro.worlds.instances.labelled import PrivateLabels

# Lemma C.4: the likelihoods of two policies ------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPolicies(PrivateLabels):
    """t − 1 rounds of one state, two responses, π_ref uniform, and Π of π*_β and one other policy.

    f_π is the implicit reward difference β·log π/π_ref between the responses; both policies keep
    |β·log π/π_ref| ≤ |f_π|.

    Attributes:
        horizon: t − 1.
        optimal: f of π*_β, the true reward difference.
        other: f of the other policy.
        failure_prob: δ.
    """

    horizon: Pairs
    optimal: Finite
    other: Finite
    failure_prob: Probability = FAILURE_PROB

    @property
    def margin(self) -> float:
        """κ = (8(R_max + V_max)e^(2R_max))⁻² (P2, Theorem C.3)."""
        reward, ratio = abs(self.optimal), max(abs(self.optimal), abs(self.other))
        return (8 * (reward + ratio) * math.exp(2 * reward)) ** -2

    @property
    def scale(self) -> float:
        """c(ε)², by which L̂ is larger than L̂_XPO."""
        return privacy_cost(self.epsilon) ** 2

    def win_prob(self, difference: float) -> float:
        """P(ỹ = +1) of a private label of a pair of the two responses, under a policy's f."""
        clean = 1 / (1 + math.exp(-difference))
        return flip_prob(self.epsilon) + label_signal(self.epsilon) * clean

    def likelihood_rate(self) -> float:
        """lim of (L̂_XPO(π*) − L̂_XPO(π))/(t − 1): half of KL between the labels' two laws."""
        true, wrong = self.win_prob(self.optimal), self.win_prob(self.other)
        win, loss = true * math.log(true / wrong), (1 - true) * math.log((1 - true) / (1 - wrong))
        return (win + loss) / 2

    def more_labels(self, other: PrivateLabels) -> float:
        """T is the statement's own: nothing is scaled."""
        return 1.0


def excess(world: TwoPolicies, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) L̂_XPO(π) − L̂_XPO(π*) of Algorithm 2 after t − 1 rounds, π the other policy.

    Half of the pairs hold two different responses; the others say nothing.
    """
    pairs = rng.binomial(world.horizon, 0.5, replicates)
    true, wrong = world.win_prob(world.optimal), world.win_prob(world.other)
    clean = torch.tensor(1 / (1 + math.exp(-world.optimal)), dtype=torch.float64)
    wins = rng.binomial(pairs, float(world.channel(world.labels(clean), world.epsilon)))
    return wins * math.log(wrong / true) + (pairs - wins) * math.log((1 - wrong) / (1 - true))


@dataclass(frozen=True)
class LemmaC4:
    """count·κ·E(f − f*)² ≤ sign·c²(L̂(π) − L̂(π*)) + errors·err, err = c²·log(|Π|T/δ).

    Attributes:
        sign: of the difference of log likelihoods.
        count: 1 as printed, t − 1 as eq. (6) needs it.
        errors: 1 as printed; 2 are proved.
    """

    sign: float
    count: int
    errors: int


def printed_sign(world: TwoPolicies) -> LemmaC4:
    """Wrong: the sign as printed."""
    return LemmaC4(1.0, 1, 1)


def corrected_sign(world: TwoPolicies) -> LemmaC4:
    """With L̂(π*) − L̂(π), the factor t − 1 and the constant 2."""
    return LemmaC4(-1.0, world.horizon, 2)


def left_side(world: TwoPolicies, lemma: Algorithm) -> float:
    """count·κ·E(f − f*)²."""
    return lemma(world).count * world.margin * 0.5 * (world.other - world.optimal) ** 2


def difference_of(world: TwoPolicies, lemma: Algorithm, drawn: np.ndarray) -> np.ndarray:
    """(R,) the lemma's difference of L̂ = c²·L̂_XPO."""
    return lemma(world).sign * world.scale * drawn


def lemma_fails(world: TwoPolicies, lemma: Algorithm, drawn: np.ndarray, replicates: int):
    """(R,) 1.0 where the lemma fails for the other policy; |Π| = 2 and T = t − 1."""
    err = world.scale * math.log(2 * world.horizon / world.failure_prob)
    right = difference_of(world, lemma, drawn) + lemma(world).errors * err
    return np.where(left_side(world, lemma) <= right, 0.0, 1.0)  # of a NaN nothing holds


def growth(world: TwoPolicies, lemma: Algorithm, drawn: np.ndarray, replicates: int):
    """(R,) the lemma's difference of c²·L̂_XPO less its left side, over the difference's limit."""
    limit = world.horizon * world.likelihood_rate() / label_signal(world.epsilon) ** 2
    return (difference_of(world, lemma, drawn) - left_side(world, lemma)) / limit


# Lemma C.5: the optimism of two policies ---------------------------------------------------------

RATIO_BOUNDS = np.geomspace(1e-4, 10, 30)
"""V_max/β of the cases of C.5."""
TERMS = 60
"""So many δ."""


@dataclass(frozen=True, kw_only=True)
class OptimismTerm:
    """t − 1 rounds, and the δ at which C.5 is computed.

    Attributes:
        horizon: t − 1.
        least_log, largest_log: log(|Π|/δ), |Π| = 2.
    """

    horizon: Pairs
    least_log: Positive
    largest_log: Positive


def term_failure(rounds: int, ratio_bound: float, constant: float, log_term: float) -> float:
    """Exact P(Lemma C.5 fails) for the pair of policies where it is tightest.

    Two equally likely responses; π/π_ref is 2 − e^−v and e^−v, π*/π_ref the reverse, so that
    log(π/π*) is ±L with mean 0 under π_ref, L ≈ 2v for small v = V_max/β.

    Args:
        rounds: t − 1.
        ratio_bound: v > 0.
        constant: in front of the root; 1 as printed, √8 by Hoeffding's inequality.
        log_term: log(|Π|/δ).
    """
    step = math.log((2 - math.exp(-ratio_bound)) / math.exp(-ratio_bound))
    boundary = constant * ratio_bound / step * math.sqrt(rounds * log_term)
    return float(binomial_above(math.floor((rounds + boundary) / 2), rounds, 0.5))


@largest_of
def largest_failure(world: OptimismTerm, constant: float) -> Iterable[float]:
    """Largest exact failure probability of C.5 with a constant, over δ."""
    return (
        term_failure(world.horizon, float(v), constant, float(x)) * math.exp(x) / 2
        for v in RATIO_BOUNDS
        for x in np.geomspace(world.least_log, world.largest_log, TERMS)
    )


printed = named("printed", largest_failure, "the constant 1, as printed, not √8", constant=1.0)
hoeffding = named("hoeffding", largest_failure, constant=math.sqrt(8))
hoeffding_ten_percent = named(
    "hoeffding_ten_percent",
    largest_failure,
    "the constant is √7.2, not √8",
    constant=math.sqrt(8 * 0.9),
)


# Theorem 6: what V_max does to PrivXPO -----------------------------------------------------------

LEAST = 0.1
"""Of V_max/√T, what every γ > 0 leaves on average."""


def priv_xpo(world: SpuriousValues) -> SpuriousLearner:
    """Algorithm 2 with γ = 2β·c(ε)/√T."""
    return SpuriousLearner()


def every_gamma(world: SpuriousValues) -> SpuriousLearner:
    """The best of three γ in hindsight."""
    return SpuriousLearner((0.01, 1.0, 100.0))


def without_optimism(world: SpuriousValues) -> SpuriousLearner:
    """Wrong for a floor: γ = 0."""
    return SpuriousLearner((0.0,))


def capped_class(world: SpuriousValues) -> SpuriousLearner:
    """Wrong for a floor: the class has no implicit rewards beyond 2·R_max."""
    return SpuriousLearner(capped=True)


def average_gap(world: SpuriousValues, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) mean over rounds of J_β(π*_β) − J_β(π^(t)) with the best γ."""
    learner = algorithm(world)
    played = [(learner, multiple) for multiple in learner.optimism]
    return min(gaps_of(world, played, rng, replicates), key=np.mean)


def floor_over(worlds, algorithms, rngs, replicates: int) -> list[list[float]]:
    """0.1·V_max/√T over every mean gap; all play at once."""
    rows = []
    for world, rng in zip(worlds, rngs, strict=True):
        learners = [learner_of(world) for learner_of in algorithms]
        played = [(learner, learner_of) for learner in learners for learner_of in learner.optimism]
        means = iter(gaps_of(world, played, rng, replicates).mean(1))
        best = [float(min(next(means) for _ in learner_of.optimism)) for learner_of in learners]
        least = LEAST * world.value_ratio / math.sqrt(world.horizon)
        rows.append([least / max(mean, 1e-12) for mean in best])
    return rows


# Theorem 9: with chance δ every algorithm is wrong about a difference ----------------------------

LEAST_CHANCE = 1e-308


@dataclass(frozen=True, eq=False, kw_only=True)
class Confusion(PrivateLabels):
    """T labels and δ, and two problems, in which one response or the other is better by Δ.

    T labels, however the policies choose what they compare, tell no more than T labels that all
    compare the two responses, so the best test of those errs least.  The stage ``estimate`` is
    (whether the test is wrong, 0) → whether it is.

    Attributes:
        horizon: T.
        log_inverse_delta: log(1/δ).
    """

    horizon: Pairs
    log_inverse_delta: Positive

    def __post_init__(self) -> None:
        """Refuse a δ for which Theorem 9 has no difference of rewards.

        Raises:
            BadInput: log_inverse_delta.
        """
        refuse_delta(self.log_inverse_delta, 2 * self.horizon, privacy_cost(self.epsilon))

    def more_labels(self, other: PrivateLabels) -> float:
        """T is the statement's own: nothing is scaled."""
        return 1.0


def confused(world: Confusion, share: float) -> float:
    """δ over the chance that the best test errs, h(Δ) = share·c·√(ℓ/(2T+ℓ)), ℓ = log(1/(4δ))."""
    cost = privacy_cost(world.epsilon)
    difference = hidden_difference(world.log_inverse_delta, 2 * world.horizon, cost, share)
    win_prob = released_win_prob(world.labels, world.channel, difference, world.epsilon)
    wrong = float(on_arrays(world.estimate, np.ones(1), np.zeros(1))[0])
    errs = wrong * wrong_majority_prob(world.horizon, 1.0, win_prob)
    return math.exp(-world.log_inverse_delta) / max(errs, LEAST_CHANCE)


root_of_log = named("root_of_log", confused, share=1.0)
root_of_log_doubled = named(
    "root_of_log_doubled", confused, "twice the hidden difference", share=2.0
)


# The claims --------------------------------------------------------------------------------------

FAILS = Quantity("C.4 fails [frequency]", lemma_fails, drawn=excess)
GROWTH = Quantity("((L̂(π*) − L̂(π))/(t−1) − κ·E(f − f*)²) / limit", growth, drawn=excess)
RATIO = Quantity("P(failure) / δ", of_world, evidence="computed")
SPURIOUS_GAP = Quantity("average gap", average_gap)
OVER_GAP = Quantity("0.1·V_max/√T / average gap", together=floor_over, stream_per_block=True)
CONFUSION = Quantity("δ / P(the best test errs)", of_world, evidence="exact")
NOTHING_FITTED = dict.fromkeys(("estimate", "algorithm"), "the likelihoods of two fixed policies")
C_4: Any = {"settles": ["p2.lem_c_4"], "blind": NOTHING_FITTED}
EVEN_ON_COINS = {
    "blind": NOTHING_FITTED
    | {"labels": "on fair coins the sign is as wrong, or as right: likelihood_growth notices them"}
}
C_5: Any = {"settles": ["p2.lem_c_5"]}
VALUE: Any = {
    "settles": ["own.online_value"],
    "blind": {"labels": "there are no rewards: fair coins are the true law"},
}

CHECKS = [
    Check(name="likelihood_printed", axis="horizon", quantity=FAILS, right=printed_sign,
          claim=Frequency("C.4 as printed fails with probability ≤ δ"), expected="contradicted",
          why="π* makes the log-likelihood large, so the difference has the wrong sign",
          **(C_4 | EVEN_ON_COINS)),
    Check(name="likelihood_corrected", axis="horizon", quantity=FAILS, right=corrected_sign,
          claim=Frequency("C.4 with L̂(π*) − L̂(π) fails with probability ≤ δ"),
          wrong=[printed_sign],
          **(C_4 | EVEN_ON_COINS | {"settles": ["p2.lem_c_4", "p2.lem_c_6"]})),
    Check(name="likelihood_growth", axis="horizon", quantity=GROWTH, right=corrected_sign,
          claim=Ratio(
              "(L̂(π*) − L̂(π))/(t−1) → KL/2 of the labels' laws, far above κ·E(f − f*)²/c²"),
          wrong=[printed_sign], **C_4),
    Check(name="optimism_printed", axis="horizon", quantity=RATIO, right=printed,
          claim=Inequality("C.5 as printed, δ = .2 to .01, fails with probability ≤ δ"),
          expected="contradicted", why="Hoeffding's inequality has √8 where C.5 has 1", **C_5),
    Check(name="optimism_corrected", axis="horizon", quantity=RATIO, right=hoeffding,
          claim=Inequality("C.5 with √8 fails with probability ≤ δ"),
          wrong=[printed, hoeffding_ten_percent], **C_5),
    Check(name="value_growth", axis="value_ratio", quantity=SPURIOUS_GAP, right=priv_xpo,
          claim=Slope("no rewards: gap {rate}", 1), wrong=[capped_class], **VALUE),
    Check(name="value_floor", axis="horizon", quantity=OVER_GAP, right=every_gamma,
          claim=Inequality("three γ > 0: gap ≥ .1·V_max/√T"),
          wrong=[capped_class, without_optimism], **VALUE),
    Check(name="confidence_every_algorithm", axis="log_inverse_delta", quantity=CONFUSION,
          right=root_of_log, wrong=[root_of_log_doubled], settles=["own.confidence"],
          claim=Inequality(
              "h(Δ) = c·√(ℓ/(2T+ℓ)), ℓ = log(1/4δ): the best test of T labels errs ≥ δ"),
          blind={"labels": "a lower bound: labels that say nothing confuse more often"}),
]  # fmt: skip

# Assumptions 4.5 and 4.6 hold by construction of the policies.
THEOREM = Theorem(
    title="P2 Lemmas C.4, C.5: likelihood and optimism terms of XPO",
    checks=CHECKS,
    corrected={
        "likelihood_printed": "likelihood_corrected",
        "optimism_printed": "optimism_corrected",
    },
    worlds={
        "two_policies": TwoPolicies,
        "optimism_term": OptimismTerm,
        "spurious_values": SpuriousValues,
        "confusion": Confusion,
    },
)
