"""Polish an attack: move flips from one cell to another while that does more damage."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

MAX_CELLS = 6
"""Beyond this many cells the C·2C moves are not tried; linear gains rule there anyway."""

SMALL_BUDGET = 64
"""Up to here single flips matter; beyond, three halvings of the budget do."""


def exchange(
    flips: Tensor,
    wins: Tensor,
    losses: Tensor,
    budget: float,
    damage: Callable[[Tensor, int], Tensor],
    whole: bool,
) -> Tensor:
    """Flips after trying every move between two cells, in ever smaller portions.

    Args:
        flips: (R, C) the attack, + towards +1.
        wins: (R, C) labels +1, which bound flips from below by −wins.
        losses: (R, C) labels −1, which bound flips from above.
        budget: largest Σ|flips|.
        damage: (R·m, C) flips, m → (R·m,) damage.
        whole: flips are whole numbers.

    Returns:
        (R, C) flips that do at least as much damage.
    """
    for portion in portions(budget, whole):
        moves = _moves(flips, wins, losses, portion)
        tried = torch.cat([flips[:, None, :], moves], dim=1)
        hurt = damage(tried.flatten(0, 1), tried.shape[1]).unflatten(0, (-1, tried.shape[1]))
        rows = torch.arange(len(flips), device=flips.device)
        flips = tried[rows, hurt.argmax(dim=1)]
    return flips


def portions(budget: float, whole: bool) -> list[float]:
    """How many flips are moved at a time, move after move: halves of the budget.

    >>> portions(5, True)
    [2, 2, 1, 1, 1]
    """
    small = whole and budget <= SMALL_BUDGET
    sizes = [budget / 2**j for j in range(1, 7 if small else 4)]
    if not whole:
        return sizes
    halves = sorted({math.floor(size) for size in sizes if size >= 1}, reverse=True)
    return [size for size in halves for _ in range(2)] + [1] if small else halves


def alone_in_a_cell(wins: Tensor, losses: Tensor, budget: float) -> Tensor:
    """(R, 2C, C) the whole budget in one cell, or all that it has room for, both ways."""
    up = torch.diag_embed(losses.clamp(max=budget))
    return torch.cat([up, -torch.diag_embed(wins.clamp(max=budget))], dim=1)


def _moves(flips: Tensor, wins: Tensor, losses: Tensor, portion: float) -> Tensor:
    """(R, 2C², C) flips with up to a portion taken from one cell and spent in another."""
    cells = flips.shape[1]
    eye = torch.eye(cells, dtype=flips.dtype, device=flips.device)
    taken = flips.abs().clamp(max=portion)
    without = flips[:, None, :] - eye * (flips.sign() * taken)[:, None, :]
    step = torch.cat([eye, -eye])
    moved = without[:, :, None, :] + step * taken[:, :, None, None]
    moved = moved.minimum(losses[:, None, None, :]).maximum(-wins[:, None, None, :])
    return moved.flatten(1, 2)
