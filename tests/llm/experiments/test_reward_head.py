"""Reward models: what they pool, what a loss makes of them, and both phases."""

import functools

import pytest
import torch

from repro.llm.experiments.procedures import RewardTraining
from repro.llm.experiments.reward_head import FeatureMap, fitted_reward, pooled_features
from repro.llm.training.losses import log_loss, mixture_loss

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def training():
    return RewardTraining(whole=None, pooling="mean", clip=5.0, ridge=1.0, coefficient=0.25)


@pytest.fixture
def features(study):
    return FeatureMap.of(study.reference.model, study.reference.pairs, "mean", 32, "cpu")


def difference(model):
    return model.of_features(model.features.first) - model.of_features(model.features.second)


def test_features_are_those_of_the_response(study):
    tokens = study.reference.pairs.first.rows(torch.arange(3))
    found = study.reference.model(
        input_ids=tokens.ids, attention_mask=tokens.present, output_hidden_states=True
    ).hidden_states[-1]
    for row in range(3):
        places = tokens.response[row].nonzero()[:, 0]
        end = pooled_features(study.reference.model, tokens, "end")[row]
        torch.testing.assert_close(end, found[row, places[-1]])
        mean = pooled_features(study.reference.model, tokens, "mean")[row]
        torch.testing.assert_close(mean, found[row, places].mean(0))


def test_features_are_standardised_by_the_pairs(features, study):
    both = torch.cat([features.first, features.second])
    assert both.mean(0).abs().max() < 1e-4
    assert (both.std(0) - 1).abs().max() < 1e-3
    torch.testing.assert_close(features(study.reference.pairs.first), features.first)


def test_a_fit_prefers_what_the_labels_prefer(study, features, training):
    labels = study.splits.train.labels
    model = fitted_reward(study.reference, features, labels, log_loss, training, 0)
    assert float((difference(model) * labels).mean()) > 0.2
    assert float(model.of_features(features.first).abs().max()) <= 5.0


def test_the_mixture_likelihood_is_steeper_on_the_same_labels(study, features, training):
    labels = study.splits.train.labels
    plain = fitted_reward(study.reference, features, labels, log_loss, training, 0)
    mixture = functools.partial(mixture_loss, epsilon=1.0)
    private = fitted_reward(study.reference, features, labels, mixture, training, 0)
    assert float((difference(private) * labels).mean()) > float((difference(plain) * labels).mean())


def test_rewards_are_clipped(features, study, training):
    model = fitted_reward(
        study.reference, features, study.splits.train.labels, log_loss,
        training.model_copy(update={"clip": 0.1}), 0,
    )  # fmt: skip
    assert float(model.of_features(features.first).abs().max()) <= 0.1 + 1e-6


def test_the_second_phase_trains_the_backbone_and_keeps_the_scale(study, steps):
    labels, pairs = study.splits.train.labels, study.reference.pairs
    features = FeatureMap.of(study.reference.model, pairs, "end", 32, "cpu")
    one = RewardTraining(whole=None, pooling="end", clip=5.0, ridge=1.0, coefficient=0.25)

    def fitted(**changes):
        some = None if not changes else steps.model_copy(update=changes)
        training = one.model_copy(update={"whole": some})
        return fitted_reward(study.reference, features, labels, log_loss, training, 0)

    head, still = fitted(), fitted(learning_rate=1e-12)
    torch.testing.assert_close(difference(still), difference(head), rtol=1e-3, atol=1e-3)
    moved = fitted(learning_rate=3e-3, epochs=4)
    assert float((difference(moved) * labels).mean()) > float((difference(head) * labels).mean())
    assert not torch.equal(moved.features.first, features.first)


def test_the_head_solves_its_problem(study, features, training):
    labels = study.splits.train.labels
    head = fitted_reward(study.reference, features, labels, log_loss, training, 0).head.double()
    x = (features.first - features.second).double()
    pull = -(torch.sigmoid(-(x @ head) * labels) * labels) @ x / len(x)
    assert float((pull + training.ridge * head / len(x)).abs().max()) < 1e-4


def test_a_backbone_is_trained_on_the_end_token_alone(steps):
    with pytest.raises(ValueError, match="end token alone"):
        RewardTraining(whole=steps, pooling="mean", clip=5.0, ridge=1.0, coefficient=0.25)
