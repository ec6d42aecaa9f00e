"""log ∫(p − e^ε q)₊ of two densities in two coordinates (u, t), line by line.

Along t the ends of S = {p > e^ε q} are found as roots, with Gauss–Legendre rules between them;
panels of u are halved until that changes nothing.  P(S) − e^ε Q(S) is a lower bound of the integral
for every set S: what is missed makes it smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

FAR = 30.0
"""Log units below the peak beyond which the integrand is left out."""
ZOOM_POINTS, ZOOMS, LINE_ZOOMS, ROOT_STEPS, HALVINGS = 29, 40, 2, 8, 16
AT_END = 1e-9
"""Privacy loss, less ε, at which a point is an end of S: what is missed is of its square."""
STEEP = 400.0
"""What a point off S counts less by, in log units per unit of privacy loss that it lacks."""


@dataclass(frozen=True)
class Rule:
    """How finely δ(ε) is computed.

    Attributes:
        across: Gauss–Legendre nodes of a panel of the outer variable.
        pieces: into which each line is cut, so that its integrand may have several peaks.
        along: nodes of a stretch of a piece.
        line: points of each piece among which the ends of S are bracketed.
        accuracy: relative; panels are halved until they change less.
    """

    across: int
    pieces: int
    along: int
    line: int
    accuracy: float

    @property
    def alone(self) -> Rule:
        """For a single line."""
        return replace(self, pieces=16 * self.pieces)


FINE, COARSE = Rule(12, 6, 20, 11, 3e-8), Rule(7, 4, 8, 7, 1e-3)


@dataclass(frozen=True)
class Surface:
    """Two densities in coordinates (u, t).

    Attributes:
        densities: u (m,), t (m,) → log p and log q with respect to du·dt.
        outer: range of u; None where t is the only coordinate.
        inner: range of t.
        round: whether t is an angle, whose range may begin anywhere.
    """

    densities: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    outer: tuple[float, float] | None
    inner: tuple[float, float]
    round: bool = True

    def log_integral(self, epsilon: float, rule: Rule) -> float:
        """log ∫(p − e^ε q)₊."""
        box, peak = self._zoom(epsilon)
        if not np.isfinite(peak):
            return -math.inf
        lines = LineIntegrals(self, epsilon, (box[1, 0], box[1, 1]), peak)
        if self.outer is None:
            total = float(lines.integrals(np.zeros(1), rule.alone)[0])
        else:
            total = halved(lambda u: lines.integrals(u, rule), box[0, 0], box[0, 1], rule)
        return peak + math.log(total) if total > 0 else -math.inf

    def _zoom(self, epsilon: float) -> tuple[np.ndarray, float]:
        """The box outside of which the integrand is FAR below its peak, and the peak."""
        box = np.array([self.outer or (0.0, 0.0), self.inner])
        if self.round:
            # An angle's range begins where there is least to lose.
            values, _, axes = self._grid(box, epsilon)
            at = axes[1][np.unravel_index(values.argmax(), values.shape)[1]]
            box[1] = at - math.pi, at + math.pi
        peak = -math.inf
        for _ in range(ZOOMS):
            values, hoped, axes = self._grid(box, epsilon)
            peak = values.max()
            if not np.isfinite(peak):
                break
            smaller = _boxed(hoped >= peak - FAR, axes)
            if _stays(box, smaller) and hoped.max() > peak + FAR:
                # Too coarse a grid to hope for all that may be between its points.
                smaller = _boxed(values >= peak - FAR, axes)
            if _stays(box, smaller):
                break
            box = smaller
        return box, float(peak)

    def _grid(
        self, box: np.ndarray, epsilon: float
    ) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Scores of a grid, what they may be between its points, and its axes."""
        counts = (1 if self.outer is None else ZOOM_POINTS, ZOOM_POINTS)
        axes = [
            np.linspace(low, high, count) for (low, high), count in zip(box, counts, strict=True)
        ]
        u, t = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
        log_one, log_other = self.densities(u, t)
        loss = log_excess(log_one, log_other, epsilon)[1].reshape(counts)
        log_one = log_one.reshape(counts)
        score = _score(loss, log_one)
        return score, score + np.where(_near(loss), _between(log_one), 0.0), axes


def _score(loss: np.ndarray, log_one: np.ndarray) -> np.ndarray:
    """log p in S, and much less a little off it: S is found where it lies between two points."""
    score = log_one + STEEP * np.minimum(loss, 0.0)
    return np.where(np.isnan(score), -np.inf, score)


