"""The debiased loss against the loss inside TRL's own trainer (skipped where TRL is absent).

TRL works out log-probabilities in single precision whatever the model's type.  A hook widens them,
so that the two losses are compared in double precision on the same log-probabilities; these in
turn are compared with a plain softmax in double precision.
"""

from __future__ import annotations

import importlib.util
import math

import pytest
import torch

from repro.base.notation import flip_prob
from repro.llm.training.losses import debiased_loss, log_loss
from repro.llm.training.objectives import dpo_reward_difference

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="TRL is not installed"),
    pytest.mark.filterwarnings("ignore"),
]

VOCABULARY, KL_WEIGHT, EPSILON = 16, 0.3, 0.5


@pytest.fixture
def offline(monkeypatch):
    """No hub, no telemetry: any attempt at the network is an error."""
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")


def tiny_model(seed: int):
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    shape = GPT2Config(
        vocab_size=VOCABULARY, n_positions=16, n_embd=8, n_layer=1, n_head=1,
        bos_token_id=0, eos_token_id=1, pad_token_id=2,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model = GPT2LMHeadModel(shape).double()
    model.register_forward_hook(widen)
    return model


def widen(model, arguments, output):
    """Log-probabilities in double precision."""
    output.log_probs = output.log_probs.double()
    return output


def tiny_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {"<s>": 0, "</s>": 1, "<pad>": 2, "<unk>": 3} | {f"w{i}": i for i in range(4, 16)}
    core = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )


def trl_trainer(folder):
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    pairs = Dataset.from_list(
        [
            {"prompt": "w4 w5", "chosen": " w6 w7 w8", "rejected": " w9 w10"},
            {"prompt": "w11", "chosen": " w12", "rejected": " w13 w14 w15"},
        ]
    )
    settings = DPOConfig(
        output_dir=str(folder), loss_type=["robust"], beta=KL_WEIGHT,
        label_smoothing=flip_prob(EPSILON), bf16=False, gradient_checkpointing=False,
        report_to=[], per_device_train_batch_size=2, use_cpu=True,
    )  # fmt: skip
    return DPOTrainer(
        model=tiny_model(1), ref_model=tiny_model(2), args=settings,
        train_dataset=pairs, processing_class=tiny_tokenizer(),
    )  # fmt: skip


def response_log_prob(model, batch) -> torch.Tensor:
    """(2n,) TRL's log-probability of each response, the chosen ones first."""
    labels = batch["input_ids"].masked_fill(batch["completion_mask"] == 0, -100)
    found = model(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
        labels=labels, fused_lm_head=True,
    )  # fmt: skip
    return found.log_probs.sum(-1)


def plain_log_prob(model, batch) -> torch.Tensor:
    """The same from a softmax in double precision."""
    ids = batch["input_ids"]
    hidden = model.transformer(input_ids=ids, attention_mask=batch["attention_mask"])[0]
    each = model.lm_head(hidden)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
    return (each * batch["completion_mask"][:, 1:]).sum(-1)


def our_loss(trainer, batch, loss, *budget) -> torch.Tensor:
    ours = response_log_prob(trainer.model, batch)
    with torch.no_grad():
        theirs = response_log_prob(trainer.ref_model, batch)
    first, second = (ours - theirs).chunk(2)
    difference = dpo_reward_difference(first, second, KL_WEIGHT)
    return loss(difference, torch.ones_like(difference), *budget).mean()


def test_debiased_loss_and_gradient_are_those_of_trl(tmp_path, offline):
    trainer = trl_trainer(tmp_path)
    batch = next(iter(trainer.get_train_dataloader()))
    weights = [p for p in trainer.model.parameters() if p.requires_grad]
    reference = trainer.compute_loss(trainer.model, dict(batch))
    expected = torch.autograd.grad(reference, weights, allow_unused=True)
    ours = our_loss(trainer, batch, debiased_loss, EPSILON)
    found = torch.autograd.grad(ours, weights, allow_unused=True)
    assert ours.item() == pytest.approx(reference.item(), abs=1e-9)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)
    assert max(float(g.abs().max()) for g in found if g is not None) > 1e-4
    assert abs(our_loss(trainer, batch, log_loss).item() - reference.item()) > 1e-4
    other = our_loss(trainer, batch, debiased_loss, math.log(3)).item()
    assert abs(other - reference.item()) > 1e-4


def test_trl_scores_the_response_alone(tmp_path, offline):
    """Ours is a difference of whole responses, so TRL's must leave the prompt out."""
    trainer = trl_trainer(tmp_path)
    batch = next(iter(trainer.get_train_dataloader()))
    for model in (trainer.model, trainer.ref_model):
        found, expected = response_log_prob(model, batch), plain_log_prob(model, batch)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
