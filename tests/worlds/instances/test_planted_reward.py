"""The planted reward: the optimum of its loss, bounded, and better than length alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.worlds.instances.preference_text import plant_theta
from repro.worlds.instances.text_features import hash_order, text_features

REAL = Path(__file__).parents[3].parent / "shared/data/hh_rlhf"
TRUTH = np.array([2.0, -1.0, 0.5])


def draw_labels(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Bradley-Terry labels of the reward TRUTH on random unit rows."""
    rng = np.random.Generator(np.random.Philox(5))
    feature_diff = rng.standard_normal((rows, 3))
    feature_diff /= np.linalg.norm(feature_diff, axis=1, keepdims=True)
    won = rng.random(rows) < expit(feature_diff @ TRUTH)
    return feature_diff, np.where(won, 1, -1).astype(np.int8)


def held_out_accuracy(fitted, held_out) -> tuple[float, float]:
    """Shares of held-out labels that the fit, and that longer-is-better, get right.

    The label-free features are those of both sets together; only the labels of ``fitted``
    are used.  A tie in length counts one half.
    """
    features, split = text_features([*fitted, *held_out]), len(fitted)
    theta = plant_theta(features.feature_diff[:split], features.label_sign[:split])
    fit = _accuracy(features.feature_diff[split:] @ theta, features.label_sign[split:])
    comparisons, label_sign = hash_order(held_out)
    longer = np.array([len(first) - len(second) for _, first, second in comparisons])
    return fit, _accuracy(longer, label_sign)


def _accuracy(score: np.ndarray, label_sign: np.ndarray) -> float:
    return float((np.sign(score) * label_sign / 2 + 0.5).mean())


def test_one_feature_has_a_closed_form():
    """With x = 1 and three of four labels +1, θ = log 3 up to the ridge."""
    theta = plant_theta(np.ones((4, 1)), np.array([1, 1, 1, -1]), ridge=1e-9)
    assert theta == pytest.approx([logit(0.75)], abs=1e-6)


def test_recovers_the_true_reward():
    theta = plant_theta(*draw_labels(200_000))
    np.testing.assert_allclose(theta, TRUTH, atol=0.05)


def test_gradient_vanishes():
    feature_diff, label_sign = draw_labels(500)
    ridge = 1e-2
    theta = plant_theta(feature_diff, label_sign, ridge=ridge)
    signed = feature_diff * label_sign[:, None]
    gradient = ridge * theta - (expit(-signed @ theta)[:, None] * signed).mean(axis=0)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-6)


def test_flipped_labels_flip_theta():
    feature_diff, label_sign = draw_labels(500)
    theta = plant_theta(feature_diff, label_sign)
    np.testing.assert_array_equal(plant_theta(feature_diff, -label_sign), -theta)


@pytest.mark.parametrize("max_norm", [0.1, 1.0, 2.0])
def test_norm_is_shortened_without_turning(max_norm):
    feature_diff, label_sign = draw_labels(2000)
    free = plant_theta(feature_diff, label_sign)
    theta = plant_theta(feature_diff, label_sign, max_norm)
    assert np.linalg.norm(theta) == pytest.approx(max_norm)
    np.testing.assert_allclose(theta / max_norm, free / np.linalg.norm(free), rtol=1e-12)


def test_separable_labels_stay_finite():
    theta = plant_theta(np.eye(3), np.ones(3), max_norm=np.inf)
    assert np.isfinite(theta).all()
    assert (theta > 1).all()


def test_no_information_gives_no_reward():
    np.testing.assert_array_equal(plant_theta(np.zeros((5, 2)), np.ones(5)), [0.0, 0.0])


def test_synthetic_fit_beats_length():
    pairs = synthetic_pairs(1200)
    fit, longer = held_out_accuracy(pairs[:800], pairs[800:])
    assert 0.66 < fit < 0.85
    assert 0.5 < longer < fit - 0.05


@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data/hh_rlhf")
def test_real_fit_beats_length():
    fitted = read_pairs(str(REAL / "pairs_val.jsonl"))
    held_out = read_pairs(str(REAL / "pairs_test.jsonl"))
    fit, longer = held_out_accuracy(fitted, held_out)
    assert longer == pytest.approx(0.5947, abs=1e-4)
    assert fit == pytest.approx(0.638, abs=0.01)


@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data/hh_rlhf")
def test_real_reward_is_moderate():
    features = text_features(read_pairs(str(REAL)))
    theta = plant_theta(features.feature_diff, features.label_sign)
    assert np.linalg.norm(theta) == pytest.approx(5.8, abs=0.3)
    assert np.abs(features.feature_diff @ theta).max() == pytest.approx(3.3, abs=0.3)
