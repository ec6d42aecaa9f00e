"""P2's uniform convergence of the log loss, and what happens when its implementation is broken."""

from repro.families.losses import algorithms_log_loss
from repro.study.stages import stages_of


def test_every_case_of_drawn_labels_can_be_ablated(trials_of):
    for name, trial in trials_of().items():
        assert {"labels", "channel"} <= stages_of(trial.cases[0]), name


def test_a_likelihood_without_flips_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.0

    found = turned("n_pairs", algorithms_log_loss, "flip_prob", wrong, replicates=100, blocks=20)
    assert found == ("supported", "contradicted")
