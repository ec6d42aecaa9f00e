"""Three losses on private labels, side by side, and what happens when it is broken."""

import numpy as np

from repro.p2.losses.label_losses import SquareLoss
from theorems import loss_comparison


def test_text_pairs_replace_the_linear_world(swept_of):
    swept, *_ = swept_of(instance="preference_text").values()
    found = swept.at(0, np.random.default_rng(0), 2)
    assert np.isfinite(found[swept.check.right.__name__]).all()


def test_the_weight_of_another_loss_turns_the_verdict(turned):
    def wrong(right, self, s):
        return 0 * s + 1

    found = turned("square_is_mixture", SquareLoss, "weight", wrong)
    assert found == ("supported", "contradicted")


def test_a_loss_that_is_picked_badly_is_noticed(turned):
    def wrong(right, epsilon):
        blind, seeing = right(epsilon)
        return -blind, seeing

    found = turned("past_labels", loss_comparison, "map_errors", wrong)
    assert found == ("supported", "contradicted")
