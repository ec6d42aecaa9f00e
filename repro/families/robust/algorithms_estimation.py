"""P4's Algorithm 1 under privacy and corruption, run on counts, with its error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.base.errors import BadInput, nearest
from repro.corruption.budget import checked_corruption, flip_budget
from repro.corruption.debiasing import READINGS, Reading
from repro.corruption.orders import Channel, Corruption, Order, Randomize, channel
from repro.corruption.random_flips import UniformFlips, mask_process
from repro.families.robust.adversaries_huber import WorstHuber
from repro.families.robust.adversaries_strong import StrongAdversary
from repro.families.robust.attack_targets import LogisticTarget, l2_root, weighted_root
from repro.families.robust.worlds_pairs import PairWorld
from repro.preferences.label_counts import LabelCounts, draw_label_counts

ADVERSARIES = ("none", "strong", "huber", "uniform", "mask")


@dataclass(frozen=True, eq=False)
class Scene:
    """Who does what to the labels, and how they are read.

    Attributes:
        world: cells and truth.
        order: CTL, LTC or CLC.
        epsilon: privacy budget in (0, inf].
        corruption: α in [0, 1/2).
        adversary: one of ``ADVERSARIES``.
        reading: one of ``repro.corruption.debiasing.READINGS``; ``debiased`` is right.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}; None for the L2 norm.
    """

    world: PairWorld
    order: Order
    epsilon: float
    corruption: float = 0.0
    adversary: str = "none"
    reading: str = "debiased"
    ridge: float | None = None

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)
        if self.adversary not in ADVERSARIES:
            hint = nearest(self.adversary, ADVERSARIES)
            allowed = f"{hint}allowed: {', '.join(ADVERSARIES)}"
            raise BadInput("adversary", self.adversary, allowed)

    @property
    def read(self) -> Reading:
        """The estimator's reading at this budget."""
        return READINGS[self.reading](self.epsilon)


def true_counts(
    world: PairWorld, n_pairs: int | None, rng: np.random.Generator | None, replicates: int
) -> LabelCounts:
    """(R, C) true labels; without a number of them their law itself, as shares."""
    if n_pairs is None or rng is None:
        pairs = world.cell_prob[None]
        return LabelCounts(pairs, pairs * torch.sigmoid(world.reward_diff))
    args = (rng, world.cell_prob, world.reward_diff, n_pairs, float("inf"), replicates)
    return draw_label_counts(*args)


def target_of(scene: Scene, counts: LabelCounts, n_pairs: int | None) -> LogisticTarget:
    """Algorithm 1 on the pairs of some datasets, judged in the scene's norm."""
    world = scene.world
    mass = counts.pairs / (n_pairs or 1)
    x = world.coordinates
    root = l2_root(x) if scene.ridge is None else weighted_root(x, mass, scene.ridge)
    return LogisticTarget(x, mass, world.truth, world.radius, root)


def scene_channel(scene: Scene, target: LogisticTarget, n_pairs: int | None) -> Channel:
    """What stands between true labels and the estimator."""
    if scene.adversary == "mask":
        return Channel((mask_process(scene.order, scene.epsilon, scene.corruption),))
    corrupt = _corruption(scene, target, n_pairs)
    return channel(scene.order, Randomize.response(scene.epsilon), corrupt)


def estimate(
    scene: Scene, n_pairs: int | None, rng: np.random.Generator | None, replicates: int = 1
) -> tuple[Tensor, LogisticTarget]:
    """(R, k) θ̂ − θ_true in identified coordinates, and the target that knows the norm.

    Args:
        scene: the world, the order, the adversary.
        n_pairs: n; None for infinitely many labels.
        rng: simulation stream; None for exact expectations.
        replicates: R; 1 where nothing is random.
    """
    counts = true_counts(scene.world, n_pairs, rng, replicates)
    target = target_of(scene, counts, n_pairs)
    seen = scene_channel(scene, target, n_pairs).apply(rng, counts, scene.read)
    return target.estimate(scene.read(seen)) - target.truth, target


def estimation_error(
    scene: Scene, n_pairs: int | None, rng: np.random.Generator | None, replicates: int = 1
) -> Tensor:
    """(R,) ‖θ̂ − θ_true‖ in the scene's norm."""
    error, target = estimate(scene, n_pairs, rng, replicates)
    return (target.root @ error[..., None])[..., 0].norm(dim=-1)


def _corruption(scene: Scene, target: LogisticTarget, n_pairs: int | None) -> Corruption:
    """The corruption model of a scene."""
    share = scene.corruption
    match scene.adversary:
        case "strong":
            return StrongAdversary(
                share if n_pairs is None else flip_budget(share, n_pairs), target
            )
        case "huber":
            return WorstHuber(share, lambda labels: target.damage(labels))
        case "uniform":
            return UniformFlips(share)
    return UniformFlips(0.0)
