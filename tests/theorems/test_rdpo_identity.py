"""Robust DPO as P4 and as its authors write it, and what happens when it is broken."""

import numpy as np
import pytest

from theorems import rdpo_identity


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_a_missing_debias_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1.0

    found = turned("identity", rdpo_identity, "privacy_cost", wrong)
    assert found == ("supported", "contradicted")


@pytest.mark.parametrize("label", [0.0, 1.0])
@pytest.mark.parametrize("h", [-0.7, 0.0, 0.4, 2.5])
def test_losses_of_either_label(label, h):
    """ℓ(1) = ln(1 + e^−h), ℓ(0) = ln(1 + e^h); P4's loss is rDPO's at q = 1/(1 + e^ε)."""
    own, against = np.log1p(np.exp(-h)), np.log1p(np.exp(h))
    if label == 0:
        own, against = against, own
    data = rdpo_identity.LabelledMargins(np.full(1, h), np.full(1, label), np.log(4), np.ones(1))
    assert data.flip == pytest.approx(0.2)
    assert rdpo_identity.rdpo(data) == pytest.approx((0.8 * own - 0.2 * against) / 0.6)
    assert rdpo_identity.label_smoothing(data) == pytest.approx(0.8 * own + 0.2 * against)
    assert rdpo_identity.p4(data) == pytest.approx(rdpo_identity.rdpo(data))
