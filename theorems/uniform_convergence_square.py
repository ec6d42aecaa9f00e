"""P2 Lemma 3.3: uniform convergence of the square loss under privacy and Huber corruption.

Statement (Lemma 3.3).  For a finite class H of functions to [−1, 1] containing h* = E[y|x], with
probability at least 1−δ, for all n ≤ T and all h,

    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·α²          under CTL,
    E^(n)(h) ≲ L̂(h) − L̂(h*) + c(ε)²·log(|H|/δ) + n·c(ε)²·α²    under LTC,

with L̂(h) = Σ(h(x) − c(ε)·z)² and E^(n)(h) = Σ_t E[(h(x^(t)) − h*(x^(t)))² | past].

Testable: E/n of least squares on ten inputs against the worst Huber adversary.  Its floor in n
has exponent 2 in α under both orders, and 0 (CTL) or 2 (LTC) in c(ε); before the floor it is
∝ 1/n; the floor's constant is exactly the mean of α²(1+|h*|)² (CTL) or α²(c+|h*|)² (LTC): an
adversary who tosses coins keeps the exponent and misses the constant.  The older bound nα (Zhou
et al., square loss) is loose by a factor that vanishes with α: check older_bound holds E/(nα) ∝ α.
The inequality itself is held at every n ≤ T, for iid and adaptive inputs, with the constants of its
proof (``violated``).

Slip in the proof: eqs. (4) and (5) bound F* − h* from above only; Lemma B.2 needs |F* − h*|.
The same bound holds from below (check two_sided_bias, proved for every bad mean b and h*), so the
lemma stands.

What would refute it: a floor with a smaller exponent in α, or a larger one in c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Count, Number, Pairs, Probability
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named, privacy_mistake
from repro.core.claims import Claim, Frequency, Inequality, Ratio, Slope
from repro.core.proofs import Box, Claimed, Interval, iv, proof_of
from repro.labels.corruption.huber_reports import HuberReports, coin_tosser
from repro.labels.corruption.huber_square import worst_bias
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import on_arrays
from repro.p2.losses.sequences import (
    Design,
    LabelSequence,
    draw_sequence,
    packing_class,
    random_class,
)
from repro.worlds.instances.labelled import HuberLabels

Means = Annotated[
    tuple[Annotated[Number, Field(ge=-1, le=1)], ...], Field(min_length=1, max_length=1000)
]

# Worlds: a mean for each input, and a class of means on a sequence -------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Corrupted(HuberLabels):
    """Corrupted reports.

    Attributes:
        claimed_order: of corruption and privacy, in what is claimed.
    """

    claimed_order: Order

    def worst_bias(self, means: np.ndarray) -> np.ndarray:
        """(X,) how far the worst adversary moves the mean of c·z, by the printed formula."""
        cost = privacy_cost(self.epsilon)
        return worst_bias(means, cost, self.corruption, self.claimed_order)


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs(Corrupted):
    """n labels of equally likely inputs with means h*.

    Attributes:
        n_pairs: n.
        means: h*(x) of each input.
    """

    n_pairs: Pairs
    means: Means

    @property
    def truth(self) -> np.ndarray:
        """(X,) h*."""
        return np.array(self.means)


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanSequences(Corrupted):
    """A finite class of means on a sequence of labels; the inequality is about every n ≤ T.

    Attributes:
        horizon: T.
        class_size: N.
        members: how the class is made; its first member is the truth.
        design: how inputs are chosen.
        failure_prob: δ.
    """

    horizon: Pairs
    class_size: Count
    members: Literal["random", "packing"]
    design: Design
    failure_prob: Probability

    @property
    def table(self) -> np.ndarray:
        """(N, X) means of labels."""
        class_of = random_class if self.members == "random" else packing_class
        return 2 * class_of(self.class_size) - 1


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share of labels that is replaced.

    Attributes:
        corruption: α.
    """

    corruption: Corruption


# Algorithms: the square loss, and wrong ones -----------------------------------------------------


@dataclass(frozen=True)
class LeastSquares:
    """Σ(h(x) − factor·z)².

    Attributes:
        reports: how labels become z.
        factor: c(ε), where privacy is taken out.
    """

    reports: HuberReports
    factor: float


def square_loss(world: Corrupted) -> LeastSquares:
    """The square loss of c·z."""
    return LeastSquares(world.reports, world.reports.cost)


