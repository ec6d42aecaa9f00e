"""Noisy gradient descent on batches (DP-SGD), and what its steps reveal.

θ_{t+1} = P(θ_t − (η/q)·(Σ over a batch of ∇ℓᵢ(θ_t) + s·Z_t)): a batch holds each record with
probability q, independently of all others and of all other steps (Poisson sampling).  On the ball a
gradient is no longer than C = 2·sigmoid(2LB), so nothing has to be clipped.  What a step tells of
one record is at most what one draw tells of N(0, s²) mixed with a share q of N(C, s²), beside
N(0, s²) where the record is added or removed, and beside the mixture with N(−C, s²) where it is
replaced (docs/explanations/mechanism_comparison.md).  Their composition is dp-accounting's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from functools import lru_cache

import numpy as np
import scipy
from scipy.special import logsumexp, ndtr

from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency
from repro.labels.privacy.gaussian import exact_shift
from repro.labels.privacy.mechanism import Mechanism
from repro.p3.curator.axis_minimiser import AxisCounts
from repro.p3.objective_perturbation.gradients import one_pair

INTERVAL = 1e-4
"""Privacy losses are rounded up to multiples of it."""
NEAR = 1e-4
"""How near to the root of the logarithm the noise is sought before it is rounded up."""
UP = Context(prec=4, rounding=ROUND_CEILING)
ROUNDING = 1 + 1e-6
"""Noise is this much less where δ is evaluated, which covers the rounding of doubles."""
LEAST, WIDER = 0.4, 1.5
"""Noise over C that is tried first at least, and by how much a bracket of it grows."""


@dataclass(frozen=True)
class SampledDescent:
    """A calibration, for L = 1.

    Attributes:
        steps: T.
        share: q in (0, 1), of the records that a step sees on average.
        std: s, of the noise on each coordinate of a batch's summed gradient.
    """

    steps: int
    share: float
    std: float

    def weakened(self, factor: float) -> SampledDescent:
        """As many steps with ``factor`` times less noise."""
        return SampledDescent(self.steps, self.share, self.std / factor)


@lru_cache(maxsize=4096)
def accounted_delta(
    multiplier: float, steps: int, share: float, epsilon: float, adjacency: Adjacency
) -> float:
    """Upper bound of δ(ε) of all steps, by dp-accounting's privacy loss distributions.

    Args:
        multiplier: noise over C, > 0.
        steps: T ≥ 1.
        share: q in (0, 1].
        epsilon: ε > 0.
        adjacency: what neighbours are.
    """
    # Imported here: it takes a second, and most commands do without it.
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
    from dp_accounting.privacy_accountant import NeighboringRelation

    relation = {
        REPLACE: NeighboringRelation.REPLACE_ONE,
        ADD_REMOVE: NeighboringRelation.ADD_OR_REMOVE_ONE,
    }[adjacency]
    step = from_gaussian_mechanism(
        multiplier,
        pessimistic_estimate=True,
        value_discretization_interval=INTERVAL,
        sampling_prob=share,
        neighboring_relation=relation,
    )
    return float(step.self_compose(steps).get_delta_for_epsilon(epsilon))


@lru_cache(maxsize=256)
def sampled_descent(
    epsilon: float,
    dp_delta: float,
    reward_bound: float,
    adjacency: Adjacency,
    steps: int,
    share: float,
) -> SampledDescent:
    """Noise for which all steps are (ε, δ)-private by the accountant: rounded up, then checked.

    Args:
        epsilon: ε > 0.
        dp_delta: δ in (0, 1), of 1e-12 or more: the accountant's own rounding is near 1e-15.
        reward_bound: LB.
        adjacency: what neighbours are.
        steps: T ≥ 1.
        share: q in (0, 1).
    """

    def excess(log_multiplier: float) -> float:
        given = math.exp(log_multiplier), steps, share, epsilon, adjacency
        return math.log(max(accounted_delta(*given), 1e-300) / dp_delta)

    # That of a Gaussian limit is near; much less noise has losses that fill the memory.
    apart = 2 if adjacency == REPLACE else 1
    limit = share * math.sqrt(steps) * apart / exact_shift(epsilon, dp_delta)
    low = high = math.log(max(limit, LEAST))
    while excess(high) > 0:
        high += math.log(WIDER)
    while excess(low) <= 0:
        low -= math.log(WIDER)
    root = float(scipy.optimize.brentq(excess, low, high, xtol=NEAR))  # type: ignore[arg-type]
    multiplier = UP.create_decimal_from_float(math.exp(root))
    while excess(math.log(float(multiplier) / ROUNDING)) > 0:
        multiplier = multiplier.next_plus(UP)
    return SampledDescent(steps, share, float(multiplier) * one_pair(reward_bound).distance)


def noisy_batches(
    counts: AxisCounts,
    descent: SampledDescent,
    step: float,
    radius: float,
    noise: float,
    rng: np.random.Generator,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """θ_t, the noisy sum of a batch's gradients there, and θ_{t+1}, all (R, d), begun at 0.

    Args:
        counts: R datasets; whole numbers of records.
        descent: steps, batches and noise.
        step: η > 0, per unit of the gradient summed over all records.
        radius: B.
        noise: multiple of the stated noise that there really is.
        rng: the block's stream.
    """
    wins = counts.wins.astype(np.int64)
    losses = counts.pairs.astype(np.int64) - wins
    theta = np.zeros(counts.wins.shape)
    for _ in range(descent.steps):
        won, lost = (rng.binomial(count, descent.share).astype(float) for count in (wins, losses))
        slope = AxisCounts(won + lost, won, counts.length).gradient(theta)
        slope = slope + noise * descent.std * rng.standard_normal(theta.shape)
        moved = theta - step / descent.share * slope
        norm = np.linalg.norm(moved, axis=1, keepdims=True)
        # The guard is for θ = 0, which stays where it is.
        moved = moved * np.minimum(1.0, radius / np.maximum(norm, 1e-300))
        yield theta, slope, moved
        theta = moved


# What neighbours tell ----------------------------------------------------------------------------

Vector = tuple[float, float]
"""In the plane."""
ACROSS, ACROSS_STEP, BISECTIONS, FAR = 10.0, 0.05, 70, 60.0
"""Range and step of the coordinate that is summed over; bisections and range of the other."""


@dataclass(frozen=True)
class OneStep(Mechanism):
    """One step of two datasets that differ in one record, all others ties; exact in the plane.

    Attributes:
        share: q.
        one: gradient of the record over s.
        other: of the record that replaces it, not nearer to ``one`` than 0 is; None for none.
    """

    share: float
    one: Vector
    other: Vector | None

    def exact_delta(self, epsilon: float) -> float:
        q, more = self.share, math.expm1(epsilon)
        zero = (0.0, 0.0)
        if self.other is None:
            there = _excess(q, self.one, [(more + q, zero)])
            return max(there, _excess(q - more * (1 - q), zero, [((more + 1) * q, self.one)]))
        back, forth = (
            _excess(q, ours, [((more + 1) * q, theirs), (more * (1 - q), zero)])
            for ours, theirs in ((self.one, self.other), (self.other, self.one))
        )
        return max(back, forth)

    def scores(self, rng: np.random.Generator, neighbour: bool, count: int) -> np.ndarray:
        """Log likelihood ratios."""
        at = self.other if neighbour else self.one
        z = rng.standard_normal((count, 2))
        if at is not None:
            z = z + (rng.random(count) < self.share)[:, None] * np.array(at)
        return self._log_odds(z, self.other) - self._log_odds(z, self.one)

    def _log_odds(self, z: np.ndarray, at: Vector | None) -> np.ndarray:
        """log of a mixture's density over that of N(0, I)."""
        if at is None:
            return np.zeros(len(z))
        gained = z @ np.array(at) - np.dot(at, at) / 2
        return np.logaddexp(math.log1p(-self.share), math.log(self.share) + gained)


