"""Supervised fine-tuning that sees no label: both responses of every comparison.

P4's Appendix D fine-tunes on the chosen responses, which are the private labels in the clear: no
budget covers what comes after.  ``repaired`` trains on both responses, so that flipping labels
changes nothing; ``as_published`` trains on the chosen ones and is kept for comparison.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from repro.llm.checkpoints import read_weights, write_weights
from repro.llm.encoding import EncodedPairs, Tokens
from repro.llm.gradient_steps import train
from repro.llm.log_prob import response_log_prob
from repro.llm.settings import Training

Variant = Literal["repaired", "as_published"]


def supervised_tokens(pairs: EncodedPairs, labels: Tensor, variant: Variant) -> Tokens:
    """Sequences to imitate: 2n that no label touches, or the n chosen ones.

    Args:
        pairs: n comparisons.
        labels: (n,) in {−1, +1}; ``repaired`` does not look at them.
        variant: what the published procedure does, or its repair.
    """
    length = max(pairs.first.ids.shape[1], pairs.second.ids.shape[1])
    first, second = _padded(pairs.first, length), _padded(pairs.second, length)
    if variant == "repaired":
        both = (torch.cat(two) for two in zip(first, second, strict=True))
        return Tokens(*both)
    won = (labels > 0)[:, None]
    return Tokens(*(torch.where(won, a, b) for a, b in zip(first, second, strict=True)))


def fine_tuned(
    model: Any,
    tokens: Tokens,
    training: Training,
    seed: int,
    device: str,
    precision: str,
    checkpoint: Path | None = None,
) -> Any:
    """A copy of the model after next-token steps on the responses; its weights are frozen.

    With checkpoints the finished weights are kept beside them and read by the next call.
    """
    tuned = copy.deepcopy(model)

    def loss(index: Tensor) -> Tensor:
        some = tokens.rows(index).to(device)
        return -response_log_prob(tuned, some) / some.response.sum(1)

    kept = (
        checkpoint.with_suffix(".safetensors") if checkpoint and training.checkpoint_every else None
    )
    if kept is None or not read_weights(tuned, kept):
        train(tuned, loss, len(tokens), training, seed, device, precision, checkpoint)
        if kept:
            write_weights(tuned, kept)
    return tuned.requires_grad_(False).eval()


def _padded(tokens: Tokens, length: int) -> list[Tensor]:
    extra = length - tokens.ids.shape[1]
    wide = torch.nn.functional.pad
    return [wide(x, (0, extra)) for x in (tokens.ids, tokens.present, tokens.response)]
