"""Left over right side of P1's scalar lemmas A.2, A.4 and A.8, accurate where they are tight."""

from __future__ import annotations

import math


def sigmoid_difference(x: float, y: float) -> float:
    """σ(x) − σ(y) without cancellation: sinh((x−y)/2) / (2·cosh(x/2)·cosh(y/2))."""
    return math.sinh((x - y) / 2) / (2 * math.cosh(x / 2) * math.cosh(y / 2))


def sigmoid(x: float) -> float:
    """σ(x)."""
    return 1 / (1 + math.exp(-x))


def log_likelihood_slope(x: float, y: float, keep: float) -> float:
    """|f(x) − f(y)|/|x − y| for f = log(α·σ + (1−α)(1−σ)), α = keep in (½, 1) (Lemma A.2)."""
    signal = 2 * keep - 1
    base = 1 - keep + signal * sigmoid(y)
    return abs(math.log1p(signal * sigmoid_difference(x, y) / base) / (x - y))


def inverse_slope(x: float, y: float, keep: float) -> float:
    """|x − y|/|f(x) − f(y)| for f = (2σ−1)(2α−1) (Lemma A.8)."""
    return abs((x - y) / (2 * (2 * keep - 1) * sigmoid_difference(x, y)))


def inverse_constant(bound: float, keep: float) -> float:
    """(e^−B + 2 + e^B)/(2(2α−1)), the constant of Lemma A.8."""
    return (2 + 2 * math.cosh(bound)) / (2 * (2 * keep - 1))


def largest_root(a: float, b: float) -> float:
    """The largest x with x² ≤ a + b·x, for a, b ≥ 0 (Lemma A.4)."""
    return (b + math.sqrt(b * b + 4 * a)) / 2
