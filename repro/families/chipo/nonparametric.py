"""χPO over a class without a parameter: preferences that fall no faster than L.

Two responses a state, π_ref = ½; states are x in (−½, ½), evenly spread.  The class Π holds every
policy whose h_π(x) = tanh(Δ_π(x)/2) makes u = h_π + L·x nondecreasing, with values in [−U, U].
Over Π the square loss is least at an isotonic regression, over a net of Π at that regression
rounded to the net's levels.  Truths: k steps, in each of which u stays at the left or at the right
end of L·x, so that one of the responses is the better one.  docs/explanations/large_classes.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, gammaln

from repro.base.notation import privacy_cost
from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order
from repro.preferences.label_law import Estimate, on_arrays

STATES = 2**11
FALL = 0.5
"""L."""
LARGEST = 0.5
"""U; |h| ≤ U + L/2 = ¾ < tanh(1), so with R_max = 1 the clip at 2·R_max never binds."""
STEPS = tuple(2**power for power in range(11))
"""k of the truths; each step has an even number of states."""
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
    fitted = isotonic_regression(mean, weights=np.maximum(weight, 1e-9)).x
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
class Net:
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


NETS = tuple(Net(2**power) for power in range(12))


@dataclass(frozen=True)
class Learner:
    """Algorithm 1 or 3 over some class, right or wrong on purpose.

    Attributes:
        fit: the minimiser of its class.
        budget_share: of ε that it believes in: 1, or infinite where it ignores privacy.
        sign: −1 where it reads labels upside down.
        tuning: β over the tuned one; None: β does not fall with the error.
        more: times as many labels.
    """

    fit: Fit = nondecreasing
    budget_share: float = 1.0
    sign: float = 1.0
    tuning: float | None = 1.0
    more: int = 1


@dataclass(frozen=True)
class NonparametricStudy:
    """One grid point.

    Attributes:
        n_pairs: n.
        reports: how labels become reports.
        tuning: β = tuning·((L·c²/n)^(1/3) + α or c·α)/√C.
        fixed_kl_weight: β of learners that do not tune it.
        assumed_order: order of corruption and privacy that β is tuned for.
        estimated: (fitted, truth) → what the estimator returns.
    """

    n_pairs: int
    reports: HuberReports
    tuning: float
    fixed_kl_weight: float
    assumed_order: Order
    estimated: Estimate

    def kl_weight(self, learner: Learner) -> float:
        """β of a learner."""
        if learner.tuning is None:
            return self.fixed_kl_weight
        cost = self.reports.cost
        error = (FALL * cost**2 / self.n_pairs) ** (1 / 3)
        error += self.reports.corruption * (1.0 if self.assumed_order is Order.CTL else cost)
        return learner.tuning * self.tuning * error / math.sqrt(COVERAGE)

    def fitted(self, learner: Learner, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(R, S) estimated h of truths (R, S), each from a dataset of its own."""
        chance = np.full(STATES + 1, 0.5 / STATES)
        chance[-1] = 0.5
        pairs = rng.multinomial(learner.more * self.n_pairs, chance, size=len(truth))[:, :-1]
        win = np.clip((1 + learner.sign * self.reports.mean(truth)) / 2, 0, 1)
        seen = (2 * rng.binomial(pairs, win) - pairs) / np.maximum(pairs, 1)
        believed = privacy_cost(learner.budget_share * self.reports.epsilon)
        shifted = believed * seen + FALL * PLACE
        fits = [learner.fit(*one, believed) for one in zip(shifted, pairs, strict=True)]
        return on_arrays(self.estimated, np.array(fits) - FALL * PLACE, truth)

    def gaps(self, kl_weight: float, estimate: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(R,) J(π*) − J(π̂) of estimated h, where the reward difference is 2·artanh(truth)."""
        towards = 2 * np.arctanh(estimate) * np.sign(truth) / kl_weight
        return (2 * np.arctanh(np.abs(truth)) * wrong_prob(towards)).mean(-1)


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
