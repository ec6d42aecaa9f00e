"""LTC(α) is at least as bad as CTL((1−τ)·c(ε)·α), whatever the protocol, estimator and loss.

Own statement (about P4's Definition 3.4; proof in docs/explanations/sharper_floor.md, Theorem 6).
Let τ ∈ (0, 1) and α′ = min{1, (1−τ)·c(ε)·α}.  For every sequentially interactive ε-LDP protocol,
every joint law of features and labels and every CTL adversary who turns at most α′n labels there is
an LTC adversary who sees the raw labels and replaces at most αn reports, such that the joint laws
of features, true labels and messages are within e^(−τ²αn/(2−τ)) in total variation.  So
P_LTC(ℓ ≥ s) ≥ P_CTL(ℓ ≥ s) less that, for every estimator, loss ℓ and s.  The adversary behind
the randomizer replaces the report of a label y that was turned to ȳ by a maximal coupling of Q(·|y)
and Q(·|ȳ); they differ with probability at most 1/c(ε).  In protocols that are not interactive, or
against adversaries who do not look ahead, an adversary who knows θ and sees reports and no labels
(as in Definitions 3.3 and 3.4) does the same to the law of messages.

Prior work: Cheu, Smith and Ullman (2021) for attacks on reports that are worth more than attacks on
data; Acharya, Sun and Zhang (2021) for couplings of messages; see the page for the others.

Checks.  ``law_…``: protocols of a few users are enumerated, every vector of labels and every
transcript, under random joint laws of labels and random adversaries in front, who look at all
labels and, where they are interactive, at the messages so far.  The law that the coupling gives is
the one under CTL to a billionth of what the CTL adversary changes.  (A randomized adversary is a
mixture of these.)  ``replaced_…``: how many reports that takes, exactly Bin(m, 1/c(ε)) for
randomized response and m turned labels, and never more.  ``stopped``: what stopping at the budget
costs.  ``alone_…``: adversaries who see reports alone.  ``drawn``: the same adversary as a program
that draws, its messages under a χ² test at 1 ‰.  ``chernoff``: the chance to need more than αn.
``floor_of_image``, ``error_of_image``: Algorithm 1 behind the coupling, infinitely many and n
labels, has the floor and the mean error of CTL((1−τ)·c(ε)·α) in closed form.  ``thinning``: the
floor of Algorithm 1 at μ_s and sα is √s times that at μ and α, which is how the statement becomes a
ratio of at least √c(ε) as α → 0.

What would refute it: a law off by more than rounding, or a coupling that replaces more.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from scipy.special import chdtrc

from repro.base.notation import privacy_cost
from repro.base.schema import FiniteEpsilon, Share, Whole
from repro.base.tails import binomial_above
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
from repro.core.claims import Claim, Frequency, Inequality, Ratio
from repro.labels.corruption import coupling
from repro.labels.corruption.protocols import (
    RANDOMIZERS,
    Behind,
    Guess,
    InFront,
    Sequential,
    alike,
    arrived,
    by_labels,
    by_labels_and_messages,
    every_label,
    interactive,
    likeliest,
    messages_alone,
    messages_in_turn,
    no_label,
    posterior,
    prior_alone,
)
from repro.labels.privacy.channels import channel_epsilon
from repro.p4.adversaries.image import Image
from repro.p4.corruption_floors import one_cell
from repro.p4.corruption_floors.sampled_cell import SampledCell
from repro.p4.debiased_mle.estimation import estimation_floor
from repro.p4.debiased_mle.labels import PairLabels
from repro.p4.debiased_mle.priced_labels import PricedAnywhere

ROUNDING = 1e-9
"""Of what the adversary in front changes: what two laws may differ by."""
MESSAGES = 3
"""Of a user in a random interactive protocol."""
DRAWN = 4000
"""Runs of a protocol behind one χ² test."""
FEWEST = 5.0
"""Expected runs of a transcript below which transcripts are counted together."""
SIGNIFICANT = 1e-3
"""Of one test; it is to reject no more often than δ = .05 allows."""
BUDGETS, SLACKS = (1, 7, 50, 200), (0.05, 0.3, 0.8)
"""αn and τ of ``chernoff``."""
THINNED = 0.1
"""s of ``thinning``."""


# Worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SequentialReports:
    """Users who report in turn, and who turns their labels in front of the randomizers.

    Attributes:
        epsilon: ε of every channel.
        users: n.
        randomizer: of every user; or a random channel for every user and all messages so far.
        changes: labels that are turned at most.
        budget: reports that are replaced at most, where the adversary behind has to stop.
        adversary: who turns labels.
        idle_adversary: the one that turns none, for ablations.
    """

    epsilon: FiniteEpsilon
    users: Annotated[Whole, Field(ge=2, le=12)]
    randomizer: Literal["response", "k_ary", "unary", "laplace", "asymmetric", "erased",
                        "interactive"]  # fmt: skip
    changes: Annotated[Whole, Field(ge=1, le=12)]
    budget: Annotated[Whole, Field(ge=1, le=12)] = 1
    adversary: InFront = by_labels
    idle_adversary: ClassVar[InFront] = staticmethod(no_label)
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "adversary": {"by_labels": by_labels, "by_labels_and_messages": by_labels_and_messages,
                      "every_label": every_label, "none": no_label}
    }  # fmt: skip

    def channels(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """(M^i, 2, M) of user i, by the messages before it."""
        if self.randomizer == "interactive":
            return interactive(rng, self.epsilon, self.users, MESSAGES)
        return alike(RANDOMIZERS[self.randomizer](self.epsilon), self.users)

    def drawn(self, rng: np.random.Generator) -> Sequential:
        """Such a protocol, with a random joint law of labels."""
        law = rng.dirichlet(np.ones(2**self.users))
        return Sequential(law, self.channels(rng))


@dataclass(frozen=True, kw_only=True)
class SpentBudgets:
    """Adversaries who wish for (1−τ)c(ε)·αn changes, at all of ``BUDGETS`` and ``SLACKS``.

    Attributes:
        epsilon: ε.
    """

    epsilon: FiniteEpsilon


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageOfCell(PairLabels):
    """Infinitely many labels of one cell; the adversary behind plays one in front.

    Attributes:
        slack: τ.
    """

    slack: Share


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledImage(SampledCell):
    """n such labels.

    Attributes:
        slack: τ.
    """

    slack: Share


def image_in_front(world: Any) -> one_cell.Strong:
    """The CTL adversary of (1−τ)·c(ε)·α, in closed form."""
    share = (1 - world.slack) * privacy_cost(world.epsilon) * world.corruption
    return one_cell.Strong(share, float(world.stated.cell_prob[0]))


def floor_in_front(world: ImageOfCell) -> float:
    """Algorithm 1's floor under it."""
    truth = float(world.stated.reward_diff[0])
    return one_cell.estimation_at(image_in_front(world), 1.0, truth, world.stated.radius)


