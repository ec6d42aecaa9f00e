"""P1's Definitions 3.2 and 3.5, eqs. (15), (18), (20) and Theorems 4.2 and 4.5, taken literally.

* Definition 3.2 (``distance_printed``) takes the infimum over b inside the supremum: a misprint, as
  Lemma B.1 of the appendix defines b(s) = E_π[r̄ − r*]. Taken as printed, b(s) may
  equal g − h at the response in question, as both are in [0, B], so D² is 0 everywhere, and the
  step of the proof of Theorem 4.2 that uses it, (r̄ − r* − b)² ≤ D²·E Var(r̄ − r*), fails wherever
  the two differ. With b(s) = E_ref[g − h] it holds, with equality somewhere (``distance``).
* Definition 3.5 names no a¹ in the supremum of d_F. If a¹ is free as well, the pairs may be the
  same response twice, and d_F = T·min(1, ·) (``first_response_free``); with a¹ ~ π¹, as in
  Algorithm 2, d_F of a linear class gains d per unit of log T (``first_response_drawn``), and
  Theorem 5.2's bound is log² T for it (``bound_of_a_linear_class``; a limit, so that T is huge, and
  a symbolic proof is among the tests).
* Eq. (20) (``population_printed``) has √(4nB²·L·E Δ²), L = log(N/δ). Freedman's inequality (Lemma
  A.3) with v = 4B²·n·E Δ² gives √(8nB²·L·E Δ²) (``population``). Contradicted exactly, by a class
  of two opposite rewards whose pairs rarely tell: the number of telling pairs is binomial, and the
  chance is about e^(−L/2) in the place of e^−L. Realisable, Bradley–Terry, i.i.d. pairs from π.
  O(·) of Lemma B.1 absorbs it.
* Lemma B.1 holds with probability 1 − 2δ, by a union of (19) and (20); the proof of Theorem 4.2
  quotes it with 1 − δ. The exact chance that either fails is below δ in every case searched
  (``failure_probability``), so 1 − δ is not refuted; and as log(2N/δ) ≤ 2·log(N/δ), running the
  proof at δ/2 repairs it within O(·) (a proof among the tests). The control has both printed
  constants.

* Eq. (15), last line (``eq_15_printed``): (σ(x) − σ(y))² ≥ σ′(B)·(x−y)² loses a square; σ′(B)² is
  right, and sharp (``eq_15``). At ε = ∞ the end of (15) is true with its own ⅛, by another step
  (Lemma 2 of docs/explanations/corrected_theorem_4_2.md). Step (b) of (18) (``eq_18_printed``) has
  (a+b)²/8 ≥ a²/4 − τ²; with a²/16 − τ²/2 it holds, and is sharp (``eq_18``).
* Theorem 4.5 says "S = log N_F(τ)" for *a* class F. For a class with one parameter log N_F(τ) grows
  without end as τ → 0, while the private MLE's gap stays (``one_parameter``, between the floor of
  one parameter and the literal bound): the theorem is about the hypercube of its proof, where log N
  counts states (``hypercube``).  The MLE is run on labels.
* Remark 4.4 writes e^ε − 1 for 2α − 1 for ε in (0, 1] only. There the two rates differ by a factor
  between 4 and (e+1)² (``remark_4_4``), so the abstract's rate is right in that range up to 3.46.

The contradicted checks are the controls of their corrected neighbours.  What would refute a
supported check: one case above 1, or growth other than the claimed one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

import numpy as np
import scipy
from pydantic import Field
from scipy.special import digamma

from repro.base.device import device_in_use
from repro.base.notation import epsilon_minus_one, privacy_cost
from repro.base.schema import (
    Count,
    Epsilon,
    Finite,
    KLWeight,
    Pairs,
    Positive,
    RewardBound,
)
from repro.core.check import Algorithm, Check, Quantity, Theorem, named, of_world
from repro.core.claims import Inequality, Ratio, Slope
from repro.core.proofs import (
    Claimed,
    Interval,
    interval_inverse_slope,
    iv,
    proof_of,
    slope_between,
)
from repro.core.random_cases import listed, searched
from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from repro.p1.corrected_gap.bounds import Cell, hypercube_cell
from repro.p1.pessimism.datasets import OfflineLabels
from repro.p1.pessimism.learners import private_mle
from repro.worlds.instances.labelled import LabelStages
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world

FEATURES, RIDGE = 4, 0.25
LOGS_OF_DELTA = np.geomspace(0.1, 60, 40)
"""log(1/δ) of the cases of eq. (20)."""
LOG_CLASS = 12.0
"""log(N/δ) of a net of the class, at a resolution free of T."""
FAR = 1e6
"""Largest root and largest difference, in units of what they are compared with."""
HALF_TURN = 3.1415926
MOST = 1e12
"""Ratios to nothing are cut here."""


ROOM = 0.04
"""How far around the true difference Theorem 6 looks for a worse one."""
Bounds = tuple[float, float]
"""What a gap is at least and at most."""
LARGEST_RATIO = (math.e + 1) ** 2 / 4
"""The two rates of P1's abstract and Theorem 4.2 differ by at most so much for ε ≤ 1: 3.46."""


