"""P4 Lemmas H.1–H.4: the concentration and contraction results that the proofs rest on.

* H.1 (Zanette et al., Lemma 39): for λ ≥ Ω((d/n)·ln(n/δ)), with probability ≥ 1−δ,
  ⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI).  Holds with constant 1 in Ω where it is hardest, cells of mass 1/n,
  whose joint law is summed exactly; a hundredth of λ does not suffice (control).  `ridge`: in
  orthogonal cells, by exact binomial tails at the hardest common mass and δ from .05 to 1e-9,
  λ = 1.4·ln(2d/δ)/n suffices, without the factors d and ln n that the lemma has room for, and 1.2
  in place of 1.4 does not (control).
* H.2 (Hsu et al., Theorem 1): xᵀΣx ≤ σ²[tr Σ + 2√(tr Σ²·ln(1/δ)) + 2‖Σ‖ln(1/δ)] w.p. ≥ 1−δ.
  By all signs, Σ_ij = 2^(−|i−j|).  Control: the trace alone.  `flat_form`: for Σ = 11ᵀ/d, where the
  tail is that of a binomial, with δ down to 1e-15; there the 2 in front of ‖Σ‖ln(1/δ) cannot be
  1.25 (control).  (Claim E.1 derived from it with C = 1 fails: see estimation_weighted.)
* H.3 (Tropp, Theorem 5.1.1): P(λ_min(Y) ≤ εμ_min) ≤ d·exp(−(1−ε)²μ_min/2H), by exact binomial
  tails.  Controls: twice the exponent, and 10 % more.
* H.4 (Kairouz et al., Corollary 2.9): TV(QP₁, QP₂) ≤ TV(P₁, P₂)/c(ε) for every ε-LDP Q; randomized
  response attains it.  Controls: c(ε)², and a constant 10 % smaller.

What would refute a check: one ratio above 1.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Pairs, Positive, Probability
from repro.base.tails import binomial_above, binomial_up_to, poisson_chance
from repro.core.check import Check, Quantity, SweptCheck, Theorem, largest_of, named, of_world
from repro.core.claims import Inequality
from repro.labels.corruption.orders import Randomize
from repro.labels.preferences.label_law import Channel, randomized_response

RARE_COUNTS = 60
"""A count of mean 1 is larger with probability 1e-83."""
MEANS = np.geomspace(0.05, 50, 40)
"""Of a cell's count, in units of nλ: all but the ends are far from the hardest."""
TEN_PERCENT_LESS = 0.9
"""On the right side of H.4: a planted lemma whose constant is 10 % too small."""


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Signs:
    """d random signs, and how likely a tail may be.

    Attributes:
        num_features: d.
        failure_probs: δ, of which the worst counts.
    """

    num_features: Pairs
    failure_probs: Annotated[tuple[Probability, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class OrthogonalSamples(Signs):
    """Samples of d orthogonal features.

    Attributes:
        n_pairs: n.
    """

    n_pairs: Pairs


@dataclass(frozen=True, kw_only=True)
class LeastCounts:
    """Samples of orthogonal indicators, the rarest of mass ξ.

    Attributes:
        n_pairs: n; nξ is the least mean count.
        min_eigenvalue: ξ.
        shares: ε of Lemma H.3; the proof of Theorem 5.7 uses ½.
    """

    n_pairs: Pairs
    min_eigenvalue: Positive
    shares: Annotated[tuple[Probability, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class PrivateMechanisms:
    """ε-private mechanisms of two inputs.

    Attributes:
        privacy_cost: c(ε), above 1.
        channel: the randomized response that attains H.4.
    """

    privacy_cost: Positive
    channel: Channel = randomized_response


# Left over right side of each lemma --------------------------------------------------------------


def covariance_failure(
    features: int, n_pairs: int, ridge_scale: float, failure_prob: float
) -> float:
    """Exact P(⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI) fails)/δ, λ = scale·(d/n)·ln(n/δ) (P4, Lemma H.1).

    Orthogonal unit features, one of them common, the others of mass 1/n, where it is hardest.
    Counts are independent Poisson variables, given their sum n; a failure is exact to 1e-12.

    Args:
        features: d ≥ 2.
        n_pairs: n.
        ridge_scale: the constant in Ω(·).
        failure_prob: δ.
    """
    ridge = ridge_scale * features * math.log(n_pairs / failure_prob)
    common = n_pairs - features + 1
    rare = _within(np.arange(RARE_COUNTS), 1.0, ridge) * poisson_chance(np.arange(RARE_COUNTS), 1.0)
    total = np.ones(1)
    for _ in range(features - 1):
        total = np.convolve(total, rare)
    rest = n_pairs - np.arange(len(total))
    others = _within(rest, common, ridge) * poisson_chance(rest, common)
    return float((1 - total @ others / poisson_chance(n_pairs, n_pairs)) / failure_prob)


def _within(counts: np.ndarray, mean: float, ridge: float) -> np.ndarray:
    """Whether count + nλ lies between ⅓ and 5/3 of mean + nλ."""
    ratio = (counts + ridge) / (mean + ridge)
    return (ratio >= 1 / 3) & (ratio <= 5 / 3)


def quadratic_form_tail(dimension: int, trace_only: bool, failure_prob: float) -> float:
    """Exact P(xᵀΣx > tr Σ + 2√(tr Σ²·l) + 2‖Σ‖l)/δ, l = ln(1/δ), Rademacher x (Lemma H.2).

    Σ_ij = 2^(−|i−j|), all of whose eigenvalues count; x and −x are alike, so 2^(d−1) signs are all.

    Args:
        dimension: of x.
        trace_only: leave out all but tr Σ, which is wrong.
        failure_prob: δ.
    """
    place = np.arange(dimension)
    sigma = 0.5 ** np.abs(place[:, None] - place[None])
    signs = np.where(np.arange(2 ** (dimension - 1))[:, None] >> place & 1, -1.0, 1.0)
    log = math.log(1 / failure_prob)
    tail = 2 * math.sqrt(np.trace(sigma @ sigma) * log) + 2 * np.linalg.norm(sigma, 2) * log
    bound = np.trace(sigma) + (0.0 if trace_only else tail)
    return float(((signs @ sigma * signs).sum(axis=1) > bound).mean() / failure_prob)


def ridge_failure(features: int, n_pairs: int, scale: float, failure_prob: float) -> float:
    """Exact P(H.1 fails)/δ for λ = scale·ln(2d/δ)/n, orthogonal cells of the hardest common mass.

    A cell of mean count μ fails where its count is above 5/3·μ + 2/3·nλ or below μ/3 − 2/3·nλ; the
    union bound over d cells.

    Args:
        features: d.
        n_pairs: n.
        scale: the constant.
        failure_prob: δ.
    """
    ridge = scale * math.log(2 * features / failure_prob)
    mean = MEANS * ridge
    high, low = (5 * mean + 2 * ridge) / 3, (mean - 2 * ridge) / 3
    mass = mean / n_pairs
    fails = binomial_above(np.floor(high), n_pairs, mass) + binomial_up_to(
        np.ceil(low) - 1, n_pairs, mass
    )
    return float(features * fails.max() / failure_prob)


def flat_form_tail(dimension: int, operator_factor: float, failure_prob: float) -> float:
    """Exact P(xᵀΣx > bound)/δ of H.2 for Rademacher x and Σ = 11ᵀ/d, of rank one.

    There tr Σ = tr Σ² = ‖Σ‖ = 1 and xᵀΣx is the square of a standardised binomial.

    Args:
        dimension: d of x.
        operator_factor: 2 as printed, in front of ‖Σ‖·ln(1/δ).
        failure_prob: δ.
    """
    log = math.log(1 / failure_prob)
    bound = 1 + 2 * math.sqrt(log) + operator_factor * log
    heads = (dimension + math.sqrt(bound * dimension)) / 2
    return float(2 * binomial_above(math.floor(heads), dimension, 0.5) / failure_prob)


def chernoff_ratio(mean: float, share: float, exponent: float) -> float:
    """P(λ_min(Y) ≤ εμ) ≤ d·exp(−(1−ε)²μ/2) for orthogonal indicators, left over right (Lemma H.3).

    λ_min is the least of d binomial counts; by the union bound both sides carry d, which cancels.

    Args:
        mean: μ_min = nξ.
        share: ε in (0, 1).
        exponent: ½ as printed; 1 is wrong.
    """
    n = 10**9
    with np.errstate(divide="ignore"):
        log_tail = np.log(binomial_up_to(math.floor(share * mean), n, mean / n))
    return float(np.exp(log_tail + exponent * (1 - share) ** 2 * mean))


def contraction_ratio(
    privacy_cost: float,
    power: int,
    rng: np.random.Generator,
    response: Channel = randomized_response,
) -> float:
    """TV(QP₁, QP₂)·c^power / TV(P₁, P₂) for a random ε-LDP mechanism Q (Lemma H.4, power 1).

    Half of the mechanisms are the library's randomized response, which attains the bound.

    Args:
        privacy_cost: c(ε) > 1.
        power: 1 as printed; 2 is wrong.
        rng: stream that draws Q, P₁, P₂.
        response: randomized response, or what stands in its place.
    """
    growth = (privacy_cost + 1) / (privacy_cost - 1)
    outputs = rng.uniform(1, growth, (2, 4))
    outputs /= outputs[:, :1].sum() + outputs[:, 1:].max(axis=0).sum()
    rest = 1 - outputs.sum(axis=1)
    low = rest.min()
    private = np.column_stack([outputs, rest]) if rest.max() <= growth * low else None
    if private is None or not _is_private(private, growth) or rng.random() < 0.5:
        law = Randomize.of(response, epsilon_of_cost(privacy_cost))
        first_row, second_row = law.win_given_win, law.win_given_loss
        private = np.array([[first_row, 1 - first_row], [second_row, 1 - second_row]])
    first, second = rng.random(2)
    p = np.array([[first, 1 - first], [second, 1 - second]])
    before, after = abs(first - second), np.abs(p[0] @ private - p[1] @ private).sum() / 2
    return float(after * privacy_cost**power / max(before, 1e-300))


def _is_private(mechanism: np.ndarray, growth: float) -> bool:
    """Whether no output is more than e^ε = ``growth`` times likelier under one input."""
    ratio = mechanism[0] / mechanism[1]
    return bool((ratio <= growth).all() and (1 / ratio <= growth).all())


# The lemmas of a world, at constants of their own ------------------------------------------------


@largest_of
def covariance(world: OrthogonalSamples, scale: float) -> Iterable[float]:
    """H.1 where one feature is common and the others rare."""
    size, n_pairs = world.num_features, world.n_pairs
    return (covariance_failure(size, n_pairs, scale, delta) for delta in world.failure_probs)


@largest_of
def ridge(world: OrthogonalSamples, scale: float) -> Iterable[float]:
    """H.1 where all features are equally likely."""
    size, n_pairs = world.num_features, world.n_pairs
    return (ridge_failure(size, n_pairs, scale, delta) for delta in world.failure_probs)


@largest_of
def flat_form(world: Signs, factor: float) -> Iterable[float]:
    """H.2 where Σ has rank one."""
    return (flat_form_tail(world.num_features, factor, delta) for delta in world.failure_probs)


@largest_of
def quadratic_form(world: Signs, trace_only: bool) -> Iterable[float]:
    """H.2 where Σ has full rank."""
    size = world.num_features
    return (quadratic_form_tail(size, trace_only, delta) for delta in world.failure_probs)


@largest_of
def chernoff(world: LeastCounts, exponent: float) -> Iterable[float]:
    """H.3, the worst ε."""
    mean = world.min_eigenvalue * world.n_pairs
    return (chernoff_ratio(mean, share, exponent) for share in world.shares)


def contraction(
    world: PrivateMechanisms, rng: np.random.Generator, replicates: int, power: int = 1,
    share: float = 1.0,
) -> np.ndarray:  # fmt: skip
    """(R,) H.4 of random mechanisms, over a share of its right side."""
    cost, response = world.privacy_cost, world.channel
    return (
        np.array([contraction_ratio(cost, power, rng, response) for _ in range(replicates)]) / share
    )


# The claims --------------------------------------------------------------------------------------

LEARNT: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"), "a lemma about channels: nothing is learnt"
)


def computed(words: str) -> Quantity:
    """A lemma's two sides, nothing drawn."""
    return Quantity(words, of_world, evidence="computed")


def assumes(swept: SweptCheck):
    """‖φ‖ ≤ 1, σ = 1 and ε-LDP hold by construction of every world."""
    yield "bounded features, Rademacher noise", True, "by construction"


THEOREM = Theorem(
    title="P4 Lemmas H.1–H.4: concentration and contraction",
    checks=[
        Check(
            name="covariance", axis="num_features",
            claim=Inequality("⅓(Σ+λI) ⪯ Σ̂+λI ⪯ 5/3(Σ+λI) w.p. ≥ 1−δ"),
            quantity=computed("P(H.1 fails) / δ, exactly"),
            right=named("outside", covariance, scale=1.0),
            wrong=[named("ridge_over_hundred", covariance,
                         "λ is a hundred times smaller", scale=0.01)], settles=["p4.lem_h_1"],
        ),
        Check(
            name="ridge", axis="num_features",
            claim=Inequality("λ = 1.4·ln(2d/δ)/n: P(H.1 fails) ≤ δ"),
            quantity=computed("P(H.1 fails) / δ, orthogonal cells"),
            right=named("ridge", ridge, scale=1.4),
            wrong=[named("ridge_sixth_less", ridge,
                         "the constant of λ is 1.2, not 1.4", scale=1.2)], settles=["p4.lem_h_1"],
        ),
        Check(
            name="flat_form", axis="num_features",
            claim=Inequality("Σ of rank one: P(xᵀΣx > 1 + 2√l + 2l) ≤ δ, l = ln(1/δ)"),
            quantity=computed("P(H.2 fails) / δ, exactly"),
            right=named("as_printed", flat_form, factor=2.0),
            wrong=[named("factor_1_25", flat_form,
                         "the factor of ‖Σ‖·ln(1/δ) is 1.25, not 2", factor=1.25),
                   named("half", flat_form,
                         "the factor of ‖Σ‖·ln(1/δ) is 1, not 2", factor=1.0)],
            settles=["p4.lem_h_2"],
        ),
        Check(
            name="quadratic_form", axis="num_features",
            claim=Inequality("xᵀΣx ≤ tr Σ + 2√(tr Σ²·l) + 2‖Σ‖l w.p. ≥ 1−δ"),
            quantity=computed("P(H.2 fails) / δ, by all signs"),
            right=named("outside", quadratic_form, trace_only=False),
            wrong=[named("trace_alone", quadratic_form,
                         "the bound is the trace alone", trace_only=True)],
            settles=["p4.lem_h_2"],
        ),
        Check(
            name="matrix_chernoff", axis="min_eigenvalue",
            claim=Inequality("P(λ_min ≤ εμ) ≤ d·exp(−(1−ε)²μ/2)"),
            quantity=computed("P(λ_min ≤ εμ) / bound"),
            right=named("tail", chernoff, exponent=0.5),
            wrong=[named("twice_the_exponent", chernoff, "twice the exponent", exponent=1.0),
                   named("exponent_ten_percent", chernoff,
                         "the exponent is 10 % larger", exponent=0.55)],
            settles=["p4.lem_h_3"],
        ),
        Check(
            name="contraction", axis="privacy_cost", claim=Inequality("TV shrinks by c(ε)"),
            quantity=Quantity("TV after / (TV before / c)", evidence="searched"),
            right=named("total_variation", contraction),
            wrong=[named("cost_squared", contraction, "c(ε)² in the place of c(ε)", power=2),
                   named("ten_percent", contraction,
                         "the bound is 10 % smaller", share=TEN_PERCENT_LESS)],
            settles=["p4.lem_h_4"], blind=LEARNT,
        ),
    ],
    worlds={
        "samples": OrthogonalSamples, "signs": Signs, "counts": LeastCounts,
        "mechanisms": PrivateMechanisms,
    },
    assumes=assumes,
)  # fmt: skip
