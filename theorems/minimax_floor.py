"""The minimax floor of private and corrupted preference learning, at every level of coverage.

Own statement (proofs in docs/explanations/sharper_floor.md).  Labels as in P4's Definition 5.1,
‖x‖ ≤ 1, ‖θ‖ ≤ B′; Z = α under CTL, c(ε)·α under LTC, α₁ + c(ε)·α₂ under CLC; ξ the least
eigenvalue of E[xxᵀ], 0 without coverage; p(t) = σ(−B′+t) − σ(−B′) and

    ω(Z, ξ) = sup{√m·t : m ≥ ξ, t ≤ 2B′, m·p(t) ≤ Z},    g = max_t t²/p(t),    ω(Z, 0) = √(Z·g).

Every estimator and every sequentially interactive ε-LDP protocol has, in the worst case, a floor of
at least ω(2Z, ξ)/2 in the norm of Σ̂, and the halfspace estimator on randomised responses one of at
most ω(2Z, ξ): a factor 2 at every B′, ε, ξ and d.  γ·g is 2B′ for small B′, .6476 for large, and

    ω(Z, ξ) ≤ min{Z/(γ√ξ), √(Z·g)} ≤ 2ω(Z, ξ):

ζα/(γ√ξ) where coverage rules, √(ζαg) without.  Without coverage the minimax floor of LTC over that
of CTL is at least √c(ε) as α → 0, because LTC(α) is at least as bad as CTL((1−τ)c(ε)α) (Theorem 6
of the page), and at most √(2k/(k+1))·√c(ε) for k features (Theorem 7), √c(ε) for one; one estimator
alone need not feel the order.  In the L2 norm the floor is at least t/2 with ξ·p(t) = 2Z, which is
Z/(γξ) for small Z: P4's Theorem 5.7 is attained with constant 1, and LTC costs c(ε) as α → 0.  For
policies SubOpt/√κ of every learner is, in the worst case, at least ½√(Z·g) as Z → 0, and pessimism
with the halfspace estimator has at most 2√(2Z·g).

Checks.  ``separation``, ``covered_separation``: Lemma 2 of that page, proved by intervals;
``regimes_…``: ω against its two regimes, by formulas.  ``pairs_…``: the largest distance that
corruption can hide, found over all pairs of parameters by passing their labels through the
randomizer. ``halfspace``: that estimator of one feature under the strong adversary, whose floor is
√(Zg) in the rare cell of the worst mass: between .7 and 1 of the bound; ``halfspace_features``: the
same in one to three features, S over every halfspace.  ``exact_…``: with one feature and Z known
the midpoint of the parameters that labels leave possible has floor ½ω(2Z, ξ), the lower bound of
``pairs_…``, at every B′, ξ and order (Theorem 7); ``estimators``: the least floor of Algorithm 1
and of midpoints that believe in Z/2, Z and 2Z.  ``centre``: the centre of the smallest ball that
holds those parameters, k = 1, 2, 3 features, has at most √(2k/(k+1)) times it.
``certificate``: its value for Algorithm 1 beside a bound that no attack exceeds, by duality;
``certificate_policies``: the same for what greedy and pessimistic RLHF and DPO lose. ``curve_…``:
Algorithm 1 in the worst cell of mass m or more is on the curve ω(Z, m). ``l2_…``: Algorithm 1 under
coverage against the least distance. ``policy_…``: the family of the policy theorem.

What would refute it: a random case above 1, or a number off its constant by more than its margin.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field

from repro.base.schema import Number, Positive, Share, Whole
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    largest_of,
    named,
    of_world,
    privacy_mistake,
)
from repro.core.claims import Claim, Inequality, Ratio
from repro.core.proofs import Claimed, proof_of
from repro.labels.corruption.orders import Randomize
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.debiased_mle.labels import (
    AttackedLabels,
    LabelsOfCells,
    algorithm_1,
    attacked_on_both_sides,
    no_debias,
    orders_swapped,
    over_claimed,
    worth_of_flip,
)
from repro.p4.debiased_mle.priced_labels import PricedAnywhere, RandomCells
from repro.p4.label_cells.pairs import PairWorld, orthogonal_cells, random_pair_world
from repro.p4.label_cells.rare_cell import RareCell
from repro.p4.minimax import proofs as proof
from repro.p4.minimax.centre import (
    Estimator,
    Halfspaces,
    any_member,
    attacked_error,
    centre,
    least_halfspace,
)
from repro.p4.minimax.certified_estimation import Change, certificate_ratio
from repro.p4.minimax.certified_policies import VALUES, policy_ratio
from repro.p4.minimax.hidden_pairs import (
    TRUTHS,
    OnLine,
    ParameterPairs,
    covered_distance,
    covered_floor,
    floor_on_line,
    halfspace_on_line,
    hidden_distance,
    hidden_floor,
    least_of_halfspaces,
    midpoint,
)
from repro.p4.minimax.hidden_policy import HiddenMargin, hidden_regret
from repro.p4.minimax.modulus import (
    halfspace_floor,
    hidden_pair,
    least_distance,
    least_floor,
    modulus,
    rise,
    saturation,
    two_regimes,
    worst_step,
)
from repro.worlds.instances.labelled import PrivateLabels

BOUNDS, MOVED = np.linspace(0.05, 10.0, 12), np.geomspace(1e-8, 1e-1, 29)
"""B′ and Z of the two regimes."""

HALFSPACE_TIGHT = 0.7
"""Share of √(2Zg) that the rare cell reaches: √(Zg), .707 of it."""

HALFSPACE_ON_GRID, MIDPOINT_TIGHT = 0.65, 0.98
"""The same on a grid, a fortieth of √(2Zg) wide; and share of ½ω(2Z) that the centre reaches."""

Coverage = Annotated[Number, Field(ge=0, lt=1)]


# Worlds: of proofs and formulas, and of random cases ---------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BoundedMargins:
    """Margins that a proof is about.

    Attributes:
        reward_bound: B′.
    """

    reward_bound: Positive


@dataclass(frozen=True, kw_only=True)
class CoveredModulus:
    """ω at every B′ and Z of ``BOUNDS`` and ``MOVED``.

    Attributes:
        min_eigenvalue: ξ.
    """

    min_eigenvalue: Positive

    @property
    def over_regimes(self) -> list[float]:
        """ω over min{Z/(γ√ξ), √(Zg)}."""
        numbers = [(float(z), float(b), self.min_eigenvalue) for z in MOVED for b in BOUNDS]
        return [modulus(*number) / two_regimes(*number) for number in numbers]


@dataclass(frozen=True)
class RandomLine(RandomCells):
    """Random worlds of one feature, half of them a rare cell of the mass that costs most."""

    def rare(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """A rare cell of that mass, at a random B′."""
        bound = rng.uniform(0.1, 6.0)
        mass, _ = hidden_pair(shift_mass, bound)
        return orthogonal_cells([min(1.0, mass)], [-bound], bound)

    def cells(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """One world, where ζα is ``shift_mass``."""
        if rng.random() < 0.5:
            return self.rare(shift_mass, rng)
        bound = rng.uniform(0.1, 6.0)
        seed, cells = int(rng.integers(2**31)), int(rng.integers(2, 6))
        return random_pair_world(cells, 1, bound, seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedLine(PricedAnywhere):
    """Labels of such worlds, at a random c(ε) and under either order."""

    @property
    def cells(self) -> RandomLine:
        """Random worlds, and the law of c(ε)."""
        return RandomLine(self.privacy_costs)


@dataclass(frozen=True)
class RandomFeatures(RandomLine):
    """Random worlds of some features; the rare cell lies along the first of them.

    Attributes:
        features: k.
    """

    features: int = 1

    def rare(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """A rare cell of that mass, at a random B′; next to nothing is seen of other features."""
        bound = rng.uniform(0.1, 6.0)
        mass, _ = hidden_pair(shift_mass, bound)
        seen = min(1.0, mass)
        others = [1e-9 * seen] * (self.features - 1)
        return orthogonal_cells([seen, *others], [-bound, *(0.0 for _ in others)], bound)

    def cells(self, shift_mass: float, rng: np.random.Generator) -> PairWorld:
        """One random world."""
        bound, more = rng.uniform(0.1, 6.0), int(rng.integers(0, 4))
        seed = int(rng.integers(2**31))
        return random_pair_world(self.features + more, self.features, bound, seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedFeatures(PricedAnywhere):
    """Labels of such worlds, at a random c(ε) and under either order.

    Attributes:
        num_features: k.
    """

    num_features: Annotated[Whole, Field(ge=1, le=3)]

    @property
    def cells(self) -> RandomFeatures:
        """Random worlds, and the law of c(ε)."""
        return RandomFeatures(self.privacy_costs, self.num_features)


@dataclass(frozen=True, eq=False, kw_only=True)
class InfiniteLabels(PrivateLabels, AttackedLabels):
    """Infinitely many labels; of random cells, unless a class says of what."""

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0


# Worlds: parameters that corruption can hide, and one cell that Algorithm 1 reads ----------------


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedLabels(InfiniteLabels):
    """Infinitely many labels of margins in [−B′, B′], in cells of mass ξ or more.

    Attributes:
        reward_bound: B′.
        min_eigenvalue: ξ; 0 where no coverage is assumed.
        reference: whether pairs are as likely as stated, or half of them inform.
    """

    reward_bound: Positive
    min_eigenvalue: Coverage = 0.0
    reference: Literal["as_stated", "uniform"] = "as_stated"

    @property
    def stated(self) -> Any:
        """What the labels are of."""
        raise NotImplementedError

    @property
    def world(self) -> Any:
        """The same under the reference in force."""
        as_stated = self.reference == "as_stated"
        return self.stated if as_stated else self.stated.under_uniform_reference()


@dataclass(frozen=True, eq=False, kw_only=True)
class HiddenPairs(BoundedLabels):
    """Labels under any pair of parameters."""

    @property
    def stated(self) -> ParameterPairs:
        return ParameterPairs(self.reward_bound, self.min_eigenvalue)


@dataclass(frozen=True, eq=False, kw_only=True)
class FarEnd(BoundedLabels):
    """Labels of one cell of mass ξ or more, the truth at the far end of the class."""

    @property
    def stated(self) -> RareCell:
        bound, mass = self.reward_bound, self.min_eigenvalue
        return RareCell(bound, -bound, (mass, 1.0), 2.0, mass)


@dataclass(frozen=True, eq=False, kw_only=True)
class HiddenPolicy(InfiniteLabels):
    """Labels in the family of three states, in which a policy depends on what is hidden.

    Attributes:
        reward_bound: B′ = 2B, the largest margin.
        slant: θ₁ over θ₀.
        known: probability of the state that shows θ₀.
    """

    reward_bound: Positive
    slant: Positive
    known: Share

    @property
    def world(self) -> HiddenMargin:
        """The family."""
        return HiddenMargin(self.reward_bound, self.slant, self.known)


# What is claimed of a world: Z is its ζα ---------------------------------------------------------


def least_estimation(world: HiddenPairs) -> float:
    """½ω(2Z, ξ)."""
    return least_floor(world.moved, world.reward_bound, world.min_eigenvalue)


def least_in_l2(world: BoundedLabels) -> float:
    """t/2, ξp(t) = 2Z."""
    return least_distance(world.moved, world.reward_bound, world.min_eigenvalue)


def on_the_curve(world: FarEnd) -> float:
    """ω(Z, ξ)."""
    return modulus(world.moved, world.reward_bound, world.min_eigenvalue)


def least_regret(world: HiddenPolicy) -> float:
    """½√(Zg)."""
    return (world.moved * saturation(world.reward_bound)) ** 0.5 / 2


# Algorithms: proofs and formulas, and wrong ones -------------------------------------------------


def separated(world: BoundedMargins, share: float) -> Claimed:
    """‖θ−θ′‖²_Σ over a share of g(B′)·E|σ − σ′|."""
    return proof.separation(world.reward_bound, share)


def separated_covered(world: BoundedMargins, share: float) -> Claimed:
    """‖θ−θ′‖_Σ over a share of ω(E|σ − σ′|, ξ)."""
    return proof.covered_separation(world.reward_bound, share)


separation = named("separation", separated, share=1.0)
separation_ten_percent = named(
    "separation_ten_percent", separated, "the bound is 10 % smaller", share=0.9
)
covered_separation = named("covered_separation", separated_covered, share=1.0)
covered_ten_percent = named(
    "covered_ten_percent", separated_covered, "the bound is 10 % smaller", share=0.9
)


@largest_of
def regimes_above(world: CoveredModulus) -> Iterable[float]:
    """ω ≤ min{Z/(γ√ξ), √(Zg)}."""
    return world.over_regimes


@largest_of
def regimes_above_ten_percent(world: CoveredModulus) -> Iterable[float]:
    """Wrong: nine tenths of the minimum."""
    return (ratio / 0.9 for ratio in world.over_regimes)


@largest_of
def regimes_below(world: CoveredModulus) -> Iterable[float]:
    """min{Z/(γ√ξ), √(Zg)} ≤ 2ω."""
    return (0.5 / ratio for ratio in world.over_regimes)


@largest_of
def regimes_never_meet(world: CoveredModulus) -> Iterable[float]:
    """Wrong: the minimum is at most 1.25·ω, as if the corner were sharp."""
    return (0.8 / ratio for ratio in world.over_regimes)


# Algorithms in random worlds: the halfspace estimator, and attacks beside their certificates -----


def halfspace(
    world: PricedLine, rng: np.random.Generator, replicates: int, share: float = 1.0
) -> np.ndarray:
    """(R,) floors of the halfspace estimator over a share of √(2Zg)."""
    return _halfspace(world, rng, replicates, share, paid=True)


halfspace_two_thirds = named(
    "halfspace_two_thirds", halfspace, "two thirds of the bound", share=2 / 3
)


def halfspace_without_cost(
    world: PricedLine, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """Wrong under LTC: ζ = 1."""
    return _halfspace(world, rng, replicates, share=1.0, paid=False)


def _halfspace(
    world: PricedLine, rng: np.random.Generator, replicates: int, share: float, paid: bool
) -> np.ndarray:
    """Floor/bound in a random world, or, half of the time, the worse of it and .7·bound/floor in
    the rare cell."""
    ratios = []
    for _ in range(replicates):
        priced = world.priced(rng)
        shift = priced.flip_worth * priced.corruption
        moved = shift if paid else priced.corruption

        def over_bound(cells: PairWorld, priced=priced, moved=moved) -> float:
            floor = halfspace_on_line(LabelsOfCells.of(priced, cells))
            return floor / (share * halfspace_floor(moved, cells.radius))

        if rng.random() < 0.5:
            ratios.append(over_bound(world.cells.cells(shift, rng)))
            continue
        rare = world.cells.rare(shift, rng)
        tight = over_bound(rare)
        # where the rare cell would need more mass than there is the floor is lower
        below = HALFSPACE_TIGHT / max(tight, 1e-300) if float(rare.cell_prob.sum()) < 1 else 0.0
        ratios.append(max(tight, below))
    return np.array(ratios)


def on_halfspaces(
    world: PricedFeatures, rng: np.random.Generator, replicates: int, estimator: Estimator,
    share: Callable[[int], float], tight: float, paid: bool = True,
) -> np.ndarray:  # fmt: skip
    """(R,) error/bound in a random world, or, half of the time, in a rare cell the worse of it and
    tight/error.

    Args:
        world: random worlds of k features.
        rng: stream.
        replicates: R.
        estimator: that looks at halfspaces.
        share: k → the bound, in units of √(2Zg) = ω(2Z).
        tight: what the rare cell is to cost at least, in the same units.
        paid: whether the estimator believes in Z = ζα; else in α.
    """
    ratios = []
    for _ in range(replicates):
        priced = world.priced(rng)
        shift = priced.flip_worth * priced.corruption
        believed = shift if paid else priced.corruption
        # the least S pays most for a cell that hides Z, the centre for one that hides 2Z
        hidden = shift if estimator is least_halfspace else 2 * shift
        in_rare = rng.random() < 0.5
        cells = world.cells.rare(hidden, rng) if in_rare else world.cells.cells(shift, rng)
        error = _over_modulus(priced, cells, believed, estimator)
        # where the rare cell would need more mass than there is the floor is lower
        roomy = in_rare and float(cells.cell_prob.sum()) < 1
        below = tight / max(error, 1e-300) if roomy else 0.0
        ratios.append(max(error / max(share(world.num_features), 1e-300), below))
    return np.array(ratios)


def _over_modulus(
    labels: PricedAnywhere, cells: PairWorld, believed: float, estimator: Estimator
) -> float:
    """Error under attack over √(2Zg)."""
    shift = labels.flip_worth * labels.corruption
    reach = halfspace_floor(shift, cells.radius)
    mass = cells.cell_prob[None]
    sent = LabelCounts(mass, mass * labels.labels(torch.sigmoid(cells.reward_diff)))
    reported = Randomize.of(labels.channel, labels.epsilon).apply(None, sent, labels.read)
    read = labels.read(reported)[0].numpy()

    def returned(theta: np.ndarray) -> np.ndarray:
        return labels.estimate(torch.from_numpy(theta), cells.truth).numpy()

    moved = labels.flip_worth * labels.attacked_share
    there = Halfspaces(cells, reach)
    return attacked_error(there, read, moved, believed, estimator, returned) / reach


def whole(features: int) -> float:
    """Theorem 3: ω(2Z)."""
    return 1.0


def by_jung(features: int) -> float:
    """Theorem 7: √(k/(2(k+1)))."""
    return (features / (2 * (features + 1))) ** 0.5


def by_jung_of_fewer(features: int) -> float:
    """Wrong: k − 1 for k, the dimension of the simplex taken for that of its facets."""
    return ((features - 1) / (2 * features)) ** 0.5


features_halfspace = named("halfspace", on_halfspaces, estimator=least_halfspace, share=whole,
                           tight=HALFSPACE_ON_GRID)  # fmt: skip
features_centre = named("centre", on_halfspaces, estimator=centre, share=by_jung,
                        tight=MIDPOINT_TIGHT / 2)  # fmt: skip
halfspace_wrong = [
    named("least_for_centre", on_halfspaces,
          "the halfspace of least S, not the centre", estimator=least_halfspace, share=by_jung,
          tight=HALFSPACE_ON_GRID),
]  # fmt: skip
centre_wrong = [
    named("any_member", on_halfspaces,
          "any member of the set, not its centre", estimator=any_member, share=by_jung,
          tight=MIDPOINT_TIGHT / 2),
    named("cost_forgotten", on_halfspaces,
          "the estimator takes α for Z and forgets c(ε)", estimator=centre, share=by_jung,
          tight=MIDPOINT_TIGHT / 2, paid=False),
    named("one_dimension_fewer", on_halfspaces,
          "the bound of k − 1 features", estimator=centre, share=by_jung_of_fewer,
          tight=MIDPOINT_TIGHT / 2),
]  # fmt: skip


# Algorithms on one cell: the lower bound attained ------------------------------------------------


def on_line(
    world: HiddenPairs, rng: Any, replicates: int, estimator: OnLine,
    believed: Callable[[HiddenPairs], float],
) -> float:  # fmt: skip
    """Largest floor of an estimator of one feature, over truths and masses of ξ or more."""
    return floor_on_line(world, estimator, believed(world))


def moved_in_all(world: HiddenPairs) -> float:
    """Z."""
    return world.moved


def moved_by_the_other_order(world: HiddenPairs) -> float:
    """Wrong: Z of CTL under LTC, and of LTC under CTL."""
    return worth_of_flip(world.order.swapped, world.epsilon) * world.corruption


def least_of_floors(
    world: HiddenPairs, rng: Any, replicates: int, change: Algorithm, truths: int = TRUTHS
) -> float:
    """Least floor of Algorithm 1 and of midpoints that believe in Z/2, Z and 2Z."""
    attacked = change(world)
    floors = [
        floor_on_line(attacked, estimator, times * world.moved, truths)
        for estimator, times in (
            (least_of_halfspaces, 0.0), (midpoint, 0.5), (midpoint, 1.0), (midpoint, 2.0)
        )
    ]  # fmt: skip
    return min(floors)


middle = named("midpoint", on_line, estimator=midpoint, believed=moved_in_all)
middle_wrong = [
    named(
        "least_halfspace",
        on_line,
        "the halfspace of least S, without Z",
        estimator=least_of_halfspaces,
        believed=moved_in_all,
    ),
    privacy_mistake(
        named(
            "order_misread",
            on_line,
            "Z of the other order of privacy and corruption",
            estimator=midpoint,
            believed=moved_by_the_other_order,
        )
    ),
]
estimators = named("estimators", least_of_floors, change=algorithm_1)
estimators_wrong = [
    named(
        "orders_swapped",
        least_of_floors,
        "the other order of privacy and corruption",
        change=orders_swapped,
    ),
    named(
        "even_labels_alone",
        least_of_floors,
        "0 is the only truth that is tried",
        change=algorithm_1,
        truths=1,
    ),
]


def whole_budget(labels: LabelsOfCells) -> LabelsOfCells:
    """Right: the attack spends α."""
    return labels


def a_fifth_unspent(labels: LabelsOfCells) -> LabelsOfCells:
    """Wrong: it leaves a fifth of α."""
    return replace(labels, corruption=labels.corruption / 1.25)


def a_quarter_overspent(labels: LabelsOfCells) -> LabelsOfCells:
    """Wrong: it spends a quarter more than α."""
    return replace(labels, corruption=1.25 * labels.corruption)


def beside_certificates(
    world: InfiniteLabels, rng: np.random.Generator, replicates: int, spending: Change
) -> np.ndarray:
    """(R,) random worlds, either order, the L2 norm and that of the data."""
    return np.array([certificate_ratio(world, rng, spending) for _ in range(replicates)])


def policies_beside_certificates(
    world: InfiniteLabels, rng: np.random.Generator, replicates: int, spending: Change
) -> np.ndarray:
    """(R,) greedy, pessimistic or DPO at random."""
    kinds = rng.integers(len(VALUES), size=replicates)
    return np.array([policy_ratio(world, int(kind), rng, spending) for kind in kinds])


def three(algorithm: Algorithm) -> tuple[Algorithm, list[Algorithm]]:
    """An attack that spends α, and those that spend less and more."""
    return named("certified", algorithm, spending=whole_budget), [
        named(
            "fewer_flips", algorithm, "the attack spends four fifths of α", spending=a_fifth_unspent
        ),
        named("more_flips", algorithm, "the attack spends 1.25·α", spending=a_quarter_overspent),
    ]


certified, misspent = three(beside_certificates)
policies_certified, policies_misspent = three(policies_beside_certificates)


# Algorithms as changes of the world --------------------------------------------------------------

any_learner = named("any_learner", algorithm_1)
"""No estimator is named."""


def one_side_attacked(world: AttackedLabels) -> AttackedLabels:
    """Wrong: all the flips under one of the two parameters, half as many in all."""
    return replace(world, spent=0.5)


# Quantities --------------------------------------------------------------------------------------

PROVED = Quantity("left side / right side", proof_of, evidence="proved")
SEARCHED = Quantity("left side / right side", evidence="searched")
REGIMES = Quantity("left side / right side, largest", of_world, evidence="computed")
HIDDEN = over_claimed("half the largest hidden distance / ½ω(2Z, ξ)", hidden_floor,
                      least_estimation)  # fmt: skip
EXACT = Quantity("floor of the midpoint / ½ω(2Z, ξ)", evidence="exact", over=least_estimation)
LEAST = Quantity("least floor of four estimators / ½ω(2Z, ξ)", evidence="exact",
                 over=least_estimation)  # fmt: skip
HIDDEN_L2 = over_claimed("half the largest hidden L2 distance / claimed", hidden_distance,
                         least_in_l2)  # fmt: skip
REGRET = over_claimed("SubOpt/√κ of a hidden margin / ½√(Zg)", hidden_regret, least_regret)
CURVE = over_claimed("worst floor at coverage ξ / ω(Z, ξ)", covered_floor, on_the_curve)
DISTANCE = over_claimed("floor of ‖θ̂ − θ_true‖₂ / least of any estimator", covered_distance,
                        least_in_l2)  # fmt: skip


# The claims --------------------------------------------------------------------------------------

FLOOR, POLICY, L2 = ["own.minimax_floor"], ["own.minimax_policy_floor"], ["own.minimax_l2_floor"]
CERTIFICATE = ["own.attack_certificate"]
SWAPPED = [one_side_attacked, attacked_on_both_sides, orders_swapped]
TWO_SHARES = [one_side_attacked]
MISREAD = [no_debias, attacked_on_both_sides, orders_swapped]
EVERY_LEARNER: dict[str, str] = dict.fromkeys(
    ("estimate", "algorithm"), "a lower bound over all learners: nothing is estimated"
)


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm], settles: Sequence[str] = (), **more: Any,
) -> Check:  # fmt: skip
    """A check with all that it has to say in one line."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, **more)  # fmt: skip


