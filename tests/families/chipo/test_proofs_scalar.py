"""Proofs of P2's scalar steps: the ratios against their definitions, and what is refuted."""

import math

import numpy as np
import pytest
from mpmath import iv

from repro.families.chipo import proofs_scalar
from repro.study.proofs import decided


def value(name, at, *point):
    claimed = getattr(proofs_scalar, name).run(at)
    return float(claimed.ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("bound", [0.001, 0.1, 1.0, 4.0, 8.0])
def test_it_is_proved_at_every_bound(bound):
    assert 1 - 1e-9 <= decided(proofs_scalar.inverse_slope.run(bound)) <= 1 + 1e-9


@pytest.mark.parametrize("bound", [0.001, 1.0, 8.0])
def test_a_smaller_constant_has_a_counterexample(bound):
    assert decided(proofs_scalar.inverse_slope_ten_percent.run(bound)) > 1.1


@pytest.mark.parametrize(("x", "y"), [(1.9, -0.4), (0.3, 0.3001), (2.0, 1.0)])
def test_the_slope_between_two_differences(x, y):
    ratio = abs(x - y) / abs(np.tanh(x / 2) - np.tanh(y / 2)) / (math.cosh(1.0) / math.tanh(0.5))
    assert value("inverse_slope", 1.0, x, y) == pytest.approx(ratio)
