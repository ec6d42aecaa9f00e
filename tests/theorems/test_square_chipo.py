"""P2's square χPO, with and without an adversary, and what happens when it is broken."""

from dataclasses import replace

import pytest

from repro.core.worlds import field_values
from repro.labels.corruption.huber_reports import HuberReports, idle_adversary
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.p2.chipo.falling import FallingPreferences, every_table


def test_every_world_of_drawn_labels_can_be_ablated(swept_of):
    stages = {"labels", "channel", "estimate", "order", "adversary"}
    for name, swept in swept_of().items():
        assert stages <= set(field_values(swept.measured[0])), name


NEEDS = [
    ("n_pairs", {"labels": fair_coins}),
    ("n_pairs", {"estimate": the_truth}),
    ("privacy_cost_ctl", {"channel": no_randomizer}),
    ("privacy_cost_ltc_adaptive", {"adversary": idle_adversary}),
    ("nonparametric", {"labels": fair_coins}),
    ("nonparametric_bound", {"labels": fair_coins}),
    ("nonparametric_bound", {"estimate": the_truth}),
    ("nonparametric_every_algorithm", {"estimate": the_truth}),
    ("nonparametric_every_algorithm", {"labels": fair_coins}),
]


@pytest.mark.parametrize(("row", "stages"), NEEDS)
def test_what_a_row_needs_is_noticed(taken_away, row, stages):
    before, after = taken_away(row, **stages)
    assert before == "supported" != after


def test_a_class_of_all_tables_turns_the_verdict(turned):
    def wrong(right, self, truth, rng):
        return right(replace(self, fit=every_table), truth, rng)

    found = turned("nonparametric", FallingPreferences, "fitted", wrong)
    assert found == ("supported", "contradicted")


def test_corruption_behind_privacy_turns_the_verdict(turned):
    def wrong(right, self, truth):
        return right(replace(self, order=Order.LTC), truth)

    found = turned("privacy_cost_ctl", HuberReports, "mean", wrong)
    assert found == ("supported", "contradicted")
