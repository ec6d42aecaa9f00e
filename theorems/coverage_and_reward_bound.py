"""Coverage caps the price of B: what the corrected Theorem 4.2's factor is at fixed coverage.

Own statement (proofs in docs/explanations/coverage_and_reward_bound.md).  W(x, ε) is the inverse
information of a private label at the difference x, C ≥ π*/π_ref everywhere, A the number of
responses of a state, S that of states, all tables the class.  With

    price = C·min{W(B), C·max{W(0), e^(−βB)·W(B)}}

    every truth inside the class:      lim n·E SubOpt(private MLE) ≤ (β/4)·(A−1)·S·price;
    a finite class near the truth:     SubOpt ≤ 2β·e^((2+β)h)·price·log(N/δ)/n, probability ≥ 1−δ;
    every learner, n ≥ n₀, A ≥ 3:      E SubOpt ≥ 0.0688·⌊(A−1)/2⌋·β·S·C·min{W(B), C·W(0)}/n
                                       on rewards of coverage at most 1.29·C, if e^(βB) ≥ 4C;
    every learner, n ≥ n₁, A ≥ 2:      E SubOpt ≥ 0.0392·β·S·C²·e^(−βB)·W(B)/n, if C ≤ e^(β(B−.1)).

So at fixed ε, as B grows: the full factor e^(2B) needs coverage of the order of e^(min{2,β}B).  At
fixed coverage the price does not grow with B for β ≥ 2, and P1's printed factor e^B is not broken;
for β < 2 it grows like e^((2−β)B), and P1's factor is broken for β < 1 at every coverage, C = 2
included.  The upper bounds need neither the best responses to be covered evenly nor pessimism.

Checks.  The exponent in e^B of the measured gap in the three regimes, each beside the printed
factor: fixed coverage and β = 4 (``fixed_coverage``: the printed e^B is not broken), coverage
2·W(B)/W(0) (``full_price``), β = ½ and C = 2 (``small_beta``).  The measured gap over
(β/2)·tr(Cov_π*·L⁺) over β, C, B and A (``constant_…``), and between the bounds of every learner
and of the MLE (``between_the_bounds``).  The step of the proof, Var_π*(e) ≤ (C/2)·min{…}·eᵀLe, on
random states, some with equality (``cap``), and upper over lower constant (``constants_apart_…``).

What would refute it: another exponent, a constant outside its margin, one random state above 1.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from repro.base.device import device_in_use
from repro.base.schema import Finite, KLWeight, Positive, RewardBound, Whole
from repro.core.check import (
    Algorithm,
    Assumed,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    largest_of,
    named,
    of_world,
)
from repro.core.claims import Inequality, Ratio, Slope
from repro.core.random_cases import searched
from repro.labels.preferences.label_information import inverse_information
from repro.p1.corrected_gap import coverage as capped
from repro.p1.pessimism.datasets import Datasets, OfflineLabels
from repro.p1.pessimism.learners import epsilon_overstated, naive_likelihood, private_mle
from repro.worlds.instances.assumptions import realizable_and_covered
from repro.worlds.instances.linear import LinearWorld

OFF = 0.9
"""A planted constant, 10 % too small."""

# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RareBest(OfflineLabels):
    """n labels of one state whose A−1 best responses π_ref draws 1/C of the time.

    Attributes:
        num_actions: A.
        coverage: C, or C in units of W(B)/W(0).
        coverage_unit: ``one``, or ``information`` for W(B)/W(0).
        reward_bound: B.
        room: B less the difference to the worse response.
        kl_weight: 1/β.
    """

    num_actions: Annotated[Whole, Field(ge=2, le=100)]
    coverage: Annotated[Finite, Field(gt=1)]
    coverage_unit: Literal["one", "information"] = "one"
    reward_bound: RewardBound
    room: Positive
    kl_weight: KLWeight

    def __post_init__(self) -> None:
        if self.room >= self.reward_bound:
            raise ValueError(f"room below the reward bound {self.reward_bound:g}")

    @property
    def covered(self) -> float:
        """C."""
        if self.coverage_unit == "one":
            return self.coverage
        ends = (inverse_information(x, self.epsilon) for x in (self.reward_bound, 0.0))
        widest, narrowest = ends
        return self.coverage * widest / narrowest

    @property
    def world(self) -> LinearWorld:
        """The truth."""
        given = self.num_actions, self.covered, self.reward_bound - self.room
        return capped.rare_best_world(
            *given, self.reward_bound, self.kl_weight, device=device_in_use()
        )


@dataclass(frozen=True, kw_only=True)
class AnyState:
    """Random states with rewards in [0, B].

    Attributes:
        reward_bound: B.
    """

    reward_bound: RewardBound


# Random states -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """A state.

    Attributes:
        reference: (A,) π_ref.
        reward: (A,) in [0, B].
        reward_bound: B.
        kl_weight: 1/β.
        epsilon: of the labels.
    """

    reference: np.ndarray
    reward: np.ndarray
    reward_bound: float
    kl_weight: float
    epsilon: float

    @property
    def coverage(self) -> float:
        """The largest π*/π_ref."""
        policy = capped.optimal_policy(self.reference, self.reward, self.kl_weight)
        return float((policy / self.reference).max())


def any_state(world: AnyState, rng: np.random.Generator) -> State:
    """Two to six responses; a fifth of the states have equal rewards, where there is equality."""
    actions = int(rng.integers(2, 7))
    reference = np.exp(rng.uniform(0, 6, actions) * rng.uniform())
    level = rng.random() < 0.2
    share = np.zeros(actions) if level else rng.choice([0.0, 1.0, rng.random()], actions)
    kl_weight, epsilon = 10 ** rng.uniform(-0.8, 1), 10 ** rng.uniform(-1, 1.2)
    bound = world.reward_bound
    return State(reference / reference.sum(), bound * share, bound, kl_weight, epsilon)


def cap(state: State, share: float = 1.0) -> float:
    """Var_π*(e) over share·(C/2)·min{W(B), C·max{W(0), e^(−βB)W(B)}}·eᵀLe, the largest over e."""
    given = state.reward_bound, state.kl_weight, state.epsilon
    most = capped.price(state.coverage, *given) / 2
    variance = capped.most_telling(state.reference, state.reward, state.kl_weight, state.epsilon)
    return variance / (share * most)


def cap_of_close_pairs(state: State) -> float:
    """Wrong for β < 2: C·W(0) for C·max{W(0), e^(−βB)·W(B)}."""
    widest, narrowest = (inverse_information(x, state.epsilon) for x in (state.reward_bound, 0.0))
    most = state.coverage * min(widest, state.coverage * narrowest) / 2
    return capped.most_telling(state.reference, state.reward, state.kl_weight, state.epsilon) / most


# Constants apart ---------------------------------------------------------------------------------

BUDGETS = (0.1, 1.0, 4.0, 16.0, math.inf)
INSIDE = 0.999
"""The largest log C that is tried, over that at which a condition ends."""
APART_PAIRS, APART_TWO = 18.2, 6.4
"""Upper over lower constant, for β ≥ 2 with at least three responses and for β < 2 with two."""


@largest_of
def apart_pairs(world: AnyState, most: float = APART_PAIRS) -> Iterator[float]:
    """The largest ratio over β ≥ 2, ε, A ≥ 3 and all C ≥ 2.58 with e^(β(B−.05)) ≥ 3C, over most."""
    return (ratio / most for ratio in _apart(world, (0.05, 0.2, 0.5), (3, 4, 5, 9)))


@largest_of
def apart_two(world: AnyState, most: float = APART_TWO) -> Iterator[float]:
    """The same over β < 2 where e^(−βB)·W(B) ≥ W(0), A = 2 and C ≥ 2."""
    return (ratio / most for ratio in _apart(world, (0.55, 1.0, 4.0), (2,)))


def _apart(world: AnyState, weights: Sequence[float], actions: Sequence[int]) -> Iterator[float]:
    bound = world.reward_bound
    for weight, epsilon, count in product(weights, BUDGETS, actions):
        spread = min(0.1, weight / 2)
        widest, narrowest = (inverse_information(x, epsilon) for x in (bound, 0.0))
        if count == 2 and math.exp(-bound / weight) * widest < narrowest:
            continue
        far = (bound - spread / 2) / weight - math.log(capped.FAR / capped.MORE_COVERAGE)
        far = (bound - spread) / weight if count == 2 else far
        least = math.log(2.0 if count == 2 else 2 * capped.MORE_COVERAGE)
        for log_coverage in np.geomspace(least, min(INSIDE * far, 600.0), 9) if far > least else ():
            given = math.exp(log_coverage), bound, weight, epsilon
            floor = capped.lower(count, *given)
            yield capped.upper(count, capped.price(*given), weight) / floor


# Quantities --------------------------------------------------------------------------------------


def drawn(world: RareBest, rng: np.random.Generator, replicates: int) -> Datasets:
    """R datasets, the same for every algorithm."""
    return world.draw(rng, replicates)


def of_data(world: RareBest, algorithm: Algorithm, data: Datasets, replicates: int) -> np.ndarray:
    """(R,) gap."""
    return algorithm(data).cpu().numpy()


def between(world: RareBest, bounds: Algorithm, data: Datasets, replicates: int) -> float:
    """The larger of lower bound over the MLE's mean gap, and that over the upper bound."""
    low, high = bounds(world)
    mean = max(float(private_mle(data).mean()), 1e-300)
    return max(low / mean, mean / high)


