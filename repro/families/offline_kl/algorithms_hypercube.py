"""Estimators of π*'s log odds on the hypercube of P1's lower bound, from private counts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from repro.base.notation import flip_prob, label_signal
from repro.families.offline_kl.worlds_hypercube import HypercubePrior

Estimator = Callable[[HypercubePrior, np.ndarray, np.ndarray], np.ndarray]
"""Takes the prior, pairs m and wins k (any shape); returns log odds of response −1 over +1."""


def posterior_mean(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """The Bayes estimator: Gibbs policy of the posterior mean reward over the hypercube."""
    return _posterior(prior, pairs, wins, prior.epsilon)


def naive_posterior(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Wrong: the posterior of clean labels, on privatised ones."""
    return _posterior(prior, pairs, wins, math.inf)


def no_data(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """The policy of the prior mean, which never looks at a label."""
    return np.zeros_like(wins)


def mle(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """The private MLE over reward differences in [−B, B] (Algorithm 1 without bonus)."""
    return _mle(prior, pairs, wins, prior.epsilon)


def naive_mle(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Wrong: the clean likelihood on privatised labels."""
    return _mle(prior, pairs, wins, math.inf)


def pessimistic(prior: HypercubePrior, pairs: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """The private MLE less one standard error for the response that π_ref rarely draws."""
    clean = special.expit(prior.base) * special.expit(-prior.base)
    win = flip_prob(prior.epsilon) + label_signal(prior.epsilon) * special.expit(prior.base)
    spread = math.sqrt(win * (1 - win)) / (label_signal(prior.epsilon) * clean)
    bonus = np.minimum(spread / np.sqrt(np.maximum(pairs, 1)), prior.reward_bound)
    return mle(prior, pairs, wins) - bonus / prior.kl_weight


def _posterior(prior, pairs, wins, epsilon) -> np.ndarray:
    above, below = prior.win_prob(epsilon)
    step = above - below
    evidence = wins * math.log1p(step / below) + (pairs - wins) * math.log1p(-step / (1 - below))
    return prior.log_odds * np.tanh(evidence / 2)


def _mle(prior, pairs, wins, epsilon) -> np.ndarray:
    share = np.divide(wins, pairs, out=np.full_like(wins, 0.5), where=pairs > 0)
    clean = (share - flip_prob(epsilon)) / label_signal(epsilon)
    difference = special.logit(np.clip(clean, 0.0, 1.0))
    difference = np.clip(difference, -prior.reward_bound, prior.reward_bound)
    return (difference - prior.base) / prior.kl_weight


ESTIMATORS: dict[str, Estimator] = {
    f.__name__: f for f in (posterior_mean, naive_posterior, no_data, mle, naive_mle, pessimistic)
}
