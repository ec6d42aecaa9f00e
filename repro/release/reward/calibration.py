"""Noise and ridge of a released reward, certified for numbers that doubles and digits hold.

What is released is θ_s + w, and S + E on request: θ_s lies within r of the minimiser θ̂ of
F + (A/2)‖·‖² + ⟨b, ·⟩ on the ball, b ~ N(0, σ²I), w ~ N(0, ν²I), S = Σ xxᵀ, E ~ N(0, s²I) on and
above the diagonal.  By ``docs/explanations/optimiser_tolerance.md`` a solver that knows data and b
and does its worst within r costs a Gaussian shift of 2r/ν; that of S is its sensitivity over s, and
both together are one shift μ₀, the root of the sum of squares.  ``docs/howto/private_reward.md``
states what is proved; every bound used here holds for all n and d.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache
from itertools import count

import numpy as np
from scipy.special import expit

from repro.base.errors import BadInput, number_of
from repro.labels.privacy.adjacency import REPLACE
from repro.labels.privacy.exact_normal import MISSED
from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.gradients import LONGEST, one_pair, pairs
from repro.p3.objective_perturbation.joint_release import joint_bound
from repro.p3.private_estimates.linearised_errors import (
    CLEARLY,
    RIDGES,
    SHARES,
    guessed_spectrum,
)
from repro.release.reward.minimiser import LEAST_RIDGE, UNIT, rounding

MOST_PAIRS = 5_000_000
"""Rounding is paid for up to so many pairs."""
SUMMED = 4096
"""Pairs whose products doubles add up at once."""
USUAL_SHARE = 0.05
"""Where no size is public."""
SOLVER_SHARE = 0.0025
"""Of the squared shift, for w."""
COVARIANCE_SHARE = 0.5
"""Of the squared shift, for the covariance where it is released."""
ROUNDED = 1 + 1e-6
"""Noise is this much less where δ is evaluated, which covers the rounding of doubles."""
UP = Context(prec=4, rounding=ROUND_CEILING)
SMALLEST, LARGEST, HALVINGS = 1e-7, 1e3, 60


@dataclass(frozen=True)
class RewardBudget:
    """What is promised, and all that calibration may know: nothing here is read from pairs.

    Attributes:
        epsilon: ε.
        delta: δ, of the whole release.
        reward_bound: B; ‖φ‖ ≤ 1.
        num_features: d.
        adjacency: ``REPLACE`` or ``ADD_REMOVE``, of a unit; labels of a unit that stays may change.
        at_most: m, pairs of one unit.
        covariance: whether Σ xxᵀ is released, too.
        size: a public number of pairs to tune the ridge for, or None.
    """

    epsilon: float
    delta: float
    reward_bound: float
    num_features: int
    adjacency: str = REPLACE
    at_most: int = 1
    covariance: bool = False
    size: int | None = None

    @property
    def normals(self) -> int:
        """How many are drawn."""
        d = self.num_features
        return 2 * d + (d * (d + 1) // 2 if self.covariance else 0)

    @property
    def left(self) -> float:
        """δ less what the sampler of normals may miss by (``exact_normal.MISSED``)."""
        return self.delta - (1 + math.exp(self.epsilon)) * self.normals * MISSED

    @property
    def gradient(self) -> float:
        """Largest change of the summed gradient by one unit, to compare shifts by."""
        if self.adjacency == REPLACE and self.at_most == 1:
            return pairs(self.reward_bound, self.num_features).distance
        return self._segments * self._single

    @property
    def second_moment(self) -> float:
        """Largest Frobenius norm that one unit moves Σ xxᵀ by, as doubles add it up.

        A unit's share P is positive semidefinite of norm at most 4m, and ‖P − P'‖² ≤ ‖P‖² + ‖P'‖²;
        on a line ‖P − P'‖ ≤ max(P, P').  Doubles lose at most (SUMMED + chunks)u of Σ‖x‖² each
        time.
        """
        terms = SUMMED + MOST_PAIRS / SUMMED + 4
        lost = 2 * terms * UNIT * LONGEST**2 * MOST_PAIRS * 1.01
        most = LONGEST**2 * self.at_most
        across = self.adjacency == REPLACE and self.num_features > 1
        return most * (math.sqrt(2) if across else 1.0) + lost

    @property
    def _single(self) -> float:
        """Largest gradient of one pair on the ball."""
        return LONGEST * float(expit(2 * self.reward_bound))

    @property
    def _segments(self) -> int:
        """Of gradients' differences: m of a unit that comes or goes, twice of one that changes."""
        return self.at_most * (2 if self.adjacency == REPLACE else 1)

    def bound(self, sigma: float, ridge: float, shift: float) -> float:
        """Upper bound of the δ at ε of the whole release, ``shift`` being μ₀.

        A changed label moves the summed gradient by x, at every θ, and no curvature.  It is one of
        the ways to replace a pair, but longer than the gradient of a pair that comes or goes.
        """
        of_pairs = self._bound_of_pairs(sigma, ridge, shift)
        if self.adjacency == REPLACE:
            return of_pairs
        of_labels = math.hypot(self.at_most * LONGEST / sigma, shift)
        return max(of_pairs, float(gaussian_delta(of_labels, self.epsilon)))

    def _bound_of_pairs(self, sigma: float, ridge: float, shift: float) -> float:
        """The same where pairs are replaced, or come or go."""
        if self.at_most == 1:
            replaced = self.adjacency == REPLACE
            bound = self.reward_bound
            records = pairs(bound, self.num_features) if replaced else one_pair(bound)
            return joint_bound(records, sigma, ridge, shift, self.epsilon)
        rank = min(self.at_most, self.num_features)
        left = self.epsilon - rank * math.log1p(self.at_most / (rank * ridge))
        if left <= 0:
            return 1.0
        # v is a sum of points of segments from 0 of length at most ``single``, so it lies in the
        # hull of the sums of their ends, of which binomially many have k ends.
        ends = range(self._segments + 1)
        return min(1.0, sum(
            math.comb(self._segments, k)
            * float(gaussian_delta(math.hypot(k * self._single / sigma, shift), left))
            for k in ends
        ))  # fmt: skip

    def least_ridge(self, share: float) -> float:
        """The ridge on which the change of volume costs that share of ε."""
        rank = min(self.at_most, self.num_features)
        return self.at_most / rank / math.expm1(share * self.epsilon / rank)


