"""Direct preference optimisation with any of the losses: a policy from private labels."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from repro.llm.encoding import EncodedPairs
from repro.llm.extra import library
from repro.llm.gradient_steps import train
from repro.llm.log_prob import pair_log_prob, response_log_prob
from repro.llm.settings import Training

Difference = Callable[[Tensor, Tensor], Tensor]
"""log π/π_ref of the first and of the second responses → reward difference."""
Loss = Callable[[Tensor, Tensor], Tensor]
"""(reward difference, label) → loss, pair by pair."""


@dataclass(frozen=True)
class Reference:
    """The fine-tuned policy that optimisation starts from, and what it says of the pairs.

    Attributes:
        model: frozen.
        pairs: n comparisons to train on.
        first, second: (n,) its log-probabilities of their responses.
    """

    model: Any
    pairs: EncodedPairs
    first: Tensor
    second: Tensor
    device: str
    precision: str = "float32"
    lora_rank: int = 0

    @classmethod
    def of(
        cls,
        model: Any,
        pairs: EncodedPairs,
        batch_size: int,
        device: str,
        precision: str = "float32",
        lora_rank: int = 0,
    ) -> Reference:
        """Work out the log-probabilities once."""
        first, second = pair_log_prob(model, pairs, batch_size, device)
        return cls(model, pairs, first, second, device, precision, lora_rank)


def optimised(
    reference: Reference,
    labels: Tensor,
    difference: Difference,
    loss: Loss,
    training: Training,
    seed: int,
    checkpoint: Path | None = None,
) -> Any:
    """A policy trained from the reference on released labels.

    Args:
        reference: where it starts.
        labels: (n,) released labels in {−1, +1}.
        difference: the policy's implicit reward difference.
        loss: on that difference and the label.
        training: epochs, batches, optimizer.
        seed: of the order of batches.
        checkpoint: a folder to go on from; None for none.
    """
    policy = trainable(reference.model, reference.lora_rank)

    def losses(index: Tensor) -> Tensor:
        ratios = (
            response_log_prob(policy, tokens.rows(index).to(reference.device))
            - base[index].to(reference.device)
            for tokens, base in (
                (reference.pairs.first, reference.first),
                (reference.pairs.second, reference.second),
            )
        )
        return loss(difference(*ratios), labels[index].to(reference.device))

    count = len(labels)
    train(policy, losses, count, training, seed, reference.device, reference.precision, checkpoint)
    return policy


def trainable(model: Any, lora_rank: int) -> Any:
    """A copy whose weights, or whose low-rank adapters, take gradients.

    Raises:
        repro.base.errors.BadInput: adapters are asked for and peft is not installed.
    """
    policy = copy.deepcopy(model)
    if not lora_rank:
        return policy.requires_grad_(True)
    peft = library("peft")
    shape = peft.LoraConfig(r=lora_rank, lora_alpha=2 * lora_rank, task_type="CAUSAL_LM")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft names its own deprecations and corrections
        return peft.get_peft_model(policy, shape)
