"""Random and extreme cases for inequalities about Algorithm 1."""

from __future__ import annotations

import numpy as np
import torch

from repro.base.notation import epsilon_of_cost
from repro.corruption.orders import Order
from repro.families.robust.algorithms_debiased import debiased_logistic, loss
from repro.families.robust.algorithms_estimation import Scene, estimation_error
from repro.families.robust.bounds_floor import curvature, sharper_floor
from repro.families.robust.worlds_pairs import PairWorld, orthogonal_cells, random_pair_world


def random_floor(
    corruption: float, privacy_cost: float, rng: np.random.Generator, with_cost: bool = True
) -> float:
    """Floor of Algorithm 1 under attack on a random instance, over √(2B′ζα/γ).

    One case in four is the rare cell on which the bound is tight; the others have 2 to 5 cells,
    1 to 3 features and B′ up to 4.  The order is CTL or LTC, each half of the time.

    Args:
        corruption: α.
        privacy_cost: c(ε) > 1.
        rng: stream that draws the instance.
        with_cost: ζ = c(ε) under LTC; without, the bound leaves c out, which is wrong.
    """
    order = (Order.LTC, Order.CTL)[rng.integers(2)]
    worth = privacy_cost if order is Order.LTC and with_cost else 1.0
    if rng.random() < 0.25:
        world = tight_world(corruption * (privacy_cost if order is Order.LTC else 1.0), rng)
    else:
        bound = rng.uniform(0.1, 4.0)
        seed = int(rng.integers(2**31))
        world = random_pair_world(int(rng.integers(2, 6)), int(rng.integers(1, 4)), bound, seed)
    scene = Scene(world, order, epsilon_of_cost(privacy_cost), corruption, "strong", ridge=1e-14)
    floor = float(estimation_error(scene, None, None)[0])
    return floor / sharper_floor(worth, corruption, world.radius)


def tight_world(shift_mass: float, rng: np.random.Generator) -> PairWorld:
    """The rare cell whose label just can be turned from σ(−B′) to σ(B′) by ζα = shift_mass."""
    bound = rng.uniform(0.1, 1.0)
    mass = min(1.0, shift_mass / np.tanh(bound / 2))
    return orthogonal_cells([mass], [-bound], bound)


def eq_20_ratios(
    reward_bound: float, end: bool, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """γ‖Δ‖²_Σ̂ over what P4's eq. (20) says it stays below, for random labels and worlds.

    Args:
        reward_bound: B′.
        end: the inequality's end, −⟨∇L(θ_true), Δ⟩; else its first step, the Bregman divergence
            L(θ_true+Δ) − L(θ_true) − ⟨∇L(θ_true), Δ⟩ without the missing ½.
        rng: simulation stream.
        replicates: R.

    Returns:
        (R,) ratios.
    """
    ratios = []
    for _ in range(replicates):
        seed = int(rng.integers(2**31))
        world = random_pair_world(
            int(rng.integers(1, 4)), int(rng.integers(1, 3)), reward_bound, seed
        )
        x, mass = world.coordinates, world.cell_prob[None]
        truth = world.truth * 0.98 * reward_bound / world.truth.norm()
        labels = torch.sigmoid(x @ truth) + 0.3 * torch.from_numpy(rng.standard_normal(len(x)))
        found = debiased_logistic(x, mass, labels[None], reward_bound)[0]
        delta = found - truth
        gradient = ((torch.sigmoid(x @ truth) - labels) * mass[0]) @ x
        squared = curvature(reward_bound) * float((mass[0] * (x @ delta).square()).sum())
        slope = float(gradient @ delta)
        both = loss(x, mass, labels, torch.stack([truth, found]))
        bregman = float(both[1] - both[0]) - slope
        ratios.append(squared / max(-slope if end else bregman, 1e-300))
    return np.array(ratios)
