"""A small run of Algorithm 2 of P1, whose cost is measured."""

from __future__ import annotations

from typing import Any

from repro.p1.pokl.online_newton import OnlineNewton
from repro.p1.pokl.run import OnlineRun
from repro.worlds.instances.choices import LinearChoice

INSTANCE = LinearChoice(
    kind="linear", num_states=4, num_actions=4, num_features=3, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip


def small_run(horizon: int, grid_ratio: float, **more: Any) -> OnlineRun:
    """ε = 1 and Γ = 8."""
    return OnlineRun(
        instance=INSTANCE, epsilon=1.0, horizon=horizon, gamma=8.0, failure_prob=0.05,
        net_radius=1e-6, ridge=1.0, grid_ratio=grid_ratio, **more,
    )  # fmt: skip


def eight_features(horizon: int) -> OnlineRun:
    """Online Newton steps at d = 8, ε = 1."""
    instance = LinearChoice(
        kind="linear", num_states=6, num_actions=4, num_features=8, radius=0.5, theta_share=0.9,
        kl_weight=1.0, seed=1,
    )  # fmt: skip
    return OnlineRun(
        instance=instance, epsilon=1.0, horizon=horizon, gamma=0.0, failure_prob=0.05,
        net_radius=1e-6, ridge=50.0, grid_ratio=1.1, rewards=OnlineNewton(),
    )  # fmt: skip
