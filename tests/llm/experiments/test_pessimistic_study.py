"""P1's pipeline: pessimism that is there, weights that are a policy, controls that are wrong."""

import copy
from collections import Counter
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from repro.llm.experiments import pessimistic_study
from repro.llm.experiments.judges import length_controlled
from repro.llm.experiments.pessimistic_study import PessimisticRelease, bonus_size, feature_map
from repro.llm.experiments.procedures import PessimisticProcedure, RewardTraining
from repro.llm.experiments.release_study import Seed
from repro.llm.training.policy_gradient import Rollouts

ROLLOUTS = Rollouts(
    iterations=3, responses=8, to_a_prompt=4, epochs=2, minibatch=4, clip=0.2, learning_rate=0.01
)


@pytest.fixture(scope="module")
def pessimistic(study):
    """The study with P1's procedure."""
    reward = RewardTraining(whole=None, pooling="mean", clip=5.0, ridge=1.0, coefficient=0.25)
    procedure = PessimisticProcedure(
        **dict(study.procedure) | {"kl_weight": 1.0},
        reward=reward,
        samples=3,
        dpo_kl_weight=0.1,
        rollouts=ROLLOUTS,
    )
    return replace(study, procedure=procedure)


def released(study, number=0, epsilon=2.0):
    """Clean labels, taken for a release at ε."""
    labels = study.splits.train.labels
    seed = Seed.of(len(labels), np.random.default_rng(number))
    return PessimisticRelease(study, seed, epsilon, labels, pessimism=1.0)


@pytest.fixture
def release(pessimistic):
    return released(pessimistic)


def test_pessimism_is_positive_and_shrinks_with_data(release):
    sizes = [bonus_size(feature_map(release.study), torch.arange(n), 1.0) for n in (16, 32, 64)]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    wrong = [
        bonus_size(feature_map(release.study), torch.arange(n), 1.0, shrinks=False)
        for n in (16, 64)
    ]
    assert wrong[1] > 0.8 * wrong[0]


def test_pessimism_grows_with_privacy(release, pessimistic):
    some = feature_map(pessimistic).first[:4]
    strict, loose = (replace(release, epsilon=epsilon).bonus(some) for epsilon in (0.1, 2.0))
    assert (strict > loose).all()
    assert (loose > 0).all()


def test_pessimism_can_be_left_out_and_reversed(release):
    """Log weights are (r − pessimism·Γ)/kl_weight up to a constant: the plain one lies midway."""
    model = release.reward
    taken, none, reversed_ = (
        np.log(replace(release, pessimism=one).weights(model)) for one in (1.0, 0.0, -1.0)
    )
    gap = (taken + reversed_) / 2 - none
    np.testing.assert_allclose(gap, gap[:, :1].repeat(gap.shape[1], 1), atol=1e-9)
    assert np.abs(taken - none).max() > 1e-6


def test_kept_features_are_those_of_a_fresh_look(release, pessimistic):
    model = release.reward
    again = replace(model, features=copy.copy(feature_map(pessimistic)))
    np.testing.assert_array_equal(release.weights(model), release.weights(again))
    other = replace(release, seed=replace(release.seed, draw=release.seed.draw + 1))
    assert np.abs(other.weights(model) - release.weights(model)).max() > 0


def test_weights_are_a_policy_that_prefers_reward(release, study):
    weights = release.weights(release.reward)
    assert weights.shape == (len(study.prompts), 3)
    assert weights.sum(1) == pytest.approx(np.ones(len(study.prompts)))
    assert 0 <= release.win_rate(weights) <= 1


def longer_is_better(prompts, first, second):
    """A judge that sees length alone."""
    return 0.5 + 0.5 * np.sign([len(a) - len(b) for a, b in zip(first, second, strict=True)])


def test_the_best_of_what_was_drawn_wins_most(release):
    other = replace(release.study)
    vars(other)["reference"], vars(other)["judge"] = release.study.reference, longer_is_better
    release = replace(release, study=other)
    best = np.eye(3)[release.drawn.won.argmax(1)]
    worst = np.eye(3)[release.drawn.won.argmin(1)]
    alike = np.full(best.shape, 1 / 3)
    assert release.win_rate(best) >= release.win_rate(alike) >= release.win_rate(worst)
    assert release.win_rate(best) > release.win_rate(worst)


def test_the_trivial_policy_takes_the_longest(release):
    for row, weights in zip(release.drawn.ours, release.longest_weights(), strict=True):
        assert len(row[int(weights.argmax())]) == max(map(len, row))
        assert weights.sum() == 1


def test_the_longest_of_four_is_that_of_every_four(pessimistic):
    """Weights against all subsets of six responses, counted."""
    drawn = released(pessimistic, 1).drawn
    texts = ["a" * n for n in (3, 9, 1, 7, 4, 6)]
    release: Any = SimpleNamespace(drawn=replace(drawn, ours=[texts, texts[::-1]]))
    found = PessimisticRelease.longest_weights(release)
    wins = Counter(max(four, key=len) for four in combinations(texts, 4))
    assert found[0] == pytest.approx([wins[text] / 15 for text in texts])
    assert found[1] == pytest.approx(found[0][::-1])


def test_win_rate_at_equal_length_of_equal_weights(release):
    weights = np.full((len(release.drawn.prompts), 3), 1 / 3)
    assert 0 <= release.controlled(weights) <= 1


