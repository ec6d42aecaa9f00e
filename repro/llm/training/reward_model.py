"""A reward model of transformers, and the rows that TRL trains it on."""

from __future__ import annotations

import copy
from typing import Any

from torch import Tensor

from repro.llm.training.encoding import EncodedPairs
from repro.llm.training.extra import library


def reward_rows(pairs: EncodedPairs, labels: Tensor) -> dict[str, list]:
    """Columns of TRL's reward data, whole sequences sorted by released labels (n,)."""
    ids = pairs.sorted_by(labels)
    return {
        name: [p + r for p, r in zip(ids["prompt_ids"], ids[name], strict=True)]
        for name in ("chosen_ids", "rejected_ids")
    }


def scored_copy(model: Any, head: Tensor) -> Any:
    """A reward model of transformers: the backbone of a causal model under a scalar head (d,)."""
    config = copy.deepcopy(model.config)
    config.num_labels = 1
    auto = library("transformers").AutoModelForSequenceClassification
    scored = auto.from_config(config, dtype=model.dtype)
    scored.base_model.load_state_dict(model.base_model.state_dict())
    scored.score.weight.data.copy_(head[None])
    return scored.to(model.device).requires_grad_(True)
