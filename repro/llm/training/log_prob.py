"""Log-probabilities of responses under a causal language model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from repro.llm.training.encoding import EncodedPairs, Tokens


def response_log_prob(model: Any, tokens: Tokens) -> Tensor:
    """(n,) log π(response | prompt) in nats, the end token included.

    Args:
        model: a causal language model.
        tokens: n sequences.
    """
    logits = model(input_ids=tokens.ids, attention_mask=tokens.present).logits[:, :-1].float()
    target = tokens.ids[:, 1:, None]
    each = logits.gather(-1, target)[..., 0] - logits.logsumexp(-1)
    return (each * tokens.response[:, 1:]).sum(-1)


def frozen(
    of: Callable[[Any, Tokens], Tensor], model: Any, tokens: Tokens, batch_size: int, device: str
) -> Tensor:
    """(n, ...) of each sequence what a function of a model finds, without gradients, on the CPU."""
    model.eval()
    with torch.no_grad():
        parts = torch.arange(len(tokens)).split(batch_size)
        return torch.cat([of(model, tokens.rows(part).to(device)).cpu() for part in parts])


def pair_log_prob(
    model: Any, pairs: EncodedPairs, batch_size: int, device: str
) -> tuple[Tensor, Tensor]:
    """(n,) and (n,) log-probabilities of the first and the second responses, without gradients."""
    of = partial(frozen, response_log_prob, model, batch_size=batch_size, device=device)
    return of(tokens=pairs.first), of(tokens=pairs.second)