@dataclass(frozen=True)
class RewardNoise:
    """Digits that are used, and stated: rounded the safe way.

    Attributes:
        ridge: A.
        sigma: σ of b.
        tolerance: r, how far the solver may stay from the minimiser.
        output: ν of w.
        covariance: s of the second moment's noise, 0 where that is not released.
        bound: a proved upper bound of δ at ε of these digits.
    """

    ridge: float
    sigma: float
    tolerance: float
    output: float
    covariance: float
    bound: float


def calibrated(given: RewardBudget) -> RewardNoise:
    """The least noise on the ridge that suits a public guess of the world best.

    Raises:
        BadInput: no noise is enough at this budget.
    """
    if given.left <= given.delta / 2:
        raise BadInput(
            "delta", f"{given.delta:g}", "is too small for this epsilon; allowed: a larger delta"
        )
    if given.size is None:
        return _made(given, max(LEAST_RIDGE, given.least_ridge(USUAL_SHARE)))
    return min(_tried(given, given.size), key=lambda tried: tried[0])[1]


def warning_of_noise(given: RewardBudget, noise: RewardNoise) -> str:
    """Why θ is not expected to be clearly better than θ = 0, else "".

    It follows from the command, and from the number of pairs where that is public.  Without such a
    number it says how many pairs this noise takes.
    """

    def over_zero(size: float) -> float:
        guess = guessed_spectrum(given.reward_bound, size, given.num_features)
        return guess.over_zero(noise.sigma, noise.ridge)

    if given.size is None:
        enough = next(size for size in count(7) if over_zero(2.0**size) < CLEARLY)
        return (
            f"this noise takes about {2**enough} pairs: with half as many a reward is expected to "
            "be hardly better than a reward of 0; how many there are is not public; with size=N, a "
            "public guess, the command refuses before it spends"
        )
    if over_zero(given.size) < CLEARLY:
        return ""
    return (
        f"with {number_of(given.size, 'pair')} this noise leaves a reward that is expected to be "
        "hardly better than a reward of 0"
    )


