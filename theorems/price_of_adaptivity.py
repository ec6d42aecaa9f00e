"""The price of adaptivity: χPO with a β that does not know α (P2, Remark 5.1 and Theorem 5.2).

Proofs: docs/explanations/price_of_adaptivity.md.  ζ = 1 under CTL and c(ε) under LTC, R_max = 1.

Remark 5.1 calls Algorithm 3 adaptive: it needs neither the setting nor α.  The β of Theorem 5.2's
proof contains both.  Statements (``own.price_of_adaptivity``):

    upper, every β:    gap ≤ ρ√C·err + βC + ρ²err²/(2β),  err ≤ K_R·(4ζα + 8c·√(log(|Π|/δ)/n))
    lower, every β:    gap ≥ min{½, 0.07·(ζα)²/β} with probability ≥ ½ somewhere, and ≥ 0.52·β
                       somewhere with certainty, C about 2, |Π| = 2, all assumptions in force.

So β ∝ c/√n, free of α, has a gap ∝ (ζα)²·√n/c: it grows with n.  The best α-free β, ∝ (c/√n)^(2/3),
loses a factor ∝ n^(1/6); a range [α₁, α₂] of α costs √(α₂/α₁) at most, the order unknown
min{√c(ε), α^(−1/3)}.  And ``own.capped_penalty``: where β is raised until the policy's coverage is
at most 2·C^π*, the rate of Theorem 5.2 as printed (with V_max/R_max, not its root) holds at every
α, unknown.

World: responses a and b alike and covered, c bad, of reference mass ≈ (ζα)²/12.  The second policy
prefers c, and a to b by as much as the adversary makes it seem.  The adversary imitates it on the
pair (a, b) and leaves all else alone; the pairs with c are too few to tell.  Every other prompt is
a plain one, two responses of which one is better by 1, and a third policy that is right but for
taking these for equally good: what labels are there for.  It never wins where they tell the truth.

Checks ``known_…`` and ``capped_…`` let α fall like n^(−1/4): the stated rate is ∝ α there, and a β
free of α has a gap that does not fall at all.

What would refute it: a gap that stays where α is not told, or one that grows under the cap.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Annotated, Any, ClassVar, Protocol

import numpy as np
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Number, Pairs, Positive, Probability, RewardBound
from repro.core.check import (
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    at_both_ends,
    largest_of,
    named,
    of_world,
)
from repro.core.claims import Inequality, Slope
from repro.core.proofs import Claimed, Interval, iv, proof_of
from repro.labels.corruption.huber_reports import (
    Adversary,
    HuberReports,
    coin_tosser,
    idle_adversary,
)
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import on_arrays
from repro.p2.chipo import meta_theorem as meta
from repro.p2.chipo.losses import Loss, log_loss, square_loss
from repro.p2.chipo.policy import chipo_policy, two_arm_wrong_prob
from repro.worlds.instances.labelled import HuberLabels

LARGEST_BIAS = 0.25
"""ζα up to which Theorem 2 is stated."""
SMALLEST_BIAS = 9.0
"""Of the α of the min-max checks, in c/√n: above it imitation wins at least half of the time."""
ALPHAS = 17
"""Of a range, in equal ratios."""
IMITATION, LOG_IMITATION = 0.07, 0.05
"""κ₀ of Theorem 2, square and log loss: the gap is at least min{½, κ₀·(ζα)²/β}."""
ENOUGH, LOG_ENOUGH = 52.0, 360.0
"""n·(ζα)²/c² from which imitation wins at least half of the time (Theorem 2)."""

# One state, three responses, two policies: the world on which β must follow α (Theorem 2) --------


LARGEST_REWARD = 1.0
"""R_max."""
VALUE_BOUND = 2.0
"""V_max: by as much the second policy prefers c to b."""
TRUE_REWARD = np.array([1.0, 1.0, 0.0])
"""Of a, b and c."""
CELLS = 3
"""Pairs that tell: a against b, c against a, c against b."""


@dataclass(frozen=True)
class RareBadArm:
    """What the adversary and the class are built from.

    Attributes:
        bad_reference: w = π_ref(c); a and b share the rest.
        imitated: x, the reward difference of a and b under the second policy.
    """

    bad_reference: float
    imitated: float

    @property
    def reference(self) -> np.ndarray:
        """(3,) π_ref."""
        covered = (1 - self.bad_reference) / 2
        return np.array([covered, covered, self.bad_reference])

    @property
    def coverage(self) -> float:
        """C^π* of the comparator that plays a: 2/(1−w)."""
        return 2 / (1 - self.bad_reference)

    @property
    def rewards(self) -> np.ndarray:
        """(2, 3) implicit rewards of the class: the truth, then the second policy's."""
        return np.array([TRUE_REWARD, [self.imitated, 0.0, VALUE_BOUND]])

    @property
    def means(self) -> np.ndarray:
        """(2, 3) tanh(Δ/2) of either reward in the three cells; none is clipped at 2·R_max = 2."""
        first, second, third = self.rewards.T
        return np.tanh(np.stack([first - second, third - first, third - second], axis=1) / 2)

    @property
    def cell_prob(self) -> np.ndarray:
        """(3,) chance that two draws from π_ref are the pair of a cell."""
        covered, _, bad = self.reference
        return 2 * np.array([covered**2, covered * bad, covered * bad])

    def policy(self, kl_weight: float | np.ndarray, reward: np.ndarray) -> np.ndarray:
        """(..., 3) policies of a reward at every β; the gap J(π*) − J(π) is what they give to c."""
        return chipo_policy(self.reference, reward, np.array(kl_weight))


