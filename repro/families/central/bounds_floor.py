"""A floor under the gap of every (ε, δ)-private choice between two responses.

Proved in docs/explanations/central_dp_floor.md.
"""

from __future__ import annotations

import math


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
    if base == 0:
        return 0.0
    size = math.exp(count * math.log1p(prob * (z - 1))) if base > 0 else abs(base) ** count
    return size if base > 0 or count % 2 == 0 else -size


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
