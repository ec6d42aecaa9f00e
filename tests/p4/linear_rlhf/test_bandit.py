"""Condition numbers and coverage by hand."""

from __future__ import annotations

import numpy as np
import pytest

from repro.p4.corruption_floors.bounds import one_hot_coverage_ratio
from repro.p4.linear_rlhf.bandit import difference_covariance, relative_condition_number
from repro.p4.linear_rlhf.two_arms import TwoArmStates


def test_two_responses_by_hand():
    features = np.array([[[1.0], [0.0]]])
    even, first, second = (np.array([p]) for p in ([0.5, 0.5], [1.0, 0.0], [0.0, 1.0]))
    data = difference_covariance(features, np.ones(1), even, even)
    target = difference_covariance(features, np.ones(1), first, second)
    assert (data.item(), target.item()) == (0.5, 1.0)
    assert relative_condition_number(target, data) == pytest.approx(2.0)


def test_singular_covariances():
    """A direction that neither sees does not count; one that only the data miss does."""
    data = np.diag([0.5, 0.0])
    assert relative_condition_number(np.diag([1.0, 0.0]), data) == pytest.approx(2.0)
    assert relative_condition_number(np.diag([1.0, 0.1]), data) == np.inf


@pytest.mark.parametrize("arms", [2, 3, 9])
def test_one_hot_coverage(arms):
    assert one_hot_coverage_ratio(arms, True) == pytest.approx(1.0)
    assert one_hot_coverage_ratio(arms, False) > 1e6


def test_under_a_uniform_reference_half_of_the_pairs_of_a_state_inform():
    even = TwoArmStates(4, 0.01).under_uniform_reference()
    assert (even.num_states, even.mass) == (4, 0.125)
