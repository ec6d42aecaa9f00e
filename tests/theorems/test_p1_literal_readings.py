"""P1's literal readings end to end, and what happens when its implementation is broken."""

import pytest

from repro.labels.preferences.label_process import LabelProcess
from theorems.p1_literal_readings import THEOREM


def test_how_far_the_printed_forms_fail(smoke, by_name):
    found = by_name(smoke)
    assert found["distance_printed"].outcome.numbers["max_ratio"] == pytest.approx(1e12)
    assert found["population_printed"].outcome.numbers["max_ratio"] > 1e3
    assert found["distance"].outcome.numbers["max_ratio"] > 0.999


def test_proof_steps_speak_for_no_theorem_they_do_not_refute():
    of = {check.name: tuple(check.settles) for check in THEOREM.checks}
    assert of["population_printed"] == ("p1.eq_20",)
    assert of["distance_printed"] == ("p1.def_3_2",)
    assert of["failure_probability"] == ("p1.lem_b_1", "p1.thm_4_2")


def test_a_label_more_often_wrong_turns_the_verdict(turned):
    def wrong(right, self, difference, epsilon):
        return right(self, -difference, epsilon)

    found = turned("failure_probability", LabelProcess, "win_prob", wrong)
    assert found == ("supported", "contradicted")
