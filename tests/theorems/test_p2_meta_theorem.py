"""P2's meta theorem and its tuning end to end."""

import pytest

import repro


@pytest.fixture(scope="module")
def smoke():
    return repro.run("p2_meta_theorem", budget="smoke", overrides=["compute.workers=1"])


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke):
    assert smoke.result.as_expected
    assert all(item.caught for item in smoke.result.checks)


def test_what_each_control_does(smoke):
    found = {item.check.name: item for item in smoke.result.checks}
    assert found["update_weight"].outcome.numbers["max_ratio"] < 0.51
    assert found["update_weight_printed"].outcome.numbers["max_ratio"] > 100
    assert found["guarantee"].outcome.numbers["slope"] < 0.02
