"""P2's Lemmas C.4 and C.5 end to end, and what happens when its implementation is broken."""

from theorems import p2_optimism_lemmas
from theorems.p2_optimism_lemmas import TwoPolicies


def test_how_far_the_printed_forms_fail(smoke, by_name):
    assert by_name(smoke)["likelihood_printed"].outcome.numbers["value"] == 1.0
    assert by_name(smoke)["optimism_printed"].outcome.numbers["max_ratio"] > 8
    assert by_name(smoke)["optimism_corrected"].outcome.numbers["max_ratio"] < 0.6


def test_a_likelihood_of_losing_turns_the_verdict(turned):
    def wrong(right, self, difference):
        return 1 - right(self, difference)

    found = turned(
        "likelihood_corrected", TwoPolicies, "win_prob", wrong, replicates=400, blocks=20
    )
    assert found == ("supported", "contradicted")


def test_a_learner_that_is_never_optimistic_turns_the_floor(turned):
    def wrong(right, world, played, rng, replicates):
        return right(world, [(learner, -one) for learner, one in played], rng, replicates)

    found = turned("value_floor", p2_optimism_lemmas, "gaps_of", wrong)
    assert found == ("supported", "contradicted")
