"""P2's private XPO, and what happens when its implementation is broken."""

from dataclasses import replace

from repro.p2.xpo import worst_reward


def test_only_small_rewards_are_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"small_rewards_printed", "small_rewards_growth"}


def test_the_corrected_bound_holds_and_the_printed_one_does_not_if_gaps_are_smaller(turned):
    def wrong(right, *setting, **more):
        return 1e-5 * right(*setting, **more)

    found = turned("small_rewards_slack", worst_reward, "average_gap", wrong)
    assert found == ("supported", "contradicted")


def test_bad_numbers_are_one_line(refused):
    refused("n_pairs", n_pairs=100)


def test_labels_turned_round_turn_the_verdict(turned):
    def wrong(right, *setting):
        mean = right(*setting)
        return replace(mean, scale=-mean.scale, offset=-mean.offset, shift=-mean.shift)

    found = turned("small_rewards", worst_reward, "released_mean", wrong)
    assert found == ("supported", "contradicted")
