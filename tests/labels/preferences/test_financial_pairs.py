"""The substitute for P4's data: seeded, varied, and true to its planted reward."""

import math

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.financial_pairs import (
    CAREFUL,
    CARELESS,
    financial_pairs,
    financial_prompts,
    planted_reward,
)


def test_reward_counts_kinds_of_clauses():
    assert planted_reward("Bet on one stock, then insure the purchase.") == 0
    assert planted_reward("Skip the insurance.") == -1
    assert planted_reward("Pay in small steps, then pay in small steps.") == 1
    assert planted_reward(" ".join(CAREFUL)) == 5
    assert planted_reward(" ".join(CARELESS)) == -5


def test_the_same_seed_gives_the_same_pairs():
    assert financial_pairs(20, 1) == financial_pairs(20, 1)
    assert financial_pairs(20, 1) != financial_pairs(20, 2)


def test_labels_follow_bradley_terry():
    pairs = financial_pairs(4000, 0)
    gaps = [planted_reward(p.chosen) - planted_reward(p.rejected) for p in pairs]
    for size in (1.0, 2.0):
        won = sum(g == size for g in gaps)
        share = won / sum(abs(g) == size for g in gaps)
        assert share == pytest.approx(1 / (1 + math.exp(-size)), abs=0.04)


def test_length_says_little_of_the_label():
    pairs = financial_pairs(4000, 0)
    longer = sum((len(p.chosen) > len(p.rejected)) for p in pairs) / len(pairs)
    assert longer == pytest.approx(0.5, abs=0.04)


def test_prompts_are_distinct_and_whole():
    prompts = financial_prompts()
    assert len(set(prompts)) == len(prompts) == 3 * 6 * 14
    assert not any("{" in prompt for prompt in prompts)


def test_no_pairs_are_refused():
    with pytest.raises(BadInput, match="n_pairs=0"):
        financial_pairs(0, 0)
