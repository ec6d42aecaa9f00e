"""The pair eluder dimension of Definition 3.5 (P1), for linear and finite reward classes.

The definition takes the supremum over contexts and second responses and leaves the first response
open; here a¹ ~ π¹, and a pair adds its mean information over a¹, (φ̃φ̃ᵀ + Cov_π¹) for a linear
class.  π¹ is held fixed.  The greedy sequence, which asks the most uncertain pair each time, bounds
the supremum from below; the elliptical potential bounds it from above.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from repro.instances.linear import LinearWorld, centred


def linear_eluder_dimension(
    world: LinearWorld, policy: Tensor, ridge: float, horizon: int
) -> np.ndarray:
    """(T,) greedy partial sums Σ min(1, U_t²) for the ball of parameters of a linear class.

    Args:
        world: features, and the radius of the class.
        policy: (S, A) π¹.
        ridge: λ.
        horizon: T.
    """
    features = centred(world, policy)
    spread = torch.einsum("sa,sai,saj->sij", policy, features, features)
    flat = features.flatten(0, 1)
    precision = ridge / (2 * world.radius) ** 2 * torch.eye(flat.shape[1], dtype=flat.dtype)
    gains = np.empty(horizon)
    for t in range(horizon):
        squared = (flat * torch.linalg.solve(precision, flat.T).T).sum(-1)
        asked = int(squared.argmax())
        gains[t] = min(1.0, float(squared[asked]))
        state = asked // features.shape[1]
        precision = precision + torch.outer(flat[asked], flat[asked]) + spread[state]
    return np.cumsum(gains)


def linear_eluder_bound(world: LinearWorld, policy: Tensor, ridge: float, horizon: int) -> float:
    """Elliptical potential: d·log(1 + T·max‖φ̃‖²·D²/(d·λ))/log 2, with D = 2·radius.

    It holds for every sequence, as a pair's mean information is at least φ̃φ̃ᵀ.
    """
    features = centred(world, policy)
    count = features.shape[-1]
    largest = float(features.square().sum(-1).max()) * (2 * world.radius) ** 2
    return count * math.log1p(horizon * largest / (count * ridge)) / math.log(2)


def finite_eluder_dimension(
    rewards: Tensor, policy: Tensor, ridge: float, horizon: int
) -> np.ndarray:
    """(T,) greedy partial sums Σ min(1, U_t²) for a finite class.

    Args:
        rewards: (N, S, A), N ≥ 2.
        policy: (S, A) π¹.
        ridge: λ.
        horizon: T.
    """
    first, second = torch.triu_indices(len(rewards), len(rewards), 1)
    gap = rewards[first] - rewards[second]
    gap = gap - (policy * gap).sum(-1, keepdim=True)
    squares = gap.square()
    information = (squares + (policy * squares).sum(-1, keepdim=True)).flatten(1)
    squares, forms = squares.flatten(1), torch.zeros(len(gap), dtype=gap.dtype)
    gains = np.empty(horizon)
    for t in range(horizon):
        largest = (squares / (ridge + forms)[:, None]).amax(dim=0)
        asked = int(largest.argmax())
        gains[t] = min(1.0, float(largest[asked]))
        forms = forms + information[:, asked]
    return np.cumsum(gains)
