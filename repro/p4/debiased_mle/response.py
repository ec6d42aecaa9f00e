"""What corrupted labels do to Algorithm 1 to first order: floors as numbers, in any world.

Labels w moved by Δw_c move θ̂ by H⁻¹·Σ_c m_c·Δw_c·x_c, H = Σ_c m_c·σ′(⟨x_c, θ⟩)·x_c·x_cᵀ being the
Hessian of the loss at the truth.  A norm of that is convex in Δw, so a vertex of what an adversary
may do is worst: all flips in one cell (strong), certain answers everywhere (Huber).
"""

from __future__ import annotations

import itertools
from functools import lru_cache

import torch
from torch import Tensor

from repro.p4.label_cells.pairs import PairWorld


def strong_floor(
    world: PairWorld, corruption: float, worth: float, root: Tensor | None = None
) -> float:
    """ζα·max_c ‖R·H⁻¹·x_c‖: the strong adversary's floor, to first order in Σ_c m_c·|Δw_c| = ζα.

    At most ζα/(γξ), P4's Theorem 5.7 with constant 1, because σ′ ≥ γ and ‖x‖ ≤ 1.

    Args:
        world: label cells, the worst of them with room for all the flips.
        corruption: α.
        worth: ζ, 1 under CTL and c(ε) under LTC.
        root: (e, k) R of the norm; the L2 norm unless given.
    """
    return worth * corruption * float(_response(world, root).norm(dim=0).max())


def huber_floor(
    world: PairWorld, corruption: float, worth: float, root: Tensor | None = None
) -> float:
    """Huber's floor to first order: m_c·Δw_c = ±½·α·m_c·(ζ ± h_c), h_c the mean of a ±1 label.

    Args:
        world: a few label cells; all 2^C certain answers are tried.
        corruption: α.
        worth: ζ, 1 under CTL and c(ε) under LTC.
        root: (e, k) R of the norm; the L2 norm unless given.
    """
    response, h = _response(world, root), torch.tanh(world.reward_diff / 2)
    answers = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=len(h)))).to(h)
    moved = corruption * world.cell_prob * (worth * answers - h) / 2
    return float((moved @ response.T).norm(dim=1).max())


def flipped_margin(moved: float, mass: float) -> float:
    """4·ζα/m: the largest margin of a cell of mass m that flips can turn, to first order.

    The debiased win rate σ(t) − ζα/m is ½ there; γ = σ′(0) = ¼.
    """
    return 4 * moved / mass


def _response(world: PairWorld, root: Tensor | None) -> Tensor:
    """(e, C) R·H⁻¹·x_c."""
    moved = _moved(world)
    return moved if root is None else root @ moved


@lru_cache(maxsize=8)
def _moved(world: PairWorld) -> Tensor:
    """(k, C) H⁻¹·x_c; one for all α and ε of a sweep."""
    x, win = world.coordinates, torch.sigmoid(world.reward_diff)
    hessian = (x * (world.cell_prob * win * (1 - win))[:, None]).T @ x
    return torch.linalg.solve(hessian, x.T)
