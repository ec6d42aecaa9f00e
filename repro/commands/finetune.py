"""Train a language model on privatised preference labels, with TRL and transformers.

    repro privatize IN.jsonl OUT.jsonl epsilon=1
    repro finetune release=OUT.jsonl output=FOLDER model=PATH loss=rdpo
    accelerate launch -m repro.commands.finetune ...     on several devices

The command reads a release and its manifest, never the file that was released.  RELEASE is
OUT.jsonl, or an export of it in either layout beside its manifest.  FOLDER gets model, tokenizer
and a model card.  The first line names the base model.  Without model= that is a tiny random
model, to try the command.  A stopped run with checkpoint_every goes on when the same command is
run again.  Exit status: 0 done, 2 bad input.

  loss       rdpo, private (PrivχPO), square (SquareχPO), dpo, reward; default:
             what repro which_loss recommends for the release's ε and pairs
  data       epochs, batch_size (pairs a step, all processes together),
             accumulation, max_prompt_tokens, max_response_tokens
  optimiser  optimizer, learning_rate, schedule, warmup, max_grad_norm
  memory     precision (float32, mixed, bfloat16, nf4), lora_rank,
             gradient_checkpointing
  others     kl_weight, reward_bound, seed, device, checkpoint_every,
             tracking (an address of MLflow)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repro.base.schema import validate
from repro.base.words import keyword_values
from repro.commands.which_loss import which_loss

if TYPE_CHECKING:
    from repro.llm.training.finetuning import Loss

OBJECTIVES: dict[str, Loss] = {"mixture": "private", "square": "square", "debiased": "rdpo"}
"""What trains a policy by each loss on labels."""


def main(words: Sequence[str]) -> int:
    """Train."""
    from repro.llm.training.finetuning import FinetuneRequest, finetune

    request = validate(FinetuneRequest, keyword_values(words, FinetuneRequest))
    output = finetune(request, recommended)
    if int(os.environ.get("RANK", 0)) == 0:
        print(f"files: {output}")
    return 0


def recommended(epsilon: float, n_pairs: int) -> tuple[Loss, str]:
    """The loss that ``repro.which_loss`` puts first, of labels without corruption.

    Where it puts none first, the likelihood: it is bounded below, as the debiased loss is not.
    """
    found = which_loss(epsilon=epsilon, n_pairs=n_pairs)
    if not found.learnt:
        return "private", " (with so few labels no loss learns the reward)"
    return OBJECTIVES[found.best[0]], " (that of python -m repro which_loss)"
