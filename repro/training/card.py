"""The model card of a finished model: what was trained on what, and what is private about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repro.base.notation import flip_prob
from repro.training.extra import library

NAMES = {
    "rdpo": "rDPO, the debiased loss (P4, arXiv 2505.15694, eq. 16)",
    "private": "PrivχPO, the mixture likelihood (P2, Algorithm 1)",
    "square": "SquareχPO, the debiased square loss (P2, Algorithm 3)",
    "dpo": "DPO, which takes the private labels as clean",
    "reward": "a reward model by the mixture likelihood (P1, arXiv 2510.13512, eq. 9)",
}
TEXT = """
# {title}

{what} on {pairs} preference pairs whose labels were randomised.

## Privacy

Each label passed randomized response before training: with probability {flip:.4g} it was turned.
That is **{epsilon:g}-differential privacy for the label of one comparison** (local, against anyone
who reads the release). Prompts and responses are **not** protected. Everything after the release,
epochs, seeds, checkpoints, curves and this model, is post-processing and costs no further ε.
Another release of the same pairs does: its manifest states the total.

| | |
|---|---|
| ε of each label | {epsilon:g} |
| channel | randomized response, {flip:.6g} flipped |
| loss | {loss} |
| data digest | sha256 {digest} |
| settings | {settings} |

## Use

```python
from transformers import {auto}, AutoTokenizer

model, tokenizer = (x.from_pretrained("{folder}") for x in ({auto}, AutoTokenizer))
```

Prompts were encoded {prompts}. Trained with the losses of
`repro-rlhf` on TRL {trl} and transformers {transformers}.
"""


def model_card(request: Any, epsilon: float, digest: str, pairs: int) -> str:
    """README.md of the folder, with the metadata of a hub's card.

    Args:
        request: a ``FinetuneRequest``.
        epsilon: ε of the release's manifest.
        digest: SHA-256 of the release in hex.
        pairs: released comparisons.
    """
    reward = request.loss == "reward"
    base = request.model if request.model and not Path(request.model).exists() else None
    data = library("huggingface_hub").ModelCardData(
        library_name="transformers", base_model=base, tags=["trl", "label-differential-privacy"],
        pipeline_tag="text-classification" if reward else "text-generation",
    )  # fmt: skip
    kept = {"epochs", "batch_size", "learning_rate", "schedule", "optimizer", "kl_weight", "seed"}
    settings = ", ".join(f"{k} {v}" for k, v in request.model_dump(include=kept).items())
    body = TEXT.format(
        title=Path(request.output).name, what="Trained by " + NAMES[request.loss], pairs=pairs,
        flip=flip_prob(epsilon), epsilon=epsilon, loss=request.loss, digest=digest,
        settings=settings, folder=Path(request.output).name,
        auto="AutoModelForSequenceClassification" if reward else "AutoModelForCausalLM",
        prompts="by the chat template, or as the beginning token, the text and a line break",
        trl=library("trl").__version__, transformers=library("transformers").__version__,
    )  # fmt: skip
    return f"---\n{data.to_yaml()}\n---\n{body}"
