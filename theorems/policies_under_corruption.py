"""Policies under corruption: Theorem 6.2's floor is attained, and Theorem 6.1 needs to know α.

Own statement (about P4's Theorems 6.1 and 6.2; proofs in docs/explanations/sharper_floor.md).
Z = α under CTL, c(ε)·α under LTC, α₁ + c(ε)·α₂ under CLC.

**Theorem 8 (uniform coverage).**  Two responses differ by the margin θ ∈ [−B′, B′] in every state,
and pairs of mass ξ ≤ ½ show it.  Every learner behind every sequentially interactive ε-LDP protocol
has, in the worst case of θ and the adversary, SubOpt ≥ atanh(2Z/ξ) with probability ½ − o(1), as
long as 2Z ≤ ξ·tanh(B′/2); the learner who knows Z and mixes its responses has no more as n → ∞, if
2Z ≤ .41·ξ, and greedy RLHF exactly twice that.  So LTC over CTL is atanh(2c(ε)α/ξ)/atanh(2α/ξ), at
least c(ε), and tends to it as α → 0.  Over all problems of coverage ξ with ‖x‖ ≤ 1 the floor of
Theorem 6.2 lies between this 2Z/ξ and the printed Z/(γξ) with constant 1: c(ε) up to a factor
1/(2γ) either way.

**Theorem 9 (unknown α).**  A learner that is not told α and whose SubOpt vanishes at α = 0 as
n → ∞ wherever κ(π†, π_ref) is finite, as Theorem 6.1 says, loses at every α₀ > 0 the whole margin,
up to B′, against a π* with κ(π*, π_ref) = 0: no constant makes Theorem 6.1 true at 0 and at α₀
together.

Checks.  ``hidden_…``: the worst pair of margins that corruption can hide, found over all pairs by
passing their labels through the randomizer, and the best mixture against it.  ``mixing_…``: the
learner who knows Z under the strong adversary, its largest loss over all margins: the same number.
``greedy_twice``: greedy RLHF.  ``separation``: LTC over CTL, c(ε) to four digits at small α;
``separation_at_any_share``: the closed ratio.  ``either_or``: whatever multiple of its penalty
Algorithm 2 (η = 1) takes, the larger of its losses at 0 and at α₀ is the whole margin.
``vanishes_at_zero``, ``lost_at_share``: with the penalty of α = 0 its loss on n private labels
vanishes at α = 0, and is the whole margin under α₀.

Prior work: that the level of corruption must be known where coverage is not uniform is a theorem of
Zhang, Chen, Zhu and Sun (2022) for offline reinforcement learning; Theorem 9 is its counterpart for
private labels of pairs in P4's setting.

What would refute it: a hidden pair that costs more, a learner that loses less, or a penalty free of
α with which Algorithm 2 keeps both promises.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import Pairs, Positive, Share
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    named,
    privacy_mistake,
)
from repro.core.claims import Claim, Ratio
from repro.labels.corruption.orders import Order
from repro.p4.debiased_mle.estimation import fitted, true_counts
from repro.p4.debiased_mle.labels import (
    AttackedLabels,
    algorithm_1,
    orders_swapped,
    over_claimed,
    worth_of_flip,
)
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.label_cells.pairs import orthogonal_cells
from repro.p4.linear_rlhf.pessimism import ConfidenceSet, pessimistic_policy
from repro.p4.minimax.covered_policy import hidden_loss, least_loss, loss_floor
from repro.p4.minimax.hidden_pairs import ParameterPairs
from repro.p4.minimax.modulus import saturation
from repro.worlds.instances.labelled import PrivateLabels

PENALTIES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Multiples of √(Zg), the penalty that α₀ asks for."""
SPARE = 0.9
"""Share of the budget that turning the rare cell takes, so that n labels' noise has room."""
DELTA = 0.05
RIDGE = 1e-12
EVEN = 0.41
"""2Z/ξ up to which no uneven pair of margins costs more: σ(ℓ) − ½ where ℓ·tanh(ℓ/2) = 2."""


# Worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class CoveredMargin(PrivateLabels, AttackedLabels):
    """Infinitely many labels of one margin in [−B′, B′], which pairs of mass ξ show.

    Attributes:
        reward_bound: B′.
        min_eigenvalue: ξ.
        against: the order whose floor divides, where two are compared.
    """

    reward_bound: Positive
    min_eigenvalue: Share
    against: Order = Order.CTL

    def __post_init__(self) -> None:
        super().__post_init__()
        if 2 * self.moved >= self.min_eigenvalue:
            allowed = (
                f"values with 2ζα below ξ = {self.min_eigenvalue:g}; 2ζα is {2 * self.moved:.3g}"
            )
            raise BadInput(
                "epsilon", self.epsilon, f"corruption hides every margin; allowed: {allowed}"
            )

    @property
    def world(self) -> ParameterPairs:
        """All margins."""
        return ParameterPairs(self.reward_bound, self.min_eigenvalue)

    def more_labels(self, other: Any) -> float:
        """There are enough at every ε."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class HiddenSign(PrivateLabels, AttackedLabels):
    """Labels of a rare pair whose margin is B′ or −B′; elsewhere the same margin is not seen.

    The share of labels is α₀.

    Attributes:
        reward_bound: B′.
        stated: the order that the rare pair's mass is stated for: just light enough to be turned.
        margin: that the labels are of, in units of B′.
    """

    reward_bound: Positive
    stated: Order = Order.LTC
    margin: float = 1.0

    @property
    def mass(self) -> float:
        """m with m·tanh(B′/2) = .9·Z."""
        moved = worth_of_flip(self.stated, self.epsilon) * self.corruption
        return min(0.5, SPARE * moved / float(np.tanh(self.reward_bound / 2)))

    @property
    def world(self) -> Any:
        """The rare pair."""
        bound = self.reward_bound
        return orthogonal_cells([self.mass], [self.margin * bound], bound)

    def more_labels(self, other: Any) -> float:
        """The rare pair's mass follows ε, and so does what n has to be."""
        return 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelsOfSign(HiddenSign):
    """n of them.

    Attributes:
        n_pairs: n.
    """

    n_pairs: Pairs = field()  # type: ignore[assignment]


# What is claimed of a world ----------------------------------------------------------------------


def least(world: CoveredMargin) -> float:
    """atanh(2Z/ξ)."""
    return least_loss(world.moved, world.min_eigenvalue)


def twice(world: CoveredMargin) -> float:
    """2·atanh(2Z/ξ)."""
    return 2 * least(world)


def cost(world: CoveredMargin) -> float:
    """c(ε)."""
    return privacy_cost(world.epsilon)


def closed_ratio(world: CoveredMargin) -> float:
    """atanh(2c(ε)α/ξ)/atanh(2α/ξ)."""
    return least(world) / least(replace(world, order=world.against))


# Algorithms under coverage: changes of the world, and learners -----------------------------------

Believed = Callable[[CoveredMargin], float]
"""World → the Z that a learner believes in."""
any_learner = named("any_learner", algorithm_1)
"""No learner is named."""


def one_side_attacked(world: CoveredMargin) -> CoveredMargin:
    """Wrong: all the flips under one of the two margins, half as many in all."""
    return replace(world, spent=0.5)


def moved_in_all(world: CoveredMargin) -> float:
    """Z."""
    return world.moved


def all_but_two_percent(world: CoveredMargin) -> float:
    """Wrong: .98·Z."""
    return 0.98 * world.moved


def nothing_moved(world: CoveredMargin) -> float:
    """0: greedy RLHF."""
    return 0.0


def moved_by_the_other_order(world: CoveredMargin) -> float:
    """Wrong: Z of CTL under LTC, and of LTC under CTL."""
    return worth_of_flip(world.order.swapped, world.epsilon) * world.corruption


