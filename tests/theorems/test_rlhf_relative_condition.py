"""P4's RLHF under a relative condition number, and what happens when it is broken."""

from repro.labels.corruption.orders import Order
from repro.p4.adversaries import adversary as adversaries


def test_bad_input_is_one_line(refused):
    refused("less than 0.5", "theorem.worlds.ltc.corruption=0.5")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_corruption_behind_privacy_turns_the_verdict(turned):
    def wrong(right, order, *stages):
        return right(Order.LTC, *stages)

    found = turned("ctl_cost", adversaries, "channel", wrong)
    assert found == ("supported", "contradicted")
