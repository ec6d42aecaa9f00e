"""Claims: words that are built from the number."""

import pytest

from repro.base.notation import AXES, SYMBOLS
from repro.core.claims import Frequency, Inequality, Ratio, Slope


def test_every_axis_has_a_symbol():
    assert set(SYMBOLS) == set(AXES)


@pytest.mark.parametrize(
    ("claim", "axis", "words"),
    [
        (Slope(-1, "gap {rate}"), "n_pairs", "gap ∝ 1/n"),
        (Slope(-0.5, "gap {rate}, at most"), "horizon", "gap ∝ 1/√T, at most"),
        (Slope(2, "{rate}", "at_most"), "privacy_cost", "≤ O(c(ε)²)"),
        (Slope(0.5, "{rate}", "at_least"), "corruption", "≥ Ω(√α)"),
        (Slope(0, "floor {rate}"), "privacy_cost", "floor free of c(ε)"),
        (Slope(0, "gap {rate}", "at_most"), "coverage", "gap does not grow with C"),
        (Slope(0, "gap {rate}", "at_least"), "coverage", "gap does not fall with C"),
        (Slope(1, "gap {rate}"), "reward_bound", "gap ∝ e^B"),
        (Slope(2, "gap {rate}"), "reward_bound", "gap ∝ e^(2B)"),
        (Slope(-1, "gap {rate}", symbol="β"), "kl_weight", "gap ∝ 1/β"),
        (Slope(1.6, "gap {rate}"), "num_features", "gap ∝ d^1.6"),
        (Ratio("measured = predicted"), "n_pairs", "measured = predicted"),
        (Inequality("left ≤ right"), "n_pairs", "left ≤ right"),
        (Frequency("rarely fails"), "n_pairs", "rarely fails"),
    ],
)
def test_words_are_built_from_the_number(claim, axis, words):
    assert claim.said(axis) == words


def test_a_slope_without_a_place_for_its_rate_is_refused():
    with pytest.raises(ValueError, match="hold"):
        Slope(-1, "gap ∝ 1/n")
