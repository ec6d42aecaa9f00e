"""The gap of choices between two responses by a private sign, exactly, beside our floor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from repro.families.central.bounds_floor import floor
from repro.preferences.label_law import LabelLaw, bradley_terry, on_arrays
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.study.case import Case
from repro.study.row import Method, method

MARGINS, SMALLEST = 60, 1e-6
"""Values of s/LB at which the worst is sought, and the least of them."""
SPREADS = 12.0
"""Standard deviations of the label sum that are kept on either side."""
ATTAINED = 1.2
"""Factor within which the private sign attains the floor for ε ≤ 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorCase(Case):
    """One state with two responses of features ±L·e₁, and whatever tells nothing about them.

    Attributes:
        mass: q, share of the n pairs at the state.
        test: ρ, how often the state is met.
        reward_bound: LB.
        dp_delta: δ.
        labels: what labels are drawn from.
        noise: what the curator really adds.
    """

    mass: float
    test: float
    reward_bound: float
    dp_delta: float
    labels: LabelLaw = bradley_terry
    noise: CentralNoise = GAUSSIAN

    @property
    def margins(self) -> np.ndarray:
        """s = L|θ₁| at which a gap is evaluated."""
        return _margins(self.reward_bound)

    @property
    def floor(self) -> float:
        """Our floor at the worst s."""
        given = (self.n_pairs, self.epsilon, self.dp_delta)
        return max(floor(self.mass, self.test, float(s), *given) for s in self.margins)

    def worst_gap(self, scale: float) -> float:
        """Largest E gap over s of the sign of T/2 + Laplace noise, T the sum of labels.

        Args:
            scale: of the noise, in units of what is really added; 0 for none.
        """
        real = scale * self.noise.multiple
        wrong = _wrong(self.mass, self.n_pairs, self.reward_bound, self.labels, real)
        return float((2 * self.test * self.margins * wrong).max())


@lru_cache(maxsize=256)
def _wrong(
    mass: float, n_pairs: int, reward_bound: float, labels: LabelLaw, scale: float
) -> np.ndarray:
    """(S,) P(sign is wrong) for θ₁ > 0 at all margins."""
    margins = _margins(reward_bound)
    wins = on_arrays(labels, 1 / (1 + np.exp(-2 * margins)))
    return np.array([_wrong_at(mass, float(win), n_pairs, scale) for win in wins])


def _wrong_at(mass: float, win: float, n_pairs: int, scale: float) -> float:
    total, prob = label_sum(mass, win, n_pairs)
    if scale == 0:
        return float(prob @ (0.5 * (1 - np.sign(total))))
    tail = 0.5 * np.exp(-np.abs(total) / (2 * scale))
    return float(prob @ np.where(total >= 0, tail, 1 - tail))


def _margins(reward_bound: float) -> np.ndarray:
    return reward_bound * np.geomspace(SMALLEST, 1, MARGINS)


def label_sum(mass: float, win: float, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and probabilities of the sum of n labels that are 0 off the state, ±1 on it.

    By Fourier inversion on a window of ``SPREADS`` standard deviations about the mean.
    """
    mean = mass * (2 * win - 1)
    spread = math.sqrt(n_pairs * (mass - mean**2))
    size = 2 ** math.ceil(math.log2(2 * SPREADS * spread + 16))
    turn = 2 * math.pi * np.fft.fftfreq(size)
    # E e^(iωy) − 1 of one label, small where ω is, so that its n-th power keeps its digits.
    step = mass * ((np.cos(turn) - 1) + 1j * (2 * win - 1) * np.sin(turn))
    prob = np.fft.fft(np.exp(n_pairs * np.log1p(step))).real / size
    centre = round(n_pairs * mean)
    total = centre - size // 2 + np.arange(size)
    return total, np.maximum(prob[total % size], 0.0)


@method
def private_sign(case: FloorCase) -> float:
    """The sign of T/2 + Lap(1/ε): ε-private, as one record changes T/2 by at most 1."""
    return case.worst_gap(1 / case.epsilon)


@method
def sign_without_privacy(case: FloorCase) -> float:
    """Wrong: the sign of T."""
    return case.worst_gap(0.0)


@method
def twice_the_noise(case: FloorCase) -> float:
    """Wrong where the floor is to be attained: noise that is twice as large."""
    return case.worst_gap(2 / case.epsilon)


@method
def root_n_noise_on_the_sum(case: FloorCase) -> float:
    """Wrong: noise that is √n times too large."""
    return case.worst_gap(math.sqrt(case.n_pairs) / case.epsilon)


def worst_gap(case: FloorCase, m: Method, rng: Any, replicates: int) -> float:
    """Largest expected gap over θ₁."""
    return m.run(case)


def floor_over_gap(case: FloorCase, m: Method, rng: Any, replicates: int) -> float:
    """The floor over a method's worst gap: above 1 refutes one of them."""
    return case.floor / max(m.run(case), 1e-300)


def gap_over_floor(case: FloorCase, m: Method, rng: Any, replicates: int) -> float:
    """A method's worst gap over ``ATTAINED`` times the floor."""
    return m.run(case) / (ATTAINED * case.floor)