def error_in_front(world: SampledImage) -> float:
    """Algorithm 1's mean error of n labels under it."""
    truth, bound = float(world.stated.reward_diff[0]), world.stated.radius
    labels = one_cell.Labels(truth, world.count, world.epsilon, one_cell.Order.CTL)

    def error(rate: np.ndarray) -> np.ndarray:
        return np.abs(one_cell.margin_of(rate, bound) - truth)

    return labels.expected(image_in_front(world), error)


# Algorithms: who replaces reports, enumerated ----------------------------------------------------


def law_gap(
    world: SequentialReports, rng: np.random.Generator, replicates: int, behind: Behind
) -> np.ndarray:
    """(R,) TV of laws of labels and messages behind and in front, over ``ROUNDING`` of what is
    changed in front; NaN where nothing is.
    """
    ratios = []
    for _ in range(replicates):
        apart, changed, _ = _compared(world, rng, behind)
        ratios.append(apart / (ROUNDING * changed) if changed else math.nan)
    return np.array(ratios)


def stopped_gap(
    world: SequentialReports, rng: np.random.Generator, replicates: int, behind: Behind
) -> np.ndarray:
    """(R,) the same TV over P(Bin(m, 1/c) > b), the adversary behind stopping at b."""
    cost = privacy_cost(world.epsilon)
    allowed = float(binomial_above(world.budget, world.changes, 1 / cost))
    budget = world.budget + (behind.budget or 0)
    behind = replace(behind, budget=budget)
    comparisons = [_compared(world, rng, behind) for _ in range(replicates)]
    return np.array([apart / allowed if changed else math.nan for apart, changed, _ in comparisons])


