"""What one private label tells about a reward difference, and the factor of B and ε that follows.

With s = 2·keep_prob − 1 a privatised label prefers the first response with probability
p(x) = flip_prob + s·σ(x), and p(1−p) = flip_prob·keep_prob + s²·σ′(x).  Its Fisher information is
I = (s·σ′)²/(p(1−p)), and 1/I = V + κ·V² with V = 1/σ′ and κ = e^ε/(e^ε−1)².
Proofs: docs/explanations/corrected_theorem_4_2.md, section 1.
"""

from __future__ import annotations

import math

from repro.base.notation import flip_prob, keep_prob, label_signal, privacy_cost

TWO_TERM_CONSTANT = 16.0
"""1/I at the bound is at most so many times the two-term factor; best possible as B, ε → 0."""


def sigmoid_difference(x: float, y: float) -> float:
    """σ(x) − σ(y) without cancellation: sinh((x−y)/2) / (2·cosh(x/2)·cosh(y/2))."""
    return math.sinh((x - y) / 2) / (2 * math.cosh(x / 2) * math.cosh(y / 2))


def sigmoid(x: float) -> float:
    """σ(x)."""
    return 1 / (1 + math.exp(-x))


def inverse_slope(difference: float) -> float:
    """V(x) = 1/σ′(x) = 4·cosh²(x/2), between e^|x| and 4·e^|x|.

    >>> inverse_slope(0.0)
    4.0
    """
    return 4 * math.cosh(difference / 2) ** 2


def privacy_excess(epsilon: float) -> float:
    """κ(ε) = e^ε/(e^ε−1)² = 1/(4·sinh²(ε/2)); 0 without privacy.

    >>> privacy_excess(math.inf)
    0.0
    """
    return flip_prob(epsilon) * keep_prob(epsilon) / label_signal(epsilon) ** 2


def inverse_information(difference: float, epsilon: float) -> float:
    """1/I(x) = V(x) + κ·V(x)², the variance that one private label leaves at the difference x.

    Args:
        difference: x; at x = B the largest over |x| ≤ B.
        epsilon: privacy budget in (0, inf].
    """
    spread = inverse_slope(difference)
    return spread + privacy_excess(epsilon) * spread**2


def printed_factor(reward_bound: float, epsilon: float) -> float:
    """e^B/(2α−1)², the factor of P1's Theorem 4.2 and eq. (10)."""
    return math.exp(reward_bound) * privacy_cost(epsilon) ** 2


def hellinger_distance(first: float, second: float, epsilon: float) -> float:
    """√(1 − √(pq) − √((1−p)(1−q))), p and q the laws of the private label at two differences.

    By (√p − √q)² = (p − q)²/(√p + √q)², so that close laws do not cancel.
    """
    step = label_signal(epsilon) * sigmoid_difference(first, second)
    roots = (_root_sum(sign * first, sign * second, epsilon) for sign in (1, -1))
    return math.hypot(*(step / root for root in roots)) / math.sqrt(2)


def one_less_affinity(first: float, second: float, epsilon: float) -> float:
    """1 − √(pq) − √((1−p)(1−q)), the square of the Hellinger distance; 0 where that underflows."""
    return hellinger_distance(first, second, epsilon) ** 2


def _root_sum(first: float, second: float, epsilon: float) -> float:
    flip, signal = flip_prob(epsilon), label_signal(epsilon)
    return sum(math.sqrt(flip + signal * sigmoid(x)) for x in (first, second))


def log_likelihood_slope(epsilon: float) -> float:
    """tanh(ε/4), the largest slope of x ↦ log(flip_prob + s·σ(x)); 1 without privacy."""
    return math.tanh(epsilon / 4)
