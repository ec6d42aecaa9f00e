"""The strong adversary's value for policies beside what no attack can exceed, in random worlds.

What a policy loses is a functional of the estimate, so the certificates of estimation carry over:

* greedy RLHF gives up a margin t only if ⟨x, Δ⟩ ≤ −t, and no attack moves ⟨x, θ̂⟩ further than its
  certificate: the largest t that is not above its own certificate bounds what is lost;
* pessimistic RLHF with a reach Γ‖x‖_{Σ⁻¹}, Γ the largest error in the norm of the data, gives up t
  only if −⟨x, Δ⟩ + Γ‖x‖_{Σ⁻¹} ≥ t, and both have certificates;
* of DPO J(π̂) − J(π*) = ⟨g, Δ⟩ + ½·ΔᵀKΔ + rest, g and K the gradient and the Hessian, and as the
  third derivative of E[r] along an exponential tilt by δ is a joint cumulant,
  |rest| ≤ 7·span(r)·D³/(96β³), D the largest certificate of a margin: |E[r̄δ̄³] − 3E[r̄δ̄]·E[δ̄²]| ≤
  span(r)·span(δ)³·(¼ + 3/16), bars meaning less the mean.

A bound on DPO's Hessian in place of K, and the norm's certificate in place of ``certified_rise``,
leave attacks at the same budget at .81 of the bound and less: what is missing there is the bound's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.corruption_floors.policies import dpo_floor, gap_gradient, gap_hessian
from repro.p4.debiased_mle.estimation import fitted
from repro.p4.debiased_mle.labels import AttackedLabels, LabelsOfCells
from repro.p4.debiased_mle.targets import LogisticTarget, weighted_root
from repro.p4.label_cells.pairs import PairWorld, PolicyPairs, pairs_of
from repro.p4.minimax.certificate import certified_floor, certified_rise
from repro.p4.minimax.certified_estimation import (
    NEAR,
    Change,
    invertible,
    random_moved,
    random_world,
)
from repro.worlds.instances.linear import LinearWorld

RUNGS = 6
LADDER = (0.9, 1.01)
"""Margins tried, in units of the certificate."""
ROUNDS = 24
"""Of the bisection for the largest margin that is not above its certificate."""
FARTHEST = 3.0
"""Margins looked at, in units of the certificate at margin 0."""

Certified = Callable[[PairWorld], float]


@dataclass(frozen=True)
class Value:
    """What the attack does, and what none exceeds."""

    attack: float
    certificate: float


def greedy_value(case: LabelsOfCells, moved: float) -> Value | None:
    """The largest margin of the first cell that greedy RLHF gets wrong; None: no certificate."""
    at = largest_margin(case.world, lambda world: _margin_moved(world, moved))
    if at is None:
        return None
    margins = np.geomspace(*LADDER, RUNGS) * at
    return Value(_crossing(margins, _lowered(case, margins)), at)


def pessimism_value(case: LabelsOfCells, moved: float) -> Value | None:
    """The same that pessimistic RLHF gives up, its Γ the largest error at that margin."""

    def given_up(world: PairWorld) -> float:
        return _margin_moved(world, moved) + _reach(world) * _certified_width(world, moved)

    at = largest_margin(case.world, given_up)
    if at is None:
        return None
    margins = np.geomspace(*LADDER, RUNGS) * at
    width = _attacked_widths(case, margins)
    return Value(_crossing(margins, _lowered(case, margins) - _reach(case.world) * width), at)


def dpo_value(case: LabelsOfCells, moved: float) -> Value | None:
    """|J(π*) − J(π̂)| of the log-linear policy of θ̂ in one state."""
    pairs: Any = case.world
    policies = pairs.policies
    along, bend = gap_gradient(policies, pairs), gap_hessian(policies, pairs)
    widest = max(certified_floor(pairs, moved, x[None]) for x in pairs.coordinates)
    span = float(policies.reward.max() - policies.reward.min())
    sides = [certified_rise(pairs, moved, sign * along, sign * bend) for sign in (1.0, -1.0)]
    above = max(sides) + 7 * span * (widest / policies.kl_weight) ** 3 / 96
    return Value(float(dpo_floor(case, None, 1)[0]), above) if math.isfinite(above) else None


VALUES = (greedy_value, pessimism_value, dpo_value)


def largest_margin(world: PairWorld, certified: Certified) -> float | None:
    """sup{t : t ≤ certified(world at margin t)}; None where a margin on the way has none."""
    high = FARTHEST * certified(at_margin(world, 0.0))
    steps = np.linspace(0.0, 1.0, RUNGS)[1:]
    if not math.isfinite(high):
        return None
    certificates = np.array([certified(at_margin(world, float(s * high))) for s in steps])
    if not np.isfinite(certificates).all() or steps[-1] * high <= certificates[-1]:
        return None
    last = int(np.flatnonzero(np.append(True, steps * high <= certificates))[-1])
    low, top = np.append(0.0, steps)[last] * high, steps[last] * high
    for _ in range(ROUNDS):
        middle = (low + top) / 2
        below = middle <= certified(at_margin(world, middle))
        low, top = (middle, top) if below else (low, middle)
    return top


def at_margin(world: PairWorld, margin: float) -> PairWorld:
    """The world whose first cell has a given margin, the truth moved along that cell's x."""
    x = world.feature_diff[0]
    step = (margin - float(world.reward_diff[0])) / float(x.square().sum())
    return PairWorld(world.feature_diff, world.cell_prob, world.theta + step * x, world.radius)


