"""P2's uniform convergence of the log loss, and what happens when its implementation is broken."""

from theorems import uniform_convergence_log


def test_a_likelihood_without_flips_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.0

    found = turned(
        "n_pairs", uniform_convergence_log, "flip_prob", wrong, replicates=100, blocks=20
    )
    assert found == ("supported", "contradicted")
