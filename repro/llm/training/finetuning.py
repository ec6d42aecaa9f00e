"""From a release of labels to a model in a folder: what ``python -m repro finetune`` does.

No raw label can enter: training reads a release of ``repro privatize``, never the file
that was released, so that checkpoints, curves and the model are post-processing of it.  Epochs,
seeds and runs on the same release cost no further ε; another release of the same pairs does, and
its manifest counts it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from repro.base.device import resolve_device
from repro.base.errors import BadInput
from repro.llm.training.backbone import Backbone, load_backbone
from repro.llm.training.card import UNTRAINED, base_of, model_card
from repro.llm.training.direct_preference import Reference, preferred
from repro.llm.training.encoding import EncodedPairs, encode_pairs
from repro.llm.training.extra import library
from repro.llm.training.losses import mixture_loss
from repro.llm.training.objectives import objective
from repro.llm.training.pairs import TextPairs
from repro.llm.training.released import manifest_of, released_pairs
from repro.llm.training.reward_model import reward_rows, scored_copy
from repro.llm.training.settings import CHECKPOINTS, FinetuneRequest, Loss, ModelChoice
from repro.llm.training.trainers import Diverged, TrainingRun, reward_trainer, run_key, trained

REWARD = "reward"
TOO_FEW = (
    "repro which_loss epsilon={:g} n_pairs={} answers none for so few labels; the model may learn "
    "noise alone"
)


@dataclass(frozen=True)
class Recommendation:
    """A loss for a release.

    Attributes:
        loss: that is taken where none is asked for.
        learnt: whether any loss learns a reward from so many labels.
    """

    loss: Loss
    learnt: bool


Recommended = Callable[[float, int], Recommendation]
"""Of ε and a number of pairs."""


def finetune(request: FinetuneRequest, recommended: Recommended) -> Path:
    """Train, and write model, tokenizer and card to the folder; under ``accelerate launch`` once.

    Args:
        request: what to do.
        recommended: the loss where none is asked for, and whether anything can be learnt.

    Raises:
        BadInput: a release, model or batch that cannot be used, or steps that diverge.
    """
    output = Path(request.output)
    pairs, epsilon = released_pairs(Path(request.release))
    advice = recommended(epsilon, len(pairs))
    loss = request.loss or advice.loss
    names = "names it" if advice.learnt else "names none"
    why = "" if request.loss else f" (repro which_loss {names})"
    request = request.model_copy(update={"loss": loss})
    base = base_of(request.model)
    digest = hashlib.sha256(Path(request.release).read_bytes()).hexdigest()
    device = resolve_device(request.device)
    chosen = request.model_dump(exclude={"output", "accumulation", "tracking", "device"})
    key = run_key(chosen, digest)
    with ExitStack() as stack:
        reports = _reports(request, stack)
        place = output / f"{CHECKPOINTS}{key}"
        run = TrainingRun(
            request, request.seed, device, request.precision, place, kept=True, report_to=reports,
            spoken=True,
        )  # fmt: skip
        own = request.model_dump(include={"precision", "lora_rank", "seed"})
        choice = ModelChoice(path=request.model, **own)
        backbone = load_backbone(choice, pairs.texts, device)
        if main_process():
            print(f"base model: {base.words}", flush=True)
            print(
                f"{len(pairs)} pairs released at ε = {epsilon:.12g}; loss: {loss}{why}", flush=True
            )
            if not base.pretrained:
                print(f"warning: {UNTRAINED}", file=sys.stderr, flush=True)
            if not advice.learnt:
                warning = TOO_FEW.format(epsilon, len(pairs))
                print(f"warning: {warning}", file=sys.stderr, flush=True)
        try:
            model = _model(request, backbone, pairs, epsilon, run)
        except Diverged as problem:
            allowed = f"the loss is no finite number ({problem}); allowed: a smaller one"
            raise BadInput("learning_rate", request.learning_rate, allowed) from None
        if main_process():
            manifest = manifest_of(Path(request.release))
            card = model_card(request, base, manifest, digest, len(pairs))
            _write(model, backbone.tokenizer, card, place.with_suffix(".draft"))
            # only now: a full disk while the model is written must not cost the training
            shutil.rmtree(place, ignore_errors=True)
            if reports:
                library("mlflow").log_artifacts(str(output), "model")
    return output


def main_process() -> bool:
    """Whether this process writes and prints, of those that ``accelerate launch`` has started."""
    return int(os.environ.get("RANK", 0)) == 0


def _model(
    request: FinetuneRequest, backbone: Backbone, pairs: TextPairs, epsilon: float, run: TrainingRun
) -> Any:
    """The trained policy or reward model."""
    model, tokenizer = backbone.model, backbone.tokenizer
    encoded = encode_pairs(tokenizer, pairs, request)
    _say_what_was_cut(encoded, request)
    if request.loss == REWARD:
        start = scored_copy(model, torch.zeros(model.config.hidden_size))
        kind = reward_trainer(partial(mixture_loss, epsilon=epsilon), request.reward_bound)
        rows = reward_rows(encoded, pairs.labels)
        return trained(kind, "RewardConfig", start, tokenizer, rows, run)
    batch = max(1, request.batch_size // request.accumulation)
    reference = Reference.of(
        model, tokenizer, encoded, batch, run.device, run.precision, request.lora_rank
    )
    what = objective(str(request.loss), epsilon, request.kl_weight, request.reward_bound)
    return preferred(
        model.requires_grad_(request.lora_rank == 0), reference, pairs.labels, what, run
    )


def _say_what_was_cut(encoded: EncodedPairs, request: FinetuneRequest) -> None:
    """How many responses were cut.

    Raises:
        BadInput: the responses of a pair have become equal, so that its label says nothing.
    """
    most = request.max_response_tokens
    if encoded.cut and main_process():
        total = 2 * len(encoded.first)
        print(f"{encoded.cut} of {total} responses were cut to {most} tokens", flush=True)
    if encoded.equal:
        allowed = (
            f"in {len(encoded.equal)} pairs both responses are the same tokens, first in pair "
            f"{encoded.equal[0]}; allowed: enough tokens to tell them apart"
        )
        raise BadInput("max_response_tokens", most, allowed)


def _write(model: Any, tokenizer: Any, card: str, draft: Path) -> None:
    """``save_pretrained`` and the card, in a draft, then one level up when all of it is written.

    Adapters are merged, so that transformers alone reads the result; on a quantised model they
    stay adapters, for merging would round them.
    """
    shutil.rmtree(draft, ignore_errors=True)
    if hasattr(model, "merge_and_unload") and not getattr(model, "is_loaded_in_4bit", False):
        model = model.merge_and_unload()
    model.save_pretrained(draft)
    tokenizer.save_pretrained(draft)
    (draft / "README.md").write_text(card, encoding="utf-8")
    for path in draft.iterdir():
        os.replace(path, draft.parent / path.name)
    draft.rmdir()


def _reports(request: FinetuneRequest, stack: ExitStack) -> tuple[str, ...]:
    """MLflow, where it is asked for, in a run that ends with the stack."""
    if request.tracking is None or not main_process():
        return ()
    mlflow = library("mlflow")
    mlflow.set_tracking_uri(request.tracking)
    mlflow.set_experiment("finetune")
    stack.enter_context(mlflow.start_run(run_name=Path(request.output).name))
    return ("mlflow",)
