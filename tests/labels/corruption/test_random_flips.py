"""Random flips and masks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import flip_prob
from repro.labels.corruption.debiasing import Reading
from repro.labels.corruption.orders import Order, Randomize
from repro.labels.corruption.random_flips import UniformFlips, mask_flip_rate, mask_process
from repro.labels.preferences.label_counts import LabelCounts

PLAIN = Reading(1.0, 0.0)


def shares(*win_rates: float) -> LabelCounts:
    """Exact laws of labels, one cell each."""
    wins = torch.tensor([win_rates], dtype=torch.float64)
    return LabelCounts(torch.ones_like(wins), wins)


def test_uniform_flips_refuse_half():
    with pytest.raises(BadInput, match="corruption=0.5"):
        UniformFlips(0.5)


def test_uniform_flips_commute_with_the_randomizer():
    epsilon = 0.7
    flips, response = UniformFlips(0.1), Randomize.response(epsilon)
    first = response.apply(None, flips(None, shares(0.8), PLAIN), PLAIN)
    last = flips(None, response.apply(None, shares(0.8), PLAIN), PLAIN)
    assert float(first.wins) == pytest.approx(float(last.wins))


def test_mask_rates_by_hand():
    """p = ¼ at ε = ln 3; α = 0.2."""
    epsilon = np.log(3)
    assert mask_flip_rate(Order.CTL, epsilon, 0.2) == pytest.approx(0.25 + 0.2 * 0.5)
    assert mask_flip_rate(Order.LTC, epsilon, 0.2) == pytest.approx(0.25 + 0.2 * 0.75)
    assert mask_flip_rate(Order.CLC, epsilon, 0.2) == pytest.approx(0.35 + 0.2 * 0.65)


def test_masks_are_one_symmetric_channel():
    stage = mask_process(Order.LTC, 1.0, 0.1)
    rate = mask_flip_rate(Order.LTC, 1.0, 0.1)
    assert rate > flip_prob(1.0)
    assert float(stage.apply(None, shares(1.0), PLAIN).wins) == pytest.approx(1 - rate)
