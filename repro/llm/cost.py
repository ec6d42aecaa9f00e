"""Memory and GPU-hours of a run, estimated before it: rules of thumb, stated with the result."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from repro.llm.backbone import read_config, tiny_config
from repro.llm.extra import library
from repro.llm.settings import DataChoice, ModelChoice, Procedure, Training

SUSTAINED = {"float32": 2e13, "bfloat16": 1.2e14}
"""Floating-point operations a second that one H100-class GPU sustains in training here."""
TINY_VOCABULARY = 200
BYTES = 4
"""Weights, gradients and optimizer states are in float32."""


@dataclass(frozen=True)
class Size:
    """What matters of a model: parameters, and numbers a token leaves for the backward pass."""

    parameters: int
    width: int
    layers: int
    vocabulary: int

    @classmethod
    def of(cls, choice: ModelChoice) -> Size:
        """Counted without any weight in memory.

        Raises:
            repro.base.errors.BadInput: the model's configuration cannot be read.
        """
        tiny = choice.path is None
        config = tiny_config(choice.tiny, TINY_VOCABULARY) if tiny else read_config(choice)
        with torch.device("meta"):
            model = library("transformers").AutoModelForCausalLM.from_config(config)
        count = sum(p.numel() for p in model.parameters())
        shape = (config.hidden_size, config.num_hidden_layers, config.vocab_size)
        return cls(count, *shape)


@dataclass(frozen=True)
class Cost:
    """Peak memory in bytes and floating-point operations."""

    memory: float
    operations: float

    def hours(self, precision: str) -> float:
        """GPU-hours at ``SUSTAINED``."""
        return self.operations / SUSTAINED[precision] / 3600


def cost(
    model: ModelChoice, data: DataChoice, procedure: Procedure, policies: int, responses: int
) -> Cost:
    """Of one fine-tuning, then ``policies`` optimisations and ``responses`` answers to a prompt."""
    size = Size.of(model)
    length = data.max_prompt_tokens + data.max_response_tokens
    sequences = 2 * data.n_pairs
    sft = 6 * size.parameters * sequences * length * procedure.sft.epochs
    each = 6 * size.parameters * sequences * length * procedure.preference.epochs
    scoring = 2 * size.parameters * length * 2 * data.held_out
    answer = data.max_prompt_tokens + procedure.sampling.max_new_tokens
    drawing = 2 * size.parameters * answer * procedure.sampling.prompts
    operations = sft + policies * (each + scoring) + responses * drawing
    return Cost(_memory(size, model, procedure.preference, length), float(operations))


def _memory(size: Size, model: ModelChoice, training: Training, length: int) -> float:
    """The model as loaded, the frozen reference and the policy, with what its steps need."""
    trained = size.parameters
    if model.lora_rank:
        trained = 8 * size.layers * size.width * model.lora_rank
    states = 2 if training.optimizer == "adamw" else 0
    weights = BYTES * (3 * size.parameters + (1 + states) * trained)
    tokens = 2 * training.batch_size * length
    number = 2 if model.precision == "bfloat16" else 4
    activations = tokens * (number * 17 * size.width * size.layers + 12 * size.vocabulary)
    return float(weights + activations)


def in_words(found: Cost, model: ModelChoice, policies: int) -> str:
    """Two lines for a person."""
    name = model.path or "a tiny random model"
    return (
        f"{name}: {policies} policies after one fine-tuning, about "
        f"{found.memory / 2**30:.3g} GiB of memory and "
        f"{found.hours(model.precision):.3g} GPU-hours\n"
        f"(rules of thumb: 6 operations a weight and token trained on, 2 scored or drawn, "
        f"{SUSTAINED[model.precision]:.0e} a second; a CPU takes a thousand times that)"
    )
