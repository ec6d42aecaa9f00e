"""P3 Theorems 4.1, 4.3, 5.1: the pair (θ̃, Σ̃) is (ε, δ)-differentially private.

Statement (Theorem 4.1).  θ̃ of Algorithm 1 and Σ̃ of Algorithm 2 on the same data are together
(ε, δ)-private; Theorem 4.3 says the same of K-wise rankings "with parameters modified by a constant
factor", Theorem 5.1 of trajectories.  The proofs add (ε/2, δ/2) for either release.

Neighbours differ in one replaced item; one that was a tie is an item added, and those checks that
fail by it fail in that adjacency too (docs/explanations/printed_privacy.md has a table).
A world's ``adjacency`` says which neighbours there are, and for which noise is certified.

Testable exactly in d = 1.  With privacy loss ℓ of θ̃ and a Gaussian shift μ of Σ̃ on the same pair
of neighbours, δ(ε) = E[δ_μ(ε − ℓ)].  Neighbours as in Lemma A.10: all records tied but one, which
is flipped (Σ_D stays) or moved from a tie (Σ_D moves, for pairs by 4L²/n); or others hold θ̂ where
the gradients of two records, or of one and a tie, are farthest apart.

What is found.  The sum of two faulty lemmas is faulty: the ridge's factor γ lets one record move θ̃
too much once LB is large, whether it is replaced or added.  Where items are replaced the printed
noise is too small as well (where they are added it is enough): for a mirrored record in d = 2 (n →
∞, where both releases are Gaussian shifts) the pair exceeds δ at L = B = 1 from δ = 1e-15 on (2.2
times; 17 times at 1e-20; 0.7 at 1e-12), and at LB = 0.5 from 1e-20 on.  For K-wise rankings γ_K =
½·e^(−4LB), for trajectories γ_τ carries e^(−2HLB): no factor that depends on K or H alone, and not
on LB, mends that; α is multiplied by K³ and every L by H here.  Check ``any_constant`` multiplies
the printed α by up to 1e7 at LB = 10: it leaks up to 1e5 and is private at 1e6.  The constant that
is needed is e^(2LB) over 850 (check ``constant_needed``), so none is.

Lemmas B.6 and C.6 are the halves: θ̃ alone at (ε/2, δ/2) (checks ``*_estimate_printed``; the checks
``*_estimate`` beside them take the printed form as their control).

Checks ``kwise_any_constant`` and ``kwise_estimate_any_constant`` give Theorem 4.3 and Lemma B.6 ten
times the σ and up to 1e9 times the α at LB = 6: they leak up to 1e6 times, and the constant that α
lacks is ∝ e^(4LB) (``kwise_constant_needed``).  Checks ``*_added``: one item stands in the place of
a tie; the printed ridge fails there as well, the printed noise on a certified ridge is enough.

``*_corrected`` composes the certified calibrations of Lemmas A.7 and A.10 at (ε/2, δ/2) each, with
the calibration of d = 1 that these datasets live in (docs/explanations/objective_perturbation.md
has it for every d; ``objective_perturbation_privacy`` searches d = 2 and 3); check
``accounting`` is the whole pipeline's exact ε over the budget that plain addition states.

Checks ``*_plane`` take the mirrored record in d = 2 as n → ∞: both releases are Gaussian shifts.
Theorem 4.1 as printed fails at L = B = 1 from δ = 1e-15 on; ``pairs_together_plane`` certifies the
pair at (ε, δ) in one hockey-stick bound (docs/explanations/joint_release.md) with 1.3 to 1.4 times
less noise on both than ε/2 + ε/2.  Checks ``pairs_together_*dimension*`` are the same pair at
finite n in d = 2 and 3, by quadrature, on the most telling neighbours of a search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from repro.base.schema import Count, Pairs, Positive, Probability
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Claim, Inequality, Slope
from repro.core.privacy_claims import (
    ANY_DATA,
    Private,
    audit_shares,
    exact_delta,
    exact_epsilon,
    released,
)
from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency
from repro.labels.privacy.central_noise import under
from repro.labels.privacy.gaussian import GaussianShift, exact_shift
from repro.labels.privacy.mechanism import Guarantee, Mechanism, worst
from repro.p3.objective_perturbation import calibration as calibrations
from repro.p3.objective_perturbation.calibration import Calibration, curvature
from repro.p3.objective_perturbation.curator_release import CuratorRelease, within_algorithm_1
from repro.p3.objective_perturbation.gradients import (
    LONGEST,
    Records,
    one_pair,
    one_ranking,
    pairs,
    pairs_under,
)
from repro.p3.objective_perturbation.joint_release import jointly_certified
from repro.p3.objective_perturbation.line_neighbours import Neighbours, held, second_moment
from repro.p3.objective_perturbation.neighbour_search import World, guesses, mirrored
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.one_dimension import Items, LogisticRecords, Ranking
from repro.p3.objective_perturbation.ranking_distance import joint_rankings
from repro.p3.objective_perturbation.with_covariance import (
    REPLACEMENT,
    OnBallWithGaussian,
    WithGaussian,
    printed_shift,
    squares_apart,
)

RANKED, STEPS = 3, 2
"""K of the K-wise checks, H of the trajectories."""
SHORT, SHORT_OF_BOTH, SHORT_OF_HALVES = 1.1, 1.25, 1.5
"""Factors by which the noise of the closest control is too small: of θ̃ alone, or of both where an
item is added; of both where one is replaced, whose Σ_D and gradient are not farthest apart at once;
of (ε/2, δ/2) twice held to (ε, δ), in which two Gaussian releases have room for √2."""
LEAST, MOST, BISECTIONS = -8.0, 16.0, 14
"""log of the multiples of a ridge that are tried, and bisections of it."""
EVEN_SHARE = 0.5
"""Of the squared shift of both releases, that Σ̃ has where they are certified together."""
MIRRORED_AT = np.linspace(math.pi / 8, math.pi / 2, 4)
"""Angles of mirrored records at finite n; at a quarter of π Σ_D moves farthest."""
NOTHING = 1e-9
"""Shift of Σ̃ below which it tells nothing."""
ANGLES = 2001
"""Of the mirrored record, among which the most telling is sought."""

# Kinds of comparison -----------------------------------------------------------------------------


def records_of_pairs(bound: float) -> Records:
    """What one pair can do on a line."""
    return pairs(bound, 1)


def records_of_rankings(bound: float) -> Records:
    """What one ranking can do on a line."""
    return joint_rankings(RANKED, bound, 1)


def one_ranking_of(bound: float) -> Records:
    """What one ranking that is added can do on a line."""
    return one_ranking(RANKED, bound, 1)


def gamma_of_rankings(bound: float) -> float:
    """γ_K = e^(−4LB)/2."""
    return math.exp(-4 * bound) / 2


@dataclass(frozen=True)
class ComparisonKind:
    """A kind of comparison, with features of norm at most 1.

    Attributes:
        one: a record of largest feature differences.
        other: the record whose gradient is farthest from it.
        gamma: LB → γ of the printed ridge.
        ridge_factor: of the printed ridge, over that of pairs.
        moved: what a record moves Σ_D by, over its printed noise, relative to pairs.
        records: LB → what one record that is replaced can do on a line.
        added: LB → what one record that is added can do there.
        steps: H, by which L is multiplied.
        ranked: K; 2 for pairs.
    """

    one: Items
    other: Items
    gamma: Callable[[float], float] = curvature
    ridge_factor: int = 1
    moved: float = 1.0
    records: Callable[[float], Records] = records_of_pairs
    added: Callable[[float], Records] = one_pair
    steps: int = 1
    ranked: int = 2


PAIRS = ComparisonKind((LogisticRecords(2.0),), (LogisticRecords(-2.0),))
TRAJECTORIES = replace(PAIRS, steps=STEPS)
# Of all rankings with features −1, 0, 1 these two differ most; their terms of n·Σ_K are 8/3 and 2.
RANKINGS = ComparisonKind(
    (Ranking((1.0, 1.0, -1.0)),),
    (Ranking((-1.0, 0.0, 1.0)),),
    gamma=gamma_of_rankings,
    ridge_factor=RANKED**3,
    moved=(8 / 3) / 4 / RANKED**3,
    records=records_of_rankings,
    added=one_ranking_of,
    ranked=RANKED,
)

# The worlds: both releases on neighbouring datasets ----------------------------------------------


@dataclass(frozen=True)
class JointCalibration:
    """Noise of both releases.

    Attributes:
        estimate: σ and A of θ̃.
        shift: what a record moves Σ_D by, over the deviation of the noise on it.
    """

    estimate: Calibration
    shift: float

    def weakened(self, factor: float) -> JointCalibration:
        """The same ridge with ``factor`` times less noise on both."""
        return JointCalibration(self.estimate.weakened(factor), factor * self.shift)


@dataclass(frozen=True, kw_only=True)
class BothReleases(CuratorRelease):
    """Algorithms 1 and 2 on the same neighbouring datasets.

    Attributes:
        reward_bound: LB.
        failure_prob: η.
        adjacency: what neighbours are, and what is certified for them.
    """

    reward_bound: Positive
    failure_prob: Probability
    adjacency: Adjacency = REPLACE
    dimension: ClassVar[int]

    @property
    def records(self) -> Records:
        """What one record can do."""
        return pairs_under(self.adjacency, self.reward_bound, self.dimension)

    @property
    def gamma(self) -> float:
        """γ of the printed ridge."""
        return curvature(self.reward_bound)

    def printed(self, gamma: float) -> JointCalibration:
        """Algorithms 1 and 2 as printed, with that γ in the ridge."""
        given = self.epsilon, self.dp_delta, gamma, self.dimension, self.failure_prob
        shift = printed_shift(self.epsilon, self.dp_delta)
        return JointCalibration(calibrations.printed(*given), shift)

    def told_apart(self, calibration: JointCalibration) -> Mechanism:
        """What is released of the neighbours that are told apart best."""
        raise NotImplementedError

    def under(self, calibration: JointCalibration) -> Mechanism:
        """The same where the noise is what it really is."""
        return under(
            self.noise, lambda multiple: self.told_apart(calibration.weakened(1 / multiple))
        )


@dataclass(frozen=True, kw_only=True)
class OnALine(BothReleases):
    """d = 1: one record exchanged, or moved from a tie; all others ties, or holding θ̂ in place.

    Attributes:
        comparison: what is compared; of trajectories HL stands in the place of L.
        ridge, sigma: multiply the ridge A and the noise σ of b, whatever the algorithm.
        alone: θ̃ without Σ̃, which is claimed to be (ε/2, δ/2)-private.
    """

    comparison: ComparisonKind
    ridge: Positive = 1.0
    sigma: Positive = 1.0
    alone: bool = False
    dimension: ClassVar[int] = 1
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "comparison": {"pairs": PAIRS, "rankings": RANKINGS, "trajectories": TRAJECTORIES}
    }

    @property
    def claimed(self) -> Guarantee:
        return Guarantee(*self.half) if self.alone else super().claimed

    @property
    def radius(self) -> float:
        """HLB."""
        return self.comparison.steps * self.reward_bound

    @property
    def records(self) -> Records:
        if self.adjacency == ADD_REMOVE:
            return self.comparison.added(self.radius)
        return self.comparison.records(self.radius)

    @property
    def gamma(self) -> float:
        return self.comparison.gamma(self.radius)

    def printed(self, gamma: float) -> JointCalibration:
        joint = super().printed(gamma)
        estimate_printed = joint.estimate
        estimate = Calibration(
            estimate_printed.sigma, estimate_printed.ridge * self.comparison.ridge_factor
        )
        return JointCalibration(estimate, self.comparison.moved * joint.shift)

    def told_apart(self, joint: JointCalibration) -> Mechanism:
        estimate_given = joint.estimate
        estimate = Calibration(self.sigma * estimate_given.sigma, self.ridge * estimate_given.ridge)
        most, mechanisms = second_moment(self.comparison.one), []
        for neighbour in self._neighbours(estimate.ridge):
            alone = neighbour.released(estimate, self.radius)
            # A flipped label of a pair leaves Σ_D as it is: nothing is released beside θ̃.
            along = 0.0 if self.alone else neighbour.moved / most * joint.shift
            mechanisms.append(WithGaussian(alone, along) if along else alone)
        return worst(mechanisms, self.claimed.epsilon)

    def _neighbours(self, ridge: float) -> Iterator[Neighbours]:
        first, other = self.comparison.one, self.comparison.other
        yield Neighbours((), (), first)
        yield held(self.comparison.ranked, self.radius, ridge, ADD_REMOVE)
        if self.adjacency == REPLACE:
            yield Neighbours((), first, other)
            yield held(self.comparison.ranked, self.radius, ridge, REPLACE)


@dataclass(frozen=True, kw_only=True)
class InThePlane(BothReleases):
    """d = 2 as n → ∞: a mirrored record, or one that is added, while others pin θ̂ at −B·e₁.

    Both releases are Gaussian there: θ̂ shifts by ‖v‖/σ, Σ̃ by 4√2·sin 2φ/(nσ_Σ) when the record
    lies at the angle ±φ to −θ̂.  At 45° the two versions are orthogonal, and Σ_D moves as far as it
    can.  A record that is added moves Σ_D by 4/n at every angle, and θ̂ most along −θ̂.
    """

    dimension: ClassVar[int] = 2

    def printed(self, gamma: float) -> JointCalibration:
        joint = super().printed(gamma)
        if self.adjacency == ADD_REMOVE:
            return joint
        return JointCalibration(joint.estimate, REPLACEMENT * joint.shift)

    def told_apart(self, joint: JointCalibration) -> GaussianShift:
        """At the angle that tells most."""
        if self.adjacency == ADD_REMOVE:
            single = LONGEST * float(expit(LONGEST * self.reward_bound))
            return GaussianShift(math.hypot(single / joint.estimate.sigma, joint.shift))
        angle = np.linspace(0.0, np.pi / 2, ANGLES)
        losing = expit(LONGEST * self.reward_bound * np.cos(angle))
        force = 2 * LONGEST * np.sin(angle) * losing / joint.estimate.sigma
        return GaussianShift(float(np.hypot(force, joint.shift * np.sin(2 * angle)).max()))


@dataclass(frozen=True, kw_only=True)
class OnABall(BothReleases):
    """n records in d = 1 to 3, of which one is replaced or added, by quadrature.

    Attributes:
        num_features: d.
        searched_pairs: n.
    """

    num_features: Count
    searched_pairs: Pairs

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """d."""
        return self.num_features

    def told_apart(self, joint: JointCalibration) -> Mechanism:
        """Of the starts of the search, and of records mirrored at other angles."""
        place = World(self.searched_pairs, self.reward_bound, self.dimension, self.adjacency)
        tried = guesses(place, joint.estimate, self.epsilon)
        if self.adjacency == REPLACE:
            tried += [mirrored(place, float(angle)) for angle in MIRRORED_AT]
        most, mechanisms = squares_apart(self.adjacency, self.dimension), []
        for datasets in tried:
            alone = OnBallNeighbours(*datasets.datasets(place, joint.estimate))
            along = datasets.squares_apart(place) / most * joint.shift
            # Where Σ_D stays as it is the mirrored record of another angle tells more.
            mechanisms += [OnBallWithGaussian(alone, along)] if along > NOTHING else []
        return worst(mechanisms, self.claimed.epsilon)


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def certified(world: BothReleases) -> JointCalibration:
    """Either release certified at (ε/2, δ/2)."""
    estimate = calibrations.corrected(*world.half, world.records)
    return JointCalibration(estimate, exact_shift(*world.half))


def certified_together(world: BothReleases) -> JointCalibration:
    """Both releases certified at (ε, δ) in one bound."""
    given = world.epsilon, world.dp_delta, world.records, EVEN_SHARE
    return JointCalibration(*jointly_certified(*given))


def printed(world: BothReleases) -> Mechanism:
    """Wrong: ridge and noise of Algorithms 1 and 2 as printed."""
    return world.under(world.printed(world.gamma))


def without_gamma(world: BothReleases) -> Mechanism:
    """Wrong for a sweep of LB: γ at LB = 0."""
    return world.under(world.printed(0.25))


def corrected(world: BothReleases) -> Mechanism:
    """Either release with what is certified at (ε/2, δ/2)."""
    return world.under(certified(world))


def weakened(
    world: BothReleases, by: Callable[[BothReleases], JointCalibration], factor: float
) -> Mechanism:
    """Wrong: ``factor`` times less noise on both."""
    return world.under(by(world).weakened(factor))


def printed_noise(world: BothReleases) -> Mechanism:
    """The printed noise of both on the certified ridge."""
    return _printed_noise(world, 1.0)


def half_printed_noise(world: BothReleases) -> Mechanism:
    """Wrong: half of the printed noise, on the certified ridge."""
    return _printed_noise(world, 2.0)


def _printed_noise(world: BothReleases, factor: float) -> Mechanism:
    joint, ridge = world.printed(world.gamma), certified(world).estimate.ridge
    joint = JointCalibration(Calibration(joint.estimate.sigma, ridge), joint.shift)
    return world.under(joint.weakened(factor))


def printed_ridge(world: BothReleases) -> Mechanism:
    """Wrong: certified noise on the printed ridge."""
    ridge, joint = world.printed(world.gamma).estimate.ridge, certified(world)
    return world.under(JointCalibration(Calibration(joint.estimate.sigma, ridge), joint.shift))


def together(world: BothReleases) -> Mechanism:
    """Both releases with what is certified at (ε, δ) together."""
    return world.under(certified_together(world))


def each_at_the_whole_budget(world: BothReleases) -> Mechanism:
    """Wrong: either release has the whole (ε, δ)."""
    whole = world.epsilon, world.dp_delta
    estimate = calibrations.corrected(*whole, world.records)
    return world.under(JointCalibration(estimate, exact_shift(*whole)))


HALF_NOISE = named("half_noise", weakened, "half of the noise of both", by=certified, factor=2.0)
QUARTER_NOISE = named(
    "quarter_noise", weakened, "a quarter of the noise of both", by=certified, factor=4.0
)
SHORT_NOISE = named(
    "noise_over_1_1", weakened, "the noise of both divided by 1.1", by=certified, factor=SHORT
)
SHORT_HALVES = named(
    "noise_over_1_5",
    weakened,
    "the noise of both divided by 1.5",
    by=certified,
    factor=SHORT_OF_HALVES,
)
TOGETHER_SHORT = named(
    "noise_over_1_1",
    weakened,
    "the noise of both divided by 1.1",
    by=certified_together,
    factor=SHORT,
)
BOTH_SHORT = named(
    "noise_over_1_25",
    weakened,
    "the noise of both divided by 1.25",
    by=certified_together,
    factor=SHORT_OF_BOTH,
)
ESTIMATE = named("estimate", corrected)
PRINTED_ESTIMATE = named(
    "printed_estimate", printed, "ridge and noise as printed, not the certified ones"
)
HALVES = named("halves", corrected)

# Quantities --------------------------------------------------------------------------------------


def multiple_needed(world: OnALine, algorithm: Algorithm, rng: Any, replicates: int) -> float:
    """Smallest multiple of an algorithm's ridge that makes the pair private; inf if none does.

    Once the ridge pays for the change of volume more of it changes δ(ε) little.
    """
    return _multiple_needed(world, algorithm)


@lru_cache(maxsize=1024)
def _multiple_needed(world: OnALine, algorithm: Algorithm) -> float:
    def leaks(log_multiple: float) -> bool:
        multiplied = replace(world, ridge=math.exp(log_multiple))
        mechanism, claimed = released(algorithm, multiplied), world.claimed
        return mechanism.exact_delta(claimed.epsilon) > claimed.dp_delta

    low, high = LEAST, MOST
    if leaks(high):
        return math.inf
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if leaks(middle) else (low, middle)
    return math.exp(high)


DELTA = Quantity("exact δ(ε) / stated δ", exact_delta, evidence="exact")
HALF_DELTA = replace(DELTA, words="exact δ(ε/2) over δ/2")
EPSILON = Quantity("exact ε(δ) / stated ε", exact_epsilon, evidence="exact")
HALF_EPSILON = replace(EPSILON, words="exact ε(δ/2) / stated ε/2")
PIPELINE = replace(EPSILON, words="exact ε of the pipeline / stated ε")
NEEDED = Quantity("multiple of α at which (θ̃, Σ̃) is private", multiple_needed, evidence="exact")
AUDIT = Quantity("exact ε at δ", audit_shares)

# The claims --------------------------------------------------------------------------------------

WRONG = [SHORT_HALVES, QUARTER_NOISE, printed_ridge]
ADDED: Any = {"settles": ["own.one_record_added"]}
THM_4_1: Any = {"settles": ["p3.thm_4_1"]}
THM_4_3: Any = {"settles": ["p3.thm_4_3"]}
THM_5_1: Any = {"settles": ["p3.thm_5_1"]}
NOISE_4_1: Any = {"settles": ["own.one_record_added", "p3.thm_4_1"]}
LEM_B_6: Any = {"settles": ["p3.lem_b_6"]}
LEM_C_6: Any = {"settles": ["p3.lem_c_6"]}
RIDGE: Any = {
    "expected": "contradicted",
    "why": "γ in the ridge falls exponentially in LB, so one record moves θ̃ too much",
}
MIRROR: Any = {
    "expected": "contradicted",
    "why": "a mirrored record moves the gradient by 2.5L and Σ_D by √2·4L²/n",
}


def check(
    name: str, claim: str | Claim, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm] = (), axis: str = "reward_bound", **more: Any,
) -> Check:  # fmt: skip
    """A check along LB, of an inequality unless the claim is another."""
    said = Inequality(claim) if isinstance(claim, str) else claim
    return Check(name=name, axis=axis, claim=said, quantity=quantity, right=right, wrong=wrong,
                 blind=ANY_DATA, **more)  # fmt: skip


CHECKS = [
    check("pairs_printed", "Theorem 4.1 as printed, d = 1", EPSILON, printed, **THM_4_1, **RIDGE),
    check("kwise_printed", "Theorem 4.3 as printed, K = 3, α times K³", EPSILON, printed,
          **THM_4_3, **RIDGE),
    check("trajectory_printed", "Theorem 5.1 as printed, H = 2, L times H", EPSILON, printed,
          **THM_5_1, **RIDGE),
    check("any_constant", "Theorem 4.1 at LB = 10, α times a constant", EPSILON, printed,
          axis="ridge", **THM_4_1, **RIDGE),
    check("constant_needed", Slope("Theorem 4.1: the constant that α lacks {rate}", 2), NEEDED,
          printed, [without_gamma], **THM_4_1),
    check("pairs_corrected", "certified ridge and noise", DELTA, corrected, WRONG, **THM_4_1),
    check("kwise_corrected", "certified ridge and noise, K = 3", DELTA, corrected, WRONG,
          **THM_4_3),
    check("trajectory_corrected", "certified ridge and noise, H = 2", DELTA, corrected, WRONG,
          **THM_5_1),
    check("kwise_estimate_printed", "Lemma B.6 as printed: θ̃ alone, K = 3", HALF_EPSILON,
          PRINTED_ESTIMATE, **LEM_B_6, **RIDGE),
    check("kwise_estimate", "θ̃ alone, certified ridge and noise, K = 3", HALF_DELTA, ESTIMATE,
          [PRINTED_ESTIMATE, SHORT_NOISE], **LEM_B_6),
    check("trajectory_estimate_printed", "Lemma C.6 as printed: θ̃ alone, H = 2", HALF_EPSILON,
          PRINTED_ESTIMATE, **LEM_C_6, **RIDGE),
    check("trajectory_estimate", "θ̃ alone, certified ridge and noise, H = 2", HALF_DELTA,
          ESTIMATE, [PRINTED_ESTIMATE, SHORT_NOISE], **LEM_C_6),
    check("accounting", "the pipeline costs at most ε/2 + ε/2", PIPELINE, corrected,
          [QUARTER_NOISE], axis="dp_delta", **THM_4_1),
    check("audit_corrected", Private("certified, seen from outside"), AUDIT, corrected,
          [HALF_NOISE, QUARTER_NOISE, printed_ridge, printed], **THM_4_1),
    check("pairs_printed_plane", "Theorem 4.1 as printed, d = 2, LB = 1, n → ∞", EPSILON, printed,
          axis="dp_delta", **THM_4_1, **MIRROR),
    check("pairs_halves_plane", "certified at (ε/2, δ/2) each, d = 2, n → ∞", DELTA, HALVES,
          [SHORT_HALVES], **THM_4_1),
    check("pairs_together_plane", "certified at (ε, δ) together, d = 2, n → ∞", DELTA, together,
          [BOTH_SHORT, each_at_the_whole_budget], settles=["own.joint_release"]),
    check("pairs_together_two_dimensions", "certified at (ε, δ) together, d = 2, finite n", DELTA,
          together, [BOTH_SHORT, each_at_the_whole_budget], settles=["own.joint_release"]),
    check("pairs_together_three_dimensions", "certified at (ε, δ) together, d = 3, finite n", DELTA,
          together, [BOTH_SHORT, each_at_the_whole_budget], settles=["own.joint_release"]),
    check("pairs_together_added_two_dimensions",
          "certified at (ε, δ) together, d = 2, finite n, an item added", DELTA, together,
          [TOGETHER_SHORT, each_at_the_whole_budget], **ADDED),
    check("pairs_together_added_three_dimensions",
          "certified at (ε, δ) together, d = 3, finite n, an item added", DELTA, together,
          [TOGETHER_SHORT, each_at_the_whole_budget], **ADDED),
    check("pairs_together", "certified at (ε, δ) together, d = 1", DELTA, together,
          [BOTH_SHORT, each_at_the_whole_budget], settles=["own.joint_release"]),
    check("kwise_any_constant", "Theorem 4.3 at LB = 6, K = 3, σ ten times, α times a constant",
          EPSILON, printed, axis="ridge", **THM_4_3, **RIDGE),
    check("kwise_estimate_any_constant",
          "Lemma B.6 at LB = 6, K = 3, σ ten times, α times a constant", HALF_EPSILON,
          PRINTED_ESTIMATE, axis="ridge", **LEM_B_6, **RIDGE),
    check("kwise_constant_needed",
          Slope("Theorem 4.3, σ ten times: the constant that α lacks {rate}", 4), NEEDED, printed,
          [without_gamma], **THM_4_3),
    check("pairs_printed_added", "Theorem 4.1 as printed, d = 1, an item added", EPSILON, printed,
          **THM_4_1, **RIDGE),
    check("kwise_printed_added", "Theorem 4.3 as printed, K = 3, α times K³, a ranking added",
          EPSILON, printed, **THM_4_3, **RIDGE),
    check("trajectory_printed_added", "Theorem 5.1 as printed, H = 2, L times H, an item added",
          EPSILON, printed, **THM_5_1, **RIDGE),
    check("kwise_estimate_printed_added", "Lemma B.6 as printed: θ̃ alone, K = 3, a ranking added",
          HALF_EPSILON, PRINTED_ESTIMATE, **LEM_B_6, **RIDGE),
    check("trajectory_estimate_printed_added",
          "Lemma C.6 as printed: θ̃ alone, H = 2, an item added", HALF_EPSILON, PRINTED_ESTIMATE,
          **LEM_C_6, **RIDGE),
    check("printed_noise_added", "Theorem 4.1's noise on the certified ridge, d = 1, an item added",
          DELTA, printed_noise, [half_printed_noise], **NOISE_4_1),
    check("printed_noise_added_plane", "Theorem 4.1's noise, d = 2, n → ∞, an item added", DELTA,
          printed_noise, [half_printed_noise], **NOISE_4_1),
    check("pairs_together_added", "certified for an item added, d = 1", DELTA, together,
          [TOGETHER_SHORT, each_at_the_whole_budget], **ADDED),
    check("pairs_together_added_plane", "certified for an item added, d = 2, n → ∞", DELTA,
          together, [TOGETHER_SHORT, each_at_the_whole_budget], **ADDED),
    check("kwise_estimate_added", "θ̃ alone, certified for a ranking added, K = 3", HALF_DELTA,
          ESTIMATE, [PRINTED_ESTIMATE, SHORT_NOISE], **ADDED),
    check("trajectory_estimate_added", "θ̃ alone, certified for an item added, H = 2", HALF_DELTA,
          ESTIMATE, [PRINTED_ESTIMATE, SHORT_NOISE], **ADDED),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """ε ≤ 1 and an n ≥ 2 with δ ≤ 1/n², also at the largest δ."""
    return within_algorithm_1(swept.sweep.worlds[-1])


THEOREM = Theorem(
    title="P3 Theorems 4.1, 4.3, 5.1: privacy of the estimate with the covariance",
    checks=CHECKS,
    corrected={
        "pairs_printed": "pairs_corrected",
        "kwise_printed": "kwise_corrected",
        "trajectory_printed": "trajectory_corrected",
        "any_constant": "pairs_corrected",
        "kwise_estimate_printed": "kwise_estimate",
        "trajectory_estimate_printed": "trajectory_estimate",
        "pairs_printed_plane": "pairs_halves_plane",
        "kwise_any_constant": "kwise_corrected",
        "kwise_estimate_any_constant": "kwise_estimate",
        "pairs_printed_added": "pairs_together_added",
        "kwise_printed_added": "kwise_estimate_added",
        "trajectory_printed_added": "trajectory_estimate_added",
        "kwise_estimate_printed_added": "kwise_estimate_added",
        "trajectory_estimate_printed_added": "trajectory_estimate_added",
    },
    worlds={"line": OnALine, "plane": InThePlane, "ball": OnABall},
    assumes=assumes,
)