def both_bounds(world: RareBest, share: float = 1.0) -> tuple[float, float]:
    """Of every learner on the worst truth, and of the MLE on any; the upper times a share."""
    given = world.covered, world.reward_bound, world.kl_weight, world.epsilon
    above = capped.upper(world.num_actions, capped.price(*given), world.kl_weight)
    return capped.lower(world.num_actions, *given) / world.n_pairs, share * above / world.n_pairs


def of_the_graph(world: RareBest) -> float:
    """(β/2)·tr(Cov_π*·L⁺)/n."""
    truth = world.world
    state = truth.reference[0].cpu().numpy(), truth.reward[0].cpu().numpy()
    return capped.limit(*state, world.kl_weight, world.epsilon) / world.n_pairs


def weight_and_coverage(world: RareBest) -> float:
    """β·C."""
    return world.covered / world.kl_weight


SCALED = Quantity("suboptimality / (β·C) [reward]", of_data, drawn=drawn, over=weight_and_coverage)
OVER_GRAPH = Quantity("suboptimality / ((β/2)·tr(Cov_π*·L⁺)/n)", of_data, drawn=drawn,
                      over=of_the_graph)  # fmt: skip
BETWEEN = Quantity("left side / right side of both", between, drawn=drawn, stream_per_block=True)
RATIO = "left side / right side"
APART = Quantity("upper / (claimed · lower)", of_world, evidence="computed")

