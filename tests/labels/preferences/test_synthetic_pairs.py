"""The generated pairs: reproducible, valid, and with something to learn."""

from __future__ import annotations

import json

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.synthetic_pairs import synthetic_pairs


def test_same_seed_same_pairs():
    assert synthetic_pairs(50, seed=3) == synthetic_pairs(50, seed=3)


def test_other_seed_other_pairs():
    assert synthetic_pairs(50, seed=3) != synthetic_pairs(50, seed=4)


@pytest.mark.parametrize("seed", range(3))
def test_default_pairs_are_distinct_and_comparable(seed):
    pairs = synthetic_pairs(seed=seed)
    assert len(pairs) == len({pair.prompt for pair in pairs}) == 400
    assert all(pair.chosen != pair.rejected for pair in pairs)
    assert all("{" not in text for pair in pairs for text in vars(pair).values())


def test_they_are_a_valid_preference_file(tmp_path):
    pairs = synthetic_pairs(30)
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(vars(pair)) + "\n" for pair in pairs))
    assert read_pairs(str(path)) == pairs


def test_all_prompts_can_be_drawn_and_no_more():
    pairs = synthetic_pairs(3840)
    assert len({pair.prompt for pair in pairs}) == 3840
    with pytest.raises(BadInput, match=r"instance\.count=3841: needs a number from 1 to 3840"):
        synthetic_pairs(3841)


def test_fewer_than_one_is_refused():
    with pytest.raises(BadInput, match=r"instance\.count=0"):
        synthetic_pairs(0)


def test_longer_is_better_but_not_always():
    pairs = synthetic_pairs(2000)
    longer = sum(len(pair.chosen) > len(pair.rejected) for pair in pairs) / len(pairs)
    assert 0.55 < longer < 0.70


def test_hedging_is_disliked():
    hedge = "I am not sure"
    one_sided = [p for p in synthetic_pairs(2000) if (hedge in p.chosen) != (hedge in p.rejected)]
    disliked = sum(hedge in pair.rejected for pair in one_sided) / len(one_sided)
    assert 0.65 < disliked < 0.85