PLAIN_BEST = 1.0
"""Reward of the better response of a plain prompt; the other has 0."""


@dataclass(frozen=True)
class BesidePlainPrompts:
    """Half of the prompts are those of Theorem 2, half are plain ones, π_ref = ½ on both responses.

    Policies and π_ref are joint with the prompt: (..., 5), a, b, c, then the better and the worse
    response of a plain prompt.

    Attributes:
        arm: the prompts of Theorem 2.
    """

    arm: RareBadArm

    @property
    def reference(self) -> np.ndarray:
        """(5,) π_ref."""
        return np.concatenate([self.arm.reference, [0.5, 0.5]]) / 2

    @property
    def coverage(self) -> float:
        """C^π* of the comparator that plays a, and the better response of a plain prompt."""
        return (self.arm.coverage + 2) / 2

    @property
    def rewards(self) -> np.ndarray:
        """(3, 5) implicit rewards of the class: the truth, the imitated, no opinion on plain."""
        truth, imitated = self.arm.rewards
        plain, unsure = [PLAIN_BEST, 0.0], [0.0, 0.0]
        return np.array([[*truth, *plain], [*imitated, *plain], [*truth, *unsure]])

    @property
    def means(self) -> np.ndarray:
        """(3, 4) tanh(Δ/2) of the rewards in the three cells of ``arm``, and of plain pairs."""
        truth, imitated = self.arm.means
        plain = np.tanh(PLAIN_BEST / 2)
        return np.array([[*truth, plain], [*imitated, plain], [*truth, 0.0]])

    @property
    def cell_prob(self) -> np.ndarray:
        """(4,) chance that a label is on the pair of a cell."""
        return np.array([*self.arm.cell_prob, 0.5]) / 2

    def policy(self, kl_weight: float | np.ndarray, reward: np.ndarray) -> np.ndarray:
        """(..., 5) policies of a reward at every β."""
        weight = np.array(kl_weight)
        own = self.arm.policy(weight, reward[:3])
        plain = chipo_policy(np.array([0.5, 0.5]), reward[3:], weight)
        return np.concatenate([own, plain], axis=-1) / 2

    def gap(self, kl_weight: float | np.ndarray, reward: np.ndarray) -> np.ndarray:
        """(...,) J(π*) − J(π): what the policy of a reward gives to c and to the worse response."""
        return self.policy(kl_weight, reward)[..., [2, 4]].sum(-1)


def unsaturated(bias: float, gain: float, loss: float) -> RareBadArm:
    """The world in which imitation gains twice of what the pairs with c lose.

    Args:
        bias: by how much the adversary moves the mean of a debiased label: α, or c·α under LTC.
        gain: expected loss that the second policy saves on a pair (a, b).
        loss: expected loss that it costs on a pair with c.
    """
    odds = gain / (8 * loss)
    return RareBadArm(odds / (1 + odds), 2 * float(np.arctanh(bias)))


