"""Label-free features: blind to labels, bounded, well-conditioned, repeatable."""

from __future__ import annotations

import string
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.base.errors import BadInput
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.pair_records import PreferencePair
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.worlds.instances.text_features import (
    dense_statistics,
    feature_table,
    hash_order,
    text_features,
)

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared/data/hh_rlhf"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data/hh_rlhf")


def flipped(pairs: list[PreferencePair]) -> list[PreferencePair]:
    return [PreferencePair(p.prompt, p.rejected, p.chosen) for p in pairs]


def condition_number(feature_diff: np.ndarray) -> float:
    values = np.linalg.eigvalsh(feature_diff.T @ feature_diff / len(feature_diff))
    return float(values[-1] / values[0])


@pytest.fixture(scope="module")
def pairs() -> list[PreferencePair]:
    return synthetic_pairs()


def test_shapes_types_and_names(pairs):
    features = text_features(pairs)
    assert features.feature_diff.shape == (400, 12)
    assert features.feature_diff.dtype == np.float64
    assert features.label_sign.shape == (400,)
    assert features.label_sign.dtype == np.int8
    assert features.names[:2] == ("svd_1", "svd_2")
    assert features.names[8:] == (
        "log_length",
        "log_word_length",
        "punctuation_share",
        "prompt_overlap",
    )


def test_flipping_all_labels_flips_only_the_signs(pairs):
    real, other = text_features(pairs), text_features(flipped(pairs))
    assert real.feature_diff.tobytes() == other.feature_diff.tobytes()
    assert real.names == other.names
    np.testing.assert_array_equal(real.label_sign, -other.label_sign)


def test_flipping_one_label_flips_one_sign(pairs):
    changed = [*pairs[:7], *flipped(pairs[7:8]), *pairs[8:]]
    real, other = text_features(pairs), text_features(changed)
    assert real.feature_diff.tobytes() == other.feature_diff.tobytes()
    np.testing.assert_array_equal(np.flatnonzero(real.label_sign != other.label_sign), [7])


def test_signs_say_which_was_chosen(pairs):
    comparisons, label_sign = hash_order(pairs)
    for pair, (prompt, first, second), sign in zip(pairs, comparisons, label_sign, strict=True):
        assert prompt == pair.prompt
        assert (first if sign > 0 else second) == pair.chosen


def test_order_says_nothing_of_the_label():
    _, label_sign = hash_order(synthetic_pairs(3000))
    assert abs(label_sign.mean()) < 4 / np.sqrt(3000)


def test_order_is_pinned():
    """The order is part of the cache's format; a change must raise FORMAT there."""
    pairs = [PreferencePair("q", a, b) for a, b in ("ab", "cd", "ef", "fé")]
    comparisons, label_sign = hash_order(pairs)
    assert [first + second for _, first, second in comparisons] == ["ab", "dc", "ef", "éf"]
    assert label_sign.tolist() == [1, -1, 1, -1]


def test_exchanging_the_responses_negates_the_row(pairs):
    """The geometry itself does not depend on the hash order either."""
    comparisons, _ = hash_order(pairs)
    exchanged = [(p, b, a) if k % 3 else (p, a, b) for k, (p, a, b) in enumerate(comparisons)]
    signs = np.array([-1.0 if k % 3 else 1.0 for k in range(len(pairs))])[:, None]
    original, _ = feature_table(comparisons, 12)
    again, _ = feature_table(exchanged, 12)
    np.testing.assert_allclose(again, signs * original, atol=1e-9)


@pytest.mark.parametrize("num_features", [5, 12, 24])
def test_norms_and_conditioning(pairs, num_features):
    feature_diff = text_features(pairs, num_features).feature_diff
    norms = np.linalg.norm(feature_diff, axis=1)
    assert 1 - 1e-12 < norms.max() <= 1.0
    assert (norms > 1 - 1e-9).sum() == 4  # the clipped 1 % of 400
    assert condition_number(feature_diff) < 2.0


def test_longer_first_response_has_larger_log_length(pairs):
    comparisons, _ = hash_order(pairs)
    longer = [len(first) - len(second) for _, first, second in comparisons]
    column = text_features(pairs).feature_diff[:, 8]
    assert np.corrcoef(np.sign(longer), np.sign(column))[0, 1] > 0.5


def test_statistics_of_a_response_by_hand():
    """Of the trigrams abc, "bc ", "c a", " ab" and "ab." the prompt has the first two."""
    found = dense_statistics("ABC d", "Abc ab.")
    assert found == pytest.approx((np.log(8), np.log(7 / 2), 1 / 7, 2 / 5))
    assert dense_statistics("", "") == (np.log(2), 0.0, 0.0, 0.0)


SCRIPT = """
import hashlib
from repro.worlds.instances.text_features import text_features
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
print(hashlib.sha256(text_features(synthetic_pairs(60)).feature_diff.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_same_bytes_whatever_the_threads_and_the_hash_seed():
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop()) == 65


@pytest.mark.parametrize("num_features", [4, 0, -3])
def test_too_few_features(pairs, num_features):
    with pytest.raises(BadInput, match=r"instance\.num_features=.*: at least 5"):
        text_features(pairs, num_features)


def test_more_features_than_pairs(pairs):
    with pytest.raises(BadInput, match=r"instance\.num_features=40: .* support at most 23"):
        text_features(pairs[:20], 40)


@pytest.mark.parametrize(
    ("chosen", "rejected"),
    [pytest.param("yes", "no", id="one_difference"), pytest.param("a b", "a  b", id="spaces")],
)
def test_pairs_without_variety(chosen, rejected):
    same = [PreferencePair(f"q{k}", chosen, rejected) for k in range(30)]
    with pytest.raises(BadInput, match=r"instance\.num_features=5: these pairs"):
        text_features(same, 5)


words = st.text(string.ascii_letters + " ?,\n汉字é", min_size=1, max_size=30).filter(str.strip)
comparison = st.tuples(words, words, words).filter(lambda c: c[1] != c[2])


@settings(max_examples=60, deadline=None)
@given(st.lists(comparison, min_size=20, max_size=40), st.integers(5, 12))
def test_any_texts_give_finite_features_or_bad_input(comparisons, num_features):
    try:
        feature_diff, names = feature_table(comparisons, num_features)
    except BadInput as error:
        assert error.key == "instance.num_features"  # noqa: PT017 - either outcome is right
        return
    assert feature_diff.shape == (len(comparisons), len(names)) == (len(comparisons), num_features)
    assert np.isfinite(feature_diff).all()
    assert np.linalg.norm(feature_diff, axis=1).max() <= 1.0


@needs_real
def test_real_pairs_are_well_conditioned():
    features = text_features(read_pairs(str(REAL)))
    assert features.feature_diff.shape == (4413, 12)
    assert condition_number(features.feature_diff) < 5.0
    assert np.median(np.linalg.norm(features.feature_diff, axis=1)) > 0.2