def replaced_over(
    world: SequentialReports, rng: np.random.Generator, replicates: int, behind: Behind
) -> np.ndarray:
    """(R,) P(more than r reports replaced) over P(Bin(m, 1/c) > r), at the worst r < m."""
    at = np.arange(world.changes)
    tail = binomial_above(at, world.changes, 1 / privacy_cost(world.epsilon))
    ratios = []
    for _ in range(replicates):
        _, changed, spent = _compared(world, rng, behind)
        above = spent[::-1].cumsum()[::-1][1:]
        ratios.append((above / tail).max() if changed else math.nan)
    return np.array(ratios)


def _compared(
    world: SequentialReports, rng: np.random.Generator, behind: Behind
) -> tuple[float, float, np.ndarray]:
    """TV of behind and in front, TV of honest and in front, (b + 1,) law of what is replaced."""
    protocol = world.drawn(rng)
    wishes = world.adversary(rng, protocol)
    apart = changed = 0.0
    spent = np.zeros(1)
    for laws in arrived(protocol, wishes, world.changes, behind):
        apart += np.abs(laws.behind.sum(0) - laws.front).sum() / 2
        changed += np.abs(laws.honest - laws.front).sum() / 2
        spent = spent + laws.behind.sum((1, 2))
    return apart, changed, spent


COUPLED, NOBODY = Behind(), Behind(budget=0)
law = named("coupled", law_gap, behind=COUPLED)
law_wrong = [
    named(
        "wanted_afresh",
        law_gap,
        "a report is drawn from the wanted law, not from what it lacks",
        behind=Behind(kernel=coupling.wanted_afresh),
    ),
    named(
        "laws_exchanged",
        law_gap,
        "the two laws are in each other's place",
        behind=Behind(kernel=coupling.exchanged),
    ),
    named(
        "left_alone",
        law_gap,
        "every report arrives as it was sent",
        behind=Behind(kernel=coupling.left_alone),
    ),
]
first_channel = named(
    "first_channel",
    law_gap,
    "every report is coupled by the first channel",
    behind=Behind(stale=True),
)
counted = named("coupled", replaced_over, behind=COUPLED)
redrawn = named(
    "redrawn",
    replaced_over,
    "the report of every turned label is redrawn",
    behind=Behind(kernel=coupling.redrawn),
)
stopped = named("stops_at_budget", stopped_gap, behind=COUPLED)
stopped_wrong = [
    named(
        "one_too_early",
        stopped_gap,
        "the adversary stops one report too early",
        behind=Behind(budget=-1),
    ),
    named(
        "turned_labels_counted",
        stopped_gap,
        "the budget counts turned labels, not replaced reports",
        behind=Behind(counts_labels=True),
    ),
]


def alone_gap(
    world: SequentialReports, rng: np.random.Generator, replicates: int, guess: Guess
) -> np.ndarray:
    """(R,) TV of messages, over ``ROUNDING`` of what is changed; who is behind sees reports alone.

    Labels have any joint law where the protocol is not interactive, else they are independent and
    the adversary in front does not look ahead.
    """
    return np.array([_alone(world, rng, guess) for _ in range(replicates)])


def _alone(world: SequentialReports, rng: np.random.Generator, guess: Guess) -> float:
    if world.randomizer == "interactive":
        channels, wins = world.channels(rng), rng.uniform(size=world.users)
        wishes = tuple(
            rng.random((2 ** (i + 1), len(channel))) < 0.5 for i, channel in enumerate(channels)
        )
        if world.adversary is no_label:
            wishes = tuple(np.zeros_like(channel) for channel in wishes)
        front, behind = messages_in_turn(wins, channels, wishes, world.changes, guess)
        honest, _ = messages_in_turn(wins, channels, wishes, 0, guess)
    else:
        protocol = world.drawn(rng)
        wishes = world.adversary(rng, protocol)
        front, behind = messages_alone(protocol, wishes, world.changes, guess)
        honest, _ = messages_alone(protocol, wishes, 0, guess)
    changed = float(np.abs(front - honest).sum())
    return float(np.abs(front - behind).sum()) / (ROUNDING * changed) if changed else math.nan


