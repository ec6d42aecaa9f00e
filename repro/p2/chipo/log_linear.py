"""Algorithms 1 and 3 of P2 as printed: each minimises its own loss over a class of policies.

A policy is looked at through line 2 of the algorithms alone: its density ratios, φ of them, the
clip at 2·R_max, the sigmoid.  A finite class is enumerated; over a log-linear one the loss is
minimised by damped Gauss-Newton steps from several starts, as it is not convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from repro.base.schema import RewardBound
from repro.labels.preferences.label_law import on_arrays
from repro.p2.chipo.labels import CorruptedChipoLabels
from repro.p2.chipo.log_linear_policies import LogLinearPolicies, log_linear
from repro.p2.chipo.losses import Loss, log_loss, square_loss

STARTS = (0.0, 0.25, 1.0)
"""Of Gauss-Newton, in multiples of the θ that fits debiased labels if φ were the logarithm."""
FIRST_STEPS, STEPS = 8, 60
"""From each start, and from the best point that these reach."""
SETTLED = 1e-11
"""Steps below this, relative to the size of θ plus one, end it."""
LOW_RUNGS = np.array([0.5, 1.0, 2.0, 4.0, 6.0])
HIGH_RUNGS = np.array([0.1, 1.0])
"""Sizes of θ over which the worst is taken: numbers, and shares of the largest."""
SEARCHED = 24
"""Datasets a rung."""
ROUNDING = 1e-12
"""Gaps, in units of reward, that differ by less are equal."""


@dataclass(frozen=True)
class PrintedLoss:
    """One of the two losses as a function of the means m of labels, and its derivatives by m.

    Attributes:
        value: (pairs, wins, (C,) m, c) → (...,).
        slope: the same → (..., C).
        curvature: (pairs, m, c) → (..., C) expected second derivative.
    """

    value: Loss
    slope: Callable[..., np.ndarray]
    curvature: Callable[..., np.ndarray]


def _log_slope(pairs, wins, means, cost) -> np.ndarray:
    return (pairs - wins) / (cost - means) - wins / (cost + means)


def _log_curvature(pairs, means, cost) -> np.ndarray:
    return pairs / (cost**2 - means**2)


def _square_slope(pairs, wins, means, cost) -> np.ndarray:
    return 2 * (pairs * means - cost * (2 * wins - pairs))


def _square_curvature(pairs, means, cost) -> np.ndarray:
    return np.full_like(means, 2 * pairs)


LOG_LOSS = PrintedLoss(log_loss, _log_slope, _log_curvature)
"""Algorithm 1, line 3."""
SQUARE_LOSS = PrintedLoss(square_loss, _square_slope, _square_curvature)
"""Algorithm 3, line 3."""


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Datasets as counts.

    Attributes:
        pairs: (R, C).
        wins: (R, C) reports for a cell's first response.
    """

    pairs: np.ndarray
    wins: np.ndarray


