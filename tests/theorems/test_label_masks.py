"""P4's masks of labels, and what happens when its implementation is broken."""

import math

from repro.labels.corruption import random_flips
from repro.labels.corruption.orders import Order


def test_bad_input_is_one_line(refused):
    refused("greater than or equal to 0", "theorem.worlds.ctl.corruption=-1")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_corruption_behind_privacy_turns_the_verdict(turned):
    def wrong(right, order, *rates):
        return right(Order.LTC, *rates)

    found = turned("ctl_rate", random_flips, "_mask_rate", wrong)
    assert found == ("supported", "contradicted")


def test_a_control_that_forgets_privacy_or_the_order_is_left_out_at_infinity(swept_of):
    """Both orders are one there, and c(ε) = 1."""
    algorithms = swept_of(epsilon=math.inf)["below_half"].algorithms
    assert [one.__name__ for one in algorithms] == ["ctl"]