def largest_loss(world: CoveredMargin, rng: Any, replicates: int, believed: Believed) -> float:
    """Largest SubOpt over margins."""
    return loss_floor(world, believed(world))


def two_orders(world: CoveredMargin, rng: Any, replicates: int, believed: Believed) -> float:
    """That under the world's order over that under the other, and more if the latter is off its
    closed form: two losses that are wrong alike are wrong.
    """
    other = replace(world, order=world.against)
    above, below = (loss_floor(ordered, believed(ordered)) for ordered in (world, other))
    ratio = above / below if below else math.nan
    return ratio + ratio * abs(below / least(other) - 1)


mixing = named("mixing", largest_loss, believed=moved_in_all)
short_of_all = named(
    "all_but_two_percent",
    largest_loss,
    "the promise is paid for .98·Z",
    believed=all_but_two_percent,
)
greedy = named("greedy", largest_loss, believed=nothing_moved)
greedy_instead = named("greedy", greedy, "greedy RLHF pays for no corruption")
misread = privacy_mistake(
    named(
        "order_misread",
        largest_loss,
        "Z of the other order of privacy and corruption",
        believed=moved_by_the_other_order,
    )
)
mixing_ratio = named("mixing", two_orders, believed=moved_in_all)
misread_ratio = privacy_mistake(
    named(
        "order_misread",
        two_orders,
        "Z of the other order of privacy and corruption",
        believed=moved_by_the_other_order,
    )
)


# Algorithms where α is not known -----------------------------------------------------------------

PenaltyOf = Callable[[HiddenSign, bool], float]
"""(world, whether it is attacked) → Γ."""


def loss(world: HiddenSign, rng: Any, replicates: int, penalty: PenaltyOf) -> np.ndarray:
    """(R,) SubOpt of Algorithm 2 (η = 1) over B′, of labels that are attacked or not."""
    cells, attacked = world.world, world.adversary.acts
    counts = true_counts(world, rng, replicates)
    x, sign = cells.coordinates, float(np.sign(world.margin))
    mass = counts.pairs / (world.n_pairs or 1)
    target = LogisticTarget.signed(x, mass, cells.radius, -sign * x[None])
    estimated = fitted(world, target, counts, rng, cells.truth)
    width = penalty(world, attacked)
    taken = [
        _first(float(theta[0] * x[0, 0].sign()), float(seen), width, world)
        for theta, seen in zip(estimated, mass[:, 0], strict=True)
    ]
    return 1 - np.array(taken) if sign > 0 else np.array(taken)


def _first(theta: float, mass: float, width: float, world: HiddenSign) -> float:
    """Probability with which Algorithm 2's policy takes the first response; π_ref never does."""
    features = np.array([[[0.5], [-0.5]]] * 2)
    states = np.array([2 * world.mass, 1 - 2 * world.mass])
    metric = np.array([[mass + RIDGE]])
    believed = ConfidenceSet(
        np.array([theta]), metric, max(width, RIDGE), world.reward_bound * (1 + RIDGE)
    )
    policy, _ = pessimistic_policy(believed, features, states, np.array([[0.0, 1.0]] * 2))
    return float(states @ policy[:, 0])


def asked_for(world: HiddenSign) -> float:
    """√(Zg): the Γ that α₀ asks for."""
    moved = worth_of_flip(world.stated, world.epsilon) * world.corruption
    return (moved * saturation(world.reward_bound)) ** 0.5


def of_noise(world: HiddenSign) -> float:
    """c(ε)/γ·√((1 + ln(1/δ))/n): the Γ that n labels ask for; 0 of infinitely many."""
    if not world.n_pairs:
        return 0.0
    gamma = 1 / (4 * np.cosh(world.reward_bound / 2) ** 2)
    return privacy_cost(world.epsilon) / gamma * ((1 - np.log(DELTA)) / world.n_pairs) ** 0.5