def _tried(given: RewardBudget, size: int) -> Iterator[tuple[float, RewardNoise]]:
    """Expected squared errors on pairs that cover all directions alike, and the noise."""
    guess = guessed_spectrum(given.reward_bound, size, given.num_features)
    for share in SHARES:
        least = max(LEAST_RIDGE, given.least_ridge(share))
        sigma = given.gradient / _largest_shift(given, least)
        errors = [guess.gradient_noise(sigma, least * times) for times in RIDGES]
        noise = _made(given, least * float(RIDGES[int(np.argmin(errors))]))
        yield guess.gradient_noise(noise.sigma, noise.ridge), noise


def _parts(given: RewardBudget) -> tuple[float, float, float]:
    """Shares of the squared shift: of b, of w and of the covariance."""
    other = COVARIANCE_SHARE if given.covariance else 0.0
    return 1 - SOLVER_SHARE - other, SOLVER_SHARE, other


@lru_cache(maxsize=512)
def _largest_shift(given: RewardBudget, ridge: float) -> float:
    """D/σ of the least noise, by bisection; ``_made`` checks the digits themselves."""
    of_b, of_w, of_s = _parts(given)

    def bound(both: float) -> float:
        sigma = given.gradient / (both * math.sqrt(of_b))
        return given.bound(sigma, ridge, both * math.sqrt(of_w + of_s))

    low, high = math.log(SMALLEST), math.log(LARGEST)
    if bound(SMALLEST) > given.left:
        raise BadInput(
            "epsilon",
            f"{given.epsilon:g}",
            "is too small; allowed: a larger epsilon, or a smaller at_most",
        )
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if bound(math.exp(middle)) > given.left else (middle, high)
    return math.exp(low) * math.sqrt(of_b)


def _made(given: RewardBudget, ridge: float) -> RewardNoise:
    """Digits of the least noise on a ridge; σ goes up until the bound was seen to be enough."""
    ridge = float(UP.create_decimal_from_float(ridge))
    of_b, of_w, of_s = _parts(given)
    unit = _largest_shift(given, ridge) / math.sqrt(of_b)
    tolerance = _up(sure_tolerance(given, ridge))
    output = _up(2 * float(tolerance) / (unit * math.sqrt(of_w)))
    second = _up(given.second_moment / (unit * math.sqrt(of_s))) if of_s else Decimal(0)
    sigma = _up(given.gradient / (unit * math.sqrt(of_b)))
    digits = ridge, float(sigma), float(tolerance), float(output), float(second)
    noise = RewardNoise(*digits, bound=0.0)
    while (bound := delta_bound(given, noise)) > given.left:
        sigma = sigma.next_plus(UP)
        noise = replace(noise, sigma=float(sigma))
    return replace(noise, bound=bound + given.delta - given.left)


def delta_bound(given: RewardBudget, noise: RewardNoise) -> float:
    """Upper bound of δ at ε of these digits, without what the sampler of normals may miss by."""
    of_others = 2 * noise.tolerance / noise.output
    if given.covariance:
        of_others = math.hypot(of_others, given.second_moment / noise.covariance)
    return given.bound(noise.sigma / ROUNDED, noise.ridge, of_others * ROUNDED)


def _up(value: float) -> Decimal:
    return UP.create_decimal_from_float(value)


def sure_tolerance(given: RewardBudget, ridge: float) -> float:
    """What the solver is sure to reach: four times the rounding of as many pairs as there may be.

    The number of pairs is not public where units come and go, so it is not asked for.
    """
    lost = rounding(MOST_PAIRS, given.num_features, given.reward_bound)
    return max(1e-6 * given.reward_bound, 8 * lost / ridge)
