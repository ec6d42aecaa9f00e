"""Logarithms of covering numbers (P1, Definition 3.9)."""

from __future__ import annotations

import math


def log_covering_ball(num_features: int, radius: float, net_radius: float) -> float:
    """d·log(1 + 2·radius/τ), the standard bound for a ball of parameters with ‖φ‖ ≤ 1.

    Args:
        num_features: d.
        radius: of the ball.
        net_radius: τ > 0.
    """
    return num_features * math.log1p(2 * radius / net_radius)


def log_covering_box(num_features: int, half_width: float, net_radius: float) -> float:
    """d·log(1 + half_width·√d/τ), cubes of half-diagonal τ over a box, for ‖φ‖ ≤ 1.

    Args:
        num_features: d.
        half_width: of the box.
        net_radius: τ > 0.
    """
    return num_features * math.log1p(half_width * math.sqrt(num_features) / net_radius)


def log_covering_table(num_states: int, reward_bound: float, net_radius: float) -> float:
    """S·log(1 + B/τ) for one reward difference in [−B, B] per state."""
    return num_states * math.log1p(reward_bound / net_radius)