@privacy_mistake
def without_privacy_cost(world: Corrupted) -> LeastSquares:
    """Wrong: the square loss of z."""
    return LeastSquares(world.reports, 1.0)


def corruption_after_privacy(world: Corrupted) -> LeastSquares:
    """Wrong for CTL: corruption comes second."""
    return square_loss(replace(world, order=Order.LTC))


def corruption_before_privacy(world: Corrupted) -> LeastSquares:
    """Wrong for LTC: corruption comes first."""
    return square_loss(replace(world, order=Order.CTL))


def weak_adversary(world: Corrupted) -> LeastSquares:
    """Wrong for a constant: the adversary tosses coins."""
    return square_loss(replace(world, adversary=coin_tosser))


# Quantities --------------------------------------------------------------------------------------


def error(world: Inputs, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) E^(n)(ĥ)/n, the mean squared error of ĥ over inputs.

    The minimiser over h(x) ∈ [−1, 1] is the clipped mean of c·z, input by input.
    """
    loss, share = algorithm(world), np.full(len(world.means), 1 / len(world.means))
    mean = loss.reports.mean(world.truth)
    pairs = rng.multinomial(world.n_pairs, share, size=replicates)
    wins = rng.binomial(pairs, (1 + mean) / 2)
    average = (2.0 * wins - pairs) / np.maximum(pairs, 1)
    fitted = np.clip(loss.factor * average, -1, 1)
    estimate = on_arrays(world.estimate, fitted, world.truth)
    return ((estimate - world.truth) ** 2).mean(axis=1)


def predicted_floor(world: Inputs) -> float:
    """lim E^(n)/n: mean squared worst bias, α²·mean (1+|h*|)² or α²·mean (c+|h*|)²."""
    return float((world.worst_bias(world.truth) ** 2).mean())


def seen(world: MeanSequences, rng: np.random.Generator, replicates: int) -> LabelSequence:
    """R sequences of reports, which all forms of the inequality are held against."""
    win = (1 + world.reports.mean(world.table[0])) / 2
    return draw_sequence(rng, win, world.design, world.horizon, replicates)


def violated(
    world: MeanSequences, algorithm: Algorithm, sequence: LabelSequence, replicates: int
) -> np.ndarray:
    """(R,) 1.0 where Σ(h−h*)² ≤ (64/15)·[ΔL + 8c²·log(N/δ) + 2na²] fails for some n ≤ T and some h.

    It holds with probability 1−δ: (h−cz)² − (h*−cz)² is linear in z, so Hoeffding's lemma with
    λ = 1/(8c²) gives it for |F* − h*| ≤ a; a is at most 2α under CTL and (c+1)·α under LTC.
    """
    table, factor, cost = world.table, algorithm(world).factor, world.reports.cost
    bias = float(world.worst_bias(table[0]).max())
    excess = sequence.excess_loss((table - factor) ** 2, (table + factor) ** 2)
    rounds = np.arange(1, sequence.inputs.shape[1] + 1)[:, None]
    allowed = 8 * cost**2 * np.log(len(table) / world.failure_prob) + 2 * rounds * bias**2
    left = sequence.conditional_sums((table - table[0]) ** 2)
    holds = left <= 64 / 15 * (excess + allowed)  # of a NaN nothing holds
    return 1.0 - holds.all(axis=(1, 2))


# The bias of Lemma B.2, by intervals -------------------------------------------------------------

MEANS: Box = ((-1.0, 1.0), (-1.0, 1.0), (1e-6, 1.0))
"""h* and the mean b of the labels put in, both in [−1, 1], and 1/c from 0 (excluded) to 1."""


def bias_over_bound(world: Share, free_of_cost: bool) -> Claimed:
    """|E[c·z] − h*| over 2α under CTL and over (c+1)α under LTC, the larger; α cancels.

    E[c·z] − h* is α(b − h*) under CTL and α(cb − h*) under LTC.  Over its bound each is 1 less a
    number that is not negative, whatever its sign: with s = 1/c,
    1 ∓ (b − sh)/(1+s) = ((1 ∓ b) + s(1 ± h))/(1+s).

    Args:
        world: α.
        free_of_cost: wrong: 2α under LTC as well.
    """

    def ratio(h: Interval, b: Interval, s: Interval) -> Interval:
        short = [((1 - sign * b) + (1 + sign * h)) / 2 for sign in (1, -1)]
        if free_of_cost:
            short_sides = [1 - side for side in short] + [abs(b - s * h) / (2 * s)]
        else:
            short += [((1 - sign * b) + s * (1 + sign * h)) / (1 + s) for sign in (1, -1)]
            short_sides = [1 - side for side in short]
        return iv.mpf([max(side.a for side in short_sides), max(side.b for side in short_sides)])

    return Claimed(MEANS, ratio)


both_sides = named("both_sides", bias_over_bound, free_of_cost=False)
reach_one_under_ltc = named(
    "reach_one_under_ltc", bias_over_bound, "2α under LTC as well", free_of_cost=True
)


# The claims --------------------------------------------------------------------------------------

ERROR = Quantity("mean squared error of ĥ", error)
FLOOR = replace(ERROR, words="mean squared error / α²·mean(reach+|h*|)²", over=predicted_floor)
OVER_OLD = replace(ERROR, words="mean squared error / α", over=lambda world: world.corruption)
VIOLATED = Quantity("inequality violated at some n ≤ T [frequency]", violated, drawn=seen)
BIAS = Quantity("|E[c·z] − h*| / bound", proof_of, evidence="proved")
EVERY_MEMBER: Any = {
    "settles": ("p2.lem_3_3", "p2.lem_b_2"),
    "blind": dict.fromkeys(
        ("estimate", "algorithm"), "it is about every member of the class: nothing is fitted"
    ),
}
LEAST_SQUARES: Any = {"settles": ("p2.lem_3_3", "p2.rem_3_4")}


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity = ERROR,
    wrong: Algorithm = without_privacy_cost, right: Algorithm = square_loss, **more: Any,
) -> Check:  # fmt: skip
    """A check of least squares, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right,
                 wrong=[wrong], **more)  # fmt: skip


