"""P2's square XPO, and what happens when its implementation is broken."""

from repro.corruption.orders import Order
from repro.families.xpo import quantities


def test_the_printed_sign_and_small_rewards_are_pinned_as_contradicted(contradicted_rows):
    small = {"small_rewards_printed", "small_rewards_growth"}
    assert contradicted_rows == {"printed_sign", *small}


def test_bad_numbers_are_one_line(refused):
    refused("ladder", "theorem.probes.horizon.ladder.high=2")


def test_corruption_first_turns_the_verdict(turned):
    def wrong(right, *setting):
        return right(*setting[:-1], Order.CTL)

    found = turned("floor_cost_ltc", quantities, "released_mean", wrong)
    assert found == ("supported", "contradicted")
