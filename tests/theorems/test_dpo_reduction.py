"""P4's reduction of DPO to estimation, and what happens when its implementation is broken."""

from repro.families.robust.worlds_line import LogLinearLine


def test_bad_input_is_one_line(refused):
    refused("changes nothing in dpo_reduction", "epsilon=1")


def test_something_is_assumed(plan_of):
    assert plan_of().experiment.assumptions()


def test_a_reward_without_its_kl_weight_turns_the_verdict(turned):
    def wrong(right, self):
        return right(self) / self.kl_weight

    found = turned("own_form", LogLinearLine, "reward", wrong)
    assert found == ("supported", "contradicted")
