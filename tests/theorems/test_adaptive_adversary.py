"""The adversary who sees past labels, and what happens when it or its reports are broken."""

import pytest

from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from theorems.adaptive_adversary import ReportsOfOnePair, idle_adversary, sees_nothing


@pytest.mark.parametrize("stages", [
    {"labels": fair_coins}, {"estimate": the_truth}, {"channel": no_randomizer},
    {"adversary": idle_adversary}, {"adversary": sees_nothing},
])  # fmt: skip
@pytest.mark.parametrize("row", ["law_ctl", "law_ltc"])
def test_what_a_row_needs_is_noticed(taken_away, row, stages):
    before, after = taken_away(row, **stages)
    assert before == "supported" != after


def test_reports_of_another_mean_turn_the_bound(turned):
    def wrong(right, self, bad):
        return right(self, bad) + 0.2

    assert turned("bound_ltc", ReportsOfOnePair, "report_mean", wrong) == (
        "supported",
        "contradicted",
    )


def test_more_labels_than_can_be_solved_are_refused(refused):
    refused("allowed: less than or equal to 4000", "n_pairs=1e9")