# The worlds: what is swept -----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FeatureCount:
    """A linear class.

    Attributes:
        num_features: d.
    """

    num_features: Count


@dataclass(frozen=True, kw_only=True)
class EluderRounds:
    """Rounds of which d_F is the sum.

    Attributes:
        horizon: T.
    """

    horizon: Pairs


@dataclass(frozen=True, kw_only=True)
class ManyRounds:
    """So many rounds that a limit shows.

    Attributes:
        log10_horizon: of T.
    """

    log10_horizon: Positive

    @property
    def horizon(self) -> float:
        """T."""
        return 10.0 ** int(self.log10_horizon)


@dataclass(frozen=True, kw_only=True)
class RewardRange:
    """Rewards in [0, B].

    Attributes:
        reward_bound: B.
    """

    reward_bound: RewardBound


@dataclass(frozen=True, kw_only=True)
class TellingPairs(RewardRange, LabelStages):
    """And private labels of them."""


@dataclass(frozen=True, kw_only=True)
class Net:
    """A net of the class.

    Attributes:
        net_radius: τ.
    """

    net_radius: Positive


@dataclass(frozen=True, kw_only=True)
class TableLabels(OfflineLabels):
    """n private labels of S states with two responses that π* plays alike.

    Attributes:
        num_states: S.
        log_size: log N(τ) of a net of the class, which a small τ makes as large as one likes.
        coverage: C > 2; π_ref of the first response is 1/C.
        kl_weight: 1/β.
        reward_bound: B.
    """

    num_states: Count
    log_size: Positive
    coverage: Annotated[Finite, Field(gt=2)]
    kl_weight: KLWeight
    reward_bound: RewardBound

    @property
    def difference(self) -> float:
        """log(C−1)/β."""
        return self.kl_weight * math.log(self.coverage - 1)

    @property
    def world(self) -> TwoArmWorld:
        given = self.num_states, self.coverage, self.kl_weight, self.reward_bound
        return hypercube_world(*given, tilt=0.0, device=device_in_use())


@dataclass(frozen=True, kw_only=True)
class PureBudget:
    """A budget of pure ε-privacy.

    Attributes:
        epsilon: ε.
    """

    epsilon: Epsilon


# Definition 3.2 ----------------------------------------------------------------------------------


def centred(world: FeatureCount) -> Claimed:
    """error²/(D²·E Var) with b(s) = E_ref[g − h] in d features.

    With g − h = vᵀφ and Σ = E φ̃φ̃ᵀ it is (vᵀφ̃)²/(φ̃ᵀΣ⁻¹φ̃·vᵀΣv): the squared cosine of the angle
    between Σ^½v and Σ^−½φ̃.
    """
    return Claimed(((0.0, HALF_TURN),), lambda angle: iv.cos(angle) ** 2)


