"""The maximum of a channel's likelihood is where one comparison's share of reports says."""

import math

import pytest
import torch

from repro.estimators.channel_mle import SYMMETRIC, channel_mle
from repro.preferences.label_counts import LabelCounts


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
