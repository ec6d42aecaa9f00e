"""Responses drawn from a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from repro.llm.training.encoding import encode_prompts, padded
from repro.llm.training.settings import Limits, Sampling


def draw_responses(
    model: Any, tokenizer: Any, prompts: Sequence[str], sampling: Sampling, data: Limits, seed: int,
    device: str, count: int = 1,
) -> list[list[str]]:  # fmt: skip
    """``count`` responses to each prompt, as texts.

    Args:
        model: a causal language model.
        tokenizer: its tokenizer.
        prompts: P texts.
        sampling: temperature, top k, length.
        data: limits of prompts.
        seed: of the draws.
        device: ``cpu`` or ``cuda``.
        count: responses a prompt.
    """
    ids, present = padded(tokenizer, encode_prompts(tokenizer, prompts, data), "left")
    model.eval()
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed % 2**63)
        drawn = model.generate(
            input_ids=ids.to(device), attention_mask=present.to(device), do_sample=True,
            temperature=sampling.temperature, top_k=sampling.top_k, top_p=sampling.top_p,
            max_new_tokens=sampling.max_new_tokens, num_return_sequences=count,
            pad_token_id=tokenizer.pad_token_id,
        )  # fmt: skip
    texts = tokenizer.batch_decode(drawn[:, ids.shape[1] :].cpu(), skip_special_tokens=True)
    return [texts[k : k + count] for k in range(0, len(texts), count)]
