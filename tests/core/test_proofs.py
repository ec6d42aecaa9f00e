"""Proofs by intervals: what is proved, what is refuted, and what stays undecided."""

import math

import numpy as np
import pytest
from mpmath import iv

from repro.core.proofs import Claimed, decided, proof_of

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


def test_a_proof_is_of_what_an_algorithm_claims_of_a_world():
    def halves(world):
        return Claimed(BOX, lambda x: x / iv.mpf(world))

    assert proof_of(4.0, halves, np.random.default_rng(0), 1) == 0.5
    assert proof_of(1.0, halves, np.random.default_rng(0), 1) > 1
