"""P1's pipeline: pessimism that is there, weights that are a policy, controls that are wrong."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from repro.llm.pessimistic_study import (
    PessimisticSeed,
    bonus_at,
    bonus_size,
    feature_map,
)
from repro.llm.procedures import PessimisticProcedure, RewardTraining


@pytest.fixture(scope="module")
def pessimistic(study):
    """The study with P1's procedure."""
    reward = RewardTraining(whole=None, pooling="mean", clip=5.0, ridge=1.0, coefficient=0.25)
    procedure = PessimisticProcedure(
        **dict(study.procedure) | {"kl_weight": 1.0}, reward=reward, samples=3, dpo_kl_weight=0.1
    )
    return replace(study, procedure=procedure)


@pytest.fixture
def seed(pessimistic):
    return PessimisticSeed.of(pessimistic, np.random.default_rng(0))


def test_pessimism_is_positive_and_shrinks_with_data(seed):
    sizes = [bonus_size(feature_map(seed.study), torch.arange(n), 1.0) for n in (16, 32, 64)]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    wrong = [
        bonus_size(feature_map(seed.study), torch.arange(n), 1.0, shrinks=False) for n in (16, 64)
    ]
    assert wrong[1] > 0.8 * wrong[0]


def test_pessimism_grows_with_privacy_and_can_be_left_out(seed, pessimistic):
    some = feature_map(seed.study).first[:4]
    strict, loose, none = (
        bonus_at(pessimistic, epsilon, on)(some)
        for epsilon, on in ((0.1, True), (2.0, True), (0.1, False))
    )
    assert (strict > loose).all()
    assert (loose > 0).all()
    assert (none == 0).all()


def test_weights_are_a_policy_that_prefers_reward(seed, study):
    model = seed.reward(2.0, study.splits.train.labels)
    weights = seed.weights(model, bonus_at(seed.study, 2.0, True))
    assert weights.shape == (len(study.prompts), 3)
    assert weights.sum(1) == pytest.approx(np.ones(len(study.prompts)))
    assert 0 <= seed.win_rate(weights) <= 1


def longer_is_better(prompts, first, second):
    """A judge that sees length alone."""
    return 0.5 + 0.5 * np.sign([len(a) - len(b) for a, b in zip(first, second, strict=True)])


def test_the_best_of_what_was_drawn_wins_most(seed):
    other = replace(seed.study)
    vars(other)["reference"], vars(other)["judge"] = seed.study.reference, longer_is_better
    seed = replace(seed, study=other)
    best = np.eye(3)[seed.drawn.won.argmax(1)]
    worst = np.eye(3)[seed.drawn.won.argmin(1)]
    alike = np.full(best.shape, 1 / 3)
    assert seed.win_rate(best) >= seed.win_rate(alike) >= seed.win_rate(worst)
    assert seed.win_rate(best) > seed.win_rate(worst)


def test_the_trivial_policy_takes_the_longest(seed):
    for row, weights in zip(seed.drawn.ours, seed.longest_weights(), strict=True):
        assert len(row[int(weights.argmax())]) == max(map(len, row))
        assert weights.sum() == 1


def test_the_longest_of_four_is_that_of_every_four(pessimistic):
    """Weights against all subsets of six responses, counted."""
    drawn = PessimisticSeed.of(pessimistic, np.random.default_rng(1)).drawn
    texts = ["a" * n for n in (3, 9, 1, 7, 4, 6)]
    seed: Any = SimpleNamespace(drawn=replace(drawn, ours=[texts, texts[::-1]]))
    found = PessimisticSeed.longest_weights(seed)
    wins = Counter(max(four, key=len) for four in combinations(texts, 4))
    assert found[0] == pytest.approx([wins[text] / 15 for text in texts])
    assert found[1] == pytest.approx(found[0][::-1])


def test_win_rate_at_equal_length_of_equal_weights(seed):
    weights = np.full((len(seed.drawn.prompts), 3), 1 / 3)
    assert 0 <= seed.controlled(weights) <= 1


def test_turned_labels_turn_the_ranking(seed, study):
    labels = study.splits.train.labels
    right, wrong = (seed.reward(2.0, sign * labels) for sign in (1, -1))
    assert seed.reward_margin(right) == pytest.approx(-seed.reward_margin(wrong), rel=1e-3)
    assert seed.reward_accuracy(right) == pytest.approx(1 - seed.reward_accuracy(wrong))
