"""Memory and GPU-hours of a run, estimated before it: rules of thumb, stated with the result."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from repro.llm.experiments.procedures import MODEL_KEY, DataChoice, Procedure
from repro.llm.training.backbone import read_config, tiny_config
from repro.llm.training.extra import library
from repro.llm.training.settings import ModelChoice, Training

SUSTAINED = {"float32": 2e13, "mixed": 1.2e14, "bfloat16": 1.2e14, "nf4": 1.2e14}
"""Floating-point operations a second that one H100-class GPU sustains in training here."""
TINY_VOCABULARY = 200
BYTES = {"float32": 4, "mixed": 4, "bfloat16": 2, "nf4": 0.5}
"""Of a weight; what is trained has gradients and optimizer states of the same size, at least 2."""
KEPT = 28
"""Numbers per token, layer and unit of width that a forward pass leaves for the backward pass."""
TILE, TILES = (4096, 32768), 4
"""Tokens and columns of logits that TRL's head works out at once, and as large temporaries."""


@dataclass(frozen=True)
class Size:
    """What matters of a model: its parameters, those that multiply, and its shape."""

    parameters: int
    multiplying: int
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
        config = (
            tiny_config(choice.tiny, TINY_VOCABULARY) if tiny else read_config(choice, MODEL_KEY)
        )
        with torch.device("meta"):
            model = library("transformers").AutoModelForCausalLM.from_config(config)
        count = sum(p.numel() for p in model.parameters())
        # an embedding is looked up; where the head shares it, the head multiplies with it
        layers = (m for m in model.modules() if not isinstance(m, torch.nn.Embedding))
        weights = [m.weight for m in layers if getattr(m, "weight", None) is not None]
        multiplying = sum(weight.numel() for weight in weights if weight.ndim == 2)
        shape = (config.hidden_size, config.num_hidden_layers, config.vocab_size)
        return cls(count, multiplying, *shape)

    def forward(self, length: int) -> int:
        """Operations per token of a sequence: 2 a weight that multiplies, and attention."""
        return 2 * self.multiplying + 4 * self.layers * self.width * length


@dataclass(frozen=True)
class Cost:
    """Peak memory in bytes and floating-point operations."""

    memory: float
    operations: float

    def hours(self, precision: str) -> float:
        """GPU-hours at ``SUSTAINED``."""
        return self.operations / SUSTAINED[precision] / 3600


def cost(
    model: ModelChoice, data: DataChoice, procedure: Procedure, policies: int, responses: int,
    online: int = 0,
) -> Cost:  # fmt: skip
    """Of one fine-tuning, then ``policies`` optimisations and ``responses`` answers to a prompt.

    ``online`` policies more are trained by RLOO: each response is drawn, scored by the policy, the
    reference and the reward model, and learnt from once an epoch.
    """
    size = Size.of(model)
    length = data.max_prompt_tokens + data.max_response_tokens
    sequences = 2 * data.n_pairs
    once = size.forward(length) * sequences * length
    sft = 3 * once * procedure.sft.epochs
    each = 3 * once * procedure.preference.epochs
    scoring = size.forward(length) * length * 2 * data.held_out
    answer = data.max_prompt_tokens + procedure.sampling.max_new_tokens
    drawing = size.forward(answer) * answer * procedure.sampling.prompts
    rollouts = getattr(procedure, "rollouts", None)
    seen = rollouts.iterations * rollouts.responses if rollouts else 0
    epochs = rollouts.epochs if rollouts else 0
    rolled = size.forward(answer) * answer * seen * (1 + 3 + 3 * epochs)
    operations = sft + policies * (each + scoring) + responses * drawing + online * rolled
    memory = _memory(size, model, procedure.preference, length)
    if online:  # the reward model, and the reference that RLOO reads for itself
        memory += 2 * BYTES[model.precision] * size.parameters
    return Cost(memory, float(operations))


def _memory(size: Size, model: ModelChoice, training: Training, length: int) -> float:
    """The model as loaded, the frozen reference and the policy, with what its steps need.

    Gradients come as activations go; they outlive them where a batch is worked through in parts.
    """
    adapters = 8 * size.layers * size.width * model.lora_rank
    trained = adapters or size.parameters
    states = 2 if training.optimizer == "adamw" else 0
    bytes_each = BYTES[model.precision]
    gradients = max(bytes_each, 2) * trained
    step = activations(size, model.precision, training, length)
    tokens = 2 * training.batch_size / training.accumulation * length
    step += 4 * TILES * min(tokens, TILE[0]) * min(size.vocabulary, TILE[1])
    step += gradients * (training.accumulation > 1)
    return 3 * bytes_each * size.parameters + states * gradients + max(step, 2 * gradients)


def activations(size: Size, precision: str, training: Training, length: int) -> float:
    """Bytes that one part of a batch leaves for the backward pass, both responses of each pair."""
    tokens = 2 * training.batch_size / training.accumulation * length
    layers = size.layers + KEPT if training.gradient_checkpointing else KEPT * size.layers
    number = 4 if precision == "float32" else 2
    return number * tokens * size.width * (layers + 2)


def in_words(estimate: Cost, model: ModelChoice, policies: int) -> str:
    """Two lines for a person."""
    name = model.path or "a tiny random model"
    return (
        f"{name}: {policies} policies after one fine-tuning, about "
        f"{estimate.memory / 2**30:.3g} GiB of memory and "
        f"{estimate.hours(model.precision):.3g} GPU-hours\n"
        f"(rules of thumb: per token 6 operations a multiplying weight in training, else 2, "
        f"12 or 4 a layer, unit of width and token of context; "
        f"{SUSTAINED[model.precision]:.0e} a second; a CPU takes a thousand times that)"
    )
