"""A floor under the gap of every (ε, δ)-private choice between two responses, and a private sign.

The floor is proved in docs/explanations/central_dp_floor.md; what the sign of a noisy sum of labels
does is exact, by Fourier inversion.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from repro.labels.preferences.label_law import LabelLaw, on_arrays

MARGINS, SMALLEST = 60, 1e-6
"""Values of s/LB at which the worst is sought, and the least of them."""
SPREADS = 12.0
"""Standard deviations of the label sum that are kept on either side."""


def told_apart(changed: float, n_pairs: int, epsilon: float, dp_delta: float = 0.0) -> float:
    """Most that P(S) of a private release can differ between two laws of n records.

    (1 + 2δ/(e^ε − 1))·(1 − E e^(−ε⌈N/2⌉)), N ~ Bin(n, changed) the records in which the laws are
    coupled to differ; at most 1.

    Args:
        changed: total variation distance of the laws of one record.
        n_pairs: n.
        epsilon: ε > 0.
        dp_delta: δ ≥ 0.

    >>> told_apart(0.0, 100, 1.0), round(told_apart(1.0, 2, 1.0), 4)
    (0.0, 0.6321)
    """
    z = math.exp(-epsilon / 2)
    # E z^N and E (−z)^N give the sums over even and over odd N; an odd N costs one z more.
    all_n, signed = _generating(changed, n_pairs, z), _generating(changed, n_pairs, -z)
    kept = (all_n + signed) / 2 + z * (all_n - signed) / 2
    return min(1.0, (1 + 2 * dp_delta / math.expm1(epsilon)) * (1 - kept))


def _generating(prob: float, count: int, z: float) -> float:
    """E z^N of N ~ Bin(count, prob)."""
    base = 1 - prob + prob * z
    # By log1p while the base is positive: prob is tiny and count large where the floor is tight.
    return math.exp(count * math.log1p(prob * (z - 1))) if base > 0 else base**count


def floor(
    mass: float, test: float, margin: float, n_pairs: int, epsilon: float, dp_delta: float
) -> float:
    """Least worst-case gap of a private choice at a state, θ = ±(margin/L)·e₁.

    Args:
        mass: q, share of the pairs at the state.
        test: ρ, how often it is met.
        margin: s = L|θ₁|; the two responses differ in reward by 2s.
        n_pairs: n.
        epsilon: ε.
        dp_delta: δ.
    """
    apart = told_apart(mass * math.tanh(margin), n_pairs, epsilon, dp_delta)
    return test * margin * (1 - apart)


def margins(reward_bound: float) -> np.ndarray:
    """(S,) values of s = L|θ₁| up to LB at which a gap is evaluated."""
    return reward_bound * np.geomspace(SMALLEST, 1, MARGINS)


@lru_cache(maxsize=256)
def wrong_signs(
    mass: float, n_pairs: int, reward_bound: float, labels: LabelLaw, scale: float
) -> np.ndarray:
    """(S,) P(T/2 + Laplace noise < 0) for θ₁ > 0 at all margins, T the sum of labels.

    Args:
        mass: q.
        n_pairs: n.
        reward_bound: LB.
        labels: what labels are drawn from.
        scale: of the noise; 0 for none.
    """
    wins = on_arrays(labels, 1 / (1 + np.exp(-2 * margins(reward_bound))))
    return np.array([_wrong_at(mass, float(win), n_pairs, scale) for win in wins])


def _wrong_at(mass: float, win: float, n_pairs: int, scale: float) -> float:
    total, prob = label_sum(mass, win, n_pairs)
    if scale == 0:  # a sum of 0 is a fair coin
        return float(prob @ (0.5 * (1 - np.sign(total))))
    tail = 0.5 * np.exp(-np.abs(total) / (2 * scale))
    return float(prob @ np.where(total >= 0, tail, 1 - tail))


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
    # Sums are known modulo the window; those about the mean are the ones that happen.
    centre = round(n_pairs * mean)
    total = centre - size // 2 + np.arange(size)
    return total, np.maximum(prob[total % size], 0.0)
