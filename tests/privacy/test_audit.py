from __future__ import annotations

import math

import numpy as np
import pytest

from repro.privacy.audit import audit
from repro.privacy.channels import Channel, randomized_response
from repro.privacy.gaussian import GaussianShift, exact_shift
from repro.privacy.mechanism import Guarantee, Mechanism

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
        (Channel.of(randomized_response(0.5)), Guarantee(0.5, 0.0), "supported"),
        (Channel.of(randomized_response(0.6)), Guarantee(0.5, 0.0), "contradicted"),
        (Channel.of(np.eye(2)), Guarantee(0.5, 0.0), "contradicted"),
        (Laplace(), Guarantee(1.0, 0.0), "inconclusive"),
        (Laplace(), Guarantee(0.8, 0.0), "contradicted"),
    ],
)
def test_any_mechanism_is_held_against_its_claim(mechanism, claim, verdict):
    found = audit(mechanism, claim, np.random.default_rng(0), runs=200_000)
    assert found.verdict == verdict
    assert math.isnan(found.exact_epsilon) or found.lower_bound <= found.exact_epsilon
    assert math.isnan(found.exact_delta) == isinstance(mechanism, Laplace)
