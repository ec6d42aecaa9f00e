"""χPO over a class without a parameter: preferences that fall no faster than L.

Two responses a state, π_ref = ½; states are x in (−½, ½), evenly spread.  The class Π holds every
policy whose h_π(x) = tanh(Δ_π(x)/2) makes u = h_π + L·x nondecreasing, with values in [−U, U].
Over Π the square loss is least at an isotonic regression, over a net of Π at that regression
rounded to the net's levels.  Truths: k steps, in each of which u stays at the left or at the right
end of L·x, so that one of the responses is the better one.  docs/explanations/large_classes.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from scipy.special import expit, gammaln

from repro.base.errors import BadInput
from repro.labels.preferences.label_law import on_arrays
from repro.p2.chipo.labels import CorruptedChipoLabels

STATES = 2**11
FALL = 0.5
"""L."""
LARGEST = 0.5
"""U; |h| ≤ U + L/2 = ¾ < tanh(1), so with R_max = 1 the clip at 2·R_max never binds."""
STEPS = tuple(2**power for power in range(11))
"""k of the truths; each step has an even number of states."""
PILOTS = 3
"""Datasets a rung, from which the worst number of steps is chosen."""
FAILURE_PROB = 0.05
"""δ of Theorem 1."""
COVERAGE = 2.0
"""C^π* of the comparator that plays the better response."""
PLACE = (np.arange(STATES) + 0.5) / STATES - 0.5
"""(S,) x of every state."""
LOG_ODDS = np.concatenate([-np.geomspace(1, 1e-6, 4000), [0.0]]) * 40
"""ℓ of a table of 4σ(ℓ) + ℓ, from which a policy is interpolated to 2e-6."""

Fit = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
"""(debiased means of labels plus L·x, pairs, c(ε)), arrays (S,) → (S,) fitted u."""
NEWTON = 4
"""Steps of the log loss; the last moves u by less than 1e-12."""


def nondecreasing(mean: np.ndarray, weight: np.ndarray, cost: float) -> np.ndarray:
    """The minimiser of the square loss over Π.

    >>> nondecreasing(np.array([0.0, 0.25, 0.125, 3.0]), np.ones(4), 2.0).tolist()
    [0.0, 0.1875, 0.1875, 0.5]
    """
    fitted = scipy.optimize.isotonic_regression(mean, weights=np.maximum(weight, 1e-9)).x
    return np.clip(fitted, -LARGEST, LARGEST)


def by_log_loss(mean: np.ndarray, weight: np.ndarray, cost: float) -> np.ndarray:
    """The minimiser of the log loss over Π, by Newton steps that are isotonic regressions."""
    fitted, shift = nondecreasing(mean, weight, cost), FALL * PLACE
    won = (1 + (mean - shift) / cost) / 2
    for _ in range(NEWTON):
        above, below = cost + fitted - shift, cost - fitted + shift
        curvature = won / above**2 + (1 - won) / below**2
        step = (won / above - (1 - won) / below) / curvature
        fitted = nondecreasing(fitted + step, weight * curvature, cost)
    return fitted


def every_table(mean: np.ndarray, weight: np.ndarray, cost: float) -> np.ndarray:
    """The minimiser over all bounded functions: states tell nothing of each other."""
    return np.clip(mean, -LARGEST, LARGEST)


@dataclass(frozen=True)
class LevelNet:
    """The functions of Π with values in m levels, so that each of Π is within U/m of one of them.

    Attributes:
        levels: m ≥ 1.
    """

    levels: int

    @property
    def radius(self) -> float:
        """τ = U/m."""
        return LARGEST / self.levels

    @property
    def log_size(self) -> float:
        """log N = log of the number of nondecreasing functions of S states to m levels."""
        top = STATES + self.levels - 1
        return float(gammaln(top + 1) - gammaln(STATES + 1) - gammaln(self.levels))

    def __call__(self, mean: np.ndarray, weight: np.ndarray, cost: float) -> np.ndarray:
        """The minimiser of the square loss over the net."""
        place = np.floor((nondecreasing(mean, weight, cost) + LARGEST) / (2 * self.radius))
        return (2 * np.minimum(place, self.levels - 1) + 1) * self.radius - LARGEST


NETS = tuple(LevelNet(2**power) for power in range(12))


def best_net(n_pairs: int, cost: float) -> LevelNet:
    """Whose bound of Theorem 1 is least."""
    return min(NETS, key=lambda net: error_bound(n_pairs, cost, net.log_size, net.radius))


def least_bound(n_pairs: int, cost: float) -> float:
    """Theorem 1 over the best net."""
    net = best_net(n_pairs, cost)
    return error_bound(n_pairs, cost, net.log_size, net.radius)


@dataclass(frozen=True, kw_only=True)
class FallingPreferences(CorruptedChipoLabels):
    """Algorithm 1 or 3 over the class, on truths of k steps, of which the worst k is taken.

    Attributes:
        fit: the minimiser of its class.
        more: times as many labels as n.
    """

    fit: Fit = nondecreasing
    more: int = 1

    @property
    def kl_weight(self) -> float:
        """β = tuning·((L·c²/n)^(1/3) + α or c·α)/√C."""
        if not self.tunes:
            return self.fixed_kl_weight
        error = (FALL * self.reports.cost**2 / self.n_pairs) ** (1 / 3)
        error += self.believed_bias
        return self.tuning * error / math.sqrt(COVERAGE)

    def fitted(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(R, S) estimated h of truths (R, S), each from a dataset of its own."""
        chance = np.full(STATES + 1, 0.5 / STATES)
        chance[-1] = 0.5
        pairs = rng.multinomial(self.more * self.n_pairs, chance, size=len(truth))[:, :-1]
        win = np.clip((1 + self.sign * self.reports.mean(truth)) / 2, 0, 1)
        seen = (2 * rng.binomial(pairs, win) - pairs) / np.maximum(pairs, 1)
        shifted = self.believed_cost * seen + FALL * PLACE
        fits = [
            self.fit(*dataset, self.believed_cost) for dataset in zip(shifted, pairs, strict=True)
        ]
        return on_arrays(self.estimate, np.array(fits) - FALL * PLACE, truth)

    def lost(self, estimate: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(R,) J(π*) − J(π̂) of estimated h, where the reward difference is 2·artanh(truth)."""
        towards = 2 * np.arctanh(estimate) * np.sign(truth) / self.kl_weight
        return (2 * np.arctanh(np.abs(truth)) * wrong_prob(towards)).mean(-1)

    def on_worst(self, rng: np.random.Generator, replicates: int) -> tuple[np.ndarray, np.ndarray]:
        """(R, S) truths of the worst k, and (R,) gaps there."""
        truth = truths(worst_steps(self), rng, replicates)
        return truth, self.lost(self.fitted(truth, rng), truth)

    def beyond(  # truths are drawn, and what the right β costs is that of these truths
        self, right: FallingPreferences, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        truth, lost = self.on_worst(rng, replicates)
        return lost - right.lost(truth, truth)

    def interior(self) -> tuple[bool, str]:
        worst = worst_steps(self)
        return STEPS[0] < worst < STEPS[-1], f"worst truth has {worst} steps of 1 to {STEPS[-1]}"


@dataclass(frozen=True, kw_only=True)
class EveryAlgorithm(FallingPreferences):
    """At an n for which the ladder of steps has the k of the lower bound (Theorem 4)."""

    def __post_init__(self) -> None:
        """Refuse, while nothing is written, an n that is too large for the ladder.

        Raises:
            BadInput: n_pairs.
        """
        least_gap(self.n_pairs, self.reports.cost)


@lru_cache(maxsize=256)
def worst_steps(world: FallingPreferences) -> int:
    """The k of the largest mean gap in the pilot."""
    rng = np.random.default_rng(67)
    means = []
    for steps in STEPS:
        truth = truths(steps, rng, PILOTS)
        means.append(world.lost(world.fitted(truth, rng), truth).mean())
    return STEPS[int(np.argmax(means))]


def confused_steps(n_pairs: int, cost: float, ladder: Sequence[int] = STEPS) -> int:
    """The least k of a ladder with k³ ≥ n·L²/(0.937c²): n labels confuse truths of k steps.

    Raises:
        BadInput: n is too large for the ladder.

    >>> confused_steps(2**18, 2.0)
    32
    """
    needed = n_pairs * FALL**2 / (0.937 * cost**2)
    if ladder[-1] ** 3 < needed:
        most = int(ladder[-1] ** 3 * 0.937 * cost**2 / FALL**2)
        raise BadInput("n_pairs", n_pairs, f"allowed: at most {most:.3g} at this epsilon")
    return next(steps for steps in ladder if steps**3 >= needed)


def least_gap(n_pairs: int, cost: float) -> float:
    """L/(8k) (Theorem 4).

    Raises:
        BadInput: n is too large for the ladder.

    >>> least_gap(2**18, 2.0)
    0.001953125
    """
    return FALL / (8 * confused_steps(n_pairs, cost))


def least_error(n_pairs: int, cost: float, ladder: Sequence[int] = STEPS) -> float:
    """L²/(16k²): every algorithm's E(h − h*)² over a pair is at least that (Theorem 4)."""
    return FALL**2 / (16 * confused_steps(n_pairs, cost, ladder) ** 2)


def largest_gap(error: float, kl_weight: float) -> float:
    """2√2/(1 − (U + L/2)²)·err + .53β, at least the gap where E(h − h*)² over a pair is err²."""
    return 2 * math.sqrt(2) / (1 - (LARGEST + FALL / 2) ** 2) * math.sqrt(error) + 0.53 * kl_weight


def error_bound(n_pairs: int, cost: float, log_size: float, radius: float) -> float:
    """Theorem 1 without corruption: A·(c²·log(N/δ)/n + τ²) + 2τ², A = 8/(1 − e^(−1/4))."""
    noise = cost**2 * (log_size - math.log(FAILURE_PROB)) / n_pairs
    return 8 / -math.expm1(-0.25) * (noise + radius**2) + 2 * radius**2


def truths(steps: int, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R, S) h of truths with k steps, the better response of each step drawn by a fair coin."""
    each = STATES // steps
    along = (np.arange(each) + 0.5) / STATES
    options = FALL * np.stack([1 / steps - along, -along])
    drawn = rng.integers(0, 2, (replicates, steps))
    return options[drawn].reshape(replicates, STATES)


def wrong_prob(scaled_difference: np.ndarray) -> np.ndarray:
    """Probability that φ⁻¹ leaves to a response that is worse by βx; π_ref = ½.

    >>> [round(float(wrong_prob(np.array(x))), 3) for x in (-1.0, 0.0, 1.0)]
    [0.624, 0.5, 0.376]
    """
    size = np.abs(scaled_difference)
    worse = np.interp(-size, 4 * expit(LOG_ODDS) + LOG_ODDS - 2, LOG_ODDS)
    worse = np.where(size > 38, 2 - size, worse)  # 4σ(ℓ) is nothing there
    return np.where(scaled_difference > 0, expit(worse), expit(-worse))
