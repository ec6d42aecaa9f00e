"""P2's private χPO, and what happens when its implementation is broken."""

import numpy as np
from scipy.special import softmax

from repro.core.worlds import field_values
from repro.labels.preferences.label_law import the_truth
from repro.p2.chipo import falling, labels, value_ratio


def test_text_pairs_replace_the_linear_world(swept_of):
    swept, *_ = swept_of(instance="preference_text").values()
    found = swept.at(0, np.random.default_rng(0), 2)
    assert np.isfinite(found[swept.check.right.__name__]).all()


def test_every_world_of_drawn_labels_can_be_ablated(swept_of):
    drawn = {name: one for name, one in swept_of().items() if name != "meta_theorem"}
    for name, swept in drawn.items():
        assert {"labels", "channel", "estimate"} <= set(field_values(swept.measured[0])), name


def test_a_revealed_truth_is_noticed(taken_away):
    before, after = taken_away("n_pairs", estimate=the_truth)
    assert before == "supported" != after


def test_with_a_revealed_truth_a_smaller_beta_is_always_better(taken_away):
    before, after = taken_away("value_ratio_every_beta", estimate=the_truth)
    assert (before, after) == ("supported", "contradicted")


def test_a_policy_without_the_chi_squared_part_is_noticed(turned):
    def kl_alone(right, reference, reward, kl_weight):
        return softmax(reward / kl_weight[:, None] + np.log(reference), axis=-1)

    found = turned("value_ratio_bound", value_ratio, "chipo_policy", kl_alone)
    assert found == ("supported", "contradicted")


def test_a_class_of_all_tables_is_noticed(turned):
    def tables(right, mean, weight, cost):
        return np.clip(mean, -falling.LARGEST, falling.LARGEST)

    found = turned("nonparametric", falling, "nondecreasing", tables)
    assert found == ("supported", "contradicted")


def test_a_missing_debias_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1.0

    found = turned("privacy_cost", labels, "privacy_cost", wrong, replicates=400)
    assert found == ("supported", "contradicted")
