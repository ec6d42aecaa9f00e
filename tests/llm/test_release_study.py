"""One seed: what it draws, how it scores."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from repro.corruption.debiasing import no_debias
from repro.corruption.orders import Order
from repro.llm import release_study
from repro.llm.cases import ReleaseCase
from repro.llm.release_study import Seed, Trained
from repro.llm.study import ranking_accuracy
from repro.preferences.label_law import fair_coins, no_randomizer
from repro.training.trainers import run_key


@pytest.fixture
def seed(study):
    return Seed.of(study, np.random.default_rng(0))


def test_the_same_stream_gives_the_same_seed_and_responses(study, seed):
    again = Seed.of(study, np.random.default_rng(0))
    other = Seed.of(study, np.random.default_rng(1))
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
    longest, others = seed.longest_responses()
    some = study.respond(study.reference.model, seed.draw + 2, 8)
    halves = [(row[k::2], row[1 - k :: 2]) for row in some for k in (0, 1)]
    assert [len(text) for text in longest[::4]] == [max(map(len, row)) for row, _ in halves]
    assert longest[::4] == longest[3::4]
    assert others == [text for _, row in halves for text in row]


def test_a_policy_against_itself_wins_half(seed):
    assert seed.win_rates(seed.opposing) == (0.5, pytest.approx(0.5))


def test_the_untrained_policy_has_no_margin(seed, study):
    assert seed.ranking(study.reference.model) == (0.5, pytest.approx(0.0, abs=1e-6))


def test_training_on_turned_labels_turns_the_margin(seed, study):
    labels = study.splits.train.labels
    right, wrong = (Trained("dpo", sign).reached(seed, 1.0, labels) for sign in (1, -1))
    assert right.margin > 0 > wrong.margin
    assert all(0 <= rate <= 1 for rate in right[:3])


def test_a_learner_without_debiasing_believes_in_no_privacy(seed, study):
    labels = study.splits.train.labels
    wrong = Trained("rdpo", debiased=False).reached(seed, 0.5, labels)
    assert wrong.margin == pytest.approx(Trained("dpo").reached(seed, 0.5, labels).margin, rel=1e-4)


def test_a_policy_is_trained_once_for_all_rows(study, tmp_path, monkeypatch):
    kept = replace(study, folder=tmp_path)
    labels, calls = study.splits.train.labels, []
    train = release_study.optimised
    monkeypatch.setattr(release_study, "optimised", lambda *words: calls.append(1) or train(*words))
    one, again, other = (
        Seed.of(kept, np.random.default_rng(seed)).reached("dpo", 1.0, labels) for seed in (0, 0, 1)
    )
    assert one == again != other
    assert len(calls) == 2
    Seed.of(kept, np.random.default_rng(0)).reached("dpo", 1.0, -labels)
    assert len(calls) == 3
    for path in tmp_path.rglob("*.npy"):
        path.write_bytes(b"torn")
    assert Seed.of(kept, np.random.default_rng(0)).reached("dpo", 1.0, labels) == one
    assert len(calls) == 4


def test_ranking_accuracy_counts_ties_half():
    labels = torch.tensor([1.0, 1.0, -1.0, -1.0])
    assert ranking_accuracy(torch.tensor([2.0, 0.0, -1.0, 3.0]), labels) == 0.625


def case(study, **more):
    return ReleaseCase(methods=(), study=study, **{"epsilon": 0.5, **more})


@pytest.fixture
def many(splits):
    """A study of one comparison, many times: 40,000 coins."""
    labels = torch.ones(40_000, dtype=torch.float64)
    train = replace(splits.train, prompts=("p",) * len(labels), labels=labels)
    return SimpleNamespace(splits=SimpleNamespace(train=train))


@pytest.mark.parametrize(("order", "rate"), [(Order.CTL, 0.4020), (Order.LTC, 0.4398)])
def test_masks_flip_at_the_rate_of_the_appendix(many, order, rate):
    one = case(many)
    found = one.masked(one.coins(np.random.default_rng(0)), order, 0.1)
    assert float((found < 0).double().mean()) == pytest.approx(rate, abs=0.01)


def test_a_simulated_release_is_the_channel_s(many):
    one = case(many, epsilon=1.0)
    coins = one.coins(np.random.default_rng(0))
    drawn = one.released(coins)
    assert set(drawn.tolist()) == {-1.0, 1.0}
    assert float(drawn.mean()) == pytest.approx(1 / privacy_cost(1.0), abs=0.02)
    assert torch.equal(one.released(coins, math.inf), many.splits.train.labels)


def test_stages_can_be_taken_away(many):
    coins = case(many).coins(np.random.default_rng(0))
    truth = many.splits.train.labels
    assert float(case(many, labels=fair_coins).released(coins).mean()) == pytest.approx(0, abs=0.02)
    assert torch.equal(case(many, channel=no_randomizer).released(coins), truth)
    assert case(many).believed == pytest.approx(0.5)
    assert case(many, reading=no_debias).believed == math.inf


def test_runs_are_named_by_everything_they_depend_on(steps):
    assert run_key(steps, 1) == run_key(steps, 1) != run_key(steps, 2)


def test_fine_tuning_lowers_the_validation_loss(study):
    untrained = study.validation_loss(study.backbone.model)
    assert untrained == pytest.approx(math.log(study.backbone.model.config.vocab_size), rel=0.05)
    assert 0 < study.validation_loss() < untrained