def _between(values: np.ndarray, axes: tuple[int, ...] = (0, 1)) -> np.ndarray:
    """What log p between points of a grid may have more than at these points.

    A parabola exceeds them by an eighth of its second difference on each axis; twice that.
    """
    total = np.zeros_like(values)
    for axis in axes:
        seen, sums = (values.T, total.T) if axis else (values, total)  # views
        if len(seen) < 3:
            continue
        with np.errstate(invalid="ignore"):
            first = seen[1:] - seen[:-1]
            second = np.abs(first[1:] - first[:-1])
        second = np.where(np.isfinite(second), second, 0.0) / 4
        sums[1:-1] += second
        sums[0] += second[0]  # as beside the edge
        sums[-1] += second[-1]
    return total


def _near(loss: np.ndarray, axes: tuple[int, ...] = (0, 1)) -> np.ndarray:
    """Whether S may be met within a cell of points of a grid."""
    total = loss.copy()
    for axis in axes:
        seen, sums = (loss.T, total.T) if axis else (loss, total)  # views
        if len(seen) < 2:
            continue
        with np.errstate(invalid="ignore"):
            step = np.abs(seen[1:] - seen[:-1])
        step = np.where(np.isfinite(step), step, 0.0)
        sums[1:-1] += np.maximum(step[:-1], step[1:])
        sums[0] += step[0]
        sums[-1] += step[-1]
    return total > 0


def _stays(box: np.ndarray, smaller: np.ndarray) -> bool:
    """Whether no side of the box has become shorter by a fifth."""
    return bool((np.ptp(smaller, axis=1) >= 0.8 * np.ptp(box, axis=1)).all())


def _boxed(seen: np.ndarray, axes: list[np.ndarray]) -> np.ndarray:
    """The box of the points seen, and one cell more on each side."""
    return np.array(
        [_around(*axis_and_seen) for axis_and_seen in zip(axes, np.nonzero(seen), strict=True)]
    )


def _around(axis: np.ndarray, at: np.ndarray) -> tuple[float, float]:
    """Ends of the grid cells that hold the points seen, and one cell more."""
    low, high = max(at.min() - 1, 0), min(at.max() + 1, len(axis) - 1)
    return float(axis[low]), float(axis[high])


