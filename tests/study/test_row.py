"""Rows: claims whose words are built from the number, and what is refused when one is written."""

import pytest
from repro.study.row import Evidence, Measure, Method, Row, method, per_method, privacy_mistake

from repro.base.errors import BadInput
from repro.base.notation import AXES, SYMBOLS
from repro.study.claims import Frequency, Inequality, Ratio, Slope


def right(case):
    return case


MEASURE = Measure("gap", per_method(lambda case, m, rng, replicates: 1.0), Evidence.EXACT)


def row(**fields):
    given = {"name": "n", "over": "n_pairs", "claim": Slope(-1, "gap {rate}"), "measure": MEASURE,
             "method": method(right)}  # fmt: skip
    return Row(**(given | fields))


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


def test_an_unknown_axis_is_refused_with_the_nearest_name():
    with pytest.raises(BadInput, match=r"^n.over=n_pair: did you mean n_pairs\? allowed: n_pairs"):
        row(over="n_pair")


@pytest.mark.parametrize("expected", ["contradicted", "inconclusive", "assumption_failed"])
def test_a_pinned_verdict_has_a_reason(expected):
    with pytest.raises(ValueError, match="needs its reason"):
        row(expected=expected)
    assert row(expected=expected, why="a slip").why == "a slip"


def test_methods_have_the_name_of_their_function():
    assert method(right) == Method("right", right)
    assert privacy_mistake(right) == Method("right", right, privacy_mistake=True)


def test_a_measure_takes_grid_points_one_by_one_or_together():
    calls = []
    one = Measure(
        "q", lambda case, rng, replicates: calls.append((case, rng)) or {}, Evidence.EXACT
    )
    assert one.at(["a", "b"], [1, 2], 3) == [{}, {}]
    assert calls == [("a", 1), ("b", 2)]
    together = Measure("q", one.of, Evidence.EXACT, lambda cases, rngs, replicates: [cases, rngs])
    assert together.at(["a"], [1], 3) == [["a"], [1]]
