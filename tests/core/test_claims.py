"""Claims: words that are built from the number."""

import pytest

from repro.base.notation import AXES, LINEAR_AXES, SYMBOLS, own_axis
from repro.core.claims import Frequency, Inequality, Ratio, Slope
from repro.core.privacy_claims import Private
from tests.at_each import at_each


def test_every_axis_has_a_symbol():
    assert set(SYMBOLS) == set(AXES)


@at_each(
    ("claim", "axis", "words"),
    [
        (Slope("gap {rate}", -1), "n_pairs", "gap ∝ 1/n"),
        (Slope("gap {rate}, at most", -0.5), "horizon", "gap ∝ 1/√T, at most"),
        (Slope("{rate}", 2, "at_most"), "privacy_cost", "≤ O(c(ε)²)"),
        (Slope("{rate}", 0.5, "at_least"), "corruption", "≥ Ω(√α)"),
        (Slope("floor {rate}", 0), "privacy_cost", "floor free of c(ε)"),
        (Slope("gap {rate}", 0, "at_most"), "coverage", "gap does not grow with C"),
        (Slope("gap {rate}", 0, "at_least"), "coverage", "gap does not fall with C"),
        (Slope("gap {rate}", 1), "reward_bound", "gap ∝ e^B"),
        (Slope("gap {rate}", 2), "reward_bound", "gap ∝ e^(2B)"),
        (Slope("gap {rate}", -1, symbol="β"), "kl_weight", "gap ∝ 1/β"),
        (Slope("gap {rate}", 1.6), "num_features", "gap ∝ d^1.6"),
        (Ratio("measured = predicted"), "n_pairs", "measured = predicted"),
        (Inequality("left ≤ right"), "n_pairs", "left ≤ right"),
        (Frequency("rarely fails"), "n_pairs", "rarely fails"),
    ],
)
def test_words_are_built_from_the_number(claim, axis, words):
    assert claim.said(axis) == words


@at_each(
    "wrong",
    [
        lambda: Slope(-1, "gap {rate}"),  # type: ignore[arg-type]
        lambda: Ratio(1, "words"),  # type: ignore[arg-type]
        lambda: Ratio("words", 1.0, 0.05),  # type: ignore[arg-type]
        lambda: Ratio("words", float("nan")),
        lambda: Ratio("words", tolerance="0.1"),  # type: ignore[arg-type]
        lambda: Inequality(1e-9),  # type: ignore[arg-type]
        lambda: Frequency(0.05),  # type: ignore[arg-type]
        lambda: Private(1e-6),  # type: ignore[arg-type]
    ],
)
def test_arguments_in_another_order_are_refused_in_one_line(wrong):
    with pytest.raises(ValueError, match=r"^[^\n]*allowed: words, number, direction"):
        wrong()


@pytest.mark.parametrize("claim", [Slope, Ratio, Inequality])
def test_a_negative_tolerance_is_refused(claim):
    number = {"exponent": -1} if claim is Slope else {}
    with pytest.raises(ValueError, match="allowed: a tolerance of 0 or more"):
        claim("gap", **number, tolerance=-0.05)


@pytest.fixture
def own_axes():
    """Axes that a test declares are gone after it."""
    before = dict(AXES), dict(SYMBOLS), set(LINEAR_AXES)
    yield
    for name in set(AXES) - set(before[0]):
        del AXES[name], SYMBOLS[name]
    LINEAR_AXES.intersection_update(before[2])


@pytest.mark.usefixtures("own_axes")
def test_an_axis_of_ones_own_is_read_as_it_is_declared():
    own_axis("letters", "alphabet size k", "k")
    own_axis("volts", "voltage U [V]", "U", linear=True)
    assert AXES["letters"] == "alphabet size k"
    assert Slope("risk {rate}", 1).said("letters") == "risk ∝ k"
    assert Slope("current {rate}", 2).said("volts") == "current ∝ e^(2U)"
    own_axis("letters", "alphabet size k", "k")  # by another theorem, with the same meaning


@pytest.mark.usefixtures("own_axes")
@pytest.mark.parametrize("name", ["n_pairs", "letters"])
def test_an_axis_with_two_meanings_is_refused(name):
    own_axis("letters", "alphabet size k", "k")
    with pytest.raises(
        ValueError, match=f"already; allowed: axis='{name}' as it is, or another name"
    ):
        own_axis(name, "alphabet size k", "k", linear=True)
