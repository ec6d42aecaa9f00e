"""TRL's trainers with the papers' losses, on token ids and labels that have been released.

TRL and transformers give accumulation, schedules, gradient checkpointing, mixed precision, several
processes and checkpoints; here are a loss for each trainer and one list of their arguments.  The
rows are sorted by the *released* label, so that every label is +1: turning a pair round is turning
its label.  ``batch_size`` counts pairs per optimizer step whatever the number of processes and of
accumulated parts, so that the same configuration gives the same steps everywhere.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.base.files import json_object
from repro.llm.training.extra import library
from repro.llm.training.objectives import Loss, Objective
from repro.llm.training.settings import Training

Rows = Mapping[str, list]
OPTIMIZERS = {"adamw": "adamw_torch", "sgd": "sgd"}
"""AdamW without decay, or plain gradient steps, which alone keep the scale of a loss."""


class Diverged(ArithmeticError):
    """A loss stopped being a finite number: the steps were too large for it."""


@dataclass(frozen=True)
class TrainingRun:
    """Where and how a model is trained.

    Attributes:
        training: epochs, batches, optimizer.
        seed: of the order of batches and of adapters.
        device: ``cpu`` or ``cuda``.
        precision: ``float32``, ``mixed`` (bfloat16 under float32 weights) or ``bfloat16``.
        folder: for checkpoints; None writes none.
        kept: whether they are there after the last step, for a caller that removes them.
        report_to: integrations of transformers that log the curves.
        spoken: whether steps are printed.
    """

    training: Training
    seed: int
    device: str = "cpu"
    precision: str = "float32"
    folder: Path | None = None
    kept: bool = False
    report_to: tuple[str, ...] = ()
    spoken: bool = False

    def arguments(self, count: int) -> dict[str, Any]:
        """Keyword arguments of ``transformers.TrainingArguments`` for ``count`` examples.

        Raises:
            BadInput: a batch cannot be split into so many processes and parts.
        """
        own, batch = self.training, min(self.training.batch_size, count)
        parts = own.accumulation * int(os.environ.get("WORLD_SIZE", 1))
        if batch % parts:
            allowed = f"allowed: a multiple of accumulation times processes, here {parts}"
            raise BadInput("batch_size", batch, allowed)
        return {
            "output_dir": str(self.folder or "unused"), "seed": self.seed % 2**32,
            "per_device_train_batch_size": batch // parts,
            "gradient_accumulation_steps": own.accumulation, "num_train_epochs": own.epochs,
            "learning_rate": own.learning_rate, "lr_scheduler_type": own.schedule,
            "warmup_steps": own.warmup, "optim": OPTIMIZERS[own.optimizer], "weight_decay": 0.0,
            "max_grad_norm": own.max_grad_norm or 0.0, "bf16": self.precision == "mixed",
            "activation_checkpointing": own.gradient_checkpointing, "max_length": None,
            "use_cpu": self.device == "cpu", "pad_to_multiple_of": None, "disable_tqdm": True,
            "dataloader_pin_memory": self.device != "cpu", "report_to": list(self.report_to),
            "ddp_find_unused_parameters": False,
            "logging_strategy": "steps" if self.spoken else "no", "logging_steps": 10,
            "logging_first_step": self.spoken,
            "save_strategy": "steps" if self.folder and own.checkpoint_every else "no",
            "save_steps": max(own.checkpoint_every, 1), "save_total_limit": 1,
        }  # fmt: skip


def trained(
    kind: type, config: str, model: Any, tokenizer: Any, rows: Rows, run: TrainingRun, **more: Any
) -> Any:
    """The model after training; a run with checkpoints goes on from its last one.

    Args:
        kind: a trainer of TRL, or one made here.
        config: the name of its configuration in TRL.
        model: trained in place, or wrapped by adapters.
        tokenizer: with a pad and an end token.
        rows: columns of token ids, one entry per example; what does not fill a batch is left out.
        run: how.
        more: further arguments of the configuration, and ``peft_config``.

    Raises:
        Diverged: a loss, or a weight in the end, is not a finite number.
        BadInput: a damaged checkpoint, or a batch that cannot be split.
    """
    count = len(next(iter(rows.values())))
    whole = count - count % min(run.training.batch_size, count)
    data = library("datasets").Dataset.from_dict({k: v[:whole] for k, v in rows.items()})
    adapters = {"peft_config": more.pop("peft_config", None)}
    arguments = getattr(library("trl"), config)(**run.arguments(count), **more)
    with torch.random.fork_rng(), narrow_head(model.config.vocab_size):
        trainer = kind(
            model=model, args=arguments, train_dataset=data, processing_class=tokenizer, **adapters
        )
        if not run.spoken:
            trainer.remove_callback(library("transformers").PrinterCallback)
        # what accelerate wraps round the forward pass does not reach TRL's fused one
        trainer.compute_loss_context_manager = trainer.accelerator.autocast
        _wait_before_state_file(trainer)
        if run.spoken and trainer.is_world_process_zero():
            steps = whole // min(run.training.batch_size, count) * run.training.epochs
            print(f"{steps} steps; a line at the first and at every tenth", flush=True)
        _train(trainer, run)
    result = trainer.accelerator.unwrap_model(trainer.model)
    # back to the forward pass of its class: what trainers wrap round it, copies would share
    for module in (result, result.get_base_model() if hasattr(result, "peft_config") else result):
        vars(module).pop("forward", None)
        vars(module).pop("_original_forward", None)
    if not all(bool(torch.isfinite(p).all()) for p in result.parameters() if p.requires_grad):
        raise Diverged("after the last step")
    return result.eval()


def preference_trainer(objective: Objective) -> type:
    """``trl.DPOTrainer`` that minimises an objective on ids and precomputed reference values.

    Its ``beta``, ``loss_type`` and ``label_smoothing`` are without effect: KL weight, R_max and ε
    are the objective's.  Data sets that are not tokenised yet are prepared as TRL does.

    Raises:
        BadInput: TRL is not installed.
    """

    class PreferenceTrainer(library("trl").DPOTrainer):
        """DPOTrainer with another loss."""

        def _prepare_dataset(self, dataset: Any, *args: Any) -> Any:
            ready = "prompt_ids" in dataset.column_names
            return dataset if ready else super()._prepare_dataset(dataset, *args)

        def _precompute_ref_logps(self, dataset: Any, *args: Any) -> Any:
            ready = "ref_chosen_logps" in dataset.column_names
            return dataset if ready else super()._precompute_ref_logps(dataset, *args)

        def compute_loss(self, model: Any, inputs: Any, return_outputs=False, **_: Any) -> Any:
            """Mean loss of a batch of pairs, the chosen ones first."""
            chosen, rejected = _log_prob(model, inputs).chunk(2)
            if "ref_chosen_logps" in inputs:
                base = inputs["ref_chosen_logps"], inputs["ref_rejected_logps"]
            else:
                base = self.compute_ref_log_probs(self.ref_model or self.model, inputs)
            gap = objective.difference(chosen - base[0], rejected - base[1])
            return _told(self, gap, objective.loss, return_outputs)

    return PreferenceTrainer


def reward_trainer(loss: Loss, clip: float) -> type:
    """``trl.RewardTrainer`` that minimises a loss on the difference of rewards in [−clip, clip].

    Raises:
        BadInput: TRL is not installed.
    """

    class PrivateRewardTrainer(library("trl").RewardTrainer):
        """RewardTrainer with another loss."""

        def compute_loss(self, model: Any, inputs: Any, return_outputs=False, **_: Any) -> Any:
            """Mean loss of a batch of pairs, the chosen ones first."""
            rewards = model(**inputs, use_cache=False).logits[:, 0].clamp(-clip, clip)
            chosen, rejected = rewards.chunk(2)
            return _told(self, chosen - rejected, loss, return_outputs)

    return PrivateRewardTrainer


def _told(trainer: Any, gap: Tensor, loss: Loss, return_outputs: bool) -> Any:
    """The mean loss; its margin and accuracy, on released labels, go to the trainer's log."""
    mean_loss = loss(gap, torch.ones_like(gap)).mean()
    # of all processes: one that stopped alone would leave the others waiting for its gradients
    if not bool(torch.isfinite(trainer.accelerator.gather(mean_loss.detach())).all()):
        raise Diverged(f"step {trainer.state.global_step}")
    if trainer.args.logging_strategy != "no":
        some = trainer._metrics["train" if trainer.model.training else "eval"]
        some["rewards/margins"].append(float(gap.detach().mean()))
        some["rewards/accuracies"].append(float((gap.detach() > 0).float().mean()))
    return (mean_loss, {}) if return_outputs else mean_loss


