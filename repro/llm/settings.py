"""Language-model runs as configuration: model, data, training, sampling."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool, model_validator

from repro.base.schema import Finite, KLWeight, Model, Number, Positive, Whole

Count = Annotated[Whole, Field(ge=1, le=10**8)]
Seed = Annotated[Whole, Field(ge=0, lt=2**63)]
Text = Annotated[str, Field(min_length=1)]
Precision = Literal["float32", "mixed", "bfloat16", "nf4"]


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


class DataChoice(Limits):
    """The preference pairs.

    Attributes:
        path: a file, folder or hub id; null generates financial decisions (a substitute).
        n_pairs: pairs that are trained on; of a file, the first ones.
        held_out: pairs behind them that no training sees.
        judge_pairs: of a file, pairs behind these that only the judge is fitted to.
        seed: of generated pairs.
    """

    path: Text | None
    n_pairs: Count
    held_out: Count
    judge_pairs: Annotated[Whole, Field(ge=0, le=10**8)]
    seed: Seed


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


def _address(text: str) -> str:
    if not re.fullmatch(r"https?://\S+", text):
        raise ValueError("an address that begins with http:// or https://")
    return text


class ChatChoice(Model):
    """A chat model that judges; off by default, for it is sent prompts and responses.

    Attributes:
        endpoint: an OpenAI-compatible address, up to and with ``/v1``.
        model: as the server calls it.
        timeout: seconds for one answer.
    """

    endpoint: Annotated[str, AfterValidator(_address)]
    model: Text
    timeout: Positive = 60.0


class Procedure(Model):
    """What is done to a model, from fine-tuning to the judge.

    Attributes:
        sft: supervised fine-tuning.
        preference: optimisation from private labels.
        kl_weight: β of P2 and P4.
        sampling: for the judge.
        judge: a chat model that is asked in the place of the planted or fitted reward.
    """

    sft: Training
    preference: Training
    kl_weight: KLWeight
    sampling: Sampling
    judge: ChatChoice | None = None


class RewardTraining(Model):
    """A reward model behind P1's Algorithm 1, and its pessimism.

    Attributes:
        whole: steps on backbone and head, after the head alone was fitted; null for none.
        pooling: features of the end token, as P1 has it, or the mean over the response, which
            carries its words in a model too small to gather them at the end; ``whole`` needs
            ``end``, which transformers' reward models read.
        clip: rewards lie in [−clip, clip].
        ridge: of the bonus and of the head, in squared units of the standardised features.
        coefficient: of the bonus at c(ε) = 1; it is multiplied by c(ε).
    """

    whole: Training | None
    pooling: Literal["end", "mean"]
    clip: Positive
    ridge: Positive
    coefficient: Annotated[Finite, Field(ge=0)]

    @model_validator(mode="after")
    def _whole_reads_the_end(self) -> RewardTraining:
        if self.whole is not None and self.pooling != "end":
            raise ValueError("a backbone is trained (whole) on features of the end token alone")
        return self


class PessimisticProcedure(Procedure):
    """P1's pipeline.

    Attributes:
        reward: of the private reward model.
        samples: K responses of the reference that the policy reweights.
        dpo_kl_weight: β of the DPO baseline.
    """

    reward: RewardTraining
    samples: Annotated[Whole, Field(ge=2, le=10**4)]
    dpo_kl_weight: KLWeight

    @property
    def reward_epochs(self) -> int:
        """Passes over the data in which a backbone is trained for one reward model."""
        return 0 if self.reward.whole is None else self.reward.whole.epochs


class ChipoProcedure(Procedure):
    """P2's χPO: as DPO, with an implicit reward that is clipped.

    Attributes:
        reward_bound: R_max; reward differences are clipped to ±2·R_max.
    """

    reward_bound: Positive
