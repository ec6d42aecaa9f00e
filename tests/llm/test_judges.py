"""Win rates: both orders, equal length, and a judge that shares no pairs."""

import numpy as np
import pytest

from repro.llm.judges import (
    HeldOutJudge,
    length_controlled,
    longer_is_better,
    planted_judge,
    wins,
)
from repro.llm.pairs import load_splits

GOOD, BAD, NEUTRAL = "Insure the purchase.", "Skip the insurance.", "Call on Monday."
P = ["p", "p", "p"]


def first_is_better(prompts, first, second):
    """A judge that only sees the order."""
    return np.ones(len(first))


def test_the_planted_judge_prefers_the_planted_reward():
    found = wins(planted_judge, P, [GOOD, BAD, NEUTRAL], [BAD, GOOD, "Choose a colour."])
    assert found.tolist() == [1.0, 0.0, 0.5]


def test_both_orders_cancel_a_preference_for_the_first():
    assert wins(first_is_better, P, [GOOD] * 3, [BAD] * 3).tolist() == [0.5] * 3


def test_longer_is_better_sees_length_alone():
    assert wins(longer_is_better, P[:2], ["aa", "b"], ["a", "c"]).tolist() == [1.0, 0.5]


def test_a_win_by_length_alone_is_no_win_at_equal_length():
    rng = np.random.default_rng(0)
    ours = ["x" * n for n in rng.integers(20, 80, 4000)]
    theirs = ["x" * n for n in rng.integers(10, 60, 4000)]
    gap = np.array([np.log1p(len(a)) - np.log1p(len(b)) for a, b in zip(ours, theirs, strict=True)])
    won = (rng.random(4000) < 1 / (1 + np.exp(-gap))).astype(float)
    assert won.mean() > 0.58
    assert length_controlled(won, ours, theirs) == pytest.approx(0.5, abs=0.04)


def test_equal_lengths_leave_the_win_rate():
    assert length_controlled(np.array([1.0, 0.0, 1.0]), ["a"] * 3, ["b"] * 3) == pytest.approx(
        2 / 3
    )


def test_a_held_out_judge_finds_the_reward(data):
    choice = data.model_copy(update={"n_pairs": 600, "held_out": 200})
    splits = load_splits(choice)
    judge = HeldOutJudge.of(splits.train)
    prompts, n = splits.held_out.prompts, len(splits.held_out)
    agreed = judge(prompts, splits.held_out.first, splits.held_out.second)
    planted = planted_judge(prompts, splits.held_out.first, splits.held_out.second)
    clear = planted != 0.5
    assert (agreed[clear] == planted[clear]).mean() > 0.8
    turned = judge(prompts, splits.held_out.second, splits.held_out.first)
    assert (agreed + turned).tolist() == [1.0] * n
