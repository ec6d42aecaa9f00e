"""P2's square χPO, with and without an adversary, and what happens when it is broken."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from repro.core.worlds import field_values
from repro.labels.corruption.huber_reports import HuberReports, idle_adversary
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.p2.chipo.falling import FallingPreferences, every_table
from theorems.square_chipo import assumes


@dataclass(frozen=True)
class ChipoWorld:
    """As far as its assumption is asked."""

    corruption: float

    def interior(self):
        return True, "interior"


def test_every_world_of_drawn_labels_can_be_ablated(swept_of):
    stages = {"labels", "channel", "estimate", "order", "adversary"}
    for name, swept in swept_of().items():
        assert stages <= set(field_values(swept.measured[0])), name


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_the_assumption_is_asked_at_both_ends_of_a_sweep(broken):
    """Too much corruption at the first, a middle or the last world; the middle is not asked."""
    worlds = [ChipoWorld(0.6 if place == broken else 0.1) for place in range(3)]
    check = SimpleNamespace(right=lambda world: world, quantity="another")
    sweep = SimpleNamespace(worlds=worlds, grid=(1.0, 2.0, 3.0))
    asked = list(assumes(SimpleNamespace(check=check, sweep=sweep)))
    corruption = {name: holds for name, holds, _ in asked if name.endswith("α < 1/2")}
    assert corruption == {"at 1: α < 1/2": broken != 0, "at 3: α < 1/2": broken != 2}
    assert [holds for name, holds, _ in asked if name not in corruption] == [True, True]


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