def imitate(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The adversary: of two equally good responses the first wins; other labels are put back."""
    return np.where(truth == 0, 1.0, seen)


# Algorithms 1 and 3 on the two policies, and their tunings of β ----------------------------------


@dataclass(frozen=True)
class StatisticalError:
    """What a tuning may read.

    Attributes:
        noise: c·√(log(|Π|/δ)/n).
        bias: ζα: α under CTL, c·α under LTC; only a tuning that is told may read it.
        corruption: α, likewise.
        coverage: C^π*.
    """

    noise: float
    bias: float
    corruption: float
    coverage: float


class Referenced(Protocol):
    """What a tuning may read of a world."""

    @property
    def reference(self) -> np.ndarray:
        """(A,) π_ref."""
        ...

    def policy(self, kl_weight: float, reward: np.ndarray) -> np.ndarray:
        """(A,) policy of a reward at β."""
        ...


Tuning = Callable[[StatisticalError, Any, np.ndarray], float]
"""(error, world, (A,) fitted reward) → β."""


def as_without_corruption(error: StatisticalError, world: Referenced, reward: np.ndarray) -> float:
    """β as without corruption."""
    return error.noise / np.sqrt(error.coverage)


def from_alpha(error: StatisticalError, world: Referenced, reward: np.ndarray) -> float:
    """β of the proof of Theorem 5.2, which contains α."""
    return (error.noise + error.bias) / np.sqrt(error.coverage)


def from_alpha_before_privacy(
    error: StatisticalError, world: Referenced, reward: np.ndarray
) -> float:
    """β that knows α, but not that corruption comes last."""
    return (error.noise + error.corruption) / np.sqrt(error.coverage)


def at_capped_coverage(error: StatisticalError, world: Referenced, reward: np.ndarray) -> float:
    """β as without corruption, or a larger one at which the policy has coverage 2·C^π* (Theorem 4).

    Reads the fitted reward and π_ref, but not α.  Coverage is 1 at β = ∞: bisection on log β.
    """
    reference, cap = world.reference, 2 * error.coverage
    low, high = as_without_corruption(error, world, reward), 1e3
    if coverage_of(world.policy(low, reward), reference) <= cap:
        return low
    for _ in range(40):
        middle = np.sqrt(low * high)
        within = coverage_of(world.policy(middle, reward), reference) <= cap
        low, high = (low, middle) if within else (middle, high)
    return high


def coverage_of(policy: np.ndarray, reference: np.ndarray) -> float:
    """E_π[π/π_ref] (P2, Definition 4.3)."""
    return float((policy**2 / reference).sum())


@dataclass(frozen=True)
class Minimiser:
    """One of the two algorithms.

    Attributes:
        loss: what it minimises over the three policies.
        tuning: its β.
    """

    loss: Loss
    tuning: Tuning

    def losses(self, counts: np.ndarray, wins: np.ndarray, means: np.ndarray, cost: float):
        """(R, 3) of the policies.

        Args:
            counts: (R, 4) pairs by cell.
            wins: (R, 4) reports for a, c, c and the better response.
            means: (3, 4) of the policies.
            cost: c(ε).
        """
        return np.stack([self.loss(counts, wins, mean, cost) for mean in means], axis=-1)

    def gaps(self, error: StatisticalError, world: BesidePlainPrompts) -> np.ndarray:
        """(3,) gap of each policy at its own β."""
        return _gaps(self.tuning, error, world)

    def arm(self, bias: float, cost: float) -> RareBadArm:
        """The unsaturated world of its loss."""
        return _arm(self.loss, bias, cost)

    def world(self, bias: float, cost: float) -> BesidePlainPrompts:
        """The same beside plain prompts."""
        return BesidePlainPrompts(self.arm(bias, cost))


@lru_cache(maxsize=1024)
def _gaps(tuning: Tuning, error: StatisticalError, world: BesidePlainPrompts) -> np.ndarray:
    return np.array([world.gap(tuning(error, world, reward), reward) for reward in world.rewards])


@lru_cache(maxsize=1024)
def _arm(loss: Loss, bias: float, cost: float) -> RareBadArm:
    start = RareBadArm(0.0, 2 * float(np.arctanh(bias)))
    reports = np.array([bias, *start.means[0, 1:]]) / cost
    identity = np.eye(3)
    saved = [loss(identity, identity * (1 + reports) / 2, means, cost) for means in start.means]
    gain, loss, worse = (saved[0] - saved[1]) * np.array([1, -1, -1])
    return unsaturated(bias, float(gain), float(max(loss, worse)))


ALPHA_FREE = Minimiser(square_loss, as_without_corruption)
LOG_ALPHA_FREE = Minimiser(log_loss, as_without_corruption)

# Labels of the world -----------------------------------------------------------------------------

BEHIND_THE_TRUTH = np.array([0.0, 1.0, 1.0])
"""What a learner that is told the truth minimises."""
FADES_FROM = 1e10
"""n at which α is what the world says, where it falls with n."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UnsaturatedLabels(HuberLabels):
    """n labels of the unsaturated world.

    Attributes:
        n_pairs: n.
        failure_prob: δ in log(|Π|/δ), |Π| = 3.
        believed_order: of corruption and privacy, that the world is built and β is tuned for.
        least_corruption: the least α of a range, where one is asked about.
        fades: ν where α falls like n^(−ν): it is ``corruption`` at n = 1e10.
        adversary: who corrupts labels.
    """

    n_pairs: Pairs
    failure_prob: Probability
    believed_order: Order = Order.CTL
    least_corruption: Corruption = 0.0
    fades: Annotated[Number, Field(ge=0, le=1)] = 0.0
    adversary: Adversary = imitate
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "adversary": {"imitate": imitate, "coin_tosser": coin_tosser, "idle": idle_adversary}
    }

    def __post_init__(self) -> None:
        """A range of ζα begins at 9·c/√n, and so n may not be so few that it is empty."""
        is_range = self.least_corruption or not self.corruption
        least = (SMALLEST_BIAS * self.cost / self.largest_bias) ** 2
        if is_range and self.n_pairs < least:
            raise BadInput("n_pairs", self.n_pairs, f"allowed: at least {least:.3g} here")

    @property
    def largest_bias(self) -> float:
        """Of a range; ¼ where no α is given."""
        return self.bias or LARGEST_BIAS

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def reach(self) -> float:
        """ζ: 1 under CTL, c(ε) under LTC, as the learner and the world's builder believe."""
        return 1.0 if self.believed_order is Order.CTL else self.cost

    @property
    def share(self) -> float:
        """α at this n."""
        return self.corruption * (self.n_pairs / FADES_FROM) ** -self.fades

    @property
    def reports(self) -> HuberReports:
        return replace(super().reports, corruption=self.share)

    @property
    def bias(self) -> float:
        """ζα."""
        return self.reach * self.share

    def error(self, world: BesidePlainPrompts) -> StatisticalError:
        """What tunings read."""
        noise = self.cost * math.sqrt(math.log(3 / self.failure_prob) / self.n_pairs)
        return StatisticalError(noise, self.bias, self.share, world.coverage)

    def choices(self, learner: Minimiser, rng: np.random.Generator, runs: int) -> np.ndarray:
        """(R,) which of the three policies is the minimiser, on R datasets of n labels."""
        world = learner.world(self.bias, self.cost)
        each = [*world.cell_prob, 1 - world.cell_prob.sum()]
        counts = rng.multinomial(self.n_pairs, each, size=runs)[:, :-1]
        win = (1 + self.reports.mean(world.means[0])) / 2
        wins = rng.binomial(counts, np.clip(win, 0, 1))
        losses = learner.losses(counts, wins, world.means, self.cost)
        return on_arrays(self.estimate, losses, BEHIND_THE_TRUTH).argmin(-1)


