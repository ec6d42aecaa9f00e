"""The strong adversary where every pair has its own features: flip the αn most useful labels."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.base.errors import BadInput

MAX_TURNS = 50


def flip_most_harmful(labels: Tensor, influence: Tensor, budget: int) -> Tensor:
    """Labels after an attack that moves Σ influence·(change of label) as far as it can.

    Alternates between the flips that go furthest along a direction and the direction they go,
    from the axes of ``influence`` both ways; each turn goes further, so it ends.

    Args:
        labels: (n,) ±1.
        influence: (n, k) what raising one label by 1 does to the estimate, M^½·H⁻¹·x_i.
        budget: labels that may be set, in [0, n].

    Returns:
        (n,) ±1.

    Raises:
        BadInput: ``influence`` has no row for each label: this adversary needs features.

    >>> x = torch.tensor([[1.0], [0.5], [-2.0]])
    >>> flip_most_harmful(torch.tensor([1.0, 1.0, 1.0]), x, 1)
    tensor([ 1.,  1., -1.])
    """
    if influence.ndim != 2 or influence.shape[0] != labels.shape[0]:
        shape = tuple(influence.shape)
        raise BadInput("adversary", "continuous", f"needs features of every pair, has {shape}")
    axes = torch.linalg.svd(influence, full_matrices=False).Vh
    found = [
        _climb(labels, influence, budget, sign * axis) for axis in axes for sign in (1.0, -1.0)
    ]
    return max(found, key=lambda after: float(((after - labels) @ influence).norm()))


def _climb(labels: Tensor, influence: Tensor, budget: int, direction: Tensor) -> Tensor:
    after = labels
    for _ in range(MAX_TURNS):
        before, after = after, _flip(labels, influence @ direction, budget)
        if torch.equal(before, after):
            break
        moved = (after - labels) @ influence
        direction = moved / moved.norm().clamp(min=1e-300)
    return after


def _flip(labels: Tensor, score: Tensor, budget: int) -> Tensor:
    """Flip the ``budget`` labels whose flip scores most, none that scores below 0."""
    gain = -2 * labels * score
    top = gain.topk(budget).indices
    after = labels.clone()
    after[top[gain[top] > 0]] *= -1
    return after
