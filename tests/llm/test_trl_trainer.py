"""The objectives inside TRL's trainer: rDPO is TRL's own, χPO is the formula's."""

import copy
import functools
import math

import pytest
import torch

from repro.base.notation import flip_prob
from repro.llm.chipo_losses import Objective, objective
from repro.llm.encoding import Tokens
from repro.llm.implicit_reward import dpo_reward_difference
from repro.llm.log_prob import response_log_prob
from repro.llm.losses import debiased_loss
from repro.llm.settings import ChipoProcedure
from repro.llm.trl_trainer import preference_trainer

EPSILON = 0.5
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def trainer(backbone, splits, tmp_path, monkeypatch):
    """Builds a trainer class on a policy that differs from its reference."""
    trl, datasets = pytest.importorskip("trl"), pytest.importorskip("datasets")
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    held = splits.held_out
    rows = [
        {"prompt": p, "chosen": " " + a, "rejected": " " + b}
        for p, a, b in zip(held.prompts, held.first, held.second, strict=True)
    ]
    policy = copy.deepcopy(backbone.model)
    torch.manual_seed(0)
    for weight in policy.parameters():
        weight.data += 0.05 * torch.randn_like(weight)
    settings = trl.DPOConfig(
        output_dir=str(tmp_path), loss_type=["robust"], beta=0.1, report_to=[], bf16=False,
        label_smoothing=flip_prob(EPSILON), gradient_checkpointing=False, use_cpu=True,
        per_device_train_batch_size=8, max_steps=2, learning_rate=1e-3,
    )  # fmt: skip

    def build(kind, **more):
        return kind(
            model=policy, ref_model=copy.deepcopy(backbone.model), args=settings,
            train_dataset=datasets.Dataset.from_list(rows), processing_class=backbone.tokenizer,
            **more,
        )  # fmt: skip

    return build


def rdpo():
    return Objective(
        functools.partial(dpo_reward_difference, kl_weight=0.1),
        functools.partial(debiased_loss, epsilon=EPSILON),
    )


def test_rdpo_is_trl_s_robust_loss(trainer):
    trl = pytest.importorskip("trl")
    theirs, ours = trainer(trl.DPOTrainer), trainer(preference_trainer(rdpo()))
    batch = next(iter(ours.get_train_dataloader()))
    expected = theirs.compute_loss(theirs.model, dict(batch))
    found = ours.compute_loss(ours.model, dict(batch))
    assert float(found.detach()) == pytest.approx(float(expected.detach()), abs=1e-5)
    loss, outputs = ours.compute_loss(ours.model, dict(batch), return_outputs=True)
    assert torch.equal(loss, found)
    assert outputs == {}


def test_chipo_is_the_formula_on_log_ratios(trainer, procedure):
    chipo = ChipoProcedure(**dict(procedure), reward_bound=5.0)
    one = objective("private", chipo, EPSILON)
    ours = trainer(preference_trainer(one))
    batch = next(iter(ours.get_train_dataloader()))
    tokens = Tokens(batch["input_ids"], batch["attention_mask"], batch["completion_mask"])
    with torch.no_grad():
        ratio = response_log_prob(ours.model, tokens) - response_log_prob(ours.ref_model, tokens)
        first, second = (x.double().exp() for x in ratio.chunk(2))
        gap = 0.1 * (first + first.log() - second - second.log())
        win = torch.sigmoid(gap.clamp(-10, 10))
        expected = -(flip_prob(EPSILON) + math.tanh(EPSILON / 2) * win).log().mean()
        found = ours.compute_loss(ours.model, dict(batch))
    assert float(found) == pytest.approx(float(expected), abs=1e-5)


def test_it_trains(trainer, procedure):
    chipo = ChipoProcedure(**dict(procedure), reward_bound=5.0)
    ours = trainer(preference_trainer(objective("square", chipo, EPSILON)))
    before = copy.deepcopy(ours.model.state_dict())
    assert math.isfinite(ours.train().training_loss)
    after = ours.model.state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)
