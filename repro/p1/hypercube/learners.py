"""Estimators of π*'s log odds on the hypercube of P1's lower bound, from private counts.

Each takes ``HypercubeLabels`` and returns log odds of response −1 over +1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from repro.base.notation import flip_prob, label_signal
from repro.core.check import privacy_mistake
from repro.p1.hypercube.prior import HypercubePrior


@dataclass(frozen=True, eq=False)
class HypercubeLabels:
    """What a learner sees, with the prior that the Bayes rule knows.

    Attributes:
        prior: the hypercube; its ``epsilon`` is the budget that likelihoods assume.
        pairs: informative pairs m, any shape, as floats.
        wins: privatised wins k of response −1, likewise.
        bonus: multiple of the bonus of ``pessimistic``.
    """

    prior: HypercubePrior
    pairs: np.ndarray
    wins: np.ndarray
    bonus: float = 1.0


def posterior_mean(labels: HypercubeLabels) -> np.ndarray:
    """The Bayes estimator: Gibbs policy of the posterior mean reward over the hypercube."""
    return _posterior(labels, labels.prior.epsilon)


@privacy_mistake
def naive_posterior(labels: HypercubeLabels) -> np.ndarray:
    """Wrong: the posterior of clean labels, on privatised ones."""
    return _posterior(labels, math.inf)


def no_data(labels: HypercubeLabels) -> np.ndarray:
    """Wrong: the policy of the prior mean, which never looks at a label."""
    return np.zeros_like(labels.wins)


def mle(labels: HypercubeLabels) -> np.ndarray:
    """The private MLE over reward differences in [−B, B] (Algorithm 1 without bonus)."""
    return _mle(labels, labels.prior.epsilon)


@privacy_mistake
def naive_mle(labels: HypercubeLabels) -> np.ndarray:
    """Wrong: the clean likelihood on privatised labels."""
    return _mle(labels, math.inf)


def pessimistic(labels: HypercubeLabels) -> np.ndarray:
    """The private MLE less one standard error for the response that π_ref rarely draws."""
    prior = labels.prior
    clean = special.expit(prior.base) * special.expit(-prior.base)
    win = flip_prob(prior.epsilon) + label_signal(prior.epsilon) * special.expit(prior.base)
    spread = math.sqrt(win * (1 - win)) / (label_signal(prior.epsilon) * clean)
    bonus = np.minimum(spread / np.sqrt(np.maximum(labels.pairs, 1)), prior.reward_bound)
    return _mle(labels, prior.epsilon) - labels.bonus * bonus / prior.kl_weight


def _posterior(labels: HypercubeLabels, epsilon: float) -> np.ndarray:
    above, below = labels.prior.win_prob(epsilon)
    step, losses = above - below, labels.pairs - labels.wins
    evidence = labels.wins * math.log1p(step / below) + losses * math.log1p(-step / (1 - below))
    return labels.prior.log_odds * np.tanh(evidence / 2)


def _mle(labels: HypercubeLabels, epsilon: float) -> np.ndarray:
    prior, pairs, wins = labels.prior, labels.pairs, labels.wins
    share = np.divide(wins, pairs, out=np.full_like(wins, 0.5), where=pairs > 0)
    clean = (share - flip_prob(epsilon)) / label_signal(epsilon)
    difference = special.logit(np.clip(clean, 0.0, 1.0))
    difference = np.clip(difference, -prior.reward_bound, prior.reward_bound)
    return (difference - prior.base) / prior.kl_weight