def gap(world: UnsaturatedLabels, rng: np.random.Generator, replicates: int, learner: Minimiser):
    """(R,) J(π*) − J(π̂)."""
    prompts = learner.world(world.bias, world.cost)
    each = learner.gaps(world.error(prompts), prompts)
    return each[world.choices(learner, rng, replicates)]


def stated_bound(world: UnsaturatedLabels) -> float:
    """κ(π*)·(c·√(log(|Π|/δ)/n) + ζα), Theorem 5.2 with the constant 1."""
    error = world.error(ALPHA_FREE.world(world.bias, world.cost))
    factor = math.exp(2 * LARGEST_REWARD) * VALUE_BOUND / LARGEST_REWARD
    return factor * math.sqrt(error.coverage) * (error.noise + error.bias)


alpha_free = named("alpha_free", gap, learner=ALPHA_FREE)
"""Algorithm 3 with a β free of α."""
knows_alpha = named("knows_alpha", gap, learner=Minimiser(square_loss, from_alpha))
"""Algorithm 3 with the β of the proof of Theorem 5.2."""
capped = named("capped", gap, learner=Minimiser(square_loss, at_capped_coverage))
"""Algorithm 3 where β is raised until the policy's coverage is at most 2·C^π*."""
takes_ltc_for_ctl = named(
    "takes_ltc_for_ctl", gap, learner=Minimiser(square_loss, from_alpha_before_privacy)
)
"""Algorithm 3 with a β for CTL."""
log_alpha_free = named("log_alpha_free", gap, learner=LOG_ALPHA_FREE)
log_knows_alpha = named(
    "log_knows_alpha", gap, "β grows with α", learner=Minimiser(log_loss, from_alpha)
)
log_capped = named(
    "log_capped", gap, "a cap on coverage", learner=Minimiser(log_loss, at_capped_coverage)
)
FREE_WRONG = (
    named("knows_alpha", knows_alpha, "β grows with α"),
    named("capped", capped, "a cap on coverage"),
)
without_alpha = named("alpha_free", alpha_free, "β is free of α")