by_posterior = named("by_posterior", alone_gap, guess=posterior)
alone_wrong = [
    named(
        "by_prior", alone_gap, "labels are drawn as if no report had been seen", guess=prior_alone
    ),
    named(
        "by_likeliest_labels",
        alone_gap,
        "the likeliest labels are taken for certain",
        guess=likeliest,
    ),
]


# Algorithms: the same adversary as a program that draws ------------------------------------------


def rejected(
    world: SequentialReports, rng: np.random.Generator, replicates: int, behind: Behind
) -> np.ndarray:
    """(R,) whether a χ² test of ``DRAWN`` runs tells its messages from those under CTL."""
    return np.array([_rejected(world, rng, behind) for _ in range(replicates)])


def _rejected(world: SequentialReports, rng: np.random.Generator, behind: Behind) -> float:
    protocol = world.drawn(rng)
    wishes = world.adversary(rng, protocol)
    expected: Any = 0.0
    changed = 0.0
    for laws in arrived(protocol, wishes, world.changes, NOBODY):
        expected = expected + laws.front.sum(0)
        changed += np.abs(laws.honest - laws.front).sum()
    if not changed:
        return math.nan
    drawn = _runs(protocol, wishes, world.changes, behind, rng)
    seen = np.bincount(drawn, minlength=len(expected))
    rare = DRAWN * expected < FEWEST
    pooled = [np.append(counts[~rare], counts[rare].sum()) for counts in (seen, DRAWN * expected)]
    possible = pooled[1] > 0
    if pooled[0][~possible].any():
        return 1.0  # a transcript that cannot be
    seen_counts, due = (counts[possible] for counts in pooled)
    statistic = float(((seen_counts - due) ** 2 / due).sum())
    return float(chdtrc(len(seen_counts) - 1, statistic) < SIGNIFICANT)


def _runs(
    protocol: Sequential, wishes: Any, changes: int, behind: Behind, rng: np.random.Generator
) -> np.ndarray:
    """(N,) transcripts: labels are drawn, reports sent, some replaced; user after user."""
    row = rng.choice(len(protocol.labels), size=DRAWN, p=protocol.label_prob)
    transcript, turned = np.zeros(DRAWN, dtype=int), np.zeros(DRAWN, dtype=int)
    for i, channel in enumerate(protocol.channels):
        label, messages = protocol.labels[row, i], channel.shape[-1]
        sent = _one_of(channel, (transcript, label), rng)
        change = wishes[i][row, transcript] & (turned < changes)
        kernel = behind.kernel(channel, channel[:, ::-1])  # (M^i, 2, M, M)
        new = _one_of(kernel, (transcript, label, sent), rng)
        transcript = transcript * messages + np.where(change, new, sent)
        turned = turned + change
    return transcript


def _one_of(laws: np.ndarray, at: tuple[np.ndarray, ...], rng: np.random.Generator) -> np.ndarray:
    """(N,) one draw of each of the laws (…, M) at N places."""
    uniform, ends = rng.random(len(at[0])), np.moveaxis(laws.cumsum(axis=-1)[..., :-1], -1, 0)
    return np.sum([uniform > end[at] for end in ends], axis=0)


program = named("coupled", rejected, behind=COUPLED)
program_wrong = [
    named(
        "wanted_afresh",
        rejected,
        "a report is drawn from the wanted law, not from what it lacks",
        behind=Behind(kernel=coupling.wanted_afresh),
    ),
    named(
        "laws_exchanged",
        rejected,
        "the two laws are in each other's place",
        behind=Behind(kernel=coupling.exchanged),
    ),
    named(
        "left_alone",
        rejected,
        "every report arrives as it was sent",
        behind=Behind(kernel=coupling.left_alone),
    ),
]