def every_learner(
    name: str, axis: str, words: str, wrong: Sequence[Algorithm], quantity: Quantity = HIDDEN,
    settles: Sequence[str] = (),
) -> Check:  # fmt: skip
    """What no learner's floor stays below."""
    return check(name, axis, Ratio(words), quantity, any_learner, wrong, settles,
                 blind=EVERY_LEARNER)  # fmt: skip


CHECKS = [
    check("separation", "reward_bound", Inequality("‖θ−θ′‖²_Σ ≤ g(B′)·E|σ − σ′|"), PROVED,
          separation, [separation_ten_percent]),
    check("covered_separation", "reward_bound", Inequality("‖θ−θ′‖_Σ ≤ ω(E|σ − σ′|, ξ)"), PROVED,
          covered_separation, [covered_ten_percent]),
    check("regimes_above", "min_eigenvalue", Inequality("ω(Z, ξ) ≤ min{Z/(γ√ξ), √(Zg)}", 1e-6),
          REGIMES, regimes_above, [regimes_above_ten_percent]),
    check("regimes_below", "min_eigenvalue", Inequality("min{Z/(γ√ξ), √(Zg)} ≤ 2ω(Z, ξ)"),
          REGIMES, regimes_below, [regimes_never_meet]),
    check("halfspace", "corruption",
          Inequality("halfspace estimator: floor ≤ √(2Zg), √(Zg) attained", 1e-6), SEARCHED,
          named("halfspace", halfspace), [halfspace_two_thirds, halfspace_without_cost]),
    check("certificate", "privacy_cost",
          Inequality("strong adversary: .95·certificate ≤ value ≤ certificate", 1e-6), SEARCHED,
          certified, misspent, CERTIFICATE),
    check("certificate_policies", "privacy_cost",
          Inequality("greedy, pessimistic, DPO: .95·certificate ≤ value ≤ certificate", 1e-6),
          SEARCHED, policies_certified, policies_misspent, CERTIFICATE),
    every_learner("pairs_ltc_cost", "privacy_cost", "LTC, every estimator: floor ≥ √(c(ε)αg/2)",
                  SWAPPED),
    every_learner("pairs_ctl_cost", "privacy_cost", "CTL, every estimator: floor ≥ √(αg/2)",
                  SWAPPED),
    every_learner("pairs_clc_cost", "privacy_cost", "CLC: floor ≥ √((α + c(ε)α)g/2)",
                  TWO_SHARES),
    every_learner("pairs_reward_bound", "reward_bound", "LTC: floor ≥ √(Zg(B′)/2), along B′",
                  SWAPPED),
    every_learner("pairs_coverage", "min_eigenvalue", "LTC: floor ≥ ½ω(2Z, ξ), along ξ",
                  TWO_SHARES),
    check("exact_ltc_cost", "privacy_cost", Ratio("LTC, one feature: midpoint's floor = ½ω(2c(ε)α)",
                                                  tolerance=0.01), EXACT, middle, middle_wrong),
    check("exact_ctl_cost", "privacy_cost", Ratio("CTL, one feature: midpoint's floor = ½ω(2α)",
                                                  tolerance=0.01), EXACT, middle, middle_wrong),
    check("exact_reward_bound", "reward_bound",
          Ratio("LTC, one feature: midpoint's floor = ½ω(2Z), along B′", tolerance=0.01), EXACT,
          middle, middle_wrong),
    check("exact_coverage", "min_eigenvalue",
          Ratio("LTC, one feature: midpoint's floor = ½ω(2Z, ξ), along ξ", tolerance=0.01), EXACT,
          middle, middle_wrong),
    check("estimators", "privacy_cost",
          Ratio("Algorithm 1, midpoints: the least floor = ½ω(2Z)", tolerance=0.01), LEAST,
          estimators, estimators_wrong),
    check("halfspace_features", "num_features",
          Inequality("halfspace estimator, k features: floor ≤ √(2Zg), √(Zg) attained", 1e-6),
          SEARCHED, features_halfspace, halfspace_wrong),
    check("centre", "num_features",
          Inequality("centre of K, k features: ½√(2Zg) ≤ floor ≤ √(k/(2(k+1)))·√(2Zg)", 1e-6),
          SEARCHED, features_centre, centre_wrong),
    check("curve_ltc", "min_eigenvalue", Ratio("LTC: Algorithm 1 on the curve ω(Z, ξ)"), CURVE,
          algorithm_1, MISREAD),
    check("curve_ctl", "min_eigenvalue", Ratio("CTL: Algorithm 1 on the curve ω(α, ξ)"), CURVE,
          algorithm_1, MISREAD),
    every_learner("l2_pairs", "privacy_cost",
                  "LTC, every estimator: ‖θ̂−θ‖₂ ≥ t/2, ξp(t) = 2Z", SWAPPED, HIDDEN_L2, L2),
    check("l2_ltc", "privacy_cost", Ratio("LTC: Algorithm 1 attains it as Z → 0"), DISTANCE,
          algorithm_1, MISREAD, L2),
    check("l2_ctl", "privacy_cost", Ratio("CTL: Algorithm 1 attains it as Z → 0"), DISTANCE,
          algorithm_1, MISREAD, L2),
    every_learner("policy_ltc_cost", "privacy_cost",
                  "LTC, every learner: SubOpt/√κ ≥ ½√(c(ε)αg) as α → 0", SWAPPED, REGRET,
                  POLICY),
    every_learner("policy_reward_bound", "reward_bound",
                  "LTC, every learner: SubOpt/√κ ≥ ½√(Zg(B)), along B", SWAPPED, REGRET, POLICY),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Cells of hidden pairs have room: twice Z is at most p(t) at the worst t."""
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        if isinstance(world, HiddenPairs):
            moved = 2 * world.moved
            room = float(rise(worst_step(world.reward_bound), world.reward_bound))
            at = f"at {swept.sweep.grid[end]:g}: a rare cell"
            yield at, moved <= room, f"2Z/p = {moved / room:.3g}"


THEOREM = Theorem(
    title="The minimax floor of corruption and privacy, with coverage and without",
    settles=FLOOR,
    checks=CHECKS,
    worlds={
        "margins": BoundedMargins, "modulus": CoveredModulus, "line": PricedLine,
        "features": PricedFeatures,
        "random": InfiniteLabels, "hidden": HiddenPairs, "far_end": FarEnd,
        "policy": HiddenPolicy,
    },
    assumes=assumes,
)  # fmt: skip