# The best β for a range of α ---------------------------------------------------------------------


def kl_weights(noise: float) -> np.ndarray:
    """(B,) β from c/√n to 1, four a factor of 2."""
    return np.geomspace(noise, 1, round(4 * math.log2(1 / noise)))


@lru_cache(maxsize=64)
def penalty_gap(noise: float) -> np.ndarray:
    """(B,) largest gap of π*_β itself on two responses, π_ref = ½, Δ up to 1: what β costs."""
    kl_weight = kl_weights(noise)
    differences = np.geomspace(0.2, 20, 200)[:, None] * kl_weight
    inside = np.minimum(differences, 1.0)
    return (inside * two_arm_wrong_prob(np.array(0.5), inside / kl_weight)).max(axis=0)


@lru_cache(maxsize=4096)
def _gap_by_weight(world: BesidePlainPrompts, noise: float) -> np.ndarray:
    """(3, B) gaps of the policies."""
    return np.array([world.gap(kl_weights(noise), r) for r in world.rewards])


@dataclass(frozen=True)
class Prices:
    """What every β costs at every α.

    Attributes:
        table: (A, B) mean gap over c/√n + ζα, by α and β; the first α is the least (0 unless
            given).
    """

    table: np.ndarray


def prices(world: UnsaturatedLabels, rng: np.random.Generator, runs: int) -> Prices:
    """α runs over the range of the world, up to ζα = ¼; β over four values a factor of 2."""
    noise = world.cost / math.sqrt(world.n_pairs)
    least = world.least_corruption * world.reach
    ratios = [penalty_gap(noise) / (noise + least)]
    for bias in np.geomspace(max(least, SMALLEST_BIAS * noise), world.largest_bias, ALPHAS):
        at = replace(world, corruption=bias / world.reach, least_corruption=0.0)
        prompts = ALPHA_FREE.world(bias, world.cost)
        chosen = np.bincount(at.choices(ALPHA_FREE, rng, runs), minlength=3) / runs
        mean = chosen @ _gap_by_weight(prompts, noise)
        ratios.append(np.maximum(mean, penalty_gap(noise)) / (noise + bias))
    return Prices(np.array(ratios))


def best_free(prices: Prices) -> float:
    """The β whose worst price over α is least."""
    return float(prices.table.max(axis=0).min())


def told(prices: Prices) -> float:
    """Wrong as a β free of α: the best one at each."""
    return float(prices.table.min(axis=1).max())


# Steps of the proofs (price_of_adaptivity.md) ----------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class StepOfAProof:
    """The number at which a step of a proof is looked at; each step reads one of these.

    Attributes:
        reward_bound: R of Lemma 1.
        corruption: α of Lemma 2, ζα of Theorem 2.
        coverage: one over the reference mass of the response that is thought too good.
    """

    reward_bound: RewardBound = 1.0
    corruption: Probability = 0.1
    coverage: Positive = 100.0


def slope_between(bound: float, share: float) -> Claimed:
    """|x − y|/|tanh(x/2) − tanh(y/2)| over share·K_R, |x| ≤ 2R and |y| ≤ R.

    It is 2·cosh(x/2)·cosh(y/2)·u/sinh(u), u = (x−y)/2, and K_R = R·cosh(R)·coth(R/2) its value at
    the corner (2R, R).
    """
    end = iv.mpf(bound)
    worst = end * _cosh(end) * _cosh(end / 2) / _sinh(end / 2)

    def ratio(x: Interval, y: Interval) -> Interval:
        return 2 * _cosh(x / 2) * _cosh(y / 2) * _over_sinh((x - y) / 2) / (share * worst)

    # x ≥ 0 stands for both signs, since the ratio does not change under (x, y) → (−x, −y)
    return Claimed(((0.0, 2 * bound), (-bound, bound)), ratio)


