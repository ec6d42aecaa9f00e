"""Policy optimisation against a reward: TRL's RLOO, in the place of PPO.

P1's Section 6 trains by PPO with a KL penalty to the fine-tuned model.  TRL 1.16 has no PPO left.
RLOO, which it has, maximises the same objective E[reward] − kl_weight·KL(π ‖ π_ref) in the same
clipped steps, policy loss −E[min(ρA, clip(ρ)A)]; ρ is that of a whole response, and there is no
value network: the baseline of a response is the mean return of the others to its prompt.  Its
squared error, E[A²], stands for the value loss E[(V − R)²].
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import torch
from pydantic import Field, model_validator
from torch import Tensor

from repro.base.schema import KLWeight, Model, Positive, Whole
from repro.llm.training.encoding import encode_prompts
from repro.llm.training.extra import library
from repro.llm.training.settings import Count, Limits, Sampling
from repro.llm.training.trainers import Diverged, narrow_head

Texts = Sequence[str]
Reward = Callable[[Texts, Texts], Tensor]
"""(prompts, responses), n each → (n,) rewards."""


class Rollouts(Model):
    """How a policy is optimised.

    Attributes:
        iterations: of drawing responses and learning from them.
        responses: drawn in an iteration, over all prompts of it.
        to_a_prompt: of these to each prompt, each the others' baseline.
        epochs: passes over the responses of an iteration.
        minibatch: responses in a step.
        clip: of ρ, to 1 ± clip.
        learning_rate: of AdamW without decay, at first.
        schedule: of the learning rate.
        max_grad_norm: gradients are shortened to it.
    """

    iterations: Count
    responses: Annotated[Whole, Field(ge=2, le=10**6)]
    to_a_prompt: Annotated[Whole, Field(ge=2, le=10**4)]
    epochs: Count
    minibatch: Count
    clip: Positive
    learning_rate: Positive
    schedule: Annotated[str, Field(pattern="^(constant|linear|cosine)$")] = "constant"
    max_grad_norm: Positive = 1.0

    @model_validator(mode="after")
    def _divides(self) -> Rollouts:
        if self.responses % self.to_a_prompt or self.responses % self.minibatch:
            raise ValueError("responses: a multiple of to_a_prompt and of minibatch")
        return self

    @property
    def steps(self) -> int:
        """Of the optimizer, in one iteration."""
        return self.epochs * (self.responses // self.minibatch)


class TrainingCurve(NamedTuple):
    """By iteration, (I,) each.

    Attributes:
        reward: mean reward of the responses drawn.
        policy_loss: mean over the steps on them; the first is 0, as ρ = 1 and advantages add up
            to 0.
        baseline_error: mean squared error of the baseline, in squared units of reward.
    """

    reward: Tensor
    policy_loss: Tensor
    baseline_error: Tensor


def optimised_policy(
    policy: Any, tokenizer: Any, prompts: Texts, reward: Reward, rollouts: Rollouts,
    kl_weight: KLWeight, sampling: Sampling, limits: Limits, seed: int, device: str,
) -> tuple[Any, TrainingCurve]:  # fmt: skip
    """A policy after RLOO's steps, trained in place, and how it went; the reference is its start.

    Args:
        policy: a causal language model.
        tokenizer: of it, with a pad and an end token.
        prompts: that responses are drawn to, in an order of the seed's.
        reward: that is maximised.
        rollouts: how.
        kl_weight: of KL(π ‖ π_ref), in units of reward per nat.
        sampling: temperature, top p and k, and length of what is drawn.
        limits: of prompts.
        seed: of prompts and draws.
        device: ``cpu`` or ``cuda``.

    Raises:
        Diverged: a weight is no finite number in the end.
    """
    trl = library("trl")
    passes = rollouts.iterations * rollouts.responses // rollouts.to_a_prompt
    epochs = -(-passes // len(prompts))
    own = trl.RLOOConfig(
        "unused", beta=kl_weight, epsilon=rollouts.clip, num_generations=rollouts.to_a_prompt,
        generation_batch_size=rollouts.responses, num_iterations=rollouts.epochs,
        per_device_train_batch_size=rollouts.minibatch, gradient_accumulation_steps=1,
        max_steps=rollouts.iterations * rollouts.steps, num_train_epochs=epochs,
        learning_rate=rollouts.learning_rate, lr_scheduler_type=rollouts.schedule,
        max_grad_norm=rollouts.max_grad_norm, weight_decay=0.0, seed=seed % 2**32,
        temperature=sampling.temperature, top_p=sampling.top_p, top_k=sampling.top_k,
        max_completion_length=sampling.max_new_tokens, disable_dropout=True, bf16=False,
        use_cpu=device == "cpu", disable_tqdm=True, report_to=[], save_strategy="no",
        logging_strategy="no", dataloader_pin_memory=device != "cpu",
        activation_checkpointing=False,
    )  # fmt: skip

    def scored(prompts: Texts, completions: Texts, **_: Any) -> list[float]:
        return reward(prompts, completions).tolist()

    kept = _recording(trl.RLOOTrainer)
    library("transformers").utils.logging.disable_progress_bar()
    with (
        torch.random.fork_rng(), tempfile.TemporaryDirectory() as start, _without_warnings(),
        narrow_head(policy.config.vocab_size),
    ):  # fmt: skip
        # TRL reads the reference from where the model's configuration says that it came from: of a
        # fine-tuned model that is the one before fine-tuning
        policy.save_pretrained(start)
        policy.config._name_or_path = start
        trainer = kept(
            model=policy, reward_funcs=scored, args=own, processing_class=tokenizer,
            train_dataset=library("datasets").Dataset.from_dict({"prompt": list(prompts)}),
        )  # fmt: skip
        trainer.limits = limits
        trainer.remove_callback(library("transformers").PrinterCallback)
        trainer.train()
    trained = trainer.accelerator.unwrap_model(trainer.model).eval()
    if not all(bool(torch.isfinite(p).all()) for p in trained.parameters()):
        raise Diverged("after the last step of RLOO")
    loss = torch.tensor(trainer.losses).reshape(rollouts.iterations, -1).mean(1)
    return trained, TrainingCurve(torch.tensor(trainer.rewards), loss, torch.tensor(trainer.errors))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """TRL 1.16 reads what transformers 5.23 calls by another name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _recording(kind: type) -> type:
    """RLOO on our encoding of prompts, that keeps its losses and the error of its baseline."""

    class RecordingRLOO(kind):
        """RLOOTrainer with lists of what it has seen."""

        limits: Limits

        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            self.losses: list[float] = []
            self.rewards: list[float] = []
            self.errors: list[float] = []

        def _tokenize_prompts(self, prompts: list) -> tuple[list, None, dict]:
            return encode_prompts(self.processing_class, prompts, self.limits), None, {}

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            outputs = super()._generate_and_score_completions(inputs)
            self.errors.append(float(outputs["advantages"].square().mean()))
            self.rewards.append(self._metrics["train"]["reward"][-1])
            return outputs

        def _compute_loss(self, model: Any, inputs: Any) -> Tensor:
            loss = super()._compute_loss(model, inputs)
            self.losses.append(float(loss.detach()))
            return loss

    return RecordingRLOO