CHECKS = [
    check("corruption_ctl", "corruption", Slope("CTL: floor {rate}", 2), **LEAST_SQUARES),
    check("corruption_ltc", "corruption", Slope("LTC: floor {rate}", 2), **LEAST_SQUARES),
    check("privacy_cost_ctl", "privacy_cost",
          Ratio("CTL: floor = α²·mean (1+|h*|)², free of c(ε)"), FLOOR, corruption_after_privacy,
          **LEAST_SQUARES),
    check("privacy_cost_ltc", "privacy_cost", Slope("LTC: floor {rate}", 2),
          wrong=corruption_before_privacy, **LEAST_SQUARES),
    check("prefactor_ctl", "corruption", Ratio("CTL: floor = α²·mean (1+|h*|)²"), FLOOR,
          weak_adversary),
    check("prefactor_ltc", "corruption", Ratio("LTC: floor = α²·mean (c+|h*|)²"), FLOOR,
          weak_adversary),
    check("n_pairs", "n_pairs", Slope("before the floor: {rate}", -1), **LEAST_SQUARES),
    check("privacy_cost", "privacy_cost", Slope("before the floor: {rate}", 2), **LEAST_SQUARES),
    check("older_bound", "corruption",
          Slope("the older bound nα is loose by a factor {rate}", 1), OVER_OLD),
    check("two_sided_bias", "corruption",
          Inequality("|F* − h*| ≤ 2α (CTL), (c+1)α (LTC), from both sides"), BIAS,
          reach_one_under_ltc, both_sides, settles=("p2.lem_3_3", "p2.lem_b_2")),
    check("all_n_iid", "privacy_cost",
          Frequency("iid inputs: all n ≤ T and all h with probability ≥ 1−δ"), VIOLATED,
          **EVERY_MEMBER),
    check("all_n_adaptive", "privacy_cost", Frequency("adaptive inputs: the same"), VIOLATED,
          **EVERY_MEMBER),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """h* inside [−1, 1] with room for the worst bias; α < 1/2."""
    world = swept.sweep.worlds[-1]
    if isinstance(world, Inputs):
        largest = float(np.abs(world.truth).max())
        yield "h* inside [−1, 1]", largest < 1, f"|h*| ≤ {largest:g}"
        bias, alpha = world.worst_bias(world.truth).max(), world.corruption
        detail = f"bias ≤ {bias:.3g}, α = {alpha}"
        yield "clipping leaves the bias", bool(alpha < 0.5 and bias < 2), detail


THEOREM = Theorem(
    title="P2 Lemma 3.3: uniform convergence of the square loss under CTL and LTC",
    settles=["p2.lem_3_3"],
    checks=CHECKS,
    worlds={"inputs": Inputs, "sequences": MeanSequences, "share": Share},
    assumes=assumes,
)
