from __future__ import annotations

import math

import numpy as np
import pytest

from repro.labels.privacy.audit import ROUNDING, audit, judge_privacy
from repro.labels.privacy.channels import ChannelMechanism, randomized_response
from repro.labels.privacy.gaussian import GaussianShift, exact_shift
from repro.labels.privacy.mechanism import Guarantee, Mechanism

CLAIM = Guarantee(0.5, 1e-3)
SHIFT = exact_shift(0.5, 1e-3)


class Laplace(Mechanism):
    """Noise of scale 1 on values 1 apart: pure ε = 1, of which the audit is told nothing."""

    def scores(self, rng, neighbour, count):
        return rng.laplace(size=count) + neighbour


@pytest.mark.parametrize(
    ("mechanism", "claim", "verdict"),
    [
        (GaussianShift(SHIFT), CLAIM, "supported"),
        (GaussianShift(2 * SHIFT), CLAIM, "contradicted"),
        (GaussianShift(exact_shift(0.6, 1e-3)), CLAIM, "contradicted"),
        (ChannelMechanism.of(randomized_response(0.5)), Guarantee(0.5, 0.0), "supported"),
        (ChannelMechanism.of(randomized_response(0.6)), Guarantee(0.5, 0.0), "contradicted"),
        (ChannelMechanism.of(np.eye(2)), Guarantee(0.5, 0.0), "contradicted"),
        (Laplace(), Guarantee(1.0, 0.0), "inconclusive"),
        (Laplace(), Guarantee(0.8, 0.0), "contradicted"),
    ],
)
def test_any_mechanism_is_held_against_its_claim(mechanism, claim, verdict):
    found = audit(mechanism, claim, np.random.default_rng(0), runs=200_000)
    assert found.verdict == verdict
    assert math.isnan(found.exact_epsilon) or found.lower_bound <= found.exact_epsilon
    assert math.isnan(found.exact_delta) == isinstance(mechanism, Laplace)


@pytest.mark.parametrize(
    ("claimed", "exact", "bounds", "tolerance", "expected"),
    [
        (1.0, [0.5], [0.5], 0.0, "supported"),
        (1.0, [0.5], [0.5 * (1 + ROUNDING)], 0.0, "supported"),
        (1.0, [0.5], [0.5 * (1 + 3e-9)], 0.0, "inconclusive"),
        (1.0, [0.5], [0.75], 0.0, "inconclusive"),
        (1.0, [0.5, 0.5], [0.6, 0.4], 0.0, "inconclusive"),
        (0.5, [0.75], [0.0], 0.5, "supported"),
        (0.5, [0.7500001], [0.0], 0.5, "contradicted"),
        (0.5, [math.nan, 0.4], [0.1, 0.1], 0.0, "inconclusive"),
        (0.5, [math.nan, 0.4], [0.6, 0.1], 0.0, "contradicted"),
        (0.5, [math.nan, 0.6], [0.1, 0.1], 0.0, "contradicted"),
    ],
)
def test_rules_at_their_edges(claimed, exact, bounds, tolerance, expected):
    """A bound above its exact ε is a fault of one of the two, and decides nothing."""
    assert judge_privacy(claimed, exact, bounds, tolerance) == expected


def test_every_case_has_a_bound():
    with pytest.raises(ValueError, match="shorter"):
        judge_privacy(1.0, [0.5], [0.4, 0.3], 0.0)
