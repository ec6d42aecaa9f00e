"""P4's reduction of RLHF to estimation, and what happens when its implementation is broken."""

from dataclasses import replace

from repro.families.robust import bounds_rlhf


def test_bad_input_is_one_line(refused):
    refused("less than 0.5", "theorem.corruption=2")


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_the_worst_policy_turns_the_verdict(turned):
    def wrong(right, believed, *args):
        return right(replace(believed, centre=-believed.centre), *args)

    found = turned("pessimistic", bounds_rlhf, "pessimistic_policy", wrong)
    assert found == ("supported", "contradicted")
