"""Train a language model on privatised preference labels, with TRL and transformers.

    repro privatize IN.jsonl OUT.jsonl epsilon=1
    repro finetune RELEASE FOLDER [model=PATH] [loss=rdpo] [KEY=VALUE]
    accelerate launch -m repro finetune ...     on several devices

The command reads a release and its manifest, never the file that was released.  RELEASE is
OUT.jsonl, or an export of it in either layout beside its manifest.  FOLDER, a new one, gets model,
tokenizer and a model card.  The first line names the base model.  Without model= that is a tiny
random model, to try the command.  A stopped run with checkpoint_every goes on when the same
command is run again.  Exit status: 0 done, 2 bad input.

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
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.errors import BadInput
from repro.base.files import regular_file
from repro.base.schema import validate
from repro.base.words import scalar, split_words

if TYPE_CHECKING:
    from repro.llm.training.finetuning import Recommendation
    from repro.llm.training.settings import FinetuneRequest, Loss

OBJECTIVES: dict[str, Loss] = {"mixture": "private", "square": "square", "debiased": "rdpo"}
"""What trains a policy by each loss on labels."""


def main(words: Sequence[str]) -> int:
    """Train."""
    request = _request(words)
    from repro.llm.training.finetuning import finetune

    try:
        output = finetune(request, recommended)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_after_a_stop(request.checkpoint_every)) from None
    if int(os.environ.get("RANK", 0)) == 0:
        print(f"files: {output}")
        print(f"judge it on pairs that were held out: repro accuracy {output} HELD_OUT")
    return 0


def _after_a_stop(checkpoint_every: int) -> str:
    """What the same command does after a stop."""
    if checkpoint_every:
        return (
            f"checkpoints are written every {checkpoint_every} steps; the same command goes on "
            "from the last one, or from the start if there is none"
        )
    return (
        "nothing is kept, and the same command starts again; checkpoint_every=STEPS writes "
        "checkpoints to go on from"
    )


def _request(words: Sequence[str]) -> FinetuneRequest:
    """What is asked for, refused before libraries are imported that take seconds."""
    from repro.llm.training.extra import require_extra
    from repro.llm.training.settings import CHECKPOINTS, FinetuneRequest

    keys = [key for key in FinetuneRequest.model_fields if key not in ("release", "output")]
    (release, output), texts = split_words(words, keys, ("RELEASE", "FOLDER"))
    given = {key: scalar(key, text) for key, text in texts.items()}
    name = texts.get("loss", "")
    if (trained := OBJECTIVES.get(name, name)) != name:
        raise BadInput("loss", name, f"allowed: loss={trained}, which is its name here")
    request = validate(FinetuneRequest, {"release": release, "output": output, **given})
    regular_file("release", release)
    folder = Path(output)
    if folder.exists() and any(not p.name.startswith(CHECKPOINTS) for p in folder.iterdir()):
        raise BadInput("output", output, "is not empty; allowed: a new folder")
    require_extra()
    return request


def recommended(epsilon: float, n_pairs: int) -> Recommendation:
    """The loss that ``repro.which_loss`` puts first, of labels without corruption.

    Where it puts none first, the likelihood: it is bounded below, as the debiased loss is not.
    """
    from repro.commands.which_loss import which_loss
    from repro.llm.training.finetuning import Recommendation

    advice = which_loss(epsilon=epsilon, n_pairs=n_pairs)
    return Recommendation(OBJECTIVES[advice.best[0]] if advice.learnt else "private", advice.learnt)
