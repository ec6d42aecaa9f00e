"""The auxiliary lemmas of P4's Appendix H, case by case."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom, poisson

from repro.base.notation import epsilon_of_cost
from repro.corruption.orders import Randomize
from repro.preferences.label_law import Channel, randomized_response


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
    rare = _within(np.arange(RARE_COUNTS), 1.0, ridge) * poisson.pmf(np.arange(RARE_COUNTS), 1.0)
    total = np.ones(1)
    for _ in range(features - 1):
        total = np.convolve(total, rare)
    rest = n_pairs - np.arange(len(total))
    others = _within(rest, common, ridge) * poisson.pmf(rest, common)
    return float((1 - total @ others / poisson.pmf(n_pairs, n_pairs)) / failure_prob)


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


RARE_COUNTS = 60
"""A count of mean 1 is larger with probability 1e-83."""
MEANS = np.geomspace(0.05, 50, 40)
"""Of a cell's count, in units of nλ: all but the ends are far from the hardest."""


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
    fails = binom.sf(np.floor(high), n_pairs, mass) + binom.cdf(np.ceil(low) - 1, n_pairs, mass)
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
    return float(2 * binom.sf(math.floor(heads), dimension, 0.5) / failure_prob)


def chernoff_ratio(mean: float, share: float, exponent: float) -> float:
    """P(λ_min(Y) ≤ εμ) ≤ d·exp(−(1−ε)²μ/2) for orthogonal indicators, left over right (Lemma H.3).

    λ_min is the least of d binomial counts; by the union bound both sides carry d, which cancels.

    Args:
        mean: μ_min = nξ.
        share: ε in (0, 1).
        exponent: ½ as printed; 1 is wrong.
    """
    n = 10**9
    log_tail = binom.logcdf(math.floor(share * mean), n, mean / n)
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
