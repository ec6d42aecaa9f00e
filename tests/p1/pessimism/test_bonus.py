"""The bonus of eq. (10): by hand, and how it scales."""

from __future__ import annotations

import math

import pytest
import torch

from repro.p1.pessimism.bonus import bonus, squared_bonus

D2 = torch.tensor([[4.0, 1.0], [0.0, 9.0]], dtype=torch.float64)
BY_HAND = {
    "reward_bound": math.log(2),  # e^B = 2
    "epsilon": math.log(3),  # 1/(2α−1) = 2
    "log_covering": 3.0,
    "n_pairs": 10,
    "failure_prob": math.exp(-2),  # log(N/δ) = 3 + 2
    "net_radius": 0.25,  # 5/10 + 1/4 = 3/4
    "scale": 0.5,
}
"""Γ² = D²·½·2·4·¾ = 3·D²."""


def exponent(low: dict, high: dict, ratio: float) -> float:
    """Slope of log Γ between two settings whose argument grows by ``ratio``."""
    values = [bonus(D2[:1], **{**BY_HAND, "net_radius": 1e-30, **s}) for s in (low, high)]
    slopes = torch.log(values[1] / values[0]) / math.log(ratio)
    assert float(slopes.max() - slopes.min()) < 1e-12
    return float(slopes[0, 0])


def test_by_hand():
    torch.testing.assert_close(squared_bonus(D2, **BY_HAND), 3 * D2)
    torch.testing.assert_close(bonus(D2, **BY_HAND), torch.sqrt(3 * D2))


def test_without_privacy_the_cost_is_one():
    clean = squared_bonus(D2, **{**BY_HAND, "epsilon": math.inf})
    torch.testing.assert_close(clean, 3 / 4 * D2)


def test_falls_like_the_root_of_n():
    assert exponent({"n_pairs": 10**4}, {"n_pairs": 10**8}, 1e4) == pytest.approx(-0.5)


def test_small_budgets_cost_one_over_epsilon():
    """2α − 1 = tanh(ε/2), nearly ε/2."""
    slope = exponent({"epsilon": 1e-4}, {"epsilon": 1e-3}, 10)
    assert slope == pytest.approx(-1, abs=1e-6)


def test_grows_like_the_privacy_cost():
    """(e^ε+1)/(e^ε−1) is 3 at ε = log 2 and 2 at ε = log 3."""
    slope = exponent({"epsilon": math.log(3)}, {"epsilon": math.log(2)}, 1.5)
    assert slope == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "factor"),
    [
        pytest.param({"reward_bound": math.log(8)}, 2.0, id="e^B four times"),
        pytest.param({"scale": 4.5}, 3.0, id="c nine times"),
        pytest.param({"log_covering": 18.0}, 2.0, id="log(N/δ) four times"),
        pytest.param({"failure_prob": math.exp(-17)}, 2.0, id="δ to log 1/δ = 17"),
    ],
)
def test_scales_with_the_root(change, factor):
    base = {**BY_HAND, "net_radius": 1e-30}
    torch.testing.assert_close(bonus(D2, **(base | change)), factor * bonus(D2, **base))


def test_net_radius_is_a_floor():
    """With n to infinity, Γ² stays at D²·c·e^B/(2α−1)²·τ."""
    late = squared_bonus(D2, **{**BY_HAND, "n_pairs": 10**15})
    torch.testing.assert_close(late, D2, rtol=1e-12, atol=1e-12)
