"""The strong adversary's value beside what no attack can exceed, in random worlds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from repro.p4.debiased_mle.estimation import estimation_error
from repro.p4.debiased_mle.labels import AttackedLabels, LabelsOfCells
from repro.p4.debiased_mle.priced_labels import TINY_RIDGE
from repro.p4.debiased_mle.targets import l2_root, weighted_root
from repro.p4.label_cells.pairs import PairWorld, random_pair_world
from repro.p4.minimax.certificate import certified_floor

Change = Callable[[LabelsOfCells], LabelsOfCells]
"""Of labels that are attacked; a right one leaves them alone."""

NEAR = 0.95
"""Share of the certificate that the attack has to reach."""
SHIFT = 0.02
"""Z·max_c ‖x_c‖²_{H⁻¹}: how far the attack moves a margin, about; beyond, curvature shows."""
ROOM = 0.1
"""Largest share of a cell's rarer labels that the attack may need."""
LARGEST_BOUND = 4.0


def random_world(rng: np.random.Generator) -> PairWorld:
    """Two to five cells, one to three features, B′ up to 4, a Hessian that can be inverted."""
    while True:
        cells, features = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        bound, seed = rng.uniform(0.5, LARGEST_BOUND), int(rng.integers(2**31))
        world = random_pair_world(cells, features, bound, seed)
        if invertible(world):
            return world


def invertible(world: PairWorld) -> bool:
    """Whether the Hessian at the truth can be inverted."""
    return float(torch.linalg.cond(_hessian(world))) <= 1e8


def random_moved(world: PairWorld) -> float:
    """Z of the world: SHIFT over the largest leverage, or what its thinnest cell has room for."""
    x, win = world.coordinates, torch.sigmoid(world.reward_diff)
    leverage = float((torch.linalg.solve(_hessian(world), x.T).T * x).sum(1).max())
    rarer = float((world.cell_prob * torch.minimum(win, 1 - win)).min())
    return min(SHIFT / leverage, ROOM * rarer)


def _hessian(world: PairWorld) -> torch.Tensor:
    x, win = world.coordinates, torch.sigmoid(world.reward_diff)
    return (x * (world.cell_prob * win * (1 - win))[:, None]).T @ x


def _world(rng: np.random.Generator) -> tuple[PairWorld, float, torch.Tensor, float | None]:
    """A world, Z, R of a norm and its ridge, with a certificate; a tenth of draws have none."""
    while True:
        world = random_world(rng)
        x, moved = world.coordinates, random_moved(world)
        in_l2 = bool(rng.random() < 0.5)
        root = l2_root(x)[0] if in_l2 else weighted_root(x, world.cell_prob[None], 0.0)[0]
        if np.isfinite(certified_floor(world, moved, root)):
            return world, moved, root, None if in_l2 else TINY_RIDGE


def certificate_ratio(labels: AttackedLabels, rng: np.random.Generator, change: Change) -> float:
    """The worse of attack/certificate and .95·certificate/attack, in a random world.

    Half of the worlds have either order, and half the L2 norm, the others that of the data.

    Args:
        labels: the stages that labels pass.
        rng: stream that draws the world.
        change: of the labels that are attacked.
    """
    order = (labels.order, labels.order.swapped)[rng.integers(2)]
    world, moved, root, ridge = _world(rng)
    cells = replace(LabelsOfCells.of(labels, world), order=order, ridge=ridge)
    attacked = change(replace(cells, corruption=moved / cells.flip_worth))
    value, above = float(estimation_error(attacked)[0]), certified_floor(world, moved, root)
    return max(value / above, NEAR * above / max(value, 1e-300))
