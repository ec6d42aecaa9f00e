"""Lower bounds behind P2's and P4's claims of tightness, end to end."""

from dataclasses import replace

import pytest

import repro
from repro.corruption.huber_reports import HuberReports
from repro.corruption.orders import Order
from repro.families.robust.bounds_two_point import two_point_bound


@pytest.fixture(scope="module")
def smoke():
    return repro.run("tightness_private_robust", budget="smoke", overrides=["compute.workers=1"])


def test_every_row_is_supported_and_every_control_is_caught(smoke):
    assert smoke.result.as_expected
    for item in smoke.result.checks:
        assert item.outcome.verdict == "supported", item.check.name
        assert item.caught, item.check.name


def few(row):
    done = repro.run(
        "tightness_private_robust", budget="smoke", only=[row],
        overrides=["compute.workers=1", "budget.replicates=20", "budget.blocks=5"],
    )  # fmt: skip
    return done.result.checks[0].outcome.verdict


def test_an_adversary_at_the_wrong_place_turns_the_verdicts(monkeypatch):
    right = HuberReports.mean
    monkeypatch.setattr(
        HuberReports, "mean", lambda self, truth: right(replace(self, order=Order.CTL), truth)
    )
    two_point_bound.cache_clear()
    assert few("privacy_cost_ltc") == few("attained_ltc") == "contradicted"


def test_the_debiased_mean_does_not_beat_the_bound_and_is_near_it(smoke):
    """Without corruption, at every n."""
    found = {item.check.name: item.outcome.series.means for item in smoke.result.checks}
    assert (found["n_pairs"] < found["attained_n_pairs"]).all()
    assert (found["attained_n_pairs"] < 4 * found["n_pairs"]).all()