def uncentred(world: FeatureCount) -> Claimed:
    """Wrong: D² = φᵀ(E φφᵀ)⁻¹φ, which forgets the bias.

    One feature c ± 1 (the others 0): (c² + 1)/(c − 1)² at the response where it is c − 1.
    """
    return Claimed(((-0.9, 0.9),), lambda c: (c**2 + 1) / (c - 1) ** 2)


def infimum_inside(world: FeatureCount) -> Claimed:
    """Wrong: D² = inf_b (g − h − b)²/E Var, as printed; g − h = ±x with equal chances.

    |g − h| ≤ B = 1, so the best b is g − h and D² = 0; a ratio is cut at ``MOST``.
    """

    def ratio(x: Interval) -> Interval:
        left = _at_least(x - 1, 0.0)  # of |g − h| by the best b
        return 1 / _at_least((left / x) ** 2, 1 / MOST)

    return Claimed(((0.5, 1.0),), ratio)


def _at_least(x: Interval, least: float) -> Interval:
    """max{x, least}."""
    return iv.mpf([max(end, iv.mpf(least).a) for end in (x.a, x.b)])


# Definition 3.5: one state, and which first responses d_F is over --------------------------------

# Response 0 has features 0 and π¹, so that U of response k is |θ_k| over its data; the others are
# one-hot.  The supremum as printed names contexts and second responses only.


def eluder_sums(count: int, ridge: float, horizon: int, learnt: int) -> np.ndarray:
    """(T,) greedy partial sums Σ min(1, U_t²), a lower bound of the supremum.

    Args:
        count: d one-hot responses besides response 0.
        ridge: λ over the squared diameter of the class.
        horizon: T.
        learnt: by how much a round's pair tells about the response asked.
    """
    information = np.zeros(count)
    gains = np.empty(horizon)
    for t in range(horizon):
        asked = int(information.argmin())
        gains[t] = min(1.0, 1 / (ridge + information[asked]))
        information[asked] += learnt
    return np.cumsum(gains)


def eluder_closed_form(count: int, ridge: float, horizon: float) -> float:
    """The drawn sum at a multiple of d rounds and λ ≤ 1: d·(1 + Σ_{1≤k<T/d} 1/(λ+k)).

    >>> round(eluder_closed_form(1, 1.0, 3), 9)
    1.833333333
    """
    return count * float(1 + digamma(horizon / count + ridge) - digamma(1 + ridge))


def drawn(world: EluderRounds) -> int:
    """First responses from π¹, that is response 0: a round's pair tells 1 of the response asked."""
    return 1


def free(world: EluderRounds) -> int:
    """In the supremum as well: a pair of the same response twice is uncertain and says nothing."""
    return 0


def eluder_of_horizon(world: ManyRounds) -> float:
    """By what factor d_F grows from T to T²."""
    at_horizon, other = (
        eluder_closed_form(FEATURES, RIDGE, t) for t in (world.horizon, world.horizon**2)
    )
    return other / at_horizon


def eluder_held_fixed(world: ManyRounds) -> float:
    """Wrong: d_F taken for a constant."""
    return 1.0


# Eqs. (19) and (20), on the class where they are worst -------------------------------------------

CLASS_SIZE = 2
UNHEARD = 1e-22
"""Share of a sum's largest term below which terms are left out; there are thousands at most."""


