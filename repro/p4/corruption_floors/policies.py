"""What corruption costs when labels are plentiful: floors of greedy RLHF and of DPO.

Floors are of n → ∞ labels: exact expectations, no draws.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.strong import Response
from repro.p4.debiased_mle.estimation import fitted, target_of, true_counts
from repro.p4.debiased_mle.labels import AttackedLabels, ClimbingMargin
from repro.p4.debiased_mle.targets import LogisticTarget
from repro.p4.label_cells.pairs import PairWorld, pairs_of
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.gibbs import gibbs_policy

MARGINS = 48
"""Rungs of the ladder of margins."""


@dataclass(frozen=True, eq=False)
class GapTarget(LogisticTarget):
    """Debiased logistic regression, judged by |J(π*) − J(π̂)| of its log-linear policy.

    Attributes:
        pairs: the label cells of the policies, whose coordinates estimates are in.
        policies: π_sft, features and rewards.
    """

    _: KW_ONLY
    pairs: PairWorld
    policies: LinearWorld

    def distance(self, theta: Tensor) -> Tensor:
        """(P,) |J(π*) − J(π̂)| of (P, k) estimates; −1 where there is none."""
        return self._error(theta)[:, 0].abs().nan_to_num(nan=-1.0)

    def respond(self, labels: Tensor) -> Response:
        """The signed gap, and its derivative at θ̂ times H⁻¹."""
        theta = self.estimate(labels)
        slope = gap_slope(self.policies, self.pairs, theta)[:, None, :]
        return Response(self._error(theta), slope @ self._inverse_hessian(theta))

    def _error(self, theta: Tensor) -> Tensor:
        reward = rewards_of(self.policies, theta @ self.pairs.basis.T)
        return dpo_gap(self.policies, reward)[:, None]


def greedy_floor(case: ClimbingMargin, rng: np.random.Generator | None, replicates: int) -> float:
    """Largest margin that greedy RLHF gets wrong under attack: the supremum of its gap.

    P4, Theorem 6.2 with η = 0: two responses in each state; in state 0 the margin t climbs a
    ladder and the attack aims at its sign.  Where the estimated margin crosses 0 the policy, and
    a gap of t, flips; beyond the margin is seen.

    Returns:
        the margin at which the sign flips, interpolated between rungs; NaN where none flips.
        One number, whatever the number of replicates.
    """
    margins = np.geomspace(*case.margins, MARGINS)
    return _crossing(margins, _attacked_margins(case, margins, rng))


def pessimistic_floor(
    case: ClimbingMargin, rng: np.random.Generator | None, replicates: int
) -> float:
    """Largest margin that pessimistic RLHF gives up under attack (P4's Algorithm 2, η = 1).

    π_ref takes the worse response.  The confidence set's reach is calibrated: the largest error of
    the margin that the case's own attack reaches on the ladder.

    Returns:
        the margin below which the attacked estimate stays within the reach, interpolated.
    """
    margins = np.geomspace(*case.margins, MARGINS)
    estimated = _attacked_margins(case, margins, rng)
    reach = np.abs(estimated - margins).max()
    return _crossing(margins, estimated - reach)


def dpo_floor(case: AttackedLabels, rng: np.random.Generator | None, replicates: int) -> np.ndarray:
    """(R,) |J(π*) − J(π̂)| of the log-linear policy of θ̂ (P4, Theorem 6.3).

    J is without KL, so its gap at π* is signed.  The attack aims at its gradient, both ways and
    again at the refit, and keeps the labels whose gap, of the refit, is largest.
    """
    pairs, policies = case.world, case.world.policies
    counts = true_counts(case, rng, replicates)
    plain = target_of(case, counts)
    given = {field.name: getattr(plain, field.name) for field in fields(plain)}
    root = gap_gradient(policies, pairs)[None, None, :]
    target = GapTarget(**{**given, "root": root}, pairs=pairs, policies=policies)
    theta = fitted(case, target, counts, rng) @ pairs.basis.T
    return dpo_gap(policies, rewards_of(policies, theta)).abs().cpu().numpy()


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


def gap_slope(world: LinearWorld, pairs: PairWorld, theta: Tensor) -> Tensor:
    """(P, k) derivative of J(π*) − J(π̂) at (P, k) pair coordinates θ̂: −E_ρ Cov_π̂(r, φ)/β."""
    policy = gibbs_policy(
        world.reference, rewards_of(world, theta @ pairs.basis.T), world.kl_weight
    )
    # ``pairs_of`` scales features down and θ up
    features = world.features * (world.theta.norm() / pairs.truth.norm())
    weight = policy * world.state_prob[:, None]
    off = world.reward - (policy * world.reward).sum(-1, keepdim=True)
    return -torch.einsum("psa,psa,sak->pk", weight, off, features) / world.kl_weight


def gap_gradient(world: LinearWorld, pairs: PairWorld) -> Tensor:
    """(k,) derivative of J(π̂) in the pair coordinates of θ̂ at the truth."""
    start = pairs.theta[None].clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(dpo_gap(world, rewards_of(world, start)).sum(), start)
    return gradient[0] @ pairs.basis


def gap_hessian(world: LinearWorld, pairs: PairWorld) -> Tensor:
    """(k, k) second derivative of the same, likewise."""

    def gap(coordinates: Tensor) -> Tensor:
        return dpo_gap(world, rewards_of(world, (pairs.basis @ coordinates)[None])).sum()

    hessian: Any = torch.autograd.functional.hessian(gap, pairs.basis.T @ pairs.theta)
    return hessian


def _attacked_margins(case: ClimbingMargin, margins: np.ndarray, rng) -> np.ndarray:
    """(L,) the first margin as it is estimated under the attack that lowers it."""
    world, counts = case.world, _ladder_counts(case, margins)
    target = _signed_target(world, counts.pairs)
    theta = fitted(case, target, counts, rng, _ladder_truth(world, margins))
    return (theta @ world.coordinates[0]).cpu().numpy()


def _ladder_counts(case: ClimbingMargin, margins: np.ndarray) -> LabelCounts:
    """(L, C) true labels as shares; the first cell's reward difference climbs the ladder."""
    world = case.world
    differences = world.reward_diff[None].repeat(len(margins), 1)
    differences[:, 0] = torch.from_numpy(margins).to(differences)
    pairs = world.cell_prob[None].expand(len(margins), -1)
    return LabelCounts(pairs, pairs * case.labels(torch.sigmoid(differences)))


def _ladder_truth(world: PairWorld, margins: np.ndarray) -> Tensor:
    """(L, k) θ_true whose first margin climbs the ladder, moved along that cell's x alone."""
    x = world.coordinates[0]
    step = torch.from_numpy(margins).to(x) - world.reward_diff[0]
    return world.truth + step[:, None] * x / x.square().sum()


def _signed_target(world: PairWorld, mass: Tensor) -> LogisticTarget:
    """Damage is 2B′ − ⟨x_0, θ̂⟩: the attack lowers the first margin."""
    x = world.coordinates
    return LogisticTarget.signed(x, mass, world.radius, -x[None, None, 0])


def _crossing(margins: np.ndarray, estimated: np.ndarray) -> float:
    """Margin at which the estimated one turns positive, by linear interpolation."""
    wrong = np.flatnonzero(estimated <= 0)
    if len(wrong) == 0 or wrong[-1] == len(margins) - 1:
        return float("nan")
    j = wrong[-1]
    share = -estimated[j] / (estimated[j + 1] - estimated[j])
    return float(margins[j] + share * (margins[j + 1] - margins[j]))
