"""Constants of Lemmas C.2 and C.7 against direct evaluation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from repro.families.chipo.bounds_scalar import (
    inverse_slope,
    largest_on_square,
    largest_over_sum,
)


def test_the_stable_form_equals_the_plain_quotient():
    x, y = np.array([0.3, -2.0, 4.0]), np.array([1.0, 1.5, -3.0])
    assert inverse_slope(x, y) == pytest.approx(np.abs(x - y) / np.abs(expit(x) - expit(y)))


def test_the_mean_value_constant_is_reached_at_the_corner():
    assert largest_on_square(2.0) == pytest.approx(math.exp(2) + 2 + math.exp(-2), rel=1e-12)


def test_lemma_c7_has_room_and_its_best_constant_is_where_reported():
    assert largest_over_sum(1.0) / math.exp(2) == pytest.approx(0.5857, abs=1e-4)
    assert largest_over_sum(1.0) / math.e == pytest.approx(1.5921, abs=1e-4)
    assert largest_over_sum(8.0) / math.exp(16) < 0.001