@dataclass(frozen=True)
class OppositeRewards:
    """One state, two responses, rewards (B, 0), the truth, and (0, B), and their data.

    A pair holds two different responses with probability p = 2π(1−π) ≤ ½ and says nothing
    otherwise, so the number m of telling pairs is binomial, and given m the private labels are.

    Attributes:
        reward_bound: B.
        epsilon: budget of the labels.
        n_pairs: n.
        telling_prob: p in (0, ½].
        log_term: log(N/δ), N = 2; at least log 2.
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    n_pairs: int
    telling_prob: float
    log_term: float
    process: LabelProcess = AS_STATED

    @property
    def failure_prob(self) -> float:
        """δ = N·exp(−log_term)."""
        return CLASS_SIZE * math.exp(-self.log_term)

    def population_boundary(self, factor: float) -> float:
        """How far m may fall below n·p by eq. (20), in units of (2B)².

        Args:
            factor: k in √(k·n·B²·log(N/δ)·E Δ²): 4 as printed; 8 by Freedman's inequality, whose
                2·v is 2·4B²·n·E Δ².
        """
        root = math.sqrt(factor / 4 * self.n_pairs * self.telling_prob * self.log_term)
        return root + 2 / 3 * self.log_term

    def population_failure(self, factor: float) -> float:
        """P(eq. (20) fails)."""
        highest = self.n_pairs * self.telling_prob - self.population_boundary(factor)
        return float(scipy.stats.binom.cdf(math.ceil(highest) - 1, self.n_pairs, self.telling_prob))

    def in_sample_limit(self, printed: bool) -> float:
        """The largest m·(2B)² that eq. (19) allows, over log(N/δ), as printed or corrected."""
        inverse = 2 + 2 * math.cosh(self.reward_bound)
        constant = 4 * inverse if printed else 16 * inverse**2
        return constant * privacy_cost(self.epsilon) ** 2

    def mistake_prob(self, telling: np.ndarray) -> np.ndarray:
        """P(the wrong reward is returned | m); ties of the private MLE count as mistakes."""
        right = self.process.win_prob(self.reward_bound, self.epsilon)
        wrong = scipy.stats.binom.cdf(telling // 2, telling, right)
        of_right, of_wrong = self.process.returned(np.array([1.0, -1.0]), np.ones(2)) < 0
        return of_right * (1 - wrong) + of_wrong * wrong

    def either_fails(self, printed: bool) -> float:
        """P(eq. (19) or eq. (20) fails), both with the printed or both with the right constants."""
        m = np.arange(self.n_pairs + 1)
        below = m < self.n_pairs * self.telling_prob - self.population_boundary(4 if printed else 8)
        squared = m * (2 * self.reward_bound) ** 2
        above = (squared > self.in_sample_limit(printed) * self.log_term) & ~below
        prob, fails, some = np.zeros(len(m)), below.astype(float), below | above
        prob[some] = scipy.stats.binom.pmf(m[some], self.n_pairs, self.telling_prob)
        heard = above & self._heard(np.where(above, prob, 0.0))
        fails[heard] = self.mistake_prob(m[heard])
        return float(prob @ fails)

    def _heard(self, prob: np.ndarray) -> np.ndarray:
        """Where Σ prob·mistake_prob has terms that its largest does not drown out.

        The largest is at least that at the likeliest m, and a mistake there at least as likely
        as ⌊m/2⌋ right labels, (1−r)·(4r(1−r))^⌊m/2⌋/(m+1) or more with r the larger chance.
        """
        likeliest = int(prob.argmax())
        right = self.process.win_prob(self.reward_bound, self.epsilon)
        wrong = min(right, 1 - right)
        least = wrong * (4 * wrong * (1 - wrong)) ** (likeliest // 2) / (likeliest + 1)
        return prob >= UNHEARD * least * prob[likeliest]


def rare_cases(world: RewardRange) -> list[OppositeRewards]:
    """Many pairs of which few tell, and δ down to e^−60: where eq. (20) is tightest."""
    return [
        OppositeRewards(
            world.reward_bound, 1.0, 10**power, telling, math.log(2) + float(log_inverse)
        )
        for power, telling, log_inverse in product((8, 11, 14), (1e-4, 1e-2, 0.49), LOGS_OF_DELTA)
    ]


def common_case(world: TellingPairs, rng: np.random.Generator) -> OppositeRewards:
    """Any data that can be summed over."""
    pairs, telling = int(10 ** rng.uniform(1, 3.5)), 10 ** rng.uniform(-2, -0.31)
    epsilon, log_term = 10 ** rng.uniform(-0.5, 1), math.log(2) + 10 ** rng.uniform(-2, 1.3)
    return OppositeRewards(world.reward_bound, epsilon, pairs, telling, log_term, world.process)


def chance_of_eq_20(case: OppositeRewards, factor: float) -> float:
    """P((20) fails) over δ, with a factor in the place of its 4."""
    return case.population_failure(factor) / case.failure_prob


def chance_of_either(case: OppositeRewards, printed: bool) -> float:
    """P((19) or (20) fails) over δ."""
    return case.either_fails(printed) / case.failure_prob


PRINTED = named("printed", chance_of_eq_20, "the factor 4, as printed, not 8", factor=4.0)
FREEDMAN = named("freedman", chance_of_eq_20, factor=8.0)
FREEDMAN_TEN_PERCENT = named(
    "freedman_ten_percent", chance_of_eq_20, "the factor 7.2, not 8", factor=7.2
)
PRINTED_CONSTANTS = named(
    "printed_constants",
    chance_of_either,
    "the constants as printed",
    printed=True,
)
CORRECTED_CONSTANTS = named("corrected_constants", chance_of_either, printed=False)


# Eqs. (15) and (18) ------------------------------------------------------------------------------


def squared_slope(world: RewardRange, power: int = 2, factor: float = 1.0) -> Claimed:
    """factor·σ′(B)^power over ((σ(x) − σ(y))/(x − y))²."""
    bound = world.reward_bound
    least = 1 / interval_inverse_slope(iv.mpf(bound))
    return Claimed(
        slope_between(bound), lambda x: factor * least**power * interval_inverse_slope(x) ** 2
    )


last_line_of_15 = named(
    "last_line_of_15", squared_slope, "σ′(B) in the place of σ′(B)², as printed", power=1
)

NETS = ((1e-3, FAR), (-2.0, 2.0))
"""a/τ and b/τ, a = Δ* − Δ_r and b what the net adds; all is free of τ."""


def by_halves(world: Net, factor: float = 1.0) -> Claimed:
    """factor·a²/16 over (a+b)²/8 + τ²/2; 2(a+b)² + 8 is a² + (a+2b)² + 2(4 − b²)."""

    def ratio(a: Interval, b: Interval) -> Interval:
        return factor / (1 + ((a + 2 * b) ** 2 + 2 * (4 - b**2)) / a**2)

    return Claimed(NETS, ratio)


def step_b_of_18(world: Net) -> Claimed:
    """Wrong: a²/4 over (a+b)²/8 + τ², as printed."""
    return Claimed(NETS, lambda a, b: 2 / ((1 + b / a) ** 2 + 8 / a**2))


# Theorem 4.5's S, and Remark 4.4 -----------------------------------------------------------------


def printed_bound(world: TableLabels, states: float) -> float:
    """Theorem 4.5's bound with ``states`` for S = log N, as its proof gives it.

    βa²/32·exp(−n·KL) with n·KL ≤ 1, a² = SC/((e^ε−1)²n).
    """
    per_label = world.coverage / (32 * math.e * epsilon_minus_one(world.epsilon) ** 2)
    return states * per_label / (world.kl_weight * world.n_pairs)


def literal(world: TableLabels) -> Bounds:
    """Of one state: Theorem 6's floor for one parameter, and Theorem 4.5 at S = log N(τ)."""
    return _cell(world).lower(world.difference, ROOM, world.n_pairs), printed_bound(
        world, world.log_size
    )


