"""Random and listed cases: every algorithm reads the same ones."""

from dataclasses import dataclass

import numpy as np
import pytest

from repro.core.random_cases import listed, searched


@dataclass(frozen=True)
class Shift:
    """Numbers above ``at``."""

    at: float


def same(number):
    """The case."""
    return number


def doubled(number):
    """Twice the case."""
    return 2 * number


def test_a_search_shows_every_algorithm_the_same_cases():
    quantity = searched("q", lambda world, rng: world.at + rng.uniform())
    worlds = [Shift(3.0)]
    found = quantity.values(worlds, [same, doubled], [np.random.default_rng(0)], 4, worlds)
    expected = 3 + np.random.default_rng(0).uniform(size=4)
    assert found[0, 0] == pytest.approx(expected)
    assert found[0, 1] == pytest.approx(2 * expected)
    assert quantity.evidence == "searched"


@pytest.mark.parametrize(("errors", "tested"), [([0.0, 1.0], True), ([0.0, 0.0], False)])
def test_a_bound_is_tested_where_some_case_has_an_error(errors, tested):
    left = iter(errors)
    quantity = searched("q", lambda world, rng: next(left), of_error=True)
    worlds = [Shift(0.0)]
    found = quantity.values(worlds, [same], [np.random.default_rng(0)], 2, worlds)
    assert np.array_equal(found[0, 0], errors if tested else [np.nan] * 2, equal_nan=True)


def test_of_a_list_the_largest_is_kept():
    quantity = listed("q", lambda world: [world.at, world.at + 1])
    worlds = [Shift(3.0), Shift(5.0)]
    rngs = [np.random.default_rng(0)] * 2
    found = quantity.values(worlds, [same, doubled], rngs, 2, worlds)
    assert found.tolist() == [[[4, 4], [8, 8]], [[6, 6], [12, 12]]]
    assert quantity.evidence == "computed"
