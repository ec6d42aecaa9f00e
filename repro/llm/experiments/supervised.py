"""Supervised fine-tuning that sees no label: both responses of every comparison.

P4's Appendix D fine-tunes on the chosen responses, which are the private labels in the clear: no
budget covers what comes after.  ``repaired`` trains on both responses, so that flipping labels
changes nothing; ``as_published`` trains on the chosen ones and is kept for comparison.
"""

from __future__ import annotations

import copy
import os
from typing import Any, Literal

from torch import Tensor

from repro.llm.training.encoding import EncodedPairs, sorted_by
from repro.llm.training.extra import library
from repro.llm.training.trainers import TrainingRun, trained

Variant = Literal["repaired", "as_published"]
UNSCORED = -100
"""What transformers leaves out of a loss."""


def supervised_rows(pairs: EncodedPairs, labels: Tensor, variant: Variant) -> dict[str, list]:
    """Sequences to imitate: 2n that no label touches, or the n chosen ones.

    Args:
        pairs: n comparisons.
        labels: (n,) in {−1, +1}; ``repaired`` does not look at them.
        variant: what the published procedure does, or its repair.
    """
    first, second = pairs.first.parts, pairs.second.parts
    chosen = [*first, *second]
    if variant == "as_published":
        chosen, _ = sorted_by(labels, zip(first, second, strict=True))
    return {
        "input_ids": [prompt + response for prompt, response in chosen],
        "labels": [[UNSCORED] * len(prompt) + response for prompt, response in chosen],
    }


def fine_tuned(model: Any, tokenizer: Any, rows: dict[str, list], run: TrainingRun) -> Any:
    """A copy of the model after next-token steps on the responses; its weights are frozen.

    With checkpoints the finished model is kept beside them and read by the next call.
    """
    kept = run.folder and run.training.checkpoint_every and run.folder.with_suffix(".tuned")
    if kept and kept.exists():
        tuned = type(model).from_pretrained(kept, use_safetensors=True).to(model.device)
        return tuned.requires_grad_(False).eval()
    tuned = trained(
        library("trl").SFTTrainer, "SFTConfig", copy.deepcopy(model), tokenizer, rows, run,
        dataset_kwargs={"skip_prepare_dataset": True},
    )  # fmt: skip
    if kept:
        draft = kept.with_suffix(".draft")
        tuned.save_pretrained(draft)
        os.replace(draft, kept)
    return tuned.requires_grad_(False)
