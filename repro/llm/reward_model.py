"""A reward model: a scalar head on last-layer features of a response (P1, Section 6).

Trained with any loss on reward differences: the mixture likelihood of P1's eq. 9 where labels are
private.  Features are standardised by the pairs seen, which takes no label.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.llm.direct_preference import Loss, Reference
from repro.llm.encoding import EncodedPairs, Tokens
from repro.llm.gradient_steps import train
from repro.llm.settings import RewardTraining, Training


def pooled_features(model: Any, tokens: Tokens, pooling: str) -> Tensor:
    """(n, d) last-layer features at the last token, or their mean over the response."""
    found = model(input_ids=tokens.ids, attention_mask=tokens.present, output_hidden_states=True)
    hidden = found.hidden_states[-1].float()
    if pooling == "mean":
        share = tokens.response / tokens.response.sum(1, keepdim=True)
        return torch.einsum("nl,nld->nd", share.to(hidden), hidden)
    last = tokens.present.sum(1) - 1
    return hidden[torch.arange(len(last), device=hidden.device), last]


def frozen_features(
    model: Any, tokens: Tokens, pooling: str, batch_size: int, device: str
) -> Tensor:
    """(n, d) the same without gradients, in batches, on the CPU."""
    model.eval()
    with torch.no_grad():
        found = [
            pooled_features(model, tokens.rows(index).to(device), pooling).cpu()
            for index in torch.arange(len(tokens)).split(batch_size)
        ]
    return torch.cat(found)


@dataclass(frozen=True)
class FeatureMap:
    """Standardised features of a frozen model.

    Attributes:
        model: a causal language model.
        centre, spread: (d,) mean and standard deviation of the features of the pairs seen.
        first, second: (n, d) standardised features of these pairs.
    """

    model: Any
    pooling: str
    centre: Tensor
    spread: Tensor
    first: Tensor
    second: Tensor
    batch_size: int
    device: str

    @classmethod
    def of(
        cls, model: Any, pairs: EncodedPairs, pooling: str, batch_size: int, device: str
    ) -> FeatureMap:
        """Work out the features of n pairs once; no label is looked at."""
        raw = [
            frozen_features(model, x, pooling, batch_size, device)
            for x in (pairs.first, pairs.second)
        ]
        both = torch.cat(raw)
        centre, spread = both.mean(0), both.std(0).clamp(min=1e-6)
        first, second = ((x - centre) / spread for x in raw)
        return cls(model, pooling, centre, spread, first, second, batch_size, device)

    def __call__(self, tokens: Tokens) -> Tensor:
        """(m, d) standardised features."""
        raw = frozen_features(self.model, tokens, self.pooling, self.batch_size, self.device)
        return (raw - self.centre) / self.spread


@dataclass(frozen=True)
class RewardModel:
    """r(s, a) = clip(⟨head, φ(s, a)⟩), known up to a constant.

    Attributes:
        features: of the backbone.
        head: (d,) weights.
        clip: rewards lie in [−clip, clip].
    """

    features: FeatureMap
    head: Tensor
    clip: float

    def of_features(self, features: Tensor) -> Tensor:
        """(...,) rewards of features (..., d)."""
        return (features @ self.head).clamp(-self.clip, self.clip)


def fitted_reward(
    reference: Reference,
    features: FeatureMap,
    labels: Tensor,
    loss: Loss,
    training: RewardTraining,
    seed: int,
    checkpoint: Path | None = None,
) -> RewardModel:
    """First the head alone, then, where asked for, the backbone with it.

    Args:
        reference: the fine-tuned model on the n pairs.
        features: its features on these pairs.
        labels: (n,) released labels in {−1, +1}.
        loss: on reward differences and labels.
        training: of both phases.
        seed: of the order of batches.
        checkpoint: a folder to go on from; None for none.
    """
    head = torch.nn.Linear(features.first.shape[1], 1, bias=False)
    torch.nn.init.zeros_(head.weight)

    def on_features(index: Tensor) -> Tensor:
        first, second = (head(x[index])[:, 0] for x in (features.first, features.second))
        return loss(_difference(first, second, training.clip), labels[index])

    train(head, on_features, len(labels), training.head, seed)
    if training.whole is None:
        return RewardModel(features, head.weight.detach()[0], training.clip)
    return _with_backbone(
        reference, features, head, labels, loss, training, training.whole, seed, checkpoint
    )


def _with_backbone(
    reference: Reference, features: FeatureMap, head: Any, labels: Tensor, loss: Loss,
    training: RewardTraining, steps: Training, seed: int, checkpoint: Path | None,
) -> RewardModel:  # fmt: skip
    whole = _Whole(copy.deepcopy(reference.model).requires_grad_(True), head, features)
    whole.to(reference.device)

    def on_tokens(index: Tensor) -> Tensor:
        first, second = (
            whole(x.rows(index).to(reference.device))
            for x in (reference.pairs.first, reference.pairs.second)
        )
        return loss(_difference(first, second, training.clip), labels[index].to(reference.device))

    train(
        whole, on_tokens, len(labels), steps, seed + 1, reference.device, reference.precision,
        checkpoint,
    )  # fmt: skip
    again = FeatureMap.of(
        whole.model, reference.pairs, features.pooling, features.batch_size, reference.device
    )
    weights = head.weight.detach().cpu()[0] * again.spread / features.spread
    return RewardModel(again, weights, training.clip)


class _Whole(torch.nn.Module):
    """A backbone and its head, one module for the optimizer."""

    centre: Tensor
    spread: Tensor

    def __init__(self, model: Any, head: torch.nn.Module, features: FeatureMap) -> None:
        super().__init__()
        self.model, self.head, self.pooling = model, head, features.pooling
        self.register_buffer("centre", features.centre)
        self.register_buffer("spread", features.spread)

    def forward(self, tokens: Tokens) -> Tensor:
        raw = pooled_features(self.model, tokens, self.pooling)
        return self.head((raw - self.centre) / self.spread)[:, 0]


def _difference(first: Tensor, second: Tensor, clip: float) -> Tensor:
    return first.clamp(-clip, clip) - second.clamp(-clip, clip)
