"""The χPO policy against an independent optimiser, and both of its forms against each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from repro.p2.chipo.policy import (
    chipo_policy,
    inverse_link,
    link,
    two_arm_wrong_prob,
)

REFERENCE = np.array([0.5, 0.3, 0.2])
REWARD = np.array([0.1, 0.7, 0.4])


def mixed_objective(policy, kl_weight, chi_weight=0.5):
    ratio = policy / REFERENCE
    chi = chi_weight * (REFERENCE * (ratio - 1) ** 2).sum()
    return policy @ REWARD - kl_weight * (chi + policy @ np.log(ratio))


def best_by_search(kl_weight, chi_weight=0.5):
    def loss(logits):
        policy = np.exp(logits - logits.max())
        return -mixed_objective(policy / policy.sum(), kl_weight, chi_weight)

    found = minimize(loss, np.zeros(3), method="BFGS", tol=1e-12).x
    policy = np.exp(found - found.max())
    return policy / policy.sum()


@pytest.mark.parametrize("kl_weight", [0.05, 0.3, 2.0])
def test_the_policy_maximises_the_mixed_objective(kl_weight):
    found = chipo_policy(REFERENCE, REWARD, np.array(kl_weight))
    assert found == pytest.approx(best_by_search(kl_weight), abs=1e-5)


def test_a_chi_square_without_its_half_gives_another_policy():
    found = chipo_policy(REFERENCE, REWARD, np.array(0.3))
    assert np.abs(found - best_by_search(0.3, chi_weight=1.0)).max() > 0.01


def test_large_weight_returns_the_reference_and_small_weight_the_argmax():
    assert chipo_policy(REFERENCE, REWARD, np.array(1e6)) == pytest.approx(REFERENCE, abs=1e-5)
    assert chipo_policy(REFERENCE, REWARD, np.array(1e-4))[1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("w", [0.5, 0.01, 1 / 4096])
def test_two_responses_in_closed_form_equal_the_general_root(w):
    scaled = np.linspace(-60, 60, 241)
    reward = np.stack([scaled, np.zeros_like(scaled)], axis=-1)
    general = chipo_policy(np.array([w, 1 - w]), reward, np.ones(241))[:, 1]
    assert two_arm_wrong_prob(np.array(w), scaled) == pytest.approx(general, rel=1e-9, abs=1e-300)


def test_two_arms_at_extremes_by_bisection():
    """Tiny and large references, differences of every size: the root of the printed condition."""
    shape = np.meshgrid([1e-8, 1e-3, 0.4, 0.999], [-1e6, -30.0, 0.0, 2.0, 160.0, 1e6])
    w, scaled = (part.ravel() for part in shape)
    target = scaled + np.log(w) - np.log1p(-w)
    low, high = target - 1 / w, target + 1 / (1 - w)
    for _ in range(200):
        middle = (low + high) / 2
        below = middle + expit(middle) / w - expit(-middle) / (1 - w) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    expected = expit(-(low + high) / 2)
    assert two_arm_wrong_prob(w, scaled) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_the_link_and_its_inverse():
    ratios = np.geomspace(1e-8, 1e6, 50)
    assert inverse_link(link(ratios)) == pytest.approx(ratios, rel=1e-9)
