"""The model card of a finished model: what was trained on what, and what is private about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repro.base.notation import flip_prob
from repro.llm.training.extra import library
from repro.release.manifest import Manifest

NAMES = {
    "rdpo": "rDPO, the debiased loss (P4, arXiv 2505.15694, eq. 16)",
    "private": "PrivχPO, the mixture likelihood (P2, Algorithm 1)",
    "square": "SquareχPO, the debiased square loss (P2, Algorithm 3)",
    "dpo": "DPO, which takes the private labels as clean",
    "reward": "a reward model by the mixture likelihood (P1, arXiv 2510.13512, eq. 9)",
}
WITHOUT_PRETRAINING = "without-pretraining"
"""A tag of the card, which later runs on the model read."""
TRAINED_FROM = "trained_from"
"""What the metadata of the card call the base model: its path, or the seed of a tiny one."""
UNTRAINED = (
    "this model has no pretraining: its answers are words at random, bent by the labels; name a "
    "pretrained one with model=, a hub id or a folder of weights"
)
ANNOTATOR = (
    "One annotator has at most {} comparisons in it: all labels of an annotator together have\n"
    "**ε = {:.12g}** in this release. "
)
TEXT = """
# {title}

{what} on {pairs} preference pairs whose labels were randomised.
Base model: {base}.

## Privacy

Each label passed randomized response before training: with probability {flip:.4g} it was turned.
That is **{epsilon:.12g}-differential privacy for the label of one comparison** (local, against
anyone who reads the release). Prompts and responses are **not** protected. Everything after the
release, epochs, seeds, checkpoints, curves and this model, is post-processing and costs no further
ε. Another release of the same labels does. {annotator}With the releases before this one,
a label has cost
**ε = {total:.12g}{delta}** in all; the manifest of a later release states the total then.

| | |
|---|---|
| ε of each label | {epsilon:.12g} |
| ε in all, with earlier releases | {total:.12g}{delta} |
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


@dataclass(frozen=True)
class Base:
    """The model that training began from.

    Attributes:
        words: its name, and that it has no pretraining where that is known.
        hub: its hub id, where it is on the hub.
        pretrained: False where it is known to be none.
    """

    words: str
    hub: str | None
    pretrained: bool


def base_of(model: str | None) -> Base:
    """The base model of a run on ``model``: a hub id, a folder, or none for a tiny random one."""
    if model is None:
        return Base("a tiny random GPT-2, built here, without pretraining", None, False)
    if not Path(model).exists():
        return Base(model, model, True)
    _, tags = _metadata(Path(model))
    known = WITHOUT_PRETRAINING in tags
    return Base(model + ", without pretraining" * known, None, not known)


def written_from(folder: str) -> Base | None:
    """What the card in a folder says that its model was trained from; None where it says nothing.

    A hub id says nothing: it is a base model itself.
    """
    hub, tags = _metadata(Path(folder))
    if WITHOUT_PRETRAINING in tags:
        return Base("none that was pretrained", None, False)
    return Base(hub, hub, True) if hub else None


def trained_from(folder: str) -> tuple[str | None, int | None]:
    """Hub id or path of the base model; or the seed of the tiny one; (None, None): not known."""
    base = _data(Path(folder)).get(TRAINED_FROM)
    seed = base.get("seed") if isinstance(base, dict) else None
    return base if isinstance(base, str) else None, seed if isinstance(seed, int) else None


def _metadata(folder: Path) -> tuple[str | None, list[str]]:
    """Base model and tags of the card in a folder; nothing where there is none to read."""
    data = _data(folder)
    base = data.get("base_model")
    return base if isinstance(base, str) else None, list(data.get("tags") or ())


def _data(folder: Path) -> dict[str, Any]:
    """The metadata of the card in a folder; empty where there is none to read."""
    file = folder / "README.md"
    if not file.is_file():
        return {}
    try:
        return library("huggingface_hub").ModelCard.load(file).data.to_dict()
    except (ValueError, OSError):
        return {}


def model_card(request: Any, base: Base, manifest: Manifest, digest: str, pairs: int) -> str:
    """README.md of the folder, with the metadata of a hub's card.

    Args:
        request: a ``FinetuneRequest``, its loss chosen.
        base: what training began from.
        manifest: of the release.
        digest: SHA-256 of the release in hex.
        pairs: released comparisons.
    """
    epsilon, total = float(manifest.epsilon), float(manifest.total)
    delta, unit_size = float(manifest.earlier_delta), manifest.unit_size
    reward = request.loss == "reward"
    tags = ["trl", "label-differential-privacy", *[WITHOUT_PRETRAINING] * (not base.pretrained)]
    data = library("huggingface_hub").ModelCardData(
        library_name="transformers", base_model=base.hub, tags=tags,
        pipeline_tag="text-classification" if reward else "text-generation",
        **{TRAINED_FROM: {"seed": request.seed} if request.model is None else request.model},
    )  # fmt: skip
    kept = {"epochs", "batch_size", "learning_rate", "schedule", "optimizer", "kl_weight", "seed"}
    settings = ", ".join(f"{k} {v}" for k, v in request.model_dump(include=kept).items())
    body = TEXT.format(
        title=Path(request.output).name, base=base.words, pairs=pairs,
        what="Trained by " + NAMES[request.loss],
        flip=flip_prob(epsilon), epsilon=epsilon, total=total, loss=request.loss,
        annotator=ANNOTATOR.format(unit_size, unit_size * epsilon) if unit_size else "",
        delta=f" and δ = {delta:.12g}" if delta else "", digest=digest,
        settings=settings, folder=Path(request.output).name,
        auto="AutoModelForSequenceClassification" if reward else "AutoModelForCausalLM",
        prompts="by the chat template, or as the beginning token, the text and a line break",
        trl=library("trl").__version__, transformers=library("transformers").__version__,
    )  # fmt: skip
    return f"---\n{data.to_yaml()}\n---\n{body}"
