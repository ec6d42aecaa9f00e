"""One seed: what it draws, how it scores."""

import numpy as np
import pytest
import torch

from repro.corruption.orders import Order
from repro.llm.losses import debiased_loss
from repro.llm.private_labels import masked_labels
from repro.llm.release_study import Seed, sign_flipped_loss
from repro.llm.study import ranking_accuracy, run_key


@pytest.fixture
def seed(study):
    return Seed.of(study, np.random.default_rng(0), None)


def test_the_same_stream_gives_the_same_seed_and_responses(study, seed):
    again = Seed.of(study, np.random.default_rng(0), None)
    other = Seed.of(study, np.random.default_rng(1), None)
    model = study.reference.model
    assert seed.responses(model) == again.responses(model)
    assert (seed.order, seed.draw) != (other.order, other.draw)


def test_responses_do_not_disturb_the_global_stream(study, seed):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    seed.responses(study.reference.model)
    assert torch.equal(torch.rand(1), expected)


def test_the_baseline_takes_the_longest(seed, study):
    longest = seed.longest()
    some = study.respond(study.reference.model, seed.draw + 2, 4)
    assert [len(text) for text in longest] == [max(map(len, row)) for row in some]


def test_a_policy_against_itself_wins_half(seed):
    theirs = seed.opposing
    assert seed.win_rate(theirs) == 0.5
    assert seed.win_rate(theirs, controlled=True) == pytest.approx(0.5)


def test_the_untrained_policy_has_no_margin(seed, study):
    assert seed.margin(study.reference.model) == pytest.approx(0.0, abs=1e-6)
    assert seed.accuracy(study.reference.model) == 0.5


def test_training_on_turned_labels_turns_the_margin(seed, study):
    labels = study.splits.train.labels
    right = seed.margin(seed.policy("dpo", 1.0, labels))
    wrong = seed.margin(seed.policy("dpo", 1.0, -labels))
    assert right > 0 > wrong


def test_ranking_accuracy_counts_ties_half():
    labels = torch.tensor([1.0, 1.0, -1.0, -1.0])
    assert ranking_accuracy(torch.tensor([2.0, 0.0, -1.0, 3.0]), labels) == 0.625


def test_the_sign_flipped_loss_is_not_the_debiased_one():
    difference, label = torch.tensor([0.3, -1.0]), torch.tensor([1.0, 1.0])
    wrong = sign_flipped_loss(difference, label, 1.0)
    assert torch.allclose(wrong, debiased_loss(difference, -label, 1.0))
    assert not torch.allclose(wrong, debiased_loss(difference, label, 1.0))


@pytest.mark.parametrize(("order", "rate"), [(Order.CTL, 0.4020), (Order.LTC, 0.4398)])
def test_masks_flip_at_the_rate_of_the_appendix(order, rate):
    labels = torch.ones(40_000, dtype=torch.float64)
    found = masked_labels(np.random.default_rng(0), labels, order, 0.5, 0.1)
    assert float((found < 0).double().mean()) == pytest.approx(rate, abs=0.01)


def test_runs_are_named_by_everything_they_depend_on(steps):
    assert run_key(steps, 1) == run_key(steps, 1) != run_key(steps, 2)
