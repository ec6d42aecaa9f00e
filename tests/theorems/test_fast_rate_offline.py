"""P2's fast rate offline, with and without an adversary, and what happens when it is broken."""

from dataclasses import replace

import numpy as np
import pytest

from repro.core.worlds import field_values
from repro.labels.corruption.huber_reports import HuberReports, idle_adversary
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, the_truth


def test_text_pairs_replace_the_linear_world(swept_of):
    swept, *_ = swept_of(instance="preference_text").values()
    found = swept.at(0, np.random.default_rng(0), 2)
    assert np.isfinite(found[swept.check.right.__name__]).all()


def test_every_world_of_drawn_labels_can_be_ablated(swept_of):
    for name, swept in swept_of().items():
        assert {"labels", "channel", "estimate"} <= set(field_values(swept.measured[0])), name


@pytest.mark.parametrize("world", ["ctl", "ltc"])
def test_without_corruption_there_is_no_floor_to_measure(refused, world):
    key = f"theorem.worlds.{world}.corruption"
    refused(f"{key}=0: allowed: greater than 0", f"{key}=0")


NEEDS = [
    ("horizon", {"labels": fair_coins}),
    ("horizon_linear", {"estimate": the_truth}),
    ("floor_horizon_ltc", {"adversary": idle_adversary}),
    ("floor_privacy_cost_ctl", {"labels": fair_coins}),
    ("floor_kl_weight", {"adversary": idle_adversary}),
    ("kl_weight", {"labels": fair_coins}),
]


@pytest.mark.parametrize(("row", "stages"), NEEDS)
def test_what_a_row_needs_is_noticed(taken_away, row, stages):
    before, after = taken_away(row, **stages)
    assert before == "supported" != after


def test_corruption_behind_privacy_turns_the_verdict(turned):
    def wrong(right, self, truth):
        return right(replace(self, order=Order.LTC), truth)

    found = turned("floor_privacy_cost_ctl", HuberReports, "mean", wrong)
    assert found == ("supported", "contradicted")
