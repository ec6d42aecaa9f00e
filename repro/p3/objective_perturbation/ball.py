"""Objective perturbation on a ball in d = 1, 2 or 3 dimensions: the density of what is released.

θ̂ = argmin over ‖θ‖ ≤ B of Σᵢ ℓᵢ(θ) + (A/2)‖θ‖² + ⟨b, θ⟩ with b ~ N(0, σ²I).  Inside the ball
b(θ) = −∇Σᵢ ℓᵢ(θ) − Aθ is a bijection, so the density is that of b(θ) times |det Db(θ)|.  At
θ = Bω on the sphere b = b(θ) − tω for some t ≥ 0, and the density with respect to area is the
integral over t of that of b times det(T + (t/B)I), T being the tangential block of the Hessian.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import erfcx, expit, log_ndtr

from repro.p3.objective_perturbation.records import Pair, RankedFeatures, Records

LOG_ROOT = 0.5 * np.log(2 * np.pi)
NEWTON_STEPS, HALVINGS, LONGEST = 25, 36, 2.0


Known = dict[RankedFeatures, tuple[np.ndarray, np.ndarray]]
"""Derivatives of rankings at one θ."""


@dataclass(frozen=True)
class OnBall:
    """Objective perturbation of one dataset.

    Attributes:
        records: of the dataset; those that pull nowhere may be left out.
        ridge: A = 2nα > 0.
        sigma: σ of each coordinate of b.
        radius: B.
        dimension: d, 1 to 3.
    """

    records: Records
    ridge: float
    sigma: float
    radius: float
    dimension: int

    def derivatives(
        self, theta: np.ndarray, known: Known | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradient −b(θ) (..., d) and Hessian (..., d, d) of the unperturbed objective.

        Args:
            theta: (..., d).
            known: derivatives at this θ of rankings of another dataset; those found are added.
        """
        known = {} if known is None else known
        x, counts, squares = self._pairs
        win = expit(theta @ x.T)
        lost = (1 - win) * counts
        order = (self.dimension, self.dimension)
        pull = self.ridge * theta - lost @ x
        curvature = ((win * lost) @ squares).reshape(*theta.shape[:-1], *order)
        curvature = curvature + self._ridges
        for record in self._rankings:
            if record not in known:
                known[record] = record.derivatives(theta)
            gradient, hessian = known[record]
            pull, curvature = pull + gradient, curvature + hessian
        return pull, curvature

    def pull(self, theta: np.ndarray) -> np.ndarray:
        """(..., d) gradient of the unperturbed objective, −b(θ)."""
        return self.derivatives(theta)[0]

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """(..., d, d) Hessian of the objective, at least A·I."""
        return self.derivatives(theta)[1]

    @cached_property
    def _ridges(self) -> np.ndarray:
        """(d, d) A·I."""
        return self.ridge * np.eye(self.dimension)

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(m, d) feature differences, (m,) counts, (m, d²) squares: all pairs in one product."""
        pairs = [pair for pair in self.records if isinstance(pair, Pair)]
        x = np.array([pair.x for pair in pairs]).reshape(len(pairs), self.dimension)
        squares = (x[:, :, None] * x[:, None, :]).reshape(len(x), self.dimension**2)
        return x, np.array([pair.count for pair in pairs]), squares

    @cached_property
    def _rankings(self) -> tuple[RankedFeatures, ...]:
        return tuple(record for record in self.records if isinstance(record, RankedFeatures))

    def log_density(self, theta: np.ndarray, known: Known | None = None) -> np.ndarray:
        """(...) log density at θ (..., d) inside the ball; −inf outside."""
        pull, curvature = self.derivatives(theta, known)
        standard = _summed(pull**2) / self.sigma**2
        volume = _log_det(curvature)
        log = volume - standard / 2 - self.dimension * (LOG_ROOT + np.log(self.sigma))
        return np.where(_summed(theta**2) < self.radius**2, log, -np.inf)

    def log_area_density(self, omega: np.ndarray, known: Known | None = None) -> np.ndarray:
        """(...) log density of θ = Bω per unit of area, ω (..., d) of norm 1."""
        theta = self.radius * omega
        pull, curvature = self.derivatives(theta, known)
        radial = _summed(pull * omega)
        across = _summed(pull**2) - radial**2
        log, moments = _upper_moments(radial / self.sigma)
        volume = self._tangential(curvature, omega, radial, moments)
        log = log - across / (2 * self.sigma**2) + np.log(np.maximum(volume, 1e-300))
        return log - (self.dimension - 1) * (LOG_ROOT + np.log(self.sigma))

    @cached_property
    def middle_alone(self) -> bool:
        """Whether d = 3 and no record joins the middle coordinate to the others."""
        return self.dimension == 3 and not any(_joins_middle(record) for record in self.records)

    @cached_property
    def plane(self) -> OnBall:
        """The first and the last coordinate of d = 3, as far as the middle one is alone."""
        return self._seen_along((0, 2))

    def log_middle(self, height: np.ndarray) -> np.ndarray:
        """(...) log P(|θ₂| ≤ height), θ₂ the middle coordinate without a ball, if it is alone."""
        line = self._seen_along((1,))
        # The noise falls as θ₂ rises.
        low, high = (
            -line.pull(sign * height[..., None])[..., 0] / self.sigma for sign in (1.0, -1.0)
        )
        right = low > 0
        low, high = np.where(right, -high, low), np.where(right, -low, high)
        with np.errstate(divide="ignore"):
            return log_ndtr(high) + np.log(-np.expm1(np.minimum(log_ndtr(low) - log_ndtr(high), 0)))

    def _seen_along(self, axes: tuple[int, ...]) -> OnBall:
        records = tuple(record.along(axes) for record in self.records)
        return replace(self, records=records, dimension=len(axes))

    def solve(self, noise: np.ndarray) -> np.ndarray:
        """(m, d) minimisers for noise b (m, d), on the sphere where the ball binds."""
        low, high = np.zeros(len(noise)), np.full(len(noise), 1.0)
        outside = self._norm(noise, low) > self.radius
        while (outside & (self._norm(noise, high) > self.radius)).any():
            high = 4 * high
        for _ in range(HALVINGS if outside.any() else 0):
            middle = (low + high) / 2
            far = self._norm(noise, middle) > self.radius
            low, high = np.where(far, middle, low), np.where(far, high, middle)
        theta = self._free(noise, np.where(outside, high, 0.0))
        norm = np.maximum(np.linalg.norm(theta, axis=-1), 1e-300)
        return np.where(outside[:, None], theta * (self.radius / norm)[:, None], theta)

    def _norm(self, noise: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return np.linalg.norm(self._free(noise, weight), axis=-1)

    def _free(self, noise: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Minimisers over all θ with (weight/2)‖θ‖² more, by damped Newton steps."""
        theta = np.zeros_like(noise)
        identity = np.eye(self.dimension)
        for _ in range(NEWTON_STEPS):
            pull, curvature = self.derivatives(theta)
            residual = pull + noise + weight[:, None] * theta
            matrix = curvature + weight[:, None, None] * identity
            step = np.linalg.solve(matrix, residual[..., None])[..., 0]
            # The third derivative of the logistic loss is at most R times its second: with this
            # damping the objective falls at every step.
            size = np.maximum(LONGEST * np.linalg.norm(step, axis=-1, keepdims=True), 1e-12)
            before, theta = theta, theta - step * np.log1p(size) / size
            if np.array_equal(theta, before):  # no step would move it any more
                break
        return theta

    def _tangential(self, block, omega, radial, moments) -> np.ndarray:
        """E[det(T + (t/B)I); t > 0] over e^log, t = σu − radial with u standard normal."""
        start, step = -radial / self.radius, self.sigma / self.radius
        if self.dimension == 1:
            return moments[0]
        trace, det = _tangential_trace_and_det(block, omega)
        if self.dimension == 2:
            return (trace + start) * moments[0] + step * moments[1]
        first = (det + start * trace + start**2) * moments[0]
        return first + (trace + 2 * start) * step * moments[1] + step**2 * moments[2]


