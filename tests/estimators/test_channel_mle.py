"""The likelihood of any binary channel: with randomized response it is the private MLE's."""

import numpy as np
import torch

from repro.estimators.channel_mle import channel_mle, rates_of
from repro.estimators.mixture_mle import mixture_mle
from repro.instances.linear import random_linear_world
from repro.preferences.label_counts import draw_label_counts
from repro.preferences.label_mixture import RANDOMIZED_RESPONSE


def test_with_randomized_response_it_is_the_private_mle():
    world = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)
    rng = np.random.default_rng(0)
    counts = draw_label_counts(rng, world.cell_prob, world.reward_diff, 10**6, 1.0, 20)
    rates = rates_of(RANDOMIZED_RESPONSE, 1.0, counts.wins)
    found = channel_mle(counts, world.feature_diff, rates, world.radius)
    expected = mixture_mle(counts, world.feature_diff, 1.0, world.radius)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
