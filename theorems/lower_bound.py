"""P1 Theorem 4.5: no learner beats the hypercube (with Lemma A.6 and the use of A.5).

Statement (arXiv 2510.13512, Theorem 4.5).  Under ε-LDP labels the minimax gap is

    Ω( min{ β·C*·log N / ((e^ε−1)²n),  √(C*·log N) / ((e^ε−1)√n) } ),     log N = S.

In code: β is 1/kl_weight, C* coverage.  An unstated condition, executed as an assumption here: the
proof takes a = √(SC)/((e^ε−1)√n) < B/2, so n > 4SC/((e^ε−1)²B²), with 2α−1 for e^ε−1 in our form of
it (``own.lower_bound_in_keep_prob``), which has the same proof; b < B/2 is the theorem's range of
C*.

Measured on the hypercube of the proof: the gap averaged over its corners, its supremum over the
tilt a on a ladder that does not move with n.  (With the proof's own a ∝ n^(−1/2) the exponent is a
tautology that a policy without data passes; on a fixed ladder that policy has exponent 0, and it is
the control of every check.)  The posterior mean over the hypercube is the Bayes rule of the uniform
corner, so its risk bounds every learner's worst case from below and an exact sum of it above the
explicit bound proves the inequality for all learners at that n, a.

Checks: exponents in n, c(ε), S, C, β in the regime βa ≪ 1 (posterior mean, private MLE, MLE less a
standard error) and in n, c(ε), S, C where βa ≫ 1.  There b = log(C−1)/β nearly vanishes, and a
learner who forgets to debias is right by symmetry: that regime has no such control.  Inequalities:
the explicit bound ¼·min{βa²/8, 3a/10}·exp(−n·KL) against the exact Bayes risk; the separation of
step 3 against its exact minimum 2·log cosh(βa/2)/β, proved by intervals; the KL of step 4; Lemma
A.6 on random families.

ε both ways.  What the hypercube costs is governed by c(ε) = 1/(2α−1) at all ε, not by e^ε−1: the
local exponent in e^ε−1 is −2·2/(e^ε+1), which is −2 only as ε → 0 (``epsilon_minus_one_small``).
The theorem survives, as a lower bound that is loose for ε ≳ 0.3.  A caveat on the abstract's gap
Õ(1/[(e^ε−1)²n]), called optimal there: Remark 4.4 writes it for ε in (0, 1], where it differs from
that in 2α−1 by at most (e+1)²/4 (``p1_literal_readings``, check ``remark_4_4``), and the abstract,
which names no range, is right there.  As an upper bound over all ε, a reading that the paper does
not make, it would say that the gap vanishes as ε → ∞, and even the Bayes rule contradicts that
(``epsilon_minus_one``, expected contradicted; ``own.abstract_at_every_epsilon``).  The form for
all ε has (2α−1)² in both bounds; the proof gives it with KL ≤ (2α−1)²a²/(SC) in step 4
(``pair_kl_sharper``, our statement, sharp).  Proof: for q = 1−α + (2α−1)σ, d/dx KL(q_y‖q_x) =
q′_x/(q_x(1−q_x))·∫_y^x q′, where q′ = (2α−1)σ′ ≤ (2α−1)/4 and q(1−q) ≥ σ(1−σ) = σ′ make the first
factor at most 2α−1; so KL(q_y‖q_x) ≤ (2α−1)²(x−y)²/8, and x − y = 2a, times the share 2(C−1)/(SC²)
of such pairs.

What the printed text does not bear out: ``few_labels_printed``, expected contradicted.  π_ref loses
at most B, and without the condition on n the printed bound over B grows like √S at n = 1.  With n =
4SC/((e^ε−1)²B²) it is at most B (``enough_labels``).

What would refute the theorem under its condition: a learner with a steeper exponent, or a Bayes
risk below the bound.  The inequalities of the proof have slack (printed as max_ratio), so their
planted faults are larger than 10 % except for ``pair_kl_sharper``, where a constant 10 % too small
is found.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field

from repro.base.notation import epsilon_minus_one, label_signal
from repro.base.schema import (
    Count,
    FiniteEpsilon,
    KLWeight,
    Model,
    Pairs,
    Positive,
    RewardBound,
    Share,
    Whole,
)
from repro.core.check import (
    Algorithm,
    Assumed,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    at_both_ends,
    named,
    of_world,
)
from repro.core.claims import Inequality, Slope
from repro.core.proofs import Claimed, Interval, iv, proof_of
from repro.core.random_cases import searched
from repro.p1.hypercube import learners as learner
from repro.p1.hypercube import proof_steps as step
from repro.p1.hypercube.learners import HypercubeLabels, no_data, posterior_mean
from repro.p1.hypercube.prior import HypercubePrior, draw_counts
from repro.p1.hypercube.risk import gap
from repro.worlds.instances.labelled import LabelStages, PrivateLabels

LARGEST = 0.98
"""Largest tilt of the ladder as a share of B/2; the proof needs a < B/2."""
PILOTS = ((1 / 8, 8), (1.0, 1))
"""Share of the pilot, and how many rungs go on from it."""


# The worlds: labels of a hypercube whose tilt is the worst, and random cases ---------------------


class Ladder(Model):
    """Tilts a over which the supremum is taken.

    Attributes:
        smallest: least tilt as a share of B/2.
        rungs: number of tilts, in geometric steps up to B/2.
        pilot: simulated states per rung when the maximiser is looked for.
    """

    smallest: Share
    rungs: Annotated[Whole, Field(ge=3, le=1000)]
    pilot: Annotated[Whole, Field(ge=1, le=10**6)]

    def tilts(self, reward_bound: float) -> np.ndarray:
        """(rungs,) tilts, increasing, below B/2."""
        return reward_bound / 2 * np.geomspace(self.smallest, LARGEST, self.rungs)


@dataclass(frozen=True, kw_only=True)
class Corners(PrivateLabels):
    """n private labels of a random corner of the hypercube, at one tilt of a ladder.

    Attributes:
        n_pairs: n.
        num_states, coverage, kl_weight, reward_bound: S, C*, 1/β and B.
        ladder: tilts a to choose from.
        pessimism: multiple of the standard error of ``pessimistic``: 1 as defined, 0 none.
        reference: whether π_ref draws the first response with 1/C, or both alike.
    """

    n_pairs: Pairs
    num_states: Count
    coverage: Positive
    kl_weight: KLWeight
    reward_bound: RewardBound
    ladder: Ladder
    pessimism: float = 1.0
    reference: Literal["as_stated", "uniform"] = "as_stated"

    def at(self, rung: int) -> HypercubePrior:
        """The hypercube at one tilt of the ladder."""
        prior = HypercubePrior(
            num_states=self.num_states, coverage=self.coverage, kl_weight=self.kl_weight,
            reward_bound=self.reward_bound, epsilon=self.epsilon,
            tilt=float(self.ladder.tilts(self.reward_bound)[rung]),
        )  # fmt: skip
        return prior if self.reference == "as_stated" else prior.under_uniform_reference()


@dataclass(frozen=True, kw_only=True)
class LabelsOfOneState(LabelStages):
    """Random hypercubes of one state.

    Attributes:
        n_pairs: n labels of each.
    """

    n_pairs: Pairs


@dataclass(frozen=True, kw_only=True)
class OneRecord(LabelStages):
    """One private record of random hypercubes.

    Attributes:
        epsilon_minus_one: e^ε − 1.
    """

    epsilon_minus_one: Positive


@dataclass(frozen=True, kw_only=True)
class RandomBits(LabelStages):
    """Random families of laws.

    Attributes:
        num_states: bits that tell them apart.
    """

    num_states: Count


@dataclass(frozen=True, kw_only=True)
class AnyTilt:
    """Two corners at every tilt.

    Attributes:
        kl_weight: 1/β.
    """

    kl_weight: KLWeight


@dataclass(frozen=True, kw_only=True)
class PrintedBound:
    """The numbers of Theorem 4.5, whose statement has no condition on n.

    Attributes:
        epsilon: ε.
        n_pairs: n.
        num_states, coverage, kl_weight, reward_bound: S, C*, 1/β and B.
    """

    epsilon: FiniteEpsilon
    n_pairs: Pairs
    num_states: Count
    coverage: Positive
    kl_weight: KLWeight
    reward_bound: RewardBound

    def bound(self, n_pairs: float) -> float:
        """The printed bound, with constant 1."""
        information = epsilon_minus_one(self.epsilon) ** 2 * n_pairs
        fast = self.coverage * self.num_states / (self.kl_weight * information)
        return min(fast, math.sqrt(self.coverage * self.num_states / information))


# What the supremum over the tilt costs -----------------------------------------------------------


def risk(
    world: Corners, estimator: Algorithm, rung: int, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps of an estimator on datasets of random corners, at one tilt."""
    prior = world.at(rung)
    drawn = draw_counts(prior, rng, world.n_pairs, replicates, world.labels, world.channel)
    signs, pairs, wins = drawn
    fitted = estimator(HypercubeLabels(prior, pairs, wins, world.pessimism))
    truth = torch.from_numpy(signs * prior.log_odds)
    return gap(prior, world.estimate(torch.from_numpy(fitted), truth).numpy(), signs)


