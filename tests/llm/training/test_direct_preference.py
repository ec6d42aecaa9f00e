"""Policies from labels: the first step is the loss's gradient, adapters train alone."""

import copy
import functools

import pytest
import torch

from repro.base.notation import privacy_cost
from repro.llm.training import direct_preference
from repro.llm.training.direct_preference import Reference, optimised, preference_rows
from repro.llm.training.log_prob import pair_log_prob
from repro.llm.training.losses import debiased_loss, log_loss
from repro.llm.training.objectives import Objective, dpo_reward_difference

pytestmark = pytest.mark.filterwarnings("ignore")
DIFFERENCE = functools.partial(dpo_reward_difference, kl_weight=0.1)


def moved(policy, reference):
    old = dict(reference.model.named_parameters())
    return torch.cat([(p - old[n]).detach().flatten() for n, p in policy.named_parameters()])


def one_step(start, loss, labels, optimizer, rate):
    steps = start.steps.model_copy(
        update={
            "optimizer": optimizer, "learning_rate": rate, "batch_size": 64, "max_grad_norm": None,
        }
    )  # fmt: skip
    policy = optimised(start.reference, labels, Objective(DIFFERENCE, loss), steps, 0)
    return moved(policy, start.reference)


def test_plain_steps_of_rdpo_start_as_those_of_dpo_times_cost(start):
    labels, loss = start.labels, functools.partial(debiased_loss, epsilon=0.5)
    ours = one_step(start, loss, labels, "sgd", 1e-2)
    theirs = one_step(start, log_loss, labels, "sgd", 1e-2)
    error = (ours - privacy_cost(0.5) * theirs).norm() / ours.norm()
    assert float(error) < 1e-3
    assert float((ours - theirs).norm() / ours.norm()) > 0.5


def test_adamw_steps_of_rdpo_start_as_those_of_dpo(start):
    labels, loss = start.labels, functools.partial(debiased_loss, epsilon=0.5)
    ours = one_step(start, loss, labels, "adamw", 1e-5)
    theirs = one_step(start, log_loss, labels, "adamw", 1e-5)
    assert float((ours - theirs).norm() / ours.norm()) < 0.05


def test_training_raises_the_margin_and_leaves_the_reference(start):
    labels = start.labels
    steps = start.steps.model_copy(update={"epochs": 4, "learning_rate": 0.3})
    before = [p.clone() for p in start.reference.model.parameters()]
    policy = optimised(start.reference, labels, Objective(DIFFERENCE, log_loss), steps, 0)
    first, second = pair_log_prob(policy, start.reference.pairs, 64, "cpu")
    margin = (first - start.reference.first - second + start.reference.second).double() * labels
    assert float(margin.mean()) > 0.1
    for a, b in zip(start.reference.model.parameters(), before, strict=True):
        assert torch.equal(a, b)


def test_rows_are_sorted_by_the_labels_with_their_reference(start):
    labels = start.labels
    rows, turned = (preference_rows(start.reference, z) for z in (labels, -labels))
    assert rows["chosen_ids"] == turned["rejected_ids"]
    assert rows["ref_chosen_logps"] == turned["ref_rejected_logps"]
    first = start.reference.first.tolist()[0]
    assert rows["ref_chosen_logps" if labels[0] > 0 else "ref_rejected_logps"][0] == first


def test_a_part_of_the_reference_is_its_first_pairs(start):
    whole, part = start.reference, start.reference.part(5)
    assert part.first.tolist() == whole.first[:5].tolist()
    assert part.second.tolist() == whole.second[:5].tolist()
    assert part.pairs.first.parts == whole.pairs.first.parts[:5]
    assert part.pairs.second.parts == whole.pairs.second.parts[:5]
    assert whole.part(64).pairs is whole.pairs


def test_the_run_has_the_seed_and_the_reference_s_device_precision_and_adapters(
    start, monkeypatch, tmp_path
):
    model = copy.deepcopy(start.reference.model)
    pairs = start.reference.pairs.rows(torch.arange(3))
    reference = Reference.of(
        model, start.reference.tokenizer, pairs, 2, "cpu", precision="mixed", lora_rank=3
    )
    assert reference.first.tolist() == pytest.approx(start.reference.first[:3].tolist(), rel=1e-5)
    assert reference.second.tolist() == pytest.approx(start.reference.second[:3].tolist(), rel=1e-5)
    runs, words = [], {}

    def trained(kind, config, policy, tokenizer, rows, run, **more):
        runs.append(run)
        words.update(more)

    monkeypatch.setattr(direct_preference, "trained", trained)
    what = Objective(DIFFERENCE, log_loss)
    optimised(reference, start.labels[:3], what, start.steps, 7, tmp_path)
    (run,) = runs
    expected = start.steps, 7, "cpu", "mixed", tmp_path
    assert (run.training, run.seed, run.device, run.precision, run.folder) == expected
    low = words["peft_config"]
    assert (low.r, low.lora_alpha, low.task_type) == (3, 6, "CAUSAL_LM")