def random_policies(rng: np.random.Generator) -> PolicyPairs:
    """One state of three or four responses with random features, rewards, weights and β."""
    while True:
        actions, k = int(rng.integers(3, 5)), int(rng.integers(1, 4))
        features = rng.standard_normal((1, actions, k))
        features /= np.linalg.norm(features, axis=2).max()
        theta = rng.standard_normal(k)
        theta *= rng.uniform(0.2, 1.5) / np.linalg.norm(theta)
        reference = 0.05 + rng.dirichlet(np.ones(actions))
        options = [features, np.ones(1), reference[None] / reference.sum(), theta]
        world = LinearWorld(
            *(torch.from_numpy(option) for option in options), radius=4.0, reward_bound=8.0,
            kl_weight=float(rng.uniform(0.5, 2.0)),
        )  # fmt: skip
        if invertible(pairs_of(world)):
            return pairs_of(world)


def policy_ratio(
    labels: AttackedLabels, kind: int, rng: np.random.Generator, change: Change
) -> float:
    """The worse of attack/certificate and .95·certificate/attack, in a random world.

    Args:
        labels: the stages that labels pass, under either order.
        kind: 0 greedy, 1 pessimistic, 2 DPO.
        rng: stream that draws the world.
        change: of the labels that are attacked.
    """
    order = (labels.order, labels.order.swapped)[rng.integers(2)]
    while True:
        world: Any = random_policies(rng) if kind == 2 else random_world(rng)
        moved = random_moved(world)
        cells = replace(LabelsOfCells.of(labels, world), order=order)
        cells = replace(cells, corruption=moved / cells.flip_worth)
        certified_loss = VALUES[kind](change(cells), moved) if moved > 0 else None
        if certified_loss is not None:
            attack = np.nan_to_num(certified_loss.attack)
            return max(
                attack / certified_loss.certificate,
                NEAR * certified_loss.certificate / max(attack, 1e-300),
            )


def _margin_moved(world: PairWorld, moved: float) -> float:
    """How far an attack lowers the first margin, at most."""
    return certified_rise(world, moved, -world.coordinates[0])


def _certified_width(world: PairWorld, moved: float) -> float:
    """Γ: the largest error in the norm of the data, at most."""
    return certified_floor(
        world, moved, weighted_root(world.coordinates, world.cell_prob[None], 0)[0]
    )


def _reach(world: PairWorld) -> float:
    """‖x‖_{Σ⁻¹} of the first cell."""
    x = world.coordinates
    covariance = (x * world.cell_prob[:, None]).T @ x
    return float((x[0] @ torch.linalg.solve(covariance, x[0])).sqrt())


def _lowered(case: LabelsOfCells, margins: np.ndarray) -> np.ndarray:
    """(L,) the first margin as it is estimated under an attack that lowers it."""
    x = case.world.coordinates

    def target(mass: Tensor, truth: Tensor) -> LogisticTarget:
        return LogisticTarget.signed(x, mass, case.world.radius, -x[None, :1])

    return (_fits(case, margins, target)[0] @ x[0]).numpy()


def _attacked_widths(case: LabelsOfCells, margins: np.ndarray) -> np.ndarray:
    """(L,) ‖θ̂ − θ_true‖_Σ under an attack on that norm, at each margin."""
    x = case.world.coordinates
    root = weighted_root(x, case.world.cell_prob[None], 0.0)

    def target(mass: Tensor, truth: Tensor) -> LogisticTarget:
        return LogisticTarget(x, mass, truth, case.world.radius, root)

    theta, truth = _fits(case, margins, target)
    return ((theta - truth) @ root[0].T).norm(dim=1).numpy()


def _fits(
    case: LabelsOfCells,
    margins: np.ndarray,
    target: Callable[[Tensor, Tensor], LogisticTarget],
) -> tuple[Tensor, Tensor]:
    """(L, k) θ̂ under attack, and θ_true, at each margin.

    Args:
        case: the world at another margin.
        margins: (L,).
        target: (L, C) masses and (L, k) θ_true → what is attacked.
    """
    worlds = [at_margin(case.world, float(margin)) for margin in margins]
    pairs = case.world.cell_prob.expand(len(worlds), -1)
    rates = torch.stack([world.reward_diff for world in worlds]).sigmoid()
    counts = LabelCounts(pairs, pairs * case.labels(rates))
    truth = torch.stack([world.truth for world in worlds])
    return fitted(case, target(pairs, truth), counts, None, truth), truth


def _crossing(margins: np.ndarray, estimated: np.ndarray) -> float:
    """Margin at which the estimated one turns positive; NaN where none is wrong."""
    wrong = np.flatnonzero(estimated <= 0)
    if len(wrong) == 0:
        return math.nan
    j = int(wrong[-1])
    if j == len(margins) - 1:
        return float(margins[j])
    share = -estimated[j] / (estimated[j + 1] - estimated[j])
    return float(margins[j] + share * (margins[j + 1] - margins[j]))
