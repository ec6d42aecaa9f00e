"""P2's uniform convergence of the square loss, and what happens when it is broken."""

from dataclasses import replace

import pytest

from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer

NEEDS = [
    ("prefactor_ltc", {"order": Order.CTL}),
    ("n_pairs", {"channel": no_randomizer}),
    ("privacy_cost_ctl", {"labels": fair_coins}),
]


@pytest.mark.parametrize(("row", "stages"), NEEDS)
def test_what_a_row_needs_is_noticed(taken_away, row, stages):
    before, after = taken_away(row, **stages)
    assert before == "supported" != after


def test_corruption_before_privacy_turns_the_verdict(turned):
    def wrong(right, self, truth):
        return right(replace(self, order=Order.CTL), truth)

    found = turned("prefactor_ltc", HuberReports, "mean", wrong)
    assert found == ("supported", "contradicted")