def two_losses(world: HiddenSign, rng: Any, replicates: int, penalty: PenaltyOf) -> np.ndarray:
    """(2, R) losses over B′: of the margin B′ at α = 0, and of −B′ under α₀."""
    honest = replace(world, adversary=world.idle_adversary)
    turned = replace(world, margin=-1.0)
    return np.array([loss(world_of, rng, replicates, penalty) for world_of in (honest, turned)])


def either_or(world: HiddenSign, rng: Any, replicates: int, known_truth: bool = False) -> float:
    """The larger of the two losses, at the best penalty, plus what no penalty can spare.

    The latter is 0: without penalty nothing is lost at α = 0, with a large one nothing under α₀.
    """
    losses = [
        two_losses(world, rng, 1, lambda noise_of, attacked, times=times: (
            times * asked_for(noise_of) if attacked or not known_truth else 0.0
        ))[:, 0]
        for times in PENALTIES
    ]  # fmt: skip
    return float(min(noise_of.max() for noise_of in losses) + losses[0][0] + losses[-1][1])


@privacy_mistake
def swapped(world: HiddenSign, rng: Any, replicates: int) -> float:
    """Wrong: the adversary in front of the randomizer, where a flip is worth less."""
    return either_or(orders_swapped(world), rng, replicates)


either, told_share = (
    named("either_or", either_or),
    named(
        "told_alpha",
        either_or,
        "the penalty depends on the true α, which no learner knows",
        known_truth=True,
    ),
)


def promises(
    world: HiddenSign, rng: np.random.Generator, replicates: int, penalty: PenaltyOf
) -> np.ndarray:
    """(R,) half of what is kept at α = 0 and of what is lost under α₀, over B′."""
    honest, turned = two_losses(world, rng, replicates, penalty)
    return (1 - honest + turned) / 2


def for_noise(world: HiddenSign, attacked: bool) -> float:
    """Γ of α = 0."""
    return of_noise(world)


def for_share(world: HiddenSign, attacked: bool) -> float:
    """Γ of α₀, where nobody attacks either."""
    return of_noise(world) + asked_for(world)


def for_what_happens(world: HiddenSign, attacked: bool) -> float:
    """Γ of the α that there is, as if it were known."""
    return of_noise(world) + (asked_for(world) if attacked else 0.0)


at_zero = named("penalty_of_zero", promises, penalty=for_noise)
promises_wrong = [
    named(
        "penalty_of_alpha",
        promises,
        "the penalty of α₀ even where nobody attacks",
        penalty=for_share,
    ),
    named(
        "told_alpha",
        promises,
        "the penalty depends on the true α, which no learner knows",
        penalty=for_what_happens,
    ),
]


# Quantities --------------------------------------------------------------------------------------

HIDDEN = over_claimed("best loss against a hidden pair of margins / atanh(2Z/ξ)",
                      lambda case, rng, replicates: hidden_loss(case), least)  # fmt: skip
LOSS = Quantity("largest loss / atanh(2Z/ξ)", evidence="exact", over=least)
TWICE = Quantity("largest loss / 2·atanh(2Z/ξ)", evidence="exact", over=twice)
OVER_COST = Quantity(
    "loss under LTC / loss under CTL / c(ε), off by what CTL is off", evidence="exact", over=cost
)
OVER_CLOSED = Quantity("loss under LTC / loss under CTL / closed ratio, likewise", evidence="exact",
                       over=closed_ratio)  # fmt: skip
EITHER = Quantity("larger of two losses / B′, at the best penalty", evidence="exact")
BOTH = Quantity("half of what is kept at 0 and lost at α₀, over B′")


# The claims --------------------------------------------------------------------------------------