def _log_prob(model: Any, inputs: Any) -> Tensor:
    """(2n,) log-probabilities of the responses, as TRL works them out."""
    response = inputs["completion_mask"]
    log_probs = model(
        input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"],
        labels=inputs["input_ids"].masked_fill(response == 0, -100), use_cache=False,
        fused_lm_head=True,
    ).log_probs  # fmt: skip
    return log_probs[:, -(response.shape[1] - 1) :].sum(1)


@contextmanager
def narrow_head(vocabulary: int) -> Iterator[None]:
    """Tiles of TRL's fused head no wider than the vocabulary.

    In a tile of thousands of columns every row of a tiny model's logits is a memory page: half of
    the time of its steps was page faults.
    """
    utils: Any = library("trl.trainer.utils")
    usual = utils._CHUNKED_LOGPROB_CHUNK_SIZE
    utils._CHUNKED_LOGPROB_CHUNK_SIZE = min(usual, vocabulary)
    try:
        yield
    finally:
        utils._CHUNKED_LOGPROB_CHUNK_SIZE = usual


def _wait_before_state_file(trainer: Any) -> None:
    """The first process marks a checkpoint as whole when all have written their part of it."""
    save = trainer._save_rng_state

    def save_and_wait(folder: str) -> None:
        save(folder)
        trainer.accelerator.wait_for_everyone()

    trainer._save_rng_state = save_and_wait


def _train(trainer: Any, run: TrainingRun) -> None:
    """Train from the last whole checkpoint; a damaged one is bad input."""
    last = last_checkpoint(run.folder) if run.folder else None
    try:
        trainer.train(resume_from_checkpoint=str(last) if last else None)
    except (Diverged, BadInput, MemoryError, torch.OutOfMemoryError):
        raise
    except Exception:
        # a damaged file fails in many ways, all of them before the first step
        if last is None or trainer.state.global_step > _step(last):
            raise
        allowed = "is no checkpoint of this run; remove it to start anew"
        raise BadInput("checkpoint", last, allowed) from None
    # the first process still reads the folder when the others have done their last step
    trainer.accelerator.wait_for_everyone()
    if run.folder and not run.kept and trainer.accelerator.is_main_process:
        shutil.rmtree(run.folder, ignore_errors=True)


def last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end, which its state file, the last, marks."""
    for path in sorted(folder.glob("checkpoint-*"), key=_step, reverse=True):
        with suppress(BadInput):
            if json_object("checkpoint", path / "trainer_state.json"):
                return path
    return None


def _step(path: Path) -> int:
    return int(path.name.rpartition("-")[2])


def run_key(*parts: object) -> str:
    """16 hex digits that name a training run by everything it depends on."""
    return hashlib.blake2b("\0".join(map(repr, parts)).encode(), digest_size=8).hexdigest()