def log_excess(
    log_one: np.ndarray, log_other: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """log(p − e^ε q)₊, and the privacy loss less ε."""
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = log_one - log_other - epsilon
        log = log_one + np.log(-np.expm1(-np.maximum(loss, 0.0)))
    return np.where(np.isfinite(log_one) & (loss > 0), log, -np.inf), loss


@dataclass(frozen=True)
class LineIntegrals:
    """Integrals over t at fixed u.

    Attributes:
        surface: what is integrated.
        epsilon: of δ(ε).
        ends: range of t.
        peak: log of the unit of the results.
    """

    surface: Surface
    epsilon: float
    ends: tuple[float, float]
    peak: float

    def loss(self, u: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The privacy loss less ε."""
        log_one, log_other = self.surface.densities(u, t)
        with np.errstate(invalid="ignore"):
            return log_one - log_other - self.epsilon

    def integrals(self, u: np.ndarray, rule: Rule) -> np.ndarray:
        """(m,) integrals over S on the lines at u (m,)."""
        line, low, high = self._stretches(u, rule)
        nodes, weights = _gauss(rule.along)
        t = low[:, None] + (high - low)[:, None] * (nodes + 1) / 2
        log = self._on(u[line], t)[0]
        panel_sums = (np.exp(log - self.peak) @ weights) * (high - low) / 2
        return np.bincount(line, panel_sums, len(u))

    def _stretches(self, u: np.ndarray, rule: Rule):
        """Line, beginning and end of each stretch of a line in S that matters."""
        line, grid = self._grids(u, rule)
        log, loss, _ = self._on(u[line], grid)
        within, last = loss > 0, rule.line - 1
        row, left = np.nonzero(within[:, 1:] != within[:, :-1])
        ends = (row, left), (row, left + 1)
        roots = self._roots(u[line[row]], [grid[at] for at in ends], [loss[at] for at in ends])
        begun, open_ = (np.nonzero(within[:, end])[0] for end in (0, last))
        rows = np.concatenate([begun, row, open_])
        places = np.concatenate([grid[begun, 0], roots, grid[open_, last]])
        order = np.lexsort((places, rows))
        row, (low, high) = rows[order][::2], places[order].reshape(-1, 2).T
        row, low, high = _cut(row, low, high, grid[row], (log > self.peak - FAR)[row])
        return line[row], low, high

    def _grids(self, u: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
        """Line of each piece that matters, and points where it does."""
        cuts, count = np.linspace(*self.ends, rule.pieces + 1), rule.line
        line = np.repeat(np.arange(len(u)), rule.pieces)
        low, high = np.tile(cuts[:-1], len(u)), np.tile(cuts[1:], len(u))
        for _ in range(LINE_ZOOMS):
            grid = _points(low, high, count)
            _, loss, log_one = self._on(u[line], grid)
            score = _score(loss, log_one)
            hoped = score + np.where(_near(loss, (1,)), _between(log_one, (1,)), 0.0)
            seen = hoped > self.peak - FAR
            kept = seen.any(1)
            line, grid, seen = line[kept], grid[kept], seen[kept]
            rows = np.arange(len(line))
            first, final = seen.argmax(1), count - 1 - seen[:, ::-1].argmax(1)
            low = grid[rows, np.maximum(first - 1, 0)]
            high = grid[rows, np.minimum(final + 1, count - 1)]
        return line, _points(low, high, count)

    def _on(self, u: np.ndarray, t: np.ndarray):
        """(m, k) log(p − e^ε q)₊, loss less ε and log p at points t (m, k) of the lines."""
        log_one, log_other = self.surface.densities(np.repeat(u, t.shape[1]), t.ravel())
        logs = (*log_excess(log_one, log_other, self.epsilon), log_one)
        return tuple(log.reshape(t.shape) for log in logs)

    def _roots(self, u: np.ndarray, t: list, loss: list) -> np.ndarray:
        """Where the loss is ε between two points, by regula falsi (Illinois)."""
        (a, b), (f_a, f_b) = t, loss
        for _ in range(ROOT_STEPS):
            with np.errstate(invalid="ignore", divide="ignore"):
                c = b - f_b * (b - a) / (f_b - f_a)
            c = np.where(np.isfinite(c), c, (a + b) / 2)
            f_c = self.loss(u, c)
            beyond = (f_c > 0) == (f_b > 0)
            a, f_a = np.where(beyond, a, b), np.where(beyond, f_a / 2, f_b)
            b, f_b = c, f_c
            if (np.abs(f_b) <= AT_END).all():
                break
        return b


def _points(low: np.ndarray, high: np.ndarray, count: int) -> np.ndarray:
    """(m, count) points evenly from low to high (m,), as ``np.linspace`` has them."""
    points = low[:, None] + np.arange(count) * ((high - low) / (count - 1))[:, None]
    points[:, -1] = high
    return points


def _cut(line: np.ndarray, low: np.ndarray, high: np.ndarray, grid: np.ndarray, seen: np.ndarray):
    """Stretches without the ends where the integrand is too small to matter."""
    inside = seen & (grid >= low[:, None]) & (grid <= high[:, None])
    some, last, rows = inside.any(1), grid.shape[1] - 1, np.arange(len(line))
    first, final = inside.argmax(1), last - inside[:, ::-1].argmax(1)
    before, after = grid[rows, np.maximum(first - 1, 0)], grid[rows, np.minimum(final + 1, last)]
    low = np.where(some, np.maximum(low, before), low)
    high = np.where(some, np.minimum(high, after), high)
    # A short stretch may lie between two points of the grid.
    kept = some | (high - low < 2 * (grid[:, 1] - grid[:, 0]))
    return line[kept], low[kept], high[kept]


@lru_cache(maxsize=16)
def _gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(count)


def halved(of: Callable[[np.ndarray], np.ndarray], low: float, high: float, rule: Rule) -> float:
    """∫ of a function, panels being halved while that changes them."""
    nodes, weights = _gauss(rule.across)

    def panels(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        at = a[:, None] + (b - a)[:, None] * (nodes + 1) / 2
        return of(at.ravel()).reshape(at.shape) @ weights * (b - a) / 2

    ends = np.linspace(low, high, 3)
    a, b = ends[:-1], ends[1:]
    whole, done = panels(a, b), 0.0
    for _ in range(HALVINGS):
        middle = (a + b) / 2
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        halves = panels(a, b)
        both = halves.reshape(2, -1).sum(0)
        total = done + both.sum()
        open_ = np.abs(both - whole) > rule.accuracy * total
        done += float(both[~open_].sum())
        if not open_.any():
            return done
        twice = np.tile(open_, 2)
        a, b, whole = a[twice], b[twice], halves[twice]
    return done + float(whole.sum())