def log_densities(first: OnBall, other: OnBall, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``log_density`` of two datasets at one θ: rankings that both hold are looked at once."""
    known: Known = {}
    return first.log_density(theta, known), other.log_density(theta, known)


def log_area_densities(
    first: OnBall, other: OnBall, omega: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``log_area_density`` of two datasets of one radius, likewise."""
    known: Known = {}
    return first.log_area_density(omega, known), other.log_area_density(omega, known)


def _joins_middle(record: Pair | RankedFeatures) -> bool:
    rows = record.rows
    return bool(rows[:, 1].any() and rows[:, [0, 2]].any())


def _summed(values: np.ndarray) -> np.ndarray:
    """Over the last axis, written out for speed: numpy's own sum is slow where it is so short."""
    total = values[..., 0]
    for axis in range(1, values.shape[-1]):
        total = total + values[..., axis]
    return total


def _log_det(matrix: np.ndarray) -> np.ndarray:
    """log det of positive definite matrices of order 1 to 3, written out for speed."""
    if matrix.shape[-1] == 1:
        return np.log(matrix[..., 0, 0])
    if matrix.shape[-1] == 2:
        return np.log(matrix[..., 0, 0] * matrix[..., 1, 1] - matrix[..., 0, 1] ** 2)
    return np.linalg.slogdet(matrix)[1]


def _tangential_trace_and_det(block: np.ndarray, omega: np.ndarray):
    """Trace and determinant of a matrix on the tangent space at ω (d − 1 eigenvalues)."""
    if block.shape[-1] == 2:
        across = np.stack([-omega[..., 1], omega[..., 0]], -1)
        only = _form(across, block, across)
        return only, only
    # An orthonormal basis without branches (Duff et al. 2017).
    x, y, z = np.moveaxis(omega, -1, 0)
    sign = np.copysign(1.0, z)
    a = -1 / (sign + z)
    tangent = np.stack([1 + sign * x**2 * a, sign * x * y * a, -sign * x], -1)
    two = np.stack([x * y * a, sign + y**2 * a, -y], -1)
    first, mixed, second = (_form(*ends) for ends in (
        (tangent, block, tangent), (tangent, block, two), (two, block, two)
    ))  # fmt: skip
    return first + second, first * second - mixed**2


def _form(left: np.ndarray, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    return _summed(left * (matrix @ right[..., None])[..., 0])


def _upper_moments(z: np.ndarray):
    """log scale and (E[1; u > z], E[u; u > z], E[u²; u > z]) over it, for any real z."""
    positive, power = z > 0, -(z**2) / 2
    bell = np.exp(power)
    log = np.where(positive, power, 0.0)
    density = np.where(positive, 1.0, bell) / np.sqrt(2 * np.pi)
    half = 0.5 * erfcx(np.abs(z) / np.sqrt(2))
    tail = np.where(positive, half, 1 - half * bell)
    return log, (tail, density, tail + z * density)