def _excess(weight: float, at: Vector, less: list[tuple[float, Vector]]) -> float:
    """∫ (w·φ(z − m) − Σ wⱼ·φ(z − mⱼ))₊ dz over the plane, φ the standard normal density.

    It is positive beyond one place on each line along m − m₁, as no mⱼ lies farther along it.

    Raises:
        ValueError: one does.
    """
    if weight <= 0:
        return 0.0
    means = np.array([at, *(mean for _, mean in less)])
    weights = np.array([weight, *(term for term, _ in less)])
    along = means[0] - means[1]
    along = along / np.linalg.norm(along)
    y, x = means @ along, means @ np.array([-along[1], along[0]])
    if (y > y[0] + 1e-12).any():
        raise ValueError("the other gradient is nearer than 0 is")
    across = np.arange(x.min() - ACROSS, x.max() + ACROSS, ACROSS_STEP)
    # log of each density over exp(−(x² + y²)/2), but for its part that is linear in y
    with np.errstate(divide="ignore"):
        log = np.log(weights[:, None])
    log = log + x[:, None] * across - (x**2 + y**2)[:, None] / 2
    low, high = np.full(len(across), -FAR), np.full(len(across), FAR)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        lines = log + y[:, None] * middle
        above = lines[0] > logsumexp(lines[1:], axis=0)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    inside = np.exp(-((across - x[:, None]) ** 2) / 2) * ndtr(y[:, None] - high)
    signs = np.array([1.0, *[-1.0] * len(less)])
    return float((signs * weights) @ inside.sum(1)) * ACROSS_STEP / math.sqrt(2 * math.pi)
