from __future__ import annotations

import math

import numpy as np
import pytest

from repro.labels.preferences import label_law
from repro.labels.privacy.channels import (
    ChannelMechanism,
    both,
    channel_delta,
    channel_epsilon,
    huber,
    matrix_of,
    randomized_response,
)


def test_randomized_response_spends_its_budget_and_no_more():
    channel = randomized_response(math.log(3))
    assert channel == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert channel_epsilon(channel) == pytest.approx(math.log(3))
    assert channel_delta(channel, 0.0) == pytest.approx(0.5)
    assert channel_delta(channel, math.log(2)) == pytest.approx(0.25)
    assert channel_delta(channel, math.log(3)) == pytest.approx(0, abs=1e-15)


def test_two_releases_add_up_and_constants_cost_nothing():
    one, two = randomized_response(0.3), randomized_response(0.5)
    assert channel_epsilon(both(one, two)) == pytest.approx(0.8)
    assert channel_epsilon(both(one, two[[0, 0]])) == pytest.approx(0.3)


def test_corruption_by_hand():
    assert huber(0.2, (0.0, 1.0)) == pytest.approx(np.array([[0.8, 0.2], [0.0, 1.0]]))
    after = randomized_response(0.5) @ huber(0.2, (0.0, 1.0))
    before = huber(0.2, (0.0, 1.0)) @ randomized_response(0.5)
    assert channel_epsilon(after) == pytest.approx(0.5)
    assert channel_epsilon(before) < 0.49
    assert channel_epsilon(np.eye(2)) == math.inf


def test_a_channel_as_a_mechanism():
    mechanism = ChannelMechanism.of(randomized_response(1.0))
    assert mechanism.exact_epsilon(0.0) == pytest.approx(1.0)
    delta = mechanism.exact_delta(0.5)
    assert mechanism.exact_epsilon(delta) == pytest.approx(0.5, abs=1e-6)
    assert ChannelMechanism.of(np.eye(2)).exact_epsilon(1e-3) == math.inf
    assert ChannelMechanism.of(np.eye(2)).exact_delta(5.0) == 1.0
    scores = mechanism.scores(np.random.default_rng(0), True, 100_000)
    assert sorted(set(scores.round(9))) == [-1.0, 1.0]
    assert (scores > 0).mean() == pytest.approx(math.e / (1 + math.e), abs=0.01)


@pytest.mark.parametrize("matrix", [[[0.5, 0.4], [0.5, 0.5]], [[1.5, -0.5], [0.5, 0.5]]])
def test_rows_that_are_no_distribution_are_refused(matrix):
    with pytest.raises(ValueError, match="add up to 1"):
        ChannelMechanism.of(np.array(matrix))


def test_an_output_that_never_comes_costs_nothing():
    channel = np.insert(randomized_response(0.5), 1, 0.0, axis=1)
    assert channel_epsilon(channel) == pytest.approx(0.5)


def test_all_of_delta_needs_no_epsilon():
    assert ChannelMechanism.of(randomized_response(1.0)).exact_epsilon(1.0) == 0.0


def test_certain_outputs_have_a_finite_score():
    channel = ChannelMechanism.of(np.eye(2))
    for neighbour, score in ((False, -1000.0), (True, 1000.0)):
        assert set(channel.scores(np.random.default_rng(0), neighbour, 9)) == {score}


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 3.0, 50.0, 100.0])
def test_the_matrix_of_the_channel_that_draws_labels(epsilon):
    """Exact even where a flip is too rare for 1 − P to tell."""
    matrix = matrix_of(label_law.randomized_response, epsilon)
    assert matrix == pytest.approx(randomized_response(epsilon), rel=1e-12)
    assert channel_epsilon(matrix) == pytest.approx(epsilon, rel=1e-9)


def test_the_matrix_of_other_channels():
    assert matrix_of(label_law.no_randomizer, 0.5).tolist() == np.eye(2).tolist()
    lopsided = matrix_of(label_law.AsymmetricResponse(0.9, 0.3), 0.5)
    assert lopsided == pytest.approx(np.array([[0.7, 0.3], [0.1, 0.9]]))