@lru_cache(maxsize=1024)
def worst_rung(world: Corners, estimator: Algorithm) -> int:
    """Index of the tilt with the largest risk, from a pilot with a stream of its own.

    All rungs are tried on a part of the pilot, those that come out largest on the whole of it.
    The rung is fixed before the measurement, which therefore is not biased upwards as the
    largest of many noisy means would be.
    """
    rungs = np.arange(world.ladder.rungs)
    for share, kept in PILOTS:
        replicates = math.ceil(share * world.ladder.pilot / world.num_states)
        risks = [
            risk(world, estimator, int(rung), np.random.default_rng(0), replicates).mean()
            for rung in rungs
        ]
        rungs = rungs[np.sort(np.argsort(risks)[-kept:])]
    return int(rungs[0])


def worst_risk(
    world: Corners, estimator: Algorithm, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps at the estimator's worst tilt."""
    return risk(world, estimator, worst_rung(world, estimator), rng, replicates)


# Steps of the proof ------------------------------------------------------------------------------


def bayes_case(world: LabelsOfOneState, rng: np.random.Generator) -> step.BayesCase:
    """A random hypercube and n labels of it."""
    return step.bayes_case(world.n_pairs, rng, world.process)


def pair_case(world: OneRecord, rng: np.random.Generator) -> step.PairCase:
    """A random hypercube at that budget."""
    return step.pair_case(world.epsilon_minus_one, rng, world.process)


def assouad_case(world: RandomBits, rng: np.random.Generator) -> step.Bits:
    """A random family on that many bits."""
    return step.assouad_case(world.num_states, rng, world.process)


def separation(world: AnyTilt, factor: float = 1.0) -> Claimed:
    """min{factor·βa²/8, 3a/10} over (2/β)·log cosh(βa/2), the least cost of two corners; u = βa.

    The box is u from 0 to 1, and from 1 on 2 − 1/u, so that it holds every u.
    """

    def ratio(place: Interval) -> Interval:
        if place.b <= 1:
            # x²/2 − x⁴/12 ≤ log cosh x ≤ x²/2, as its fourth derivative is at least −2
            return factor / 2 / (1 - iv.mpf([0, 1]) * place**2 / 24)
        if place.a < 1:
            return iv.mpf([0, math.inf])
        inverse = 2 - place
        u = 1 / inverse
        # (2·log cosh(u/2))/u
        cost = 1 + 2 * inverse * iv.log((1 + iv.exp(-u)) / 2)
        ends = factor * u / 8 / cost, iv.mpf(3) / 10 / cost
        return iv.mpf([min(end.a for end in ends), min(end.b for end in ends)])

    return Claimed(((0.0, 2.0),), ratio)


def bound_as_printed(world: PrintedBound) -> float:
    """Wrong where labels are few: the printed bound over B, the most that π_ref can lose."""
    return world.bound(world.n_pairs) / world.reward_bound


def bound_of_enough_labels(world: PrintedBound) -> float:
    """The same at the least n of the proof, 4SC/((e^ε−1)²B²), or at the world's if it is larger."""
    signal = (epsilon_minus_one(world.epsilon) * world.reward_bound) ** 2
    enough = 4 * world.num_states * world.coverage / signal
    return world.bound(max(world.n_pairs, enough)) / world.reward_bound


# The claims --------------------------------------------------------------------------------------

RATIO = "bound / exact value"
OVER_LARGEST = Quantity("printed bound / largest loss B of π_ref", of_world, evidence="computed")
GAP = Quantity("sup over a of the mean gap [reward]", worst_risk, stream_per_block=True)
BLIND = (no_data,)
NAIVE = (no_data, learner.naive_posterior)
BUILT = ("kl_weight",)
"""What an override leaves alone: it is tied to the coverage of the hypercube."""
THEOREM_4_5, ABSTRACT = "p1.thm_4_5", "p1.abs_1"
KEEP_PROB = "own.lower_bound_in_keep_prob"
VANISHES = "c(ε) governs the gap at all ε: even the Bayes rule's stays as ε → ∞"
ANY_LEARNER = dict.fromkeys(
    ("labels", "algorithm"), "a lower bound over all learners holds for all that are worse"
)
NOT_ZERO = dict.fromkeys(
    ("labels", "algorithm"), "a gap that does not vanish as ε → ∞; with worse labels it is larger"
)
TOLD = {"labels": "an upper bound on what a label tells: fair coins tell nothing"}
TOLD |= dict.fromkeys(("estimate", "algorithm"), "what a label tells: nothing is learnt")


def check(
    name: str, axis: str, claim: Slope | Inequality, quantity: Quantity = GAP,
    right: Algorithm = posterior_mean, wrong: Sequence[Algorithm] = BLIND,
    keeps: Sequence[str] = BUILT, **more: Any,
) -> Check:  # fmt: skip
    """A check of the Bayes rule's largest gap, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 keeps=keeps, **more)  # fmt: skip


CHECKS = [
    check("n_pairs", "n_pairs", Slope("Bayes rule: gap {rate}", -1), wrong=NAIVE),
    check("n_pairs_mle", "n_pairs", Slope("private MLE: gap {rate}", -1), GAP, learner.mle,
          (no_data, learner.naive_mle)),
    check("n_pairs_pessimistic", "n_pairs", Slope("MLE less a standard error: gap {rate}", -1),
          GAP, learner.pessimistic),
    check("privacy_cost", "privacy_cost", Slope("gap {rate}", 2),
          settles=[THEOREM_4_5, KEEP_PROB]),
    check("epsilon_minus_one_small", "epsilon_minus_one", Slope("gap {rate} as ε → 0", -2),
          settles=[THEOREM_4_5, ABSTRACT]),
    check("epsilon_minus_one", "epsilon_minus_one",
          Slope("the abstract's gap {rate} at all ε", -2, "at_most"), wrong=(),
          settles=["own.abstract_at_every_epsilon"], expected="contradicted", why=VANISHES,
          blind=NOT_ZERO),
    check("num_states", "num_states", Slope("gap {rate} = log N", 1)),
    check("coverage", "coverage", Slope("gap {rate}", 1, symbol="C*")),
    check("kl_weight", "kl_weight", Slope("gap {rate} = β", -1)),
    check("n_pairs_root", "n_pairs", Slope("βa ≫ 1: gap {rate}", -0.5)),
    check("privacy_cost_root", "privacy_cost", Slope("βa ≫ 1: gap {rate}", 1),
          settles=[THEOREM_4_5, KEEP_PROB]),
    check("num_states_root", "num_states", Slope("βa ≫ 1: gap {rate}", 0.5)),
    check("coverage_root", "coverage", Slope("βa ≫ 1: gap {rate}", 0.5, symbol="C*")),
    check("few_labels_printed", "num_states",
          Slope("any n, as printed: bound / largest loss {rate}", 0, "at_most"), OVER_LARGEST,
          bound_as_printed, (), (), expected="contradicted",
          why="the proof needs n > 4SC/((e^ε−1)²B²), which the theorem does not say"),
    check("enough_labels", "num_states",
          Inequality("n = 4SC/((e^ε−1)²B²): printed bound ≤ B"), OVER_LARGEST,
          bound_of_enough_labels, (bound_as_printed,), ()),
    check("explicit_bound", "n_pairs",
          Inequality("¼·min{βa²/8, 3a/10}·exp(−n·KL) ≤ Bayes risk"), searched(RATIO, bayes_case),
          step.bound, (step.bound_without_quarter, step.bound_sign), blind=ANY_LEARNER),
    check("separation", "kl_weight",
          Inequality("min{βa²/8, 3a/10} ≤ SubOpt_s(v) + SubOpt_s(v′)"),
          Quantity(RATIO, proof_of, evidence="proved"), separation,
          [named("separation_twice_beta", separation, "βa²/4 in the place of βa²/8", factor=2.0)]),
    check("pair_kl", "epsilon_minus_one",
          Inequality("KL of a private record ≤ (e^ε−1)²a²/(SC)"), searched(RATIO, pair_case),
          step.pair_kl, [step.pair_kl_fifth], settles=[THEOREM_4_5, "p1.lem_a_5"], blind=TOLD),
    check("pair_kl_sharper", "epsilon_minus_one",
          Inequality("KL of a private record ≤ (2α−1)²a²/(SC)"), searched(RATIO, pair_case),
          step.pair_kl_sharper, [step.pair_kl_sharper_ten_percent], settles=[KEEP_PROB],
          blind=TOLD),
    check("assouad", "num_states", Inequality("Lemma A.6: S·c/4·min exp(−KL) ≤ risk"),
          searched(RATIO, assouad_case), step.assouad, [step.assouad_half],
          settles=["p1.lem_a_6"], blind=ANY_LEARNER),
]  # fmt: skip


def assumes(swept: SweptCheck) -> Iterable[Assumed]:
    """The conditions of the proof, and an interior maximiser, at both ends of each sweep."""

    def conditions(world: Corners) -> Iterable[Assumed]:
        prior = world.at(0)
        room = 4 * prior.num_states * prior.coverage / prior.reward_bound**2
        enough = room / label_signal(prior.epsilon) ** 2
        yield "n > 4SC/((2α−1)²B²)", world.n_pairs > enough, f"{world.n_pairs:.3g} > {enough:.3g}"
        yield "b < B/2", prior.base < prior.reward_bound / 2, f"b = {prior.base:.3g}"
        if swept.check.right is posterior_mean:
            yield from _at_the_worst_tilt(world, swept.name.endswith("_root"))

    return at_both_ends(conditions, of=Corners)(swept)


def _at_the_worst_tilt(world: Corners, root: bool) -> Iterable[Assumed]:
    """Which branch of the minimum the Bayes rule's worst tilt is on."""
    rung = worst_rung(world, posterior_mean)
    worst = world.at(rung)
    inside = 0 < rung < world.ladder.rungs - 1
    yield "maximiser inside the ladder", inside, f"a = {worst.tilt:.3g}"
    detail = f"βa = {worst.log_odds:.3g}"
    if root:
        yield "βa above 10", worst.log_odds > 10, detail
    else:
        yield "βa below 0.3", worst.log_odds < 0.3, detail


THEOREM = Theorem(
    title="P1 Theorem 4.5: lower bound of the offline gap under label LDP",
    settles=[THEOREM_4_5],
    checks=CHECKS,
    corrected={
        "epsilon_minus_one": "privacy_cost",
        "few_labels_printed": "enough_labels",
    },
    worlds={
        "hypercube": Corners, "one_state": LabelsOfOneState, "one_record": OneRecord,
        "bits": RandomBits, "any_tilt": AnyTilt, "few_labels": PrintedBound,
    },
    assumes=assumes,
)  # fmt: skip