def literal_by_states(world: TableLabels) -> Bounds:
    """Wrong: the number of states, which is 1, in the place of log N(τ)."""
    return literal(world)[0], printed_bound(world, world.num_states)


def by_states(world: TableLabels) -> Bounds:
    """Of S states: Theorem 4.5 with their number, and what the MLE pays at most (Theorem 5)."""
    upper = _cell(world).upper(world.reward_bound, world.n_pairs)
    return printed_bound(world, world.num_states), upper


def by_squared_states(world: TableLabels) -> Bounds:
    """Wrong: S² in the place of S."""
    return printed_bound(world, world.num_states**2), by_states(world)[1]


def _cell(world: TableLabels) -> Cell:
    """A state; all are alike, so that the mean over states is one's gap."""
    return hypercube_cell(world.num_states, world.coverage, world.kl_weight, world.epsilon)


def two_rates(world: PureBudget, times: float = 1.0) -> float:
    """(2α−1)⁻² ≤ (e+1)²·(e^ε−1)⁻², and 4·(e^ε−1)⁻² ≤ (2α−1)⁻², as one ratio."""
    epsilon = times * world.epsilon
    between = (privacy_cost(epsilon) * epsilon_minus_one(epsilon)) ** 2
    return max(between / (4 * LARGEST_RATIO), 4 / between)