def _cosh(x: Interval) -> Interval:
    """cosh(x), which grows in |x|: its ends are those of |x|, so that nothing is lost."""
    low, high = ((iv.exp(end) + iv.exp(-end)) / 2 for end in (abs(x).a, abs(x).b))
    return iv.mpf([low.a, high.b])


def _sinh(x: Interval) -> Interval:
    return (iv.exp(x) - iv.exp(-x)) / 2


def _over_sinh(u: Interval) -> Interval:
    """u/sinh(u), which falls in |u| from 1: its ends are those of |u|."""
    size = abs(u)
    low, high = (iv.mpf(1) if end == 0 else end / _sinh(end) for end in (size.b, size.a))
    return iv.mpf([low.a, min(high.b, 1)])  # rounding in sinh shows where u is all but 0


def lemma_1(world: StepOfAProof, share: float) -> Claimed:
    """|x − y| ≤ share·K_R·|h(x) − h(y)|."""
    return slope_between(world.reward_bound, share)


UNIT = (0.0, 1.0)


def least_squares(world: StepOfAProof) -> Claimed:
    """z over 4ζα + 8s on the event of Bernstein's inequality, s = c·√(L/n) (Lemma 2).

    There z² ≤ z·(4ζα + √32·s) + (16/3)·s²/c, hence z ≤ 4ζα + (√32 + √(16/(3c)))·s, and
    ``share`` is that of s in ζα·4 + s.
    """

    def ratio(share: Interval, per_c: Interval) -> Interval:
        spare = 8 - iv.sqrt(iv.mpf(32)) - iv.sqrt(16 * per_c / 3)
        return 1 - spare * share / (1 + 7 * share)

    return Claimed((UNIT, UNIT), ratio)


def least_squares_ten_percent(world: StepOfAProof) -> Claimed:
    """Wrong: 3.6ζα for 4ζα.  CTL, n = ∞; the adversary reports the label that h* disfavours.

    Its mean lies α(1 + h*) below h*, and another policy a little less than as much below that.
    """
    near = (0.9, 0.999)
    return Claimed((near, near), lambda true, beyond: (1 + beyond) * (1 + true) / iv.mpf(3.6))


def theorem_1(world: StepOfAProof) -> Claimed:
    """gap ≤ ρ√C·err + βC + ρ²err²/(2β)."""
    return meta.meta(first=1.0, last=0.5)


def meta_without_square(world: StepOfAProof) -> Claimed:
    """Wrong: without the last term."""
    return meta.refuted(world.coverage, lambda error, kl_weight: error + kl_weight)


def theorem_4(world: StepOfAProof) -> Claimed:
    """gap ≤ (1 + √2)·ρ√C·err + β₀·C under the cap."""
    return meta.cap()


def cap_without_cap(world: StepOfAProof) -> Claimed:
    """Wrong: no cap on coverage."""
    return meta.refuted(
        world.coverage, lambda error, kl_weight: (1 + iv.sqrt(2)) * error + kl_weight
    )


BUDGETS, WEIGHTS = np.geomspace(0.1, 10, 5), 40
"""ε, and so many β, of the worlds of Theorem 2."""


@largest_of
def over_imitated(
    world: StepOfAProof, learner: Minimiser, constant: float, times: float
) -> Iterable[float]:
    """times·min{½, κ₀·(ζα)²/β} over the gap of the second policy: the largest of many worlds."""
    bias = world.corruption
    return (
        times * (min(0.5, constant * bias**2 / kl_weight) / gap)
        for kl_weight, gap in _imitations(learner, bias)
    )


def _imitations(learner: Minimiser, bias: float) -> Iterator[tuple[float, float]]:
    """β and the gap of the second policy: ε from .1 to 10, β from the least that matters to ½."""
    for epsilon, kl_weight in product(BUDGETS, np.geomspace(bias**2 / 20, 0.5, WEIGHTS)):
        arm = learner.arm(bias, privacy_cost(float(epsilon)))
        yield float(kl_weight), float(arm.policy(float(kl_weight), arm.rewards[1])[2])


def imitation(learner: Minimiser, constant: float) -> tuple[Any, Any]:
    """Theorem 2 of a loss, and wrong: twice its bound."""
    given = {"learner": learner, "constant": constant}
    return (
        named("imitated", over_imitated, **given, times=1.0),
        named("imitated_twice", over_imitated, "twice the floor", **given, times=2.0),
    )


