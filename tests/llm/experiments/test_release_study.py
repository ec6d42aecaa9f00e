"""One seed: what it draws, how it scores."""

import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from repro.llm.experiments import release_study
from repro.llm.experiments.judges import length_controlled
from repro.llm.experiments.release_study import Seed, SimulatedRelease, dpo, longer_is_better
from repro.llm.experiments.study import Study, ranking_accuracy
from repro.llm.training.losses import mixture_loss
from repro.llm.training.objectives import chipo_reward_difference
from repro.llm.training.settings import Training
from repro.llm.training.trainers import run_key


def released(study, number=0, epsilon=1.0):
    """Clean labels, taken for a release at ε."""
    labels = study.splits.train.labels
    seed = Seed.of(len(labels), np.random.default_rng(number))
    return SimulatedRelease(study, seed, epsilon, labels)


@pytest.fixture
def release(study):
    return released(study)


def test_the_same_stream_gives_the_same_seed_and_responses(study, release):
    again, other = released(study), released(study, 1)
    model = study.reference.model
    assert release.responses(model) == again.responses(model)
    assert torch.equal(release.seed.coins, again.seed.coins)
    first, second = release.seed, other.seed
    assert (first.order, first.draw) != (second.order, second.draw)


def test_responses_do_not_disturb_the_global_stream(study, release):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    release.responses(study.reference.model)
    assert torch.equal(torch.rand(1), expected)


def test_the_baseline_takes_the_longest(release, study):
    longest, others = release.longest_responses()
    some = study.respond(study.reference.model, release.seed.draw + 2, 8)
    halves = [(row[k::2], row[1 - k :: 2]) for row in some for k in (0, 1)]
    assert [len(text) for text in longest[::4]] == [max(map(len, row)) for row, _ in halves]
    assert longest[::4] == longest[3::4]
    assert others == [text for _, row in halves for text in row]
    rates = release.win_rates(longest, others)
    reached = longer_is_better(release)
    assert reached[:2] == rates
    assert reached.longer == release.longer(longest, others) > 0.5


@pytest.mark.parametrize(("labels", "longer"), [([1, 1, -1], 2.5 / 3), ([-1, -1, 1], 0.5 / 3)])
def test_length_is_read_either_way_and_ranks_no_worse_than_a_coin(labels, longer):
    held = SimpleNamespace(first=["aa", "bbb", "c"], second=["a", "b", "d"])
    held.labels = torch.tensor(labels)
    some = SimpleNamespace(splits=SimpleNamespace(held_out=held))
    some.longer_accuracy = partial(Study.longer_accuracy, some)
    assert some.longer_accuracy() == pytest.approx(longer)
    assert Study.length_accuracy(some) == pytest.approx(2.5 / 3)


def test_a_policy_against_itself_wins_half(release):
    assert release.win_rates(release.opposing) == (0.5, pytest.approx(0.5))
    assert release.longer(release.opposing) == 0.5


def test_the_untrained_policy_has_no_margin(release, study):
    assert release.ranking(study.reference.model) == (0.5, pytest.approx(0.0, abs=1e-6))


def test_training_on_turned_labels_turns_the_margin(release):
    right, wrong = dpo(release), dpo(release.flipped)
    assert right.margin > 0 > wrong.margin
    assert all(0 <= rate <= 1 for rate in right[:3])


def test_a_learner_without_debiasing_believes_in_no_privacy(release):
    wrong = replace(release, epsilon=0.5).taken_as_clean.reached("rdpo")
    assert wrong.margin == pytest.approx(dpo(release).margin, rel=1e-4)


def test_first_steps_are_plain_and_ask_for_no_answers(release):
    few = release.at_first_steps(1e-3)
    steps = few.first_steps
    assert (steps.optimizer, steps.learning_rate, steps.max_grad_norm) == ("sgd", 1e-3, None)
    reached = dpo(few)
    assert math.isnan(reached.win_rate)
    assert 0 < reached.margin < dpo(release).margin


def test_a_policy_is_trained_once_for_all_rows(study, tmp_path, monkeypatch):
    kept, calls = replace(study, folder=tmp_path), []
    train = release_study.optimised
    monkeypatch.setattr(release_study, "optimised", lambda *words: calls.append(1) or train(*words))
    one, again, other = (dpo(released(kept, number)) for number in (0, 0, 1))
    assert one == again != other
    assert len(calls) == 2
    dpo(released(kept).flipped)
    assert len(calls) == 3
    for path in tmp_path.rglob("*.npy"):
        path.write_bytes(b"torn")
    assert dpo(released(kept)) == one
    assert len(calls) == 4


def test_ranking_accuracy_counts_ties_half():
    labels = torch.tensor([1.0, 1.0, -1.0, -1.0])
    assert ranking_accuracy(torch.tensor([2.0, 0.0, -1.0, 3.0]), labels) == 0.625


def test_runs_are_named_by_everything_they_depend_on(steps):
    assert run_key(steps, 1) == run_key(steps, 1) != run_key(steps, 2)


def test_fine_tuning_lowers_the_validation_loss(study):
    untrained = study.validation_loss(study.backbone.model)
    assert untrained == pytest.approx(math.log(study.backbone.model.config.vocab_size), rel=0.05)
    assert 0 < study.validation_loss() < untrained


class KnownStudy(SimpleNamespace):
    """What a study says, without its model."""

    __hash__ = object.__hash__  # what the reference draws is kept by study


