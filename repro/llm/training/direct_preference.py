"""Direct preference optimisation with any of the losses: a policy from private labels."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.llm.training.encoding import EncodedPairs, sorted_by
from repro.llm.training.extra import library
from repro.llm.training.log_prob import pair_log_prob
from repro.llm.training.objectives import Objective
from repro.llm.training.settings import Training
from repro.llm.training.trainers import TrainingRun, preference_trainer, trained


@dataclass(frozen=True)
class Reference:
    """The fine-tuned policy that optimisation starts from, and what it says of the pairs.

    Attributes:
        model: frozen.
        tokenizer: of it.
        pairs: n comparisons to train on.
        first, second: (n,) its log-probabilities of their responses.
    """

    model: Any
    tokenizer: Any
    pairs: EncodedPairs
    first: Tensor
    second: Tensor
    device: str
    precision: str = "float32"
    lora_rank: int = 0

    def part(self, count: int) -> Reference:
        """The same model on the first pairs alone."""
        some = self.pairs if count == len(self.first) else self.pairs.rows(torch.arange(count))
        return replace(self, pairs=some, first=self.first[:count], second=self.second[:count])

    @classmethod
    def of(
        cls, model: Any, tokenizer: Any, pairs: EncodedPairs, batch_size: int, device: str,
        precision: str = "float32", lora_rank: int = 0,
    ) -> Reference:  # fmt: skip
        """Work out the log-probabilities once, each process a part of them."""
        state = library("accelerate").PartialState(cpu=device == "cpu")
        gather = library("accelerate.utils").gather_object
        with state.split_between_processes(list(range(len(pairs.first)))) as mine:
            some = pairs.rows(torch.tensor(mine, dtype=torch.long))
            log_probs = pair_log_prob(model.to(state.device), some, batch_size, str(state.device))
        first, second = (torch.tensor(gather(part.tolist())) for part in log_probs)
        return cls(model, tokenizer, pairs, first, second, device, precision, lora_rank)


def optimised(
    reference: Reference, labels: Tensor, objective: Objective, training: Training, seed: int,
    checkpoint: Path | None = None,
) -> Any:  # fmt: skip
    """A policy trained from the reference, a copy of which it is, on released labels.

    Args:
        reference: where it starts.
        labels: (n,) released labels in {−1, +1}.
        objective: the policy's implicit reward difference, and a loss on it and the label.
        training: epochs, batches, optimizer.
        seed: of the order of batches.
        checkpoint: a folder to go on from; None for none.
    """
    run = TrainingRun(training, seed, reference.device, reference.precision, checkpoint)
    policy = copy.deepcopy(reference.model).requires_grad_(True)
    return preferred(policy, reference, labels, objective, run)


def preferred(
    policy: Any, reference: Reference, labels: Tensor, objective: Objective, run: TrainingRun
) -> Any:
    """The policy after a run, trained in place, or under the adapters that the reference names."""
    return trained(
        preference_trainer(objective), "DPOConfig", policy, reference.tokenizer,
        preference_rows(reference, labels), run,
        precompute_ref_log_probs=True, peft_config=adapters(reference.lora_rank),
    )  # fmt: skip


def preference_rows(reference: Reference, labels: Tensor) -> dict[str, list]:
    """Columns of TRL's preference data, sorted by the released labels (n,)."""
    both = zip(reference.first.tolist(), reference.second.tolist(), strict=True)
    chosen, rejected = sorted_by(labels, both)
    columns = {"ref_chosen_logps": chosen, "ref_rejected_logps": rejected}
    return reference.pairs.sorted_by(labels) | columns


def adapters(rank: int) -> Any:
    """Low-rank adapters on the layers that peft chooses for the model; None at rank 0.

    Raises:
        repro.base.errors.BadInput: adapters are asked for and peft is not installed.
    """
    if not rank:
        return None
    return library("peft").LoraConfig(r=rank, lora_alpha=2 * rank, task_type="CAUSAL_LM")
