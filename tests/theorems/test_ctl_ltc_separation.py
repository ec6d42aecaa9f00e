"""P4's separation of corruption before and after privacy, and what happens when it is broken."""

import pytest

from repro.labels.corruption.orders import Order
from repro.p4.adversaries import adversary as adversaries


def test_text_instance_has_its_own_rows(swept_of):
    names = set(swept_of(instance="preference_text"))
    assert names
    assert not names & {"ratio", "ltc_floor", "ridge"}


def test_the_six_wrong_implementations_are_controls(swept_of):
    assert {one.__name__ for one in swept_of()["ratio_value"].check.wrong} == {
        "no_debias", "shift_without_scale", "cost_squared", "orders_swapped", "random_flips",
        "mask_process",
    }  # fmt: skip


BAD = [
    ("theorem.worlds.two_cells.corruption=0.5", "less than 0.5"),
    ("theorem.worlds.on_instance.order=LTV", "allowed: 'CTL', 'LTC' or 'CLC'"),
    ("theorem.worlds.on_instance.adversary=stong", "did you mean strong"),
    ("theorem.worlds.on_instance.adversary=huber", "at most 12 label cells"),
    ("theorem.worlds.one_cell.epsilons=[]", "at least 1"),
]


@pytest.mark.parametrize(("word", "message"), BAD)
def test_bad_input_is_one_line(refused, word, message):
    refused(message, word)


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_corruption_always_behind_privacy_turns_the_verdict(turned):
    def wrong(right, order, *stages):
        return right(Order.LTC, *stages)

    found = turned("ratio_value", adversaries, "channel", wrong)
    assert found == ("supported", "contradicted")
