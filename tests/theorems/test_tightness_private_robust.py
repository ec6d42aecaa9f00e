"""Lower bounds behind P2's and P4's claims of tightness, end to end."""

import pytest

import repro
import theorems.tightness_private_robust as experiment
from repro.families.robust.bounds_two_point import two_point_bound


@pytest.fixture(scope="module")
def smoke():
    return repro.run("tightness_private_robust", budget="smoke", overrides=["compute.workers=1"])


def test_every_row_is_supported_and_every_control_is_caught(smoke):
    assert smoke.result.as_expected
    for item in smoke.result.checks:
        assert item.outcome.verdict == "supported", item.check.name
        assert item.caught, item.check.name


def test_an_adversary_at_the_wrong_place_turns_the_verdict(monkeypatch):
    def always_first(n_pairs, epsilon, corruption, order):
        return two_point_bound(n_pairs, epsilon, corruption, "ctl")

    monkeypatch.setattr(experiment, "two_point_bound", always_first)
    done = repro.run(
        "tightness_private_robust", budget="smoke", only=["privacy_cost_ltc"],
        overrides=["compute.workers=1", "budget.replicates=20", "budget.blocks=5"],
    )  # fmt: skip
    assert done.result.checks[0].outcome.verdict == "contradicted"
