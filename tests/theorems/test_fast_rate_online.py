"""P2's fast rate online, with and without an adversary, and what happens when it is broken."""

from repro.corruption.orders import Order
from repro.families.online_kl import run_setting


def test_what_an_adversary_does_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"corrupted_ctl", "corrupted_ltc", "indistinguishable_pair"}


def test_the_adversary_of_a_corrupted_row_comes_where_the_row_says(trials_of):
    trials = trials_of("theorem.corruption=0.01")
    before, after = (trials[name].cases[0] for name in ("corrupted_ctl", "corrupted_ltc"))
    assert before.adversary.share == after.adversary.share == 0.01
    assert (before.order, after.order) == ("CTL", "LTC")
    assert trials["horizon"].cases[0].adversary.share == 0
    case = trials["floor_cost_ltc"].cases[0]
    assert case.methods[1].run(case).order == "CTL"


def test_corruption_before_privacy_turns_the_verdict(turned):
    def wrong(right, *setting):
        return right(*setting[:-1], Order.CTL)

    found = turned("floor_cost_ltc", run_setting, "released_mean", wrong)
    assert found == ("supported", "contradicted")
