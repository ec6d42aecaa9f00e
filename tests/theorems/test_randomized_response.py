"""Privacy of randomized response, and what happens when it is broken."""

import math

import numpy as np
import pytest

import repro
from repro.labels.preferences import label_law
from theorems.randomized_response import NestedReports, nested


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "supported"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_a_ladder_of_reports_has_the_right_margins():
    joint = nested(NestedReports(epsilon=0.6, horizon=3)).reshape(2, 2, 2, 2)
    for axis, budget in enumerate((0.6, 0.4, 0.2)):
        rest = tuple(a for a in (1, 2, 3) if a != axis + 1)
        margin = joint.sum(axis=rest)
        assert np.log(margin[0, 0] / margin[1, 0]) == pytest.approx(budget)


def test_the_budget_can_be_given_at_top_level(refused, by_name):
    few = ["compute.workers=1", "budget.replicates=40", "budget.blocks=5"]
    run = repro.run("randomized_response", epsilon=1.5, budget="smoke", overrides=few)
    assert by_name(run)["audit"].outcome.numbers["claimed_epsilon"] == 1.5
    assert run.result.as_expected
    refused("^epsilon=inf: too large; allowed: 1e-6 to 100 .check audit.$", epsilon=math.inf)


def test_a_coin_that_flips_too_rarely_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.9 * right(epsilon)

    found = turned("exact_epsilon", label_law, "flip_prob", wrong)
    assert found == ("supported", "contradicted")
