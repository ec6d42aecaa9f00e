"""P2's fast rate online, with and without an adversary, and what happens when it is broken."""

import math

import numpy as np
import pytest

from repro.labels.corruption.orders import Order
from repro.p1.pokl import run
from theorems.fast_rate_online import minimax_gap


def test_what_an_adversary_does_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"corrupted_ctl", "corrupted_ltc"}


def test_the_adversary_of_a_corrupted_row_comes_where_the_row_says(swept_of):
    checks = swept_of("theorem.worlds.ctl.corruption=0.01")
    before, after = (checks[name].measured[0] for name in ("corrupted_ctl", "corrupted_ltc"))
    assert (before.corruption, after.corruption) == (0.01, 0.005)
    assert (before.order, after.order) == ("CTL", "LTC")
    assert checks["horizon"].measured[0].corruption == 0
    swept = checks["floor_cost_ltc"]
    assert swept.algorithms[1](swept.measured[0]).order == "CTL"


def test_corruption_before_privacy_turns_the_verdict(turned):
    def wrong(right, *setting):
        return right(*setting[:-1], Order.CTL)

    found = turned("floor_cost_ltc", run, "released_mean", wrong)
    assert found == ("supported", "contradicted")


def test_minimax_gap_is_the_best_any_policy_can_do():
    corruption, gap, weight = 0.05, 0.5, 0.5
    mean = (1 - corruption) * math.tanh(gap / 2) - corruption
    targets = [1 / (1 + math.exp(-x / weight)) for x in (gap, 2 * math.atanh(mean))]

    def worst(p):
        return max(
            weight * (p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))) for q in targets
        )

    brute = min(worst(p) for p in np.linspace(0.3, 0.9, 20_001))
    assert minimax_gap(corruption, gap, weight) == pytest.approx(brute, rel=1e-3)


def test_minimax_gap_grows_like_the_square_and_vanishes_without_corruption():
    assert minimax_gap(0.0, 0.5, 0.5) == 0.0
    assert minimax_gap(0.01, 0.5, 0.5) / minimax_gap(0.001, 0.5, 0.5) == pytest.approx(
        100, rel=0.05
    )