imitated, imitated_twice = imitation(ALPHA_FREE, IMITATION)
imitated_log, imitated_log_twice = imitation(LOG_ALPHA_FREE, LOG_IMITATION)
inverse_slope = named("inverse_slope", lemma_1, share=1.0)
inverse_slope_ten_percent = named(
    "inverse_slope_ten_percent", lemma_1, "the bound is 10 % smaller", share=0.9
)

# The claims --------------------------------------------------------------------------------------

GAP = Quantity("suboptimality [reward]")
OVER_STATED = Quantity("suboptimality / κ(π*)·(c·√(log(|Π|/δ)/n) + ζα)", over=stated_bound)
PRICE = Quantity("worst suboptimality / (c/√n + ζα), best β",
                 lambda world, rule, prices, replicates: rule(prices), drawn=prices,
                 stream_per_block=True)  # fmt: skip
SIDES = "left side / right side"
PROVED = Quantity(SIDES, proof_of, evidence="proved")
COMPUTED = Quantity(SIDES, of_world, evidence="computed")
PRICED, CAP = ["own.price_of_adaptivity"], ["own.capped_penalty"]
BOTH, REMARK, STATED = [*PRICED, *CAP], ["p2.rem_5_1"], ["p2.thm_5_2"]
GROWS = (
    "with a β free of α the gap is (ζα)²/β up to a constant, and 1/β grows like √n. "
    "The check that holds has a β told α, and α ∝ n^(−1/4): there the gap itself falls like α"
)
PRINTED: Any = {"quantity": OVER_STATED, "settles": REMARK, "expected": "contradicted"}


def small_bias(world: UnsaturatedLabels):
    """ζα ≤ ¼; Assumptions 4.1 and 4.2 hold by construction."""
    name = "π*_β in the class, |differences| ≤ V_max = 2, ζα ≤ 1/4"
    yield name, world.bias <= LARGEST_BIAS, f"ζα = {world.bias:.3g}"


def in_the_regime(world: UnsaturatedLabels, learner: Minimiser, enough: float):
    """Theorem 2: imitation wins, and its gap is below the ceiling at which no β makes it larger."""
    wins = world.n_pairs * (world.bias / world.cost) ** 2
    prompts = learner.world(world.bias, world.cost)
    kl_weight = learner.tuning(world.error(prompts), prompts, prompts.rewards[1])
    bad = prompts.arm.policy(kl_weight, prompts.arm.rewards[1])[2]
    yield f"n·(ζα/c)² ≥ {enough:g}, so that imitation wins", wins >= enough, f"it is {wins:.3g}"
    yield "π₂(c) ≤ ½, so that the gap may grow", bad <= 0.5, f"it is {bad:.3g}"


def assumes(swept: SweptCheck):
    """A small bias; and where β is free of α, the regime of Theorem 2."""
    regimes = {alpha_free: (ALPHA_FREE, ENOUGH), log_alpha_free: (LOG_ALPHA_FREE, LOG_ENOUGH)}
    regime = regimes.get(swept.check.right)
    own = [partial(in_the_regime, learner=regime[0], enough=regime[1])] if regime else []
    return at_both_ends(small_bias, *own, of=UnsaturatedLabels)(swept)


def grows(name: str, axis: str, claim: Slope, right=alpha_free, wrong=FREE_WRONG):
    """What a β free of α does."""
    return Check(name=name, axis=axis, claim=claim, right=right, wrong=wrong, quantity=GAP)


def falls(name: str, axis: str, claim: Slope, right, settles):
    """What a β that knows α does, or one under a cap."""
    return Check(name=name, axis=axis, claim=claim, right=right, wrong=[without_alpha],
                 settles=settles, quantity=GAP)  # fmt: skip


