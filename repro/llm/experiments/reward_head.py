"""A reward model: a scalar head on last-layer features of a response (P1, Section 6).

Trained with any loss on reward differences: the mixture likelihood of P1's eq. 9 where labels are
private.  Features are standardised by the pairs seen, which takes no label.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.llm.experiments.procedures import RewardTraining
from repro.llm.training.direct_preference import Reference
from repro.llm.training.encoding import EncodedPairs, Tokens
from repro.llm.training.log_prob import frozen
from repro.llm.training.objectives import Loss
from repro.llm.training.reward_model import reward_rows, scored_copy
from repro.llm.training.trainers import TrainingRun, reward_trainer, trained


def pooled_features(model: Any, tokens: Tokens, pooling: str) -> Tensor:
    """(n, d) last-layer features at the last token, or their mean over the response."""
    output = model(input_ids=tokens.ids, attention_mask=tokens.present, output_hidden_states=True)
    hidden = output.hidden_states[-1].float()
    if pooling == "mean":
        share = tokens.response / tokens.response.sum(1, keepdim=True)
        return torch.einsum("nl,nld->nd", share.to(hidden), hidden)
    # the last token that is no padding, as transformers' reward models have it
    kept = tokens.present * (tokens.ids != model.config.pad_token_id)
    last = (kept * torch.arange(kept.shape[1], device=kept.device)).argmax(1)
    return hidden.gather(1, last[:, None, None].expand(-1, 1, hidden.shape[2]))[:, 0]


@dataclass(frozen=True, eq=False)
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
        of = partial(pooled_features, pooling=pooling)
        raw = [frozen(of, model, x, batch_size, device) for x in (pairs.first, pairs.second)]
        both = torch.cat(raw)
        centre, spread = both.mean(0), both.std(0).clamp(min=1e-6)
        first, second = ((x - centre) / spread for x in raw)
        return cls(model, pooling, centre, spread, first, second, batch_size, device)

    def __call__(self, tokens: Tokens) -> Tensor:
        """(m, d) standardised features."""
        of = partial(pooled_features, pooling=self.pooling)
        raw = frozen(of, self.model, tokens, self.batch_size, self.device)
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
    reference: Reference, features: FeatureMap, labels: Tensor, loss: Loss,
    training: RewardTraining, seed: int, checkpoint: Path | None = None,
) -> RewardModel:  # fmt: skip
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
    head = fitted_head(features.first, features.second, labels, loss, training)
    return with_backbone(reference, features, head, labels, loss, training, seed, checkpoint)


def with_backbone(
    reference: Reference, features: FeatureMap, head: Tensor, labels: Tensor, loss: Loss,
    training: RewardTraining, seed: int, checkpoint: Path | None = None,
) -> RewardModel:  # fmt: skip
    """The reward of a fitted head (d,), or, where asked for, of the backbone trained with it.

    The other arguments are those of ``fitted_reward``.
    """
    if training.whole is None:
        return RewardModel(features, head, training.clip)
    run = TrainingRun(training.whole, seed + 1, reference.device, reference.precision, checkpoint)
    rows = reward_rows(reference.pairs, labels)
    scored = trained(
        reward_trainer(loss, training.clip), "RewardConfig",
        scored_copy(reference.model, head / features.spread), reference.tokenizer, rows, run,
    )  # fmt: skip
    own = scored, reference.pairs, features.pooling
    again = FeatureMap.of(*own, features.batch_size, reference.device)
    weights = scored.score.weight.detach().float().cpu()[0] * again.spread
    return RewardModel(again, weights, training.clip)


def fitted_head(
    first: Tensor, second: Tensor, labels: Tensor, loss: Loss, training: RewardTraining
) -> Tensor:
    """(d,) the head on frozen features, by L-BFGS on all pairs at once.

    A trainer of TRL has no place for it: a smooth problem in d numbers, which is solved, where
    steps on batches would stop at a point that depends on their size (docs/adr/0012).
    """
    x, y, labels = first.double(), second.double(), labels.double()
    head = torch.zeros(x.shape[1], dtype=x.dtype, requires_grad=True)
    solver = torch.optim.LBFGS([head], max_iter=200, line_search_fn="strong_wolfe")

    def mean() -> Tensor:
        solver.zero_grad()
        clip = training.clip
        gap = (x @ head).clamp(-clip, clip) - (y @ head).clamp(-clip, clip)
        value = loss(gap, labels).mean() + training.ridge * head.square().sum() / (2 * len(x))
        value.backward()
        return value

    solver.step(mean)
    return head.detach().float()
