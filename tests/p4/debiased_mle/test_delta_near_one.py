"""P4 Theorem 5.7 near δ = 1: without the 1 of Claim E.3 the printed bound ends below any error."""

from __future__ import annotations

import math

import pytest
import torch

from repro.p4.debiased_mle.logistic import debiased_logistic

LABELS, RADIUS, TRUTH = 6, 1.0, 0.5
"""n, B′ and the margin of the one pair, x of norm 1; no corruption, no privacy; ξ = 1, d = 2."""
SLOPE = 1 / (2 + 2 * math.cosh(RADIUS))


@pytest.fixture(scope="module")
def errors() -> torch.Tensor:
    """Of each of the seven datasets: 0 to 6 wins."""
    wins = torch.arange(LABELS + 1, dtype=torch.float64)[:, None] / LABELS
    x = torch.ones(1, 1, dtype=torch.float64)
    return abs(debiased_logistic(x, torch.ones_like(wins), wins, RADIUS) - TRUTH)


def bound(delta: float, one: float) -> float:
    """√((one + ln(1/δ))/n)/(γξ), constant 1."""
    return math.sqrt((one - math.log(delta)) / LABELS) / SLOPE


def test_no_constant_is_enough_for_every_delta(errors):
    near = [1 - 10.0**-power for power in (6, 8, 10)]
    assert all(8 * math.log(2 / delta) <= LABELS for delta in near)
    constants = [errors.min().item() / bound(delta, 0.0) for delta in near]
    assert constants == pytest.approx([93.2, 932, 9320], rel=0.01)


def test_with_the_one_or_at_most_one_half_every_error_is_below(errors):
    for delta, one in ((1 - 1e-10, 1.0), (0.5, 0.0)):
        assert errors.max().item() < bound(delta, one)