LOG_WRONG = (log_knows_alpha, log_capped)
FREE = [
    grows("free_ctl", "n_pairs", Slope("CTL, β free of α: gap {rate}", 0.5)),
    grows("free_ltc", "n_pairs", Slope("LTC, β free of α: gap {rate}", 0.5)),
    grows("free_corruption_ctl", "corruption", Slope("CTL, β free of α: gap {rate}", 2)),
    grows("free_corruption_ltc", "corruption", Slope("LTC, β free of α: gap {rate}", 2)),
    grows("log_free_ctl", "n_pairs", Slope("log loss, CTL, β free of α: gap {rate}", 0.5),
          log_alpha_free, LOG_WRONG),
    grows("log_free_ltc", "n_pairs", Slope("log loss, LTC, β free of α: gap {rate}", 0.5),
          log_alpha_free, LOG_WRONG),
    falls("known_ctl", "n_pairs", Slope("α ∝ n^(−1/4), CTL, β ∝ c/√n + α: gap {rate}", -0.25),
          knows_alpha, STATED),
    falls("known_ltc", "n_pairs", Slope("α ∝ n^(−1/4), LTC, β ∝ c/√n + c·α: gap {rate}", -0.25),
          knows_alpha, STATED),
]  # fmt: skip
OVER = "gap over the stated bound {rate}"
AS_PRINTED = [
    Check(name="printed_ctl", axis="n_pairs", right=alpha_free, why=GROWS, **PRINTED,
          claim=Slope(f"Theorem 5.2 with Remark 5.1, CTL: {OVER}", 0, "at_most")),
    Check(name="printed_ltc", axis="n_pairs", right=alpha_free, why=GROWS, **PRINTED,
          claim=Slope(f"Theorem 5.2 with Remark 5.1, LTC: {OVER}", 0, "at_most")),
    Check(name="order_unknown", axis="privacy_cost", right=takes_ltc_for_ctl, **PRINTED,
          claim=Slope(f"LTC, β of CTL: {OVER}", 0, "at_most"),
          why="(cα)²/β is c times the stated bound if β is tuned for CTL"),
]  # fmt: skip
BEST: Any = {"quantity": PRICE, "right": best_free, "wrong": [told]}
CHOSEN = [
    Check(name="price", axis="n_pairs", **BEST,
          claim=Slope("best β free of α: worst gap over c/√n + α {rate}", 1 / 6)),
    Check(name="range", axis="corruption", **BEST,
          claim=Slope("best β for a range of α: worst gap over α {rate}", 0.5)),
]  # fmt: skip
CAPPED = [
    falls("capped_ctl", "n_pairs",
          Slope("α ∝ n^(−1/4), CTL, coverage capped: gap {rate}", -0.25), capped, CAP),
    falls("capped_ltc", "n_pairs",
          Slope("α ∝ n^(−1/4), LTC, coverage capped: gap {rate}", -0.25), capped, CAP),
    falls("capped_corruption_ctl", "corruption", Slope("CTL, coverage capped: gap {rate}", 1),
          capped, CAP),
    falls("capped_corruption_ltc", "corruption", Slope("LTC, coverage capped: gap {rate}", 1),
          capped, CAP),
]  # fmt: skip
PROOFS = [
    Check(name="inverse_slope", axis="reward_bound", quantity=PROVED, settles=BOTH,
          claim=Inequality("Lemma 1: |x − y| ≤ K_R·|h(x) − h(y)|"), right=inverse_slope,
          wrong=[inverse_slope_ten_percent]),
    Check(name="least_squares", axis="corruption", quantity=PROVED, settles=BOTH,
          claim=Inequality("Lemma 2: rms error ≤ 4ζα + 8c√(L/n)"), right=least_squares,
          wrong=[least_squares_ten_percent]),
    Check(name="meta", axis="coverage", quantity=PROVED,
          claim=Inequality("Theorem 1: gap ≤ ρ√C·err + βC + ρ²err²/(2β)"),
          right=named("meta", theorem_1), wrong=[meta_without_square]),
    Check(name="imitated", axis="corruption", quantity=COMPUTED,
          claim=Inequality("Theorem 2: min{½, 0.07·(ζα)²/β} ≤ gap"), right=imitated,
          wrong=[imitated_twice]),
    Check(name="imitated_log", axis="corruption", quantity=COMPUTED,
          claim=Inequality("Theorem 2, log loss: with 0.05 ≤ gap"), right=imitated_log,
          wrong=[imitated_log_twice]),
    Check(name="cap", axis="coverage", quantity=PROVED, settles=CAP,
          claim=Inequality("Theorem 4: gap ≤ (1 + √2)·ρ√C·err + β₀·C"),
          right=named("cap", theorem_4), wrong=[cap_without_cap]),
]  # fmt: skip

THEOREM = Theorem(
    title="The price of adaptivity: χPO with a β that does not know α",
    settles=PRICED,
    checks=[*FREE, *AS_PRINTED, *CHOSEN, *CAPPED, *PROOFS],
    corrected={
        "printed_ctl": "known_ctl",
        "printed_ltc": "known_ltc",
        "order_unknown": "known_ltc",
    },
    worlds={"unsaturated_labels": UnsaturatedLabels, "step_of_a_proof": StepOfAProof},
    assumes=assumes,
)