# The claims --------------------------------------------------------------------------------------

WRONG = (naive_likelihood, epsilon_overstated)
BUILT = ("epsilon", "kl_weight", "channel", "response", "regulariser", "reward_class")
"""What an override leaves alone: a check is about a budget and a regime of β and C."""
THE_CAP = "own.coverage_caps_the_price"
GRAPH = "n·gap → (β/2)·tr(Cov_π*·L⁺)"
NOTHING_LEARNT = dict.fromkeys(
    ("labels", "estimate", "algorithm"), "about the law of a label: nothing is learnt"
)
FLAT = dict.fromkeys(
    ("labels", "algorithm"), "an upper bound on growth: fixed_coverage notices on the same worlds"
)
THIN = "coverage of the order of W(B): the price is W(B), e^(2B) at this ε"
SMALL = "e^(1.5B) at β = ½, C = 2: rewards that differ by B matter to π* however rare the worse is"


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Algorithm = private_mle,
    wrong: Sequence[Algorithm] = (), **more: Any,
) -> Check:  # fmt: skip
    """A part of the theorem."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 keeps=BUILT, **more)  # fmt: skip


def assumed(world: RareBest) -> Iterable[Assumed]:
    """Assumption 3.8 and Definition 3.3, and that no density ratio is above C."""
    truth = world.world
    yield from realizable_and_covered(truth)
    largest = float((truth.optimal_policy / truth.reference).max())
    yield "π*/π_ref ≤ C", largest <= world.covered * (1 + 1e-9), f"{largest:.3g}"


THEOREM = Theorem(
    title="Coverage caps the price of B in P1's Theorem 4.2",
    settles=[THE_CAP],
    checks=[
        check(
            "fixed_coverage",
            "reward_bound",
            Slope("β = 4, C = 4: gap/(βC) {rate}", 0),
            SCALED,
            wrong=WRONG,
            settles=["p1.thm_4_2", THE_CAP],
        ),
        check(
            "full_price",
            "reward_bound",
            Slope("C = 2·W(B)/W(0): gap/(βC) {rate}", 2),
            SCALED,
            wrong=WRONG,
        ),
        check(
            "printed_full_price",
            "reward_bound",
            Slope("printed, C = 2·W(B)/W(0): gap/(βC) {rate}", 1, "at_most"),
            SCALED,
            settles=["p1.thm_4_2"],
            expected="contradicted",
            why=THIN,
        ),
        check(
            "small_beta",
            "reward_bound",
            Slope("β = ½, C = 2: gap/(βC) {rate}", 1.5),
            SCALED,
            wrong=WRONG,
        ),
        check(
            "printed_small_beta",
            "reward_bound",
            Slope("printed, β = ½, C = 2: gap/(βC) {rate}", 1, "at_most"),
            SCALED,
            settles=["p1.thm_4_2"],
            expected="contradicted",
            why=SMALL,
        ),
        check("constant_b", "reward_bound", Ratio(f"{GRAPH} at every B"), OVER_GRAPH, wrong=WRONG),
        check(
            "constant_kl_weight", "kl_weight", Ratio(f"{GRAPH} at every β"), OVER_GRAPH, wrong=WRONG
        ),
        check(
            "constant_coverage", "coverage", Ratio(f"{GRAPH} at every C"), OVER_GRAPH, wrong=WRONG
        ),
        check(
            "constant_actions", "num_actions", Ratio(f"{GRAPH} at every A"), OVER_GRAPH, wrong=WRONG
        ),
        check(
            "between_the_bounds",
            "reward_bound",
            Inequality("every learner's floor ≤ the MLE's gap ≤ (β/4)(A−1)·price/n"),
            BETWEEN,
            both_bounds,
            [named("both_bounds_tenth", both_bounds, "a tenth of the upper bound", share=0.1)],
        ),
        check(
            "cap",
            "reward_bound",
            Inequality("Var_π*(e) ≤ (C/2)·min{W(B), C·max{W(0), e^(−βB)W(B)}}·eᵀLe"),
            searched(RATIO, any_state),
            cap,
            [
                named("cap_ten_percent", cap, "the bound is 10 % smaller", share=OFF),
                cap_of_close_pairs,
            ],
            blind=NOTHING_LEARNT,
        ),
        check(
            "constants_apart_pairs",
            "reward_bound",
            Inequality("β ≥ 2, A ≥ 3: upper ≤ 18.2 · lower constant"),
            APART,
            apart_pairs,
            [
                named(
                    "apart_pairs_less",
                    apart_pairs,
                    "a factor of 16.4, not 18.2",
                    most=OFF * APART_PAIRS,
                )
            ],
        ),
        check(
            "constants_apart_two",
            "reward_bound",
            Inequality("β < 2, A = 2: upper ≤ 6.4 · lower constant"),
            APART,
            apart_two,
            [named("apart_two_less", apart_two, "a factor of 5.8, not 6.4", most=OFF * APART_TWO)],
        ),
    ],
    corrected={
        "printed_full_price": "full_price",
        "printed_small_beta": "small_beta",
    },
    worlds={"rare_best": RareBest, "any_state": AnyState},
    assumes=at_both_ends(assumed, of=RareBest),
)
