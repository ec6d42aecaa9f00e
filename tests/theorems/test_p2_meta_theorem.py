"""P2's meta theorem and its tuning, and what happens when it is broken."""

from theorems import p2_meta_theorem


def test_what_each_control_does(smoke):
    found = {item.check.name: item for item in smoke.result.checks}
    assert found["update_weight"].outcome.numbers["max_ratio"] < 0.51
    assert found["update_weight_printed"].outcome.numbers["max_ratio"] > 100
    assert found["guarantee"].outcome.numbers["slope"] < 0.02


def test_a_likelihood_without_flips_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.0

    found = turned("count", p2_meta_theorem, "flip_prob", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")