def test_turned_labels_turn_the_ranking(release):
    right, wrong = release.reward, release.flipped.reward
    assert release.reward_margin(right) == pytest.approx(-release.reward_margin(wrong), rel=1e-3)
    assert release.reward_accuracy(right) == pytest.approx(1 - release.reward_accuracy(wrong))


def test_a_policy_of_rloo_has_curves_by_iteration_and_leaves_the_reference_alone(release):
    reference = release.study.reference.model
    before = [one.clone() for one in reference.parameters()]
    model = release.reward
    found, again = release.optimised(model), release.optimised(model)
    assert all(torch.equal(a, b) for a, b in zip(before, reference.parameters(), strict=True))
    assert 0 <= found.at_equal_length <= 1
    assert [len(curve) for curve in found[2:]] == [ROLLOUTS.iterations] * 3
    assert np.isfinite(np.array(found[2:])).all()
    assert (found.baseline_error > 0).all()
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_the_sign_of_the_reward_is_the_policy_s_and_not_the_curve_s(release):
    """The reward that is minimised is recorded as it is."""
    model = release.reward
    up, down = (release.optimised(model, sign).reward[0] for sign in (1.0, -1.0))
    assert up == pytest.approx(down)  # the first draws are the reference's


class KnownStudy(SimpleNamespace):
    """What a study says, without its model."""

    __hash__ = object.__hash__  # what is drawn is kept by study


ROWS = [["a", "bbb", "cc", "d"], ["e", "ff", "ggg", "h"]]


@pytest.fixture
def known(monkeypatch):
    """Two prompts, two responses to each and two that they are compared with."""
    first, second = torch.eye(2), torch.zeros(2, 2)
    monkeypatch.setattr(
        pessimistic_study, "feature_map", lambda study: SimpleNamespace(first=first, second=second)
    )
    reward = RewardTraining(whole=None, pooling="mean", clip=5.0, ridge=3.0, coefficient=0.25)
    study = KnownStudy(
        procedure=SimpleNamespace(samples=2, reward=reward, dpo_kl_weight=0.3, kl_weight=2.0),
        prompts=("p", "q"), judge=longer_is_better, reference=SimpleNamespace(model="start"),
        respond=lambda policy, seed, count: {("start", 5, 4): ROWS}[policy, seed, count],
    )  # fmt: skip
    seed = Seed(torch.zeros(2), order=1, draw=5)
    return PessimisticRelease(study, seed, 1.0, torch.ones(2), pessimism=-1.0)


def test_responses_are_compared_each_with_each_and_weighed(known):
    drawn = known.drawn
    assert (drawn.ours, drawn.theirs) == ([["a", "bbb"], ["e", "ff"]], [["cc", "d"], ["ggg", "h"]])
    assert drawn.won.tolist() == [[0.25, 1.0], [0.25, 0.5]]
    prompts, ours, theirs = drawn.compared
    assert prompts == ["p", "p", "q", "q"]
    assert (ours, theirs) == (["a", "bbb", "e", "ff"], ["cc", "d", "ggg", "h"])
    weights = np.array([[0.5, 0.5], [0.9, 0.1]])
    assert known.win_rate(weights) == pytest.approx((0.625 + 0.275) / 2)
    one_by_one = np.array([0.0, 1.0, 0.0, 1.0])
    expected = length_controlled(one_by_one, ours, theirs, weights.ravel())
    assert known.controlled(weights) == pytest.approx(expected)
    assert expected != pytest.approx(length_controlled(one_by_one, ours, theirs), abs=1e-3)


def test_pessimism_is_the_coefficient_times_the_cost_with_its_sign(known):
    """Σ xxᵀ + 3·I is 4·I, and the centre (1/4, 1/4)."""
    bonus = known.bonus
    assert bonus.coefficient == pytest.approx(0.25 * privacy_cost(1.0))
    features = torch.tensor([[1.25, 0.25], [0.25, 0.25]])
    assert bonus(features).tolist() == pytest.approx([bonus.coefficient / 2, 0.0])
    model: Any = SimpleNamespace(of_features=lambda features: torch.tensor([1.0, 2.0]))
    worth = known.worth(model, bonus, features)
    assert worth.tolist() == pytest.approx([1 + bonus.coefficient / 2, 2.0])
    assert known.kl_weight == 0.3


def test_the_size_of_a_bonus_is_the_mean_over_all_responses():
    first, second = torch.tensor([[2.0, 0.0], [0.0, 2.0]]), torch.zeros(2, 2)
    features: Any = SimpleNamespace(first=first, second=second)
    some = torch.tensor([0])
    # Σ xxᵀ of the first pair and the ridge 1: diag(5, 1); the centre of all is (1/2, 1/2)
    shifted = [(1.5, -0.5), (-0.5, 1.5), (-0.5, -0.5), (-0.5, -0.5)]
    expected = np.mean([(x * x / 5 + y * y) ** 0.5 for x, y in shifted])
    assert bonus_size(features, some, 1.0) == pytest.approx(expected)
    both = torch.arange(2)
    wrong = np.mean([(x * x / 3 + y * y / 3) ** 0.5 for x, y in shifted])
    assert bonus_size(features, both, 1.0, shrinks=False) == pytest.approx(wrong)
