"""P1's decomposition of the objective, and what happens when its implementation is broken."""

from repro.families.offline_kl import quantities_objective


def test_an_error_in_units_of_reward_turns_the_verdict(turned):
    def wrong(right, best, error, prob, weight):
        return right(best, error * weight[:, None, None], prob, weight)

    found = turned("pessimistic_gap", quantities_objective, "gibbs_suboptimality", wrong)
    assert found == ("supported", "contradicted")
