"""What corruption costs when labels are plentiful: floors of estimation, RLHF and DPO.

Each takes a scene and n and returns one number per dataset; the noise at n is negligible by the
choice of n.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import (
    Scene,
    estimation_error,
    scene_channel,
    target_of,
    true_counts,
)
from repro.families.robust.attack_targets import LogisticTarget
from repro.families.robust.worlds_pairs import PairWorld, pairs_of
from repro.instances.linear import LinearWorld
from repro.policies.gibbs import gibbs_policy
from repro.preferences.label_counts import LabelCounts

MARGINS = 24
"""Rungs of the ladder of margins."""


def estimation_floor(scene: Scene, n_pairs: int | None, rng, replicates: int) -> Tensor:
    """(R,) ‖θ̂ − θ_true‖ (P4, Theorems 5.4 and 5.7)."""
    return estimation_error(scene, n_pairs, rng, replicates)


def greedy_floor(
    scene: Scene, n_pairs: int, rng: np.random.Generator, ladder: tuple[float, float]
) -> float:
    """Largest margin that greedy RLHF gets wrong under attack: the supremum of its gap.

    P4, Theorem 6.2 with η = 0: two responses in each state; in state 0 the margin t climbs a
    ladder and the attack aims at its sign.  Where the estimated margin crosses 0 the policy, and
    a gap of t, flips; beyond the margin is seen.

    Args:
        scene: its world's first cell is the state in question.
        n_pairs: n.
        rng: simulation stream.
        ladder: smallest and largest margin.

    Returns:
        the margin at which the sign flips, interpolated between rungs; NaN where none flips.
    """
    margins = np.geomspace(*ladder, MARGINS)
    counts = _ladder_counts(scene.world, n_pairs, rng, margins)
    mass = counts.pairs / n_pairs
    target = _signed_target(scene.world, mass)
    seen = scene_channel(scene, target, n_pairs).apply(rng, counts, scene.read)
    estimated = (target.estimate(scene.read(seen)) @ scene.world.coordinates[0]).cpu().numpy()
    return _crossing(margins, estimated)


def dpo_floor(
    scene: Scene, policies: LinearWorld, n_pairs: int | None, rng, replicates: int
) -> Tensor:
    """(R,) |J(π*) − J(π̂)| of the log-linear policy of θ̂ (P4, Theorem 6.3).

    J is without KL, so its gap at π* is signed: the attack aims at its gradient, both ways.

    Args:
        scene: its world is ``pairs_of(policies)``.
        policies: responses, reference π_sft, β as kl_weight.
        n_pairs: n; None for infinitely many labels.
        rng: simulation stream.
        replicates: R.
    """
    counts = true_counts(scene.world, n_pairs, rng, replicates)
    root = gap_gradient(policies, scene.world)[None, None, :]
    target = replace(target_of(scene, counts, n_pairs), root=root)
    seen = scene_channel(scene, target, n_pairs).apply(rng, counts, scene.read)
    theta = target.estimate(scene.read(seen)) @ scene.world.basis.T
    return dpo_gap(policies, rewards_of(policies, theta)).abs()


def dpo_gap(world: LinearWorld, reward: Tensor) -> Tensor:
    """(R,) J(π*) − J(π̂), J = E[r*], of π̂ ∝ π_sft·exp(r̂/β) for rewards (R, S, A)."""
    fitted = gibbs_policy(world.reference, reward, world.kl_weight)
    gap = ((world.optimal_policy - fitted) * world.reward).sum(-1)
    return gap @ world.state_prob


def rewards_of(world: LinearWorld, theta: Tensor) -> Tensor:
    """(R, S, A) rewards of parameters (R, d) in the ambient space of ``pairs_of(world)``."""
    pairs = pairs_of(world)
    coordinates = theta @ pairs.basis
    scale = pairs.truth.norm() / world.theta.norm()
    return torch.einsum("sad,rd->rsa", world.features, coordinates / scale)


def gap_gradient(world: LinearWorld, pairs: PairWorld) -> Tensor:
    """(k,) derivative of J(π̂) in the pair coordinates of θ̂ at the truth."""
    start = pairs.theta[None].clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(dpo_gap(world, rewards_of(world, start)).sum(), start)
    return gradient[0] @ pairs.basis


def separation(floor_of_ltc, floor_of_ctl):
    """Ratio of the floors of LTC and CTL: what the order of privacy and corruption costs."""
    return floor_of_ltc / floor_of_ctl


def swapped(order: Order) -> Order:
    """Wrong: the other order."""
    return {Order.CTL: Order.LTC, Order.LTC: Order.CTL, Order.CLC: Order.CLC}[order]


def _ladder_counts(
    world: PairWorld, n_pairs: int, rng: np.random.Generator, margins: np.ndarray
) -> LabelCounts:
    """(L, C) true labels; the first cell's reward difference climbs the ladder."""
    differences = world.reward_diff.cpu().numpy()[None].repeat(len(margins), axis=0)
    differences[:, 0] = margins
    prob = np.append(world.cell_prob.cpu().numpy(), max(0.0, 1 - float(world.cell_prob.sum())))
    pairs = rng.multinomial(n_pairs, prob, size=len(margins))[:, :-1]
    wins = rng.binomial(pairs, 1 / (1 + np.exp(-differences)))
    as_tensor = lambda x: torch.from_numpy(x.astype(np.float64)).to(world.theta.device)  # noqa: E731
    return LabelCounts(as_tensor(pairs), as_tensor(wins))


def _signed_target(world: PairWorld, mass: Tensor) -> LogisticTarget:
    """Damage is 2B′ − ⟨x_0, θ̂⟩: the attack lowers the first margin."""
    x = world.coordinates
    zero = torch.zeros_like(world.truth)
    return LogisticTarget(x, mass, zero, world.radius, -x[None, None, 0], 2 * world.radius)


def _crossing(margins: np.ndarray, estimated: np.ndarray) -> float:
    """Margin at which the estimated one turns positive, by linear interpolation."""
    wrong = np.flatnonzero(estimated <= 0)
    if len(wrong) == 0 or wrong[-1] == len(margins) - 1:
        return float("nan")
    j = wrong[-1]
    share = -estimated[j] / (estimated[j + 1] - estimated[j])
    return float(margins[j] + share * (margins[j + 1] - margins[j]))