def test_all_that_a_policy_reaches_is_named_rightly(monkeypatch, tmp_path):
    """Of a study whose judge, responses and rankings are known."""
    said = {3: [["a", "bb"], ["ccc", "d"]], 4: [["a", "b"], ["dd", "d"]]}
    asked = []
    study = KnownStudy(
        procedure=SimpleNamespace(kl_weight=0.5, preference=Training(), reward_bound=3.0),
        data=None, folder=tmp_path, identity="x", prompts=("p", "q"),
        reference=SimpleNamespace(model="start", part=lambda count: ("start", count)),
        respond=lambda policy, seed, count: asked.append((policy, seed, count)) or said[seed],
        judge=lambda prompts, first, second: np.array(
            [0.25 + 0.5 * (prompt == "q") * (len(a) > len(b))
             for prompt, a, b in zip(prompts, first, second, strict=True)]
        ),
        log_ratios=lambda policy: (torch.tensor([1.0, 4.0, 2.0]), torch.tensor([0.0, 2.0, 3.0])),
        splits=SimpleNamespace(held_out=SimpleNamespace(labels=torch.tensor([1.0, 1.0, 1.0]))),
    )  # fmt: skip
    trained = []
    monkeypatch.setattr(
        release_study, "optimised", lambda *words: trained.append(words) or "policy"
    )
    seed = Seed(torch.zeros(6), order=8, draw=3)
    release = SimulatedRelease(study, seed, 1.0, torch.tensor([1.0, -1, 1, 1, -1, -1]))
    reached = release.reached("private")
    assert asked == [("policy", 3, 2), ("start", 4, 2)]
    reference, labels, what, steps, order, folder = trained[0]
    assert (reference, labels.tolist()) == (("start", 6), [1, -1, 1, 1, -1, -1])
    assert (steps, order, folder.parent) == (Training(), 8, tmp_path)
    assert folder.name.startswith("private-")
    one = torch.tensor([100.0], dtype=torch.float64)
    assert float(what.difference(one, -one)) == 6.0  # twice the bound
    near = chipo_reward_difference(one / 500, -one / 500, 0.5, 3.0)
    assert torch.equal(what.difference(one / 500, -one / 500), near)
    assert 0.1 < float(near) < 6
    expected = mixture_loss(one, torch.ones(1), 1.0)
    assert torch.equal(what.loss(one, torch.ones(1)), expected)
    # both orders: half each, but for the longer one to the second prompt
    ours, theirs = ["a", "bb", "ccc", "d"], ["a", "b", "dd", "d"]
    won = np.array([0.5, 0.5, 0.75, 0.5])
    assert reached.win_rate == pytest.approx(won.mean())
    assert reached.at_equal_length == pytest.approx(length_controlled(won, ours, theirs))
    assert reached.at_equal_length < reached.win_rate
    assert reached.accuracy == pytest.approx(2 / 3)
    assert reached.margin == pytest.approx(0.5 * (1 + 2 - 1) / 3)
    assert reached.longer == pytest.approx((0.5 + 1 + 1 + 0.5) / 4)
    assert release.reached("private") == reached
    assert len(trained) == 1
    last = release.labels * torch.tensor([1.0, 1, 1, 1, 1, -1])
    replace(release, labels=last).reached("private")  # one label is another: it is trained anew
    assert trained.pop()[1].tolist() == last.tolist()
    few = release.at_first_steps(1e-3).reached("dpo")
    assert (trained[1][0], trained[1][1].tolist()) == (("start", 3), [1, -1, 1])
    assert trained[1][3].batch_size == 64
    assert (few.accuracy, few.margin) == (reached.accuracy, reached.margin)
    assert math.isnan(few.win_rate)
    assert math.isnan(few.at_equal_length)
    assert math.isnan(few.longer)


def test_a_study_scores_in_batches_and_takes_the_reference_off():
    some = SimpleNamespace(
        procedure=SimpleNamespace(
            preference=SimpleNamespace(batch_size=3), sampling=SimpleNamespace(prompts=2)
        ),
        held_log_prob=(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 8.0])),
        _log_prob=lambda model: (torch.tensor([1.5, 2.0]), torch.tensor([3.0, 9.0])),
        splits=SimpleNamespace(held_out=SimpleNamespace(prompts=("p", "q", "r"))),
        held_out=SimpleNamespace(
            first=SimpleNamespace(response=torch.tensor([[1, 1], [1, 0]])),
            second=SimpleNamespace(response=torch.tensor([[1, 0], [0, 1]])),
        ),
    )  # fmt: skip
    assert Study.scoring_batch.fget(some) == 24
    some.procedure.preference.batch_size = 100
    assert Study.scoring_batch.fget(some) == 256
    assert Study.prompts.fget(some) == ("p", "q")
    first, second = Study.log_ratios(some, "policy")
    assert (first.tolist(), second.tolist()) == ([0.5, 0.0], [-1.0, 1.0])
    assert Study.validation_loss(some) == pytest.approx(-15 / 5)
    assert Study.validation_loss(some, "policy") == pytest.approx(-15.5 / 5)


def test_what_is_lost_of_texts_is_counted(study, caplog):
    cut = study.data.model_copy(update={"max_response_tokens": 1})
    short = replace(study, data=cut)
    vars(short)["backbone"], vars(short)["splits"] = study.backbone, study.splits
    pairs = study.splits.held_out
    encoded = short._encoded(pairs)
    (line,) = (record.getMessage() for record in caplog.records)
    expected = (
        f"{encoded.cut} of {2 * len(pairs)} responses are cut to 1 tokens; in "
        f"{len(encoded.equal)} of {len(pairs)} pairs both are equal then"
    )
    assert line == expected
    assert encoded.equal
