"""The maximum of a channel's likelihood is where one comparison's share of reports says."""

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE
from repro.worlds.estimators.channel_mle import (
    BOTH,
    KNOWN,
    SYMMETRIC,
    ChannelLikelihood,
    _inside,
    channel_mle,
    rates_of,
)
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.estimators.region import BOX_REGION
from repro.worlds.instances.linear import random_linear_world


def double(values) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def fit(shares, rates, pairs=1e6, directions=(), x=((1.0,),)):
    shares = double(shares)
    counts = LabelCounts(torch.full_like(shares, pairs), pairs * shares)
    return channel_mle(counts, double(x), double(rates), 50.0, directions)


@pytest.mark.parametrize(("base", "signal"), [(0.0, 1.0), (0.25, 0.5), (0.1, 0.3)])
def test_the_logit_of_a_share_read_through_known_rates(base, signal):
    share = base + signal * 0.8
    assert float(fit([[share]], [base, signal])) == pytest.approx(math.log(4), rel=1e-8)


def test_wrong_rates_give_another_logit():
    assert float(fit([[0.65]], [0.0, 1.0])) == pytest.approx(math.log(0.65 / 0.35), rel=1e-8)


def test_two_comparisons_tell_reward_and_noise_apart():
    """Flips are estimated with θ = 1: shares at x and 3x fit no other pair."""
    win = torch.sigmoid(double([1.0, 3.0]))
    found = fit([(0.2 + 0.6 * win).tolist()], [0.05, 0.9], 1e6, SYMMETRIC, ((1.0,), (3.0,)))
    assert float(found) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_with_randomized_response_it_is_the_private_mle(share):
    """Inside the ball and on its edge."""
    world = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)
    rng = np.random.default_rng(0)
    counts = draw_label_counts(rng, world.cell_prob, world.reward_diff, 10**6, 1.0, 20)
    rates = rates_of(RANDOMIZED_RESPONSE, 1.0, counts.wins)
    radius = share * world.radius
    found = channel_mle(counts, world.feature_diff, rates, radius)
    expected = mixture_mle(counts, world.feature_diff, 1.0, radius)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


def test_three_comparisons_tell_the_base_and_the_signal_too():
    """θ = 1 behind P(+1) = 0.1 + 0.6·σ, of which nothing is known."""
    x = ((1.0,), (3.0,), (-2.0,), (0.3,))
    shares = (0.1 + 0.6 * torch.sigmoid(double(x)[:, 0])).tolist()
    found = fit([shares], [0.2, 0.5], 1e8, BOTH, x)
    assert float(found) == pytest.approx(1.0, rel=1e-3)
    # with the base fixed at (1 − signal)/2, as of two equal flips, it is another parameter
    other = fit([shares], [0.2, 0.6], 1e8, SYMMETRIC, x)
    assert float(other) != pytest.approx(1.0, rel=5e-3)


def test_each_dataset_has_rates_of_its_own():
    shares = [[0.8], [0.25 + 0.5 * 0.8]]
    found = fit(shares, [[0.0, 1.0], [0.25, 0.5]])
    assert found[:, 0].tolist() == pytest.approx([math.log(4)] * 2, rel=1e-8)


def test_in_a_box_each_coordinate_stops_at_its_face():
    """Two comparisons along axes: θ is (log 4, log 1.5), cut to 1 in a box and in a ball not."""
    counts = LabelCounts(double([[1e6, 1e6]]), double([[0.8e6, 0.6e6]]))
    words = counts, torch.eye(2).double(), double([0.0, 1.0]), 1.0
    in_box = channel_mle(*words, region=BOX_REGION)
    assert in_box[0].tolist() == pytest.approx([1.0, math.log(1.5)], rel=1e-6)
    assert float(channel_mle(*words).norm()) == pytest.approx(1.0)


def test_estimated_rates_stay_probabilities_with_a_signal():
    rates = _inside(double([[-0.2, 0.5], [0.9, 0.7], [0.3, -0.4], [1.7, 2.0]]))
    base, signal = rates.unbind(-1)
    assert base.tolist() == pytest.approx([1e-9, 0.9, 0.3, 1 - 3e-9], abs=1e-12)
    assert signal.tolist() == pytest.approx([0.5, 0.1, 1e-9, 2e-9], abs=2e-9)
    assert (signal > 0).all()
    assert (base + signal < 1).all()


def test_a_step_moves_rates_along_their_directions_and_is_cut_to_probabilities():
    counts = LabelCounts(double([[1.0]]), double([[1.0]]))
    theta, rates = double([[0.2]]), double([[0.3, 0.4]])

    def moved(directions, *step):
        likelihood = ChannelLikelihood(counts, double([[1.0]]), 1.0, directions)
        information = torch.eye(len(step), dtype=torch.float64)[None]
        new, after = likelihood.moved(theta, rates, double([step]), information)
        return [*new[0].tolist(), *after[0].tolist()]

    assert moved(KNOWN, 0.5) == pytest.approx([0.7, 0.3, 0.4])
    assert moved(SYMMETRIC, 0.1, 0.2) == pytest.approx([0.3, 0.2, 0.6])
    assert moved(BOTH, 0.1, 0.05, -0.1) == pytest.approx([0.3, 0.35, 0.3])
    assert moved(BOTH, 2.0, 0.5, 5.0) == pytest.approx([1.0, 0.8, 0.2])
    assert moved(BOTH, 0.0, -3.0, -3.0) == pytest.approx([0.2, 1e-9, 1e-9])
