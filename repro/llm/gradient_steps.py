"""The training loop: shuffled batches, gradient steps, checkpoints to go on from.

A plain loop rather than a trainer class: it is all the papers need, its order of batches depends
on the seed alone, and a stopped run goes on at the step of its last checkpoint with the bytes of
an unstopped one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.llm.checkpoints import Checkpoint
from repro.llm.settings import Training


class Diverged(ArithmeticError):
    """A loss stopped being a finite number: the steps were too large for it."""


def train(
    model: Any,
    loss: Callable[[Tensor], Tensor],
    count: int,
    training: Training,
    seed: int,
    device: str = "cpu",
    precision: str = "float32",
    checkpoint: Path | None = None,
) -> list[float]:
    """Take gradient steps on the trainable weights of a model.

    Args:
        model: any module; weights that do not require a gradient stay as they are.
        loss: (b,) indices of examples → (b,) losses.
        count: number of examples.
        training: epochs, batches, optimizer.
        seed: of the order of batches.
        device: ``cpu`` or ``cuda``.
        precision: ``float32`` or ``bfloat16`` (autocast).
        checkpoint: a folder to go on from and to write to; None writes nothing.

    Returns:
        mean loss of each step taken in this call.

    Raises:
        Diverged: a loss, or a weight in the end, is not a finite number.
    """
    weights = [p for p in model.parameters() if p.requires_grad]
    optimizer = optimizer_of(training, weights)
    kept = Checkpoint(checkpoint) if checkpoint and training.checkpoint_every else None
    start = kept.restore(model, optimizer) if kept else 0
    model.train()
    losses = []
    for step, index in enumerate(batches(count, training, seed)):
        if step < start:
            continue
        with autocast(device, precision):
            mean = loss(index).mean()
        if not bool(torch.isfinite(mean)):
            raise Diverged(f"step {step}")
        optimizer.zero_grad(set_to_none=True)
        mean.backward()
        if training.max_grad_norm is not None:
            torch.nn.utils.clip_grad_norm_(weights, training.max_grad_norm)
        optimizer.step()
        losses.append(float(mean.detach()))
        if kept and (step + 1) % training.checkpoint_every == 0:
            kept.save(model, optimizer, step + 1)
    if not all(bool(torch.isfinite(p).all()) for p in weights):
        raise Diverged("after the last step")
    if kept:
        kept.remove()
    model.eval()
    return losses


def batches(count: int, training: Training, seed: int) -> list[Tensor]:
    """Indices of every step: each epoch a fresh permutation, a short last batch dropped."""
    generator = torch.Generator().manual_seed(seed % 2**63)
    size = min(training.batch_size, count)
    orders = (torch.randperm(count, generator=generator) for _ in range(training.epochs))
    return [index for order in orders for index in order.split(size) if len(index) == size]


def optimizer_of(training: Training, weights: list[Any]) -> torch.optim.Optimizer:
    """AdamW without decay, or plain gradient steps, which alone keep the scale of a loss."""
    if training.optimizer == "sgd":
        return torch.optim.SGD(weights, lr=training.learning_rate)
    return torch.optim.AdamW(weights, lr=training.learning_rate, weight_decay=0.0)


def autocast(device: str, precision: str) -> AbstractContextManager:
    """Mixed precision where it is asked for."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "bfloat16")
