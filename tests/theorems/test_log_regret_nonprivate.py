"""P1's logarithmic regret without privacy, and what happens when its implementation is broken."""

from repro.p1.pokl.linear import LinearLearner


def test_nothing_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_a_shrunken_reward_turns_the_verdict(turned):
    def wrong(right, self):
        return 0.9 * right(self)

    found = turned(
        "constant",
        LinearLearner,
        "reward",
        wrong,
        "theorem.sweeps.constant.grid=[0.5,2]",
        replicates=400,
        blocks=20,
    )
    assert found == ("supported", "contradicted")