# Algorithms: formulas, and Algorithm 1 -----------------------------------------------------------


@largest_of
def over_chernoff(world: SpentBudgets) -> Iterable[float]:
    """P(Bin(⌊(1−τ)c·αn⌋, 1/c) > αn) over e^(−τ²αn/(2−τ)), the largest."""
    return _over(world, lambda slack: slack**2 / (2 - slack))


@largest_of
def over_squared_slack(world: SpentBudgets) -> Iterable[float]:
    """Wrong: over e^(−τ²αn), a factor 2−τ forgotten."""
    return _over(world, lambda slack: slack**2)


def _over(world: SpentBudgets, rate: Callable[[float], float]) -> Iterable[float]:
    cost = privacy_cost(world.epsilon)
    return (
        float(binomial_above(budget, math.floor((1 - slack) * cost * budget), 1 / cost))
        * math.exp(rate(slack) * budget)
        for budget in BUDGETS for slack in SLACKS
    )  # fmt: skip


def image_of(
    world: ImageOfCell | SampledImage, cost: bool = True, kernel: coupling.Kernel = coupling.maximal
) -> ImageOfCell | SampledImage:
    """The world whose adversary behind the randomizer plays the one of (1−τ)cα in front of it."""
    if not world.adversary.acts:
        return world
    return replace(world, adversary=Image(world.slack, cost, kernel))  # type: ignore[arg-type]


image = named("image", image_of)
image_wrong = [
    privacy_mistake(
        named("without_cost", image_of, "labels are turned without the factor c(ε)", cost=False)
    ),
    privacy_mistake(
        named(
            "every_turned_report",
            image_of,
            "the report of every turned label is redrawn",
            kernel=coupling.redrawn,
        )
    ),
    named(
        "image_left_alone",
        image_of,
        "every report arrives as it was sent",
        kernel=coupling.left_alone,
    ),
]


def thinned(
    world: PricedAnywhere, rng: np.random.Generator, replicates: int, budget: float, norm: float
) -> np.ndarray:
    """(R,) floor of Algorithm 1 at μ_s, over √s times that at μ, in random worlds."""
    ratios = []
    for _ in range(replicates):
        priced = world.priced(rng)
        cells = priced.cells.cells(priced.flip_worth * priced.corruption, rng)
        rare = replace(cells, cell_prob=THINNED * cells.cell_prob)
        few = replace(priced, corruption=budget * priced.corruption)
        floors = [few.floor_in(rare).error, priced.floor_in(cells).error]
        ratios.append(floors[0] / (norm * floors[1]) if floors[1] else math.nan)
    return np.array(ratios)


thinning = named("thinning", thinned, budget=THINNED, norm=THINNED**0.5)
thinning_wrong = [
    named(
        "same_share",
        thinned,
        "the same share α in the thinned cell, not sα",
        budget=1.0,
        norm=THINNED**0.5,
    ),
    named(
        "norm_of_the_whole",
        thinned,
        "the norm of the whole data, without √s",
        budget=THINNED,
        norm=1.0,
    ),
]


# Quantities --------------------------------------------------------------------------------------

LAW = Quantity("TV of laws behind and in front, of what is changed / rounding", evidence="searched")
COUNT = Quantity("P(more than r replaced) / P(Bin(m, 1/c) > r)", evidence="searched")
STOPPED = Quantity("TV of laws / P(Bin(m, 1/c) > b)", evidence="searched")
DRAWS = Quantity("whether a χ² test at 1 ‰ rejects")
TAIL = Quantity("P(more than αn wished) / e^(−τ²αn/(2−τ))", of_world, evidence="computed")
THIN = Quantity("floor at μ_s, sα / (√s · floor at μ, α)", evidence="searched")


def _of_image(world: Any, change: Algorithm, rng: np.random.Generator, replicates: int) -> Any:
    return estimation_floor(change(world), rng, replicates)


FLOOR = Quantity("floor behind the coupling / floor of CTL((1−τ)cα)", _of_image,
                 evidence="exact", over=floor_in_front)  # fmt: skip