# Quantities --------------------------------------------------------------------------------------


def eluder(world: EluderRounds, first: Algorithm, rng: object, replicates: int) -> float:
    """d_F of T rounds."""
    return float(eluder_sums(FEATURES, RIDGE, world.horizon, first(world))[-1])


def eluder_gain(world: EluderRounds, first: Algorithm, rng: object, replicates: int) -> float:
    """What d_F gains from T to 10·T rounds, per feature and unit of log T."""
    sums = eluder_sums(FEATURES, RIDGE, 10 * world.horizon, first(world))
    return float(sums[-1] - sums[world.horizon - 1]) / (FEATURES * math.log(10))


def exponent(world: ManyRounds, growth: Algorithm, rng: object, replicates: int) -> float:
    """log₂ of the bound at T² over the bound at T: 1 if it is ∝ log T, 2 if ∝ log² T."""
    logs = [math.log(t) + LOG_CLASS for t in (world.horizon, world.horizon**2)]
    return math.log2(logs[1] / logs[0] * growth(world))


def within(world: TableLabels, bounds: Algorithm, rng: np.random.Generator, replicates: int):
    """Lower bound over the MLE's mean gap, or that over the upper bound: the larger."""
    low, high = bounds(world)
    gap = max(float(private_mle(world.draw(rng, replicates)).mean()), 1e-300)
    return max(low / gap, gap / high)


WITHIN = Quantity("left side / right side of both", within, stream_per_block=True)
CHANCE, RATIO = "P(failure) / δ", "left side / right side"
ELUDER = Quantity("d_F", eluder, evidence="computed")
GAIN = Quantity("(d_F(10T) − d_F(T)) / (d·log 10)", eluder_gain, evidence="computed")
EXPONENT = Quantity("exponent of d_F·log(NT/δ) in log T", exponent, evidence="computed")
RARE = listed(CHANCE, rare_cases)
COMMON = searched(CHANCE, common_case)
PROVED = Quantity(RATIO, proof_of, evidence="proved")
COMPUTED = Quantity(RATIO, of_world, evidence="computed")

# The claims --------------------------------------------------------------------------------------

