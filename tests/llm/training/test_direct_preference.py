"""Policies from labels: the first step is the loss's gradient, adapters train alone."""

import functools

import pytest
import torch

from repro.base.notation import privacy_cost
from repro.llm.training.direct_preference import optimised, preference_rows
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
