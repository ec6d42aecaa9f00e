"""P1's literal readings end to end."""

import pytest

import repro
from theorems.p1_literal_readings import P1LiteralReadings


@pytest.fixture(scope="module")
def smoke():
    return repro.run("p1_literal_readings", budget="smoke", overrides=["compute.workers=1"])


def by_name(run):
    return {item.check.name: item for item in run.result.checks}


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke):
    assert smoke.result.as_expected
    assert all(item.caught for item in smoke.result.checks)


def test_how_far_the_printed_forms_fail(smoke):
    found = by_name(smoke)
    assert found["distance_printed"].outcome.numbers["max_ratio"] == pytest.approx(1e12)
    assert found["population_printed"].outcome.numbers["max_ratio"] > 1e3
    assert found["distance"].outcome.numbers["max_ratio"] > 0.999


def test_proof_steps_speak_for_no_theorem_they_do_not_refute(smoke):
    of = {
        item.check.name: P1LiteralReadings.statements_of(item.check.name)
        for item in smoke.result.checks
    }
    assert of["population_printed"] == ("p1.eq_20",)
    assert of["distance_printed"] == ("p1.def_3_2",)
    assert of["failure_probability"] == ("p1.lem_b_1", "p1.thm_4_2")
