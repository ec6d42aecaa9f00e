"""From a release of labels to a model in a folder: what ``python -m repro.finetune`` does.

No raw label can enter: training reads a release of ``python -m repro.privatize``, never the file
that was released, so that checkpoints, curves and the model are post-processing of it.  Epochs,
seeds and runs on the same release cost no further ε; another release of the same pairs does, and
its manifest counts it.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import KLWeight, Positive, Whole
from repro.llm.backbone import Backbone, load_backbone
from repro.llm.card import model_card
from repro.llm.direct_preference import Reference, preferred
from repro.llm.encoding import encode_pairs
from repro.llm.extra import library
from repro.llm.losses import mixture_loss
from repro.llm.objectives import objective
from repro.llm.pairs import TextPairs
from repro.llm.released import released_pairs
from repro.llm.reward_model import reward_rows, scored_copy
from repro.llm.settings import Limits, ModelChoice, Precision, Seed, Text, Training
from repro.llm.study import run_key
from repro.llm.trainers import Diverged, Run, reward_trainer, trained
from repro.study.settings import resolve_device

REWARD = "reward"


class FinetuneRequest(Training, Limits):
    """Arguments of the command, beside those of ``Training``.

    Attributes:
        release: OUT.jsonl of ``python -m repro.privatize``, its manifest beside it.
        output: a new folder for the model; a stopped run goes on from the checkpoints in it.
        model: a hub id or a folder of weights; none builds a tiny one, to try the command.
        loss: ``rdpo``, ``private`` (PrivχPO), ``square`` (SquareχPO), ``dpo`` (biased on private
            labels), or ``reward``, a reward model by the mixture likelihood.
        kl_weight: β of P2 and P4.
        reward_bound: R_max of χPO; rewards of ``reward`` lie in [−reward_bound, reward_bound].
        tracking: an address of MLflow for curves and model; none logs nowhere.
    """

    release: Text
    output: Text
    model: Text | None = None
    loss: Literal["rdpo", "private", "square", "dpo", "reward"] = "rdpo"
    kl_weight: KLWeight = 0.1
    reward_bound: Positive = 5.0
    precision: Precision = "float32"
    lora_rank: Annotated[Whole, Field(ge=0, le=1024)] = 0
    seed: Seed = 0
    device: Literal["cpu", "cuda", "auto"] = "auto"
    tracking: Text | None = None


def finetune(request: FinetuneRequest) -> Path:
    """Train, and write model, tokenizer and card to the folder; under ``accelerate launch`` once.

    Raises:
        BadInput: a release, model, folder or batch that cannot be used, or steps that diverge.
    """
    output = Path(request.output)
    if output.exists() and any(not p.name.startswith("checkpoints-") for p in output.iterdir()):
        raise BadInput("output", output, "is not empty; allowed: a new folder")
    pairs, epsilon = released_pairs(Path(request.release))
    digest = hashlib.sha256(Path(request.release).read_bytes()).hexdigest()
    device = resolve_device(request.device)
    chosen = request.model_dump(exclude={"output", "accumulation", "tracking", "device"})
    key = run_key(chosen, digest)
    with ExitStack() as stack:
        reports = _reports(request, stack)
        place = output / f"checkpoints-{key}"
        run = Run(request, request.seed, device, request.precision, place, reports, spoken=True)
        own = request.model_dump(include={"precision", "lora_rank", "seed"})
        choice = ModelChoice(path=request.model, **own)
        backbone = load_backbone(choice, pairs.texts, device, "model")
        try:
            model = _model(request, backbone, pairs, epsilon, run)
        except Diverged as problem:
            allowed = f"the loss is no finite number ({problem}); allowed: a smaller one"
            raise BadInput("learning_rate", request.learning_rate, allowed) from None
        if int(os.environ.get("RANK", 0)) == 0:
            _write(model, backbone.tokenizer, output)
            card = model_card(request, epsilon, digest, len(pairs))
            (output / "README.md").write_text(card, encoding="utf-8")
            if reports:
                library("mlflow").log_artifacts(str(output), "model")
    return output


def _model(
    request: FinetuneRequest, backbone: Backbone, pairs: TextPairs, epsilon: float, run: Run
) -> Any:
    """The trained policy or reward model."""
    model, tokenizer = backbone.model, backbone.tokenizer
    encoded = encode_pairs(tokenizer, pairs, request)
    if request.loss == REWARD:
        start = scored_copy(model, torch.zeros(model.config.hidden_size))
        kind = reward_trainer(partial(mixture_loss, epsilon=epsilon), request.reward_bound)
        rows = reward_rows(encoded, pairs.labels)
        return trained(kind, "RewardConfig", start, tokenizer, rows, run)
    batch = max(1, request.batch_size // request.accumulation)
    reference = Reference.of(
        model, tokenizer, encoded, batch, run.device, run.precision, request.lora_rank
    )
    what = objective(request.loss, epsilon, request.kl_weight, request.reward_bound)
    return preferred(
        model.requires_grad_(request.lora_rank == 0), reference, pairs.labels, what, run
    )


def _write(model: Any, tokenizer: Any, output: Path) -> None:
    """``save_pretrained``; adapters are merged, so that transformers alone reads the result.

    Adapters on a quantised model stay adapters: merging would round them.
    """
    if hasattr(model, "merge_and_unload") and not getattr(model, "is_loaded_in_4bit", False):
        model = model.merge_and_unload()
    model.save_pretrained(output)
    tokenizer.save_pretrained(output)


def _reports(request: FinetuneRequest, stack: ExitStack) -> tuple[str, ...]:
    """MLflow, where it is asked for, in a run that ends with the stack."""
    if request.tracking is None or int(os.environ.get("RANK", 0)):
        return ()
    mlflow = library("mlflow")
    mlflow.set_tracking_uri(request.tracking)
    mlflow.set_experiment("finetune")
    stack.enter_context(mlflow.start_run(run_name=Path(request.output).name))
    return ("mlflow",)
