"""P2's scalar lemmas, and what happens when its implementation is broken."""

from repro.families.chipo import bounds_scalar


def test_a_doubled_slope_turns_the_verdict(turned):
    def wrong(right, x, y):
        return 2 * right(x, y)

    found = turned("mean_value", bounds_scalar, "inverse_slope", wrong)
    assert found == ("supported", "contradicted")
