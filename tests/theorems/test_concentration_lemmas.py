"""P4's concentration lemmas."""

from repro.families.robust import bounds_concentration


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_mechanisms_that_are_not_private_turns_the_verdict(turned):
    def wrong(right, *mechanism):
        return True

    found = turned("contraction", bounds_concentration, "_is_private", wrong)
    assert found == ("supported", "contradicted")