COVERED, UNKNOWN = ["own.covered_policy_floor"], ["own.unknown_corruption"]
EVERY_LEARNER: dict[str, str] = dict.fromkeys(
    ("estimate", "algorithm"), "a lower bound over all learners: nothing is estimated"
)
SWAPPED = [one_side_attacked, orders_swapped]


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm], settles: Sequence[str], blind: Mapping[str, str] | None = None,
) -> Check:  # fmt: skip
    """A check with all that it has to say in one line."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, blind=blind or {})  # fmt: skip


def number(words: str, tolerance: float = 0.01) -> Ratio:
    """A number."""
    return Ratio(words, tolerance=tolerance)


CHECKS = [
    check("hidden_ltc", "privacy_cost", number("LTC, every learner: SubOpt ≥ atanh(2c(ε)α/ξ)"),
          HIDDEN, any_learner, SWAPPED, COVERED, EVERY_LEARNER),
    check("hidden_ctl", "privacy_cost", number("CTL, every learner: SubOpt ≥ atanh(2α/ξ)"),
          HIDDEN, any_learner, SWAPPED, COVERED, EVERY_LEARNER),
    check("hidden_coverage", "min_eigenvalue", number("LTC, every learner: atanh(2Z/ξ), along ξ"),
          HIDDEN, any_learner, SWAPPED, COVERED, EVERY_LEARNER),
    check("mixing_ltc", "privacy_cost",
          number("LTC, Z known: SubOpt ≤ atanh(2c(ε)α/ξ)", 1e-5), LOSS,
          mixing, [greedy_instead, misread, short_of_all], COVERED),
    check("mixing_ctl", "privacy_cost", number("CTL, Z known: SubOpt ≤ atanh(2α/ξ)", 1e-5), LOSS,
          mixing, [greedy_instead, misread, short_of_all], COVERED),
    check("mixing_coverage", "min_eigenvalue",
          number("LTC, Z known: atanh(2Z/ξ), along ξ", 1e-5), LOSS,
          mixing, [greedy_instead, misread, short_of_all], COVERED),
    check("greedy_twice", "corruption", number("greedy RLHF: 2·atanh(2Z/ξ) at any α", 0.02),
          TWICE, greedy,
          [named("mixing", mixing, "mixing pays for Z, and loses half as much")], COVERED),
    check("separation", "privacy_cost", number("LTC over CTL = c(ε), small α", 1e-4), OVER_COST,
          mixing_ratio, [misread_ratio], COVERED),
    check("separation_at_any_share", "corruption",
          number("LTC over CTL = atanh(2cα/ξ)/atanh(2α/ξ)", 1e-3), OVER_CLOSED, mixing_ratio,
          [misread_ratio], COVERED),
    check("either_or", "corruption", number("one promise kept by some penalty, both by none"),
          EITHER, either, [told_share, swapped], UNKNOWN),
    check("either_or_ctl", "corruption", number("CTL: one promise kept, both by no penalty"),
          EITHER, either, [told_share], UNKNOWN),
    check("one_promise", "n_pairs", number("n labels, penalty of α = 0: kept at 0, lost at α₀",
                                           0.05), BOTH, at_zero, promises_wrong, UNKNOWN),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """2Z ≤ ξ·min{.41, tanh(B′/2)}: the worst hidden pair is even and has room; m is at most ½."""
    for end in (0, -1):
        world: Any = swept.sweep.worlds[end]
        at = f"at {swept.sweep.grid[end]:g}"
        if isinstance(world, CoveredMargin):
            room = world.min_eigenvalue * min(EVEN, float(np.tanh(world.reward_bound / 2)))
            yield f"{at}: room", 2 * world.moved <= room, f"2Z/room = {2 * world.moved / room:.3g}"
            yield f"{at}: ξ ≤ ½", world.min_eigenvalue <= 0.5, f"ξ = {world.min_eigenvalue:.3g}"
        else:
            yield f"{at}: a rare pair", world.mass < 0.5, f"m = {world.mass:.3g}"


THEOREM = Theorem(
    title="Policies under corruption: Theorem 6.2 attained, Theorem 6.1 at unknown α",
    checks=CHECKS,
    worlds={"covered": CoveredMargin, "sign": HiddenSign, "labels_of_sign": LabelsOfSign},
    assumes=assumes,
)
