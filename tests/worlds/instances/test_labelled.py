"""Worlds with labels: how many more of them a stricter budget takes."""

import numpy as np
import pytest

from repro.base.notation import flip_prob, privacy_cost
from repro.labels.corruption.huber_reports import coin_tosser
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, no_randomizer
from repro.worlds.instances.choices import LargeDifferenceChoice, LinearChoice
from repro.worlds.instances.labelled import HuberLabels, LabelledInstance


def test_a_stricter_budget_takes_the_square_of_the_cost_more_labels():
    usual, strict = HuberLabels(epsilon=1.0), HuberLabels(epsilon=0.1)
    wanted = (privacy_cost(0.1) / privacy_cost(1.0)) ** 2
    assert usual.more_labels(strict) == pytest.approx(wanted)
    assert strict.more_labels(usual) == pytest.approx(1 / wanted)


LINEAR = LinearChoice(
    kind="linear", num_states=4, num_actions=3, num_features=2, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip


def labelled(**changes):
    values = {"epsilon": 1.0, "n_pairs": 1000.0, "instance": LINEAR} | changes
    return LabelledInstance(**values)


@pytest.mark.parametrize(("weight", "factor"), [(0.25, 4.0), (1.0, 1.0), (0.5, 1.0)])
def test_a_smaller_kl_weight_takes_more_labels_and_a_larger_one_not_less(weight, factor):
    other = labelled(epsilon=0.1, instance=LINEAR.model_copy(update={"kl_weight": weight}))
    wanted = factor * (privacy_cost(0.1) / privacy_cost(1.0)) ** 2
    assert labelled().more_labels(other) == pytest.approx(wanted)


def test_an_instance_without_a_kl_weight_counts_by_epsilon_alone():
    large = LargeDifferenceChoice(kind="large_difference", reward_bound=4.0, margin=0.5)
    for one, other in ((labelled(), labelled(instance=large)), (labelled(instance=large),) * 2):
        assert one.more_labels(other) == 1.0


def test_responses_are_drawn_as_stated_or_evenly():
    stated, even = labelled().world, labelled(reference="uniform").world
    assert float(stated.reference.std()) > 0.01
    assert even.reference.tolist() == [[1 / 3] * 3] * 4
    assert even.reward_diff.tolist() == stated.reward_diff.tolist()
    assert labelled(reference="uniform").world is even


def test_counts_are_of_the_labels_and_the_channel_that_are_given():
    """Means of 4 datasets of 10⁶ labels, cell by cell."""

    def shares(**changes):
        one = labelled(n_pairs=1e6, **changes)
        counts = one.counts(np.random.default_rng(0), 4)
        assert counts.pairs.shape == (4, 12)
        share = counts.pairs.mean(0) / 1e6
        assert share.tolist() == pytest.approx(one.world.cell_prob.tolist(), abs=2e-3)
        return (counts.wins.sum(0) / counts.pairs.sum(0)).tolist()

    clean = labelled().world.reward_diff.sigmoid()
    private = flip_prob(1.0) + (1 - 2 * flip_prob(1.0)) * clean
    assert shares() == pytest.approx(private.tolist(), abs=5e-3)
    assert shares(channel=no_randomizer) == pytest.approx(clean.tolist(), abs=5e-3)
    assert shares(labels=fair_coins) == pytest.approx([0.5] * 12, abs=5e-3)
    assert shares(reference="uniform", channel=no_randomizer) == pytest.approx(
        clean.tolist(), abs=5e-3
    )


def test_huber_s_reports_have_every_stage_of_the_world():
    stages = {
        "epsilon": 0.7, "corruption": 0.2, "order": Order.LTC, "labels": fair_coins,
        "channel": no_randomizer, "adversary": coin_tosser,
    }  # fmt: skip
    reports = HuberLabels(**stages).reports
    assert {name: getattr(reports, name) for name in stages} == stages
    process = HuberLabels(epsilon=1.0, labels=fair_coins, channel=no_randomizer).process
    assert (process.labels, process.channel) == (fair_coins, no_randomizer)