ERROR = Quantity("error of n labels / its mean under CTL((1−τ)cα)", _of_image,
                 over=error_in_front)  # fmt: skip


# The claims --------------------------------------------------------------------------------------

ANY_LABELS = {
    "labels": "the statement is about every law of labels, and each case draws its own",
    "estimate": "the statement is about laws of messages: nothing is estimated",
    "algorithm": "the statement is about laws of messages: nothing is estimated",
}
ANY_LAW = {"labels": "an identity of two floors, whatever the labels are"}


def check(
    name: str, claim: Claim, quantity: Quantity, right: Algorithm, wrong: Sequence[Algorithm],
    axis: str = "privacy_cost", blind: Mapping[str, str] = ANY_LABELS,
) -> Check:  # fmt: skip
    """A check with all that it has to say in one line."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 blind=blind)  # fmt: skip


def same_law(name: str, words: str, *more: Algorithm) -> Check:
    """The law of labels and messages behind is that in front."""
    return check(name, Inequality(f"law of reports, LTC by coupling = CTL: {words}"), LAW, law,
                 [*law_wrong, *more])  # fmt: skip


CHECKS = [
    same_law("law_response", "randomized response"),
    same_law("law_k_ary", "4-ary randomized response"),
    same_law("law_unary", "unary encoding"),
    same_law("law_laplace", "Laplace noise in three bins"),
    same_law("law_asymmetric", "an asymmetric channel"),
    same_law("law_erased", "a third of reports not sent"),
    same_law("law_interactive", "channels by all messages so far", first_channel),
    check("replaced_response", Ratio("randomized response: Bin(m, 1/c) reports replaced",
                                     tolerance=1e-6), COUNT, counted, [redrawn]),
    check("replaced_interactive", Inequality("interactive: at most Bin(m, 1/c) replaced", 1e-9),
          COUNT, counted, [redrawn]),
    check("stopped", Inequality("stopping at b reports: TV ≤ P(Bin(m, 1/c) > b)", 1e-9), STOPPED,
          stopped, stopped_wrong),
    check("alone_response", Inequality("reports alone, all seen before: the same law of messages"),
          LAW, by_posterior, alone_wrong),
    check("alone_interactive", Inequality("reports alone, in turn: the same law of messages"),
          LAW, by_posterior, alone_wrong),
    check("drawn", Frequency("a program that draws: χ² at 1 ‰ sees no difference"), DRAWS, program,
          program_wrong),
    check("chernoff", Inequality("P(Bin(⌊(1−τ)cαn⌋, 1/c) > αn) ≤ e^(−τ²αn/(2−τ))"), TAIL,
          over_chernoff, [over_squared_slack]),
    check("floor_of_image", Ratio("Algorithm 1: floor by coupling = floor of CTL((1−τ)cα)",
                                  tolerance=0.01), FLOOR, image, image_wrong, blind={}),
    check("error_of_image", Ratio("Algorithm 1, n labels: error by coupling = that of CTL"), ERROR,
          image, image_wrong, "n_pairs", {}),
    check("thinning", Ratio("floor of Algorithm 1 at μ_s, sα = √s · that at μ, α",
                            tolerance=0.01), THIN, thinning, thinning_wrong, "corruption",
          ANY_LAW),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Every channel is ε-LDP."""
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        if isinstance(world, SequentialReports):
            channels = world.channels(np.random.default_rng(0))
            most = max(channel_epsilon(channel) for by in channels for channel in by)
            at = f"at {swept.sweep.grid[end]:g}: ε-LDP"
            yield at, most <= world.epsilon * (1 + 1e-9), f"exact ε {most:.4g}"


THEOREM = Theorem(
    title="LTC(α) is at least as bad as CTL((1−τ)c(ε)α)",
    settles=["own.order_of_corruption"],
    checks=CHECKS,
    worlds={
        "reports": SequentialReports, "budgets": SpentBudgets, "cell": ImageOfCell,
        "sampled": SampledImage, "random": PricedAnywhere,
    },
    assumes=assumes,
)  # fmt: skip
