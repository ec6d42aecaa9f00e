"""Risk on the hypercube of P1's Theorem 4.5: gaps, Bayes risk, explicit bound."""

from __future__ import annotations

import math

import numpy as np
import scipy
from scipy import special

from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from repro.p1.hypercube.learners import HypercubeLabels, posterior_mean
from repro.p1.hypercube.prior import HypercubePrior

WINDOW = 12.0
"""Standard deviations of a binomial count that the exact sum keeps."""


def binary_kl(u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """KL(Bern(σ(u))‖Bern(σ(w))) from log odds, accurate where they are close."""
    p, d = special.expit(u), w - u
    q = special.expit(-u)
    near = p * q * d**2 * (1 / 2 + (q - p) * d / 6 + (1 - 6 * p * q) * d**2 / 24)
    far = np.logaddexp(0, w) - np.logaddexp(0, u) - p * d
    return np.where(np.abs(d) < 1e-3, near, far)


def gap(prior: HypercubePrior, log_odds: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """(R,) suboptimality kl_weight·E_s KL(π̂‖π*_v) of policies given by their log odds (R, S)."""
    return prior.kl_weight * binary_kl(log_odds, signs * prior.log_odds).mean(axis=-1)


def exact_bayes_risk(
    prior: HypercubePrior, n_pairs: int, process: LabelProcess = AS_STATED
) -> float:
    """Least mean gap that any learner can have when the corner is uniform, by summation.

    The posterior mean reward attains it: KL(π̂‖π*) is minimised by mean log odds.

    Args:
        prior: the hypercube.
        n_pairs: n; the sum has about (n·cell_prob)² terms.
        process: what is returned for the posterior mean.
    """
    mean = n_pairs * prior.cell_prob
    spread = WINDOW * math.sqrt(mean * (1 - prior.cell_prob)) + 1
    sizes = np.arange(max(0, math.floor(mean - spread)), min(n_pairs, math.ceil(mean + spread)) + 1)
    weights = scipy.stats.binom.pmf(sizes, n_pairs, prior.cell_prob)
    total = sum(
        w * _risk_given(prior, int(m), process) for w, m in zip(weights, sizes, strict=True)
    )
    return prior.kl_weight * float(total)


def _risk_given(prior: HypercubePrior, pairs: int, process: LabelProcess) -> float:
    """Mean KL of the Bayes rule given the number of informative pairs."""
    wins = np.arange(pairs + 1.0)
    estimate = posterior_mean(HypercubeLabels(prior, np.full_like(wins, pairs), wins))
    chances = prior.win_prob(prior.epsilon)
    truths = np.array(prior.log_odds), np.array(-prior.log_odds)
    both = (
        scipy.stats.binom.pmf(wins, pairs, chance)
        @ binary_kl(process.returned(estimate, truth), truth)
        for chance, truth in zip(chances, truths, strict=True)
    )
    return float(sum(both)) / 2


def separation(prior: HypercubePrior) -> float:
    """min{βa²/8, 3a/10}: what step 3 of the proof says two corners cost any policy together."""
    return min(prior.tilt**2 / (8 * prior.kl_weight), 0.3 * prior.tilt)


def exact_separation(prior: HypercubePrior) -> float:
    """min over π̂ of SubOpt_s(π̂, v) + SubOpt_s(π̂, v′): 2·kl_weight·log cosh(a/(2·kl_weight))."""
    x = prior.log_odds / 2
    log_cosh = x * x / 2 - x**4 / 12 if x < 1e-2 else x + math.log1p(math.exp(-2 * x)) - math.log(2)
    return 2 * prior.kl_weight * log_cosh


def explicit_bound(prior: HypercubePrior, n_pairs: int) -> float:
    """¼·min{βa²/8, 3a/10}·exp(−n·KL), step 5 of the proof with the exact KL."""
    return 0.25 * separation(prior) * math.exp(-n_pairs * prior.pair_kl)
