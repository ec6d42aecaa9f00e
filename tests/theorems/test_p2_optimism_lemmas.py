"""P2's Lemmas C.4 and C.5 end to end."""

import pytest

import repro


@pytest.fixture(scope="module")
def smoke():
    return repro.run("p2_optimism_lemmas", budget="smoke", overrides=["compute.workers=1"])


def by_name(run):
    return {item.check.name: item for item in run.result.checks}


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke):
    assert smoke.result.as_expected
    assert all(item.caught for item in smoke.result.checks)


def test_how_far_the_printed_forms_fail(smoke):
    assert by_name(smoke)["likelihood_printed"].outcome.numbers["value"] == 1.0
    assert by_name(smoke)["optimism_printed"].outcome.numbers["max_ratio"] > 10
    assert by_name(smoke)["optimism_corrected"].outcome.numbers["max_ratio"] < 0.6
