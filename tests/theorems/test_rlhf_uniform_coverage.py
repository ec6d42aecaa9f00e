"""P4's RLHF under uniform coverage, and what happens when its implementation is broken."""

import math
from dataclasses import replace

import pytest
from scipy.stats import binom

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


def test_that_no_state_of_two_is_wrong_is_worked_out_by_hand(swept_of):
    """29 labels: 8·ln(6)·2 = 28.7.  A tie counts as right, and a state without a label too."""
    two = replace(swept_of()["delta_near_one"].sweep.worlds[0], num_states=2)
    win = 1 / (1 + math.exp(-1 / math.sqrt(2)))
    right = [sum(binom.pmf(w, k, win) for w in range(k + 1) if 2 * w >= k) for k in range(30)]
    both = sum(binom.pmf(k, 29, 0.5) * right[k] * right[29 - k] for k in range(30))
    assert two.n_pairs == 29
    assert two.all_right == pytest.approx(both, rel=1e-9)
