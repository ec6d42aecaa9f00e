"""Reward differences of two responses, by a folder of ``repro finetune``: what it ranks first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.llm.training.backbone import Backbone, load_backbone, load_scorer, scores
from repro.llm.training.card import trained_from
from repro.llm.training.encoding import Tokens, encode_pairs
from repro.llm.training.extra import library
from repro.llm.training.log_prob import frozen, pair_log_prob
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import Limits, ModelChoice

NO_BASE = (
    "the card of {} names no base model that is there; a policy is ranked by its log-probabilities "
    "less those of its base model; allowed: the hub id or folder of that model"
)


def reward_margins(
    folder: str, reference: str | None, pairs: TextPairs, limits: Limits, batch: int, device: str
) -> Tensor:
    """(n,) reward of the first response less that of the second.

    A reward model scores both.  A policy π has the implicit reward log π − log π_ref: for every
    loss of ``repro finetune`` the reward difference has the sign of the difference of these.

    Args:
        folder: a model that ``repro finetune`` has written.
        reference: the base model π_ref; None: what the model's card names.
        pairs: n comparisons; their labels play no part.
        limits: what of the texts is kept.
        batch: sequences at a time.
        device: ``cpu`` or ``cuda``.

    Raises:
        BadInput: a model that cannot be read, or a policy whose base model is unknown.
    """
    if scores(folder):
        scorer = load_scorer(folder, device)
        if reference is not None:
            raise BadInput("reference", reference, "allowed: for a policy, not for a reward model")
        encoded = encode_pairs(scorer.tokenizer, pairs, limits)
        first, second = (
            frozen(_score, scorer.model, x, batch, device) for x in (encoded.first, encoded.second)
        )
        return first - second
    policy = load_backbone(ModelChoice(path=folder), (), device, "MODEL")
    base = _base(folder, policy, reference, device)
    encoded = encode_pairs(policy.tokenizer, pairs, limits)
    ours = pair_log_prob(policy.model, encoded, batch, device)
    theirs = pair_log_prob(base, encoded, batch, device)
    return (ours[0] - theirs[0]) - (ours[1] - theirs[1])


def _score(model: Any, tokens: Tokens) -> Tensor:
    return model(input_ids=tokens.ids, attention_mask=tokens.present).logits[:, 0].float()


def _base(folder: str, policy: Backbone, reference: str | None, device: str) -> Any:
    """The base model; a tiny one is built again from its seed, with the same weights."""
    path, seed = (reference, None) if reference is not None else trained_from(folder)
    if path is not None:
        return load_backbone(ModelChoice(path=path), (), device, "reference").model
    if seed is None:
        raise BadInput("reference", "(missing)", NO_BASE.format(Path(folder).name))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return library("transformers").GPT2LMHeadModel(policy.model.config).to(device)