@dataclass(frozen=True, eq=False)
class LossMinimiser:
    """A printed loss at what the algorithm is told.

    Attributes:
        policies: the class.
        loss: which.
        kl_weight: β.
        cost: c(ε) of the budget that it believes in.
    """

    policies: LogLinearPolicies
    loss: PrintedLoss
    kl_weight: float
    cost: float

    def means(self, theta: np.ndarray) -> np.ndarray:
        """(..., C) 2P − 1 of a policy, with the clip at 2·R_max."""
        return np.tanh(self._clipped(self.policies.differences(theta, self.kl_weight)) / 2)

    def value(self, data: CellCounts, theta: np.ndarray) -> np.ndarray:
        """(R,) the printed loss of policies θ (R, d), up to what no policy changes."""
        return self.loss.value(data.pairs, data.wins, self.means(theta), self.cost)

    def of_finite(self, data: CellCounts, candidates: np.ndarray) -> np.ndarray:
        """(R,) index of the policy of least loss among candidates (K, d)."""
        values = [self.value(data, candidate) for candidate in candidates]
        return np.argmin(values, axis=0)

    def of_log_linear(self, data: CellCounts, radius: float) -> np.ndarray:
        """(R, d) θ of the least loss found over ‖θ‖ ≤ radius."""
        start = self._linear_start(data, radius)
        first = [self._descend(data, share * start, radius, FIRST_STEPS) for share in STARTS]
        values = np.array([self.value(data, theta) for theta in first])
        best = np.array(first)[values.argmin(0), np.arange(len(start))]
        return self._descend(data, best, radius, STEPS)

    def _clipped(self, difference: np.ndarray) -> np.ndarray:
        limit = 2 * self.policies.reward_bound
        return np.clip(difference, -limit, limit)

    def _linear_start(self, data: CellCounts, radius: float) -> np.ndarray:
        """(R, d) least squares of debiased labels on β times the differences of features."""
        features = self.policies.slopes(np.zeros(self.policies.direction.shape), self.kl_weight)
        limit = np.tanh(self.policies.reward_bound)
        mean = self.cost * (2 * data.wins - data.pairs) / np.maximum(data.pairs, 1)
        seen = 2 * np.arctanh(np.clip(mean, -limit, limit))
        gram = (data.pairs[..., None] * features).transpose(0, 2, 1) @ features
        right = (data.pairs * seen) @ features
        return _inside(2 * _solve(gram, right), radius)

    def _descend(
        self, data: CellCounts, theta: np.ndarray, radius: float, steps: int
    ) -> np.ndarray:
        """Damped Gauss-Newton: a step that raises the loss is not taken, and damped more."""
        theta, best_theta = _inside(theta, radius), theta.copy()
        rows, damping = np.arange(len(theta)), np.full(len(theta), 1e-3)
        value = self.value(data, theta)
        for _ in range(steps):
            score, curvature = self._derivatives(data, theta)
            diagonal = np.einsum("rii->ri", curvature)
            damped = curvature + np.eye(theta.shape[1]) * (damping[:, None] * diagonal)[:, None, :]
            moved = _inside(theta + _solve(damped, -score), radius)
            reached = self.value(data, moved)
            size = np.abs(moved - theta).max(-1) / (1 + np.abs(theta).max(-1))
            falls = reached <= value + 1e-14 * np.abs(value)
            theta = np.where(falls[:, None], moved, theta)
            value = np.where(falls, reached, value)
            damping = np.where(falls, damping / 10, damping * 10)
            best_theta[rows] = theta
            going = (size > SETTLED) & (damping < 1e12)
            if not going.any():
                break
            rows, theta, value, damping = rows[going], theta[going], value[going], damping[going]
            data = CellCounts(data.pairs[going], data.wins[going])
        return best_theta

    def _derivatives(self, data: CellCounts, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        difference = self.policies.differences(theta, self.kl_weight)
        means = np.tanh(self._clipped(difference) / 2)
        inside = difference == self._clipped(difference)
        bend = inside * (1 - means**2) / 2
        jacobian = bend[..., None] * self.policies.slopes(theta, self.kl_weight)
        slope = self.loss.slope(data.pairs, data.wins, means, self.cost)
        weight = self.loss.curvature(data.pairs, means, self.cost)
        score = (slope[:, None, :] @ jacobian)[:, 0]
        return score, (jacobian * weight[..., None]).transpose(0, 2, 1) @ jacobian


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(R, d) solutions, each matrix made positive by a ridge far below its trace."""
    trace = np.einsum("rii->r", matrix)
    ridge = (1e-14 * trace + 1e-300)[:, None, None] * np.eye(matrix.shape[-1])
    return np.linalg.solve(matrix + ridge, right[..., None])[..., 0]


def _inside(theta: np.ndarray, radius: float) -> np.ndarray:
    """θ drawn back to the ball."""
    norm = np.linalg.norm(theta, axis=-1, keepdims=True)
    return theta * np.minimum(1.0, radius / np.maximum(norm, 1e-300))


LOSSES = {"log": LOG_LOSS, "square": SQUARE_LOSS}

SHAPE = {"num_states": 4, "num_actions": 4, "num_features": 5}
"""Twelve reward differences, five features."""
SEED = 1
FINITE = 12
"""Policies of the finite class, as far apart as directions drawn at random are."""


@lru_cache
def policies_of(reward_bound: float) -> LogLinearPolicies:
    """The log-linear class of ``SHAPE``."""
    return log_linear(**SHAPE, seed=SEED, reward_bound=reward_bound)


@lru_cache
def finite_directions(features: int) -> np.ndarray:
    """(K, d) unit vectors, the first that of the truth."""
    drawn = np.random.default_rng([SEED, 61]).standard_normal((FINITE, features))
    drawn[0] = 1.0
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@dataclass(frozen=True, kw_only=True)
class LogLinearClass(CorruptedChipoLabels):
    """A log-linear class of policies, or twelve policies of it; the loss itself is minimised.

    Attributes:
        loss: of Algorithm 1 (log) or 3 (square).
        reward_bound: R_max.
        finite: whether the class is finite.
    """

    loss: Literal["log", "square"]
    reward_bound: RewardBound
    finite: bool = False

    @property
    def policies(self) -> LogLinearPolicies:
        """The class, its truth and R_max."""
        return policies_of(self.reward_bound)

    @property
    def kl_weight(self) -> float:
        """β = tuning·(c·√(d/n) + α or c·α)/√C."""
        if not self.tunes:
            return self.fixed_kl_weight
        error = self.reports.cost * np.sqrt(len(self.policies.direction) / self.n_pairs)
        if self.knows_corruption:
            error += self.believed_bias
        return float(self.tuning * error / np.sqrt(self.policies.coverage))

    def gaps_at(self, sizes: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(K, R) J(π*) − J(π̂) on simulated datasets, for truths of sizes (K,)."""
        weight, policies = self.kl_weight, self.policies
        truths = sizes[:, None] * policies.direction
        data = [
            self._draw(policies.differences(truth, weight), rng, replicates) for truth in truths
        ]
        minimiser = LossMinimiser(policies, LOSSES[self.loss], weight, self.believed_cost)
        fitted = self._fitted(minimiser, data, sizes)
        estimate = on_arrays(self.estimate, fitted, truths[:, None])
        return np.stack(
            [self._lost(estimates, size) for estimates, size in zip(estimate, sizes, strict=True)]
        )

    def _fitted(
        self, minimiser: LossMinimiser, data: list[CellCounts], sizes: np.ndarray
    ) -> np.ndarray:
        """(K, R, d) θ̂ of the datasets of every size."""
        if not self.finite:
            pairs = np.concatenate([part.pairs for part in data])
            wins = np.concatenate([part.wins for part in data])
            radius = 2 * _largest(self.policies, minimiser.kl_weight)
            fitted = minimiser.of_log_linear(CellCounts(pairs, wins), radius)
            return fitted.reshape(len(sizes), len(data[0].pairs), -1)
        every = sizes[:, None, None] * finite_directions(SHAPE["num_features"])
        return np.stack(
            [part[minimiser.of_finite(d, part)] for d, part in zip(data, every, strict=True)]
        )

    def _lost(self, theta: np.ndarray, size: float) -> np.ndarray:
        reward = self.policies.reward(np.array(size), self.kl_weight)
        lost = reward.max(-1, keepdims=True) - reward
        return (self.policies.policy(theta) * lost).sum(-1).mean(-1)

    def _draw(self, difference: np.ndarray, rng: np.random.Generator, runs: int) -> CellCounts:
        win = (1 + self.sign * self.reports.mean(np.tanh(difference / 2))) / 2
        chance = self.policies.cell_prob
        pairs = rng.multinomial(self.n_pairs, [*chance, 1 - chance.sum()], size=runs)[:, :-1]
        return CellCounts(pairs, rng.binomial(pairs, np.clip(win, 0, 1)))

    def informed_gap_at(self, size: float) -> float:
        """Gap of π*_β at a size of the truth."""
        return float(self._lost(size * self.policies.direction, size))

    def gaps(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return self.gaps_at(np.array([worst_size(self)[0]]), rng, replicates)[0]

    def informed_gap(self) -> float:
        return self.informed_gap_at(worst_size(self)[0])

    def interior(self) -> tuple[bool, str]:
        size, inside = worst_size(self)
        return inside, f"worst ‖θ‖ = {size:.3g} inside the log-linear class"


@lru_cache(maxsize=1024)
def worst_size(world: LogLinearClass) -> tuple[float, bool]:
    """The size of a ladder at which labels cost most, and whether it is interior.

    Of sizes that differ by rounding, the smallest.
    """
    largest = _largest(world.policies, world.kl_weight)
    ladder = np.concatenate([LOW_RUNGS, largest * HIGH_RUNGS])
    ladder = np.unique(np.minimum(ladder, largest))
    means = world.gaps_at(ladder, np.random.default_rng(59), SEARCHED).mean(-1)
    beyond = means - [world.informed_gap_at(float(size)) for size in ladder]
    best = int(np.argmax(beyond >= beyond.max() - ROUNDING))
    return float(ladder[best]), 0 < best < len(ladder) - 1


@lru_cache(maxsize=1024)
def _largest(policies: LogLinearPolicies, kl_weight: float) -> float:
    return policies.largest_size(kl_weight)
