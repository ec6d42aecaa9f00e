"""P2's private XPO, and what happens when its implementation is broken."""

from dataclasses import replace

from repro.families.xpo import quantities


def test_only_small_rewards_are_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"small_rewards_printed"}


def test_bad_numbers_are_one_line(refused):
    refused("n_pairs", n_pairs=100)


def test_labels_turned_round_turn_the_verdict(turned):
    def wrong(right, *setting):
        mean = right(*setting)
        return replace(mean, scale=-mean.scale, offset=-mean.offset, shift=-mean.shift)

    found = turned("num_actions", quantities, "released_mean", wrong)
    assert found == ("supported", "contradicted")
