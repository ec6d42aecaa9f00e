"""What a model is trained and sampled with: the model, what is kept of texts, steps, sampling."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StrictBool

from repro.base.errors import BadInput
from repro.base.schema import KLWeight, Model, Number, Positive, Whole

CHECKPOINTS = "checkpoints-"
"""What the names of a training's folders of checkpoints begin with."""
Count = Annotated[Whole, Field(ge=1, le=10**8)]
Seed = Annotated[Whole, Field(ge=0, lt=2**63)]
Text = Annotated[str, Field(min_length=1)]
Precision = Literal["float32", "mixed", "bfloat16", "nf4"]
Loss = Literal["rdpo", "private", "square", "dpo", "reward"]


class Shape(Model):
    """Size of the model that is built here where no other is named."""

    width: Annotated[Whole, Field(ge=8, le=1024, multiple_of=4)] = 32
    layers: Annotated[Whole, Field(ge=1, le=48)] = 1
    heads: Annotated[Whole, Field(ge=1, le=16)] = 2


class ModelChoice(Model):
    """The language model.

    Attributes:
        path: a hub id or a folder of weights; null builds a random GPT-2 of ``tiny`` shape.
        tiny: its shape; without effect where a path is given.
        precision: ``float32``; ``mixed``, bfloat16 under float32 weights; ``bfloat16`` for all; or
            ``nf4``, frozen 4-bit weights under adapters (needs bitsandbytes and lora_rank).
        lora_rank: 0 trains all weights, else adapters of that rank.
        seed: of random weights.
    """

    path: Text | None = None
    tiny: Shape = Shape()
    precision: Precision = "float32"
    lora_rank: Annotated[Whole, Field(ge=0, le=1024)] = 0
    seed: Seed = 0


class Limits(Model):
    """What of a text is kept.

    Attributes:
        max_prompt_tokens: longer prompts lose their beginning.
        max_response_tokens: longer responses lose their end.
    """

    max_prompt_tokens: Count = 256
    max_response_tokens: Count = 256


class Training(Model):
    """One run of gradient steps by a trainer of TRL; the command takes what is given here.

    Attributes:
        epochs: passes over the data.
        batch_size: examples per optimizer step, over all processes and accumulated parts.
        accumulation: parts of a batch that are worked through one after the other.
        schedule: of the learning rate.
        warmup: steps until the learning rate is reached.
        max_grad_norm: gradients are shortened to it; null never.
        gradient_checkpointing: activations are worked out again instead of kept.
        checkpoint_every: steps between checkpoints; 0 writes none.
    """

    epochs: Count = 1
    batch_size: Count = 16
    accumulation: Count = 1
    learning_rate: Positive = 1e-6
    schedule: Literal["constant", "linear", "cosine"] = "linear"
    warmup: Annotated[Whole, Field(ge=0, le=10**8)] = 0
    optimizer: Literal["adamw", "sgd"] = "adamw"
    max_grad_norm: Positive | None = 1.0
    gradient_checkpointing: StrictBool = False
    checkpoint_every: Annotated[Whole, Field(ge=0, le=10**8)] = 0


class Sampling(Model):
    """How responses are drawn for the judge.

    Attributes:
        prompts: number of held-out prompts answered.
        top_k: 0 draws from all tokens.
        top_p: draws from the likeliest tokens that make up this share; 1 from all.
    """

    prompts: Count
    temperature: Annotated[Number, Field(gt=0, le=10)]
    top_k: Annotated[Whole, Field(ge=0, le=10**8)]
    top_p: Annotated[Number, Field(gt=0, le=1)] = 1.0
    max_new_tokens: Count


class FinetuneRequest(Training, Limits):
    """Arguments of the command, beside those of ``Training``.

    Attributes:
        release: OUT.jsonl of ``repro privatize``, its manifest beside it.
        output: a new folder for the model; a stopped run goes on from the checkpoints in it.
        model: a hub id or a folder of weights; none builds a tiny one, to try the command.
        loss: ``rdpo``, ``private`` (PrivχPO), ``square`` (SquareχPO), ``dpo`` (biased on private
            labels), or ``reward``, a reward model by the mixture likelihood; none takes the one
            that is recommended for the release's ε and number of pairs.
        kl_weight: β of P2 and P4.
        reward_bound: R_max of χPO; rewards of ``reward`` lie in [−reward_bound, reward_bound].
        tracking: an address of MLflow for curves and model; none logs nowhere.
    """

    release: Text
    output: Text
    model: Text | None = None
    loss: Loss | None = None
    kl_weight: KLWeight = 0.1
    reward_bound: Positive = 5.0
    precision: Precision = "float32"
    lora_rank: Annotated[Whole, Field(ge=0, le=1024)] = 0
    seed: Seed = 0
    device: Literal["cpu", "cuda", "auto"] = "auto"
    tracking: Text | None = None


def refuse_unfinished(key: str, name: str) -> None:
    """Refuse a folder that holds at most the checkpoints of a training.

    Raises:
        BadInput: the training has not written its model.
    """
    folder = Path(name)
    if folder.is_dir() and all(path.name.startswith(CHECKPOINTS) for path in folder.iterdir()):
        allowed = (
            "holds no model, as its training has not finished; run its repro finetune command "
            "again, to the end"
        )
        raise BadInput(key, folder, allowed)
