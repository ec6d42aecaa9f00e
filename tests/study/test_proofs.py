"""Proofs by intervals: what is proved, what is refuted, and what stays undecided."""

import math

import numpy as np
import pytest
from mpmath import iv
from repro.study.case import PointCase
from repro.study.row import Evidence, Method

from repro.study.proofs import Claimed, decided, proved

BOX = ((0.0, 2.0),)


def test_a_bound_that_is_attained_at_a_corner_is_proved():
    found = decided(Claimed(BOX, lambda x: iv.exp(x) / iv.exp(iv.mpf(2))))
    assert 1 - 1e-12 <= found <= 1 + 1e-9


def test_the_bound_of_a_proved_box_is_above_every_value():
    ratio = lambda x, y: (x * (2 - x) + y) / 3  # noqa: E731
    found = decided(Claimed((*BOX, (0.0, 1.0)), ratio))
    assert found >= max(ratio(x, y) for x in np.linspace(0, 2, 50) for y in (0, 0.5, 1))
    assert found <= 1 + 1e-9


@pytest.mark.parametrize("peak", [0.31, 1.999])
def test_a_point_above_one_refutes(peak):
    """Only a hundredth of the box is above 1."""
    found = decided(Claimed(BOX, lambda x: 1.1 - abs(x - iv.mpf(peak)) * 10))
    assert 1 < found <= 1.1


def test_a_maximum_of_one_inside_may_stay_undecided():
    """Two occurrences of x: no piece around the maximum is tight enough, and no point is above."""
    assert math.isnan(decided(Claimed(BOX, lambda x: x * (2 - x)), most_pieces=50))


def test_a_box_with_a_pole_is_no_proof():
    """The enclosure of −1/x around 0 has no upper end, and no point is above 1 by name."""
    assert math.isnan(decided(Claimed(((-1e-3, 2e-3),), lambda x: abs(x) / x / 2 + 0.4), 5))


def test_a_row_asks_each_method_at_its_value():
    claims = Method("halves", lambda value: Claimed(BOX, lambda x: x / iv.mpf(value)))
    case = PointCase(methods=(claims,), value=4.0)
    measure = proved("x / value")
    assert measure.evidence is Evidence.PROVED
    assert measure.of(case, np.random.default_rng(0), 1) == {"halves": 0.5}