DEF_3_5, LEM_B_1 = ["p1.def_3_5"], "p1.lem_b_1"
ZERO = "b(s) = g − h is allowed inside the supremum, so D² is 0"
HALF = "Freedman's inequality has 8 for 4: the chance is about e^(−L/2) for e^−L"
SQUARE = "σ′ ≤ 1/4, so that σ′(B) is above σ′(B)² ≤ (σ(x) − σ(y))²/(x−y)²"
NO_ERROR = {
    "estimate": "an upper bound on an error: corrected_offline_gap in_sample_sharp has its limit"
}
QUARTER = "at b = 0 it says a²/4 ≤ a²/8 + τ²"


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm] = (), **more: Any,
) -> Check:  # fmt: skip
    """A reading."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


THEOREM = Theorem(
    title="P1 Definitions 3.2, 3.5, eqs. (15), (18), (20), Theorems 4.2, 4.5: read literally",
    checks=[
        check("distance_printed", "num_features",
            Inequality("D² of Definition 3.2 as printed bounds the error"), PROVED,
            infimum_inside, settles=["p1.def_3_2"], expected="contradicted", why=ZERO),
        check("distance", "num_features",
            Inequality("D² with b(s) = E_ref[g − h] bounds the error"), PROVED, centred,
            (infimum_inside, uncentred), settles=["p1.def_3_2"]),
        check("first_response_free", "horizon",
            Slope("a¹ in the supremum as well: d_F {rate}", 1, tolerance=0.01), ELUDER, free,
            (named("drawn", drawn, "a¹ is drawn from π¹, not in the supremum"),), settles=DEF_3_5),
        check("first_response_drawn", "horizon", Ratio("a¹ ~ π¹: d_F gains d per unit of log T"),
            GAIN, drawn,
            (named("free", free, "a¹ is in the supremum, not drawn from π¹"),), settles=DEF_3_5),
        check("bound_of_a_linear_class", "log10_horizon",
            Ratio("Theorem 5.2's bound for a linear class ∝ log² T", 2, tolerance=0.1), EXPONENT,
            eluder_of_horizon, (eluder_held_fixed,), settles=["p1.thm_5_2"]),
        check("population_printed", "reward_bound",
            Inequality("eq. (20) as printed fails with probability ≤ δ"), RARE, PRINTED,
            settles=["p1.eq_20"], expected="contradicted", why=HALF),
        check("population", "reward_bound",
            Inequality("eq. (20) with 8 for 4 fails with probability ≤ δ"), RARE, FREEDMAN,
            (PRINTED, FREEDMAN_TEN_PERCENT), settles=[LEM_B_1, "p1.eq_20"]),
        check("failure_probability", "reward_bound",
            Inequality("(19) or (20) fails with probability ≤ δ, not 2δ"), COMMON,
            CORRECTED_CONSTANTS, (PRINTED_CONSTANTS,),
            settles=[LEM_B_1, "p1.thm_4_2"], blind=NO_ERROR),
        check("eq_15_printed", "reward_bound",
            Inequality("(15), last line: σ′(B)·(x−y)² ≤ (σ(x) − σ(y))²"), PROVED,
            last_line_of_15, settles=["p1.eq_15"], expected="contradicted", why=SQUARE),
        check("eq_15", "reward_bound", Inequality("(15) with σ′(B)²·(x−y)²"), PROVED,
            squared_slope,
            (last_line_of_15, named("squared_slope_ten_percent", squared_slope,
                                    "the bound is 10 % larger", factor=1.1)),
            settles=["p1.eq_15"]),
        check("eq_18_printed", "net_radius",
            Inequality("(18), step (b): a²/4 − τ² ≤ (a+b)²/8"), PROVED, step_b_of_18,
            settles=["p1.eq_18"], expected="contradicted", why=QUARTER),
        check("eq_18", "net_radius", Inequality("(18), step (b) with a²/16 − τ²/2"), PROVED,
            by_halves, (step_b_of_18, named("by_halves_tenth_more", by_halves,
                                            "the bound is 10 % larger", factor=1.1)),
            settles=["p1.eq_18"]),
        check("one_parameter", "num_states",
            Inequality("one parameter, S = log N(τ): Theorem 6's floor ≤ the MLE's gap ≤ 4.5's"),
            WITHIN, literal, (literal_by_states,), at="log_size",
            settles=["own.states_of_theorem_4_5"], keeps=["epsilon"]),
        check("hypercube", "num_states",
            Inequality("S states: Theorem 4.5 ≤ the MLE's gap ≤ Theorem 5"), WITHIN, by_states,
            (by_squared_states,), settles=["p1.thm_4_5"], keeps=["epsilon"]),
        check("remark_4_4", "epsilon",
            Inequality("ε ≤ 1: 4 ≤ ((e^ε−1)/(2α−1))² ≤ (e+1)²"), COMPUTED, two_rates,
            (named("two_rates_at_twice", two_rates,
                   "2ε in the place of ε", times=2.0),), settles=["p1.rem_4_4"]),
    ],
    corrected={
        "distance_printed": "distance",
        "population_printed": "population",
        "eq_15_printed": "eq_15",
        "eq_18_printed": "eq_18",
    },
    worlds={
        "features": FeatureCount, "rounds": EluderRounds, "many_rounds": ManyRounds,
        "range": RewardRange, "pairs": TellingPairs, "net": Net, "tables": TableLabels,
        "budget": PureBudget,
    },
)  # fmt: skip
