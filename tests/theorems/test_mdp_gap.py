"""P3's gap in Markov decision processes, and what happens when its implementation is broken."""

import numpy as np
import pytest
from mpmath import iv

from repro.core.proofs import decided
from theorems.mdp_gap import LinearMDP, TrajectoryPair, covariance, covariance_printed

MDP = [
    ("n_pairs_greedy", {"greedy": -0.5, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5}),
    ("n_pairs", {"pessimistic": -0.57, "printed_objective": 0.0}),
    ("epsilon", {"pessimistic": -0.57, "printed_objective": 0.0}),
]


@pytest.mark.parametrize(("name", "expected"), MDP)
def test_exponents(exponents, name, expected):
    found = exponents(name, replicates=30)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_wrong_noise_on_trajectories_is_seen(exponents):
    assert exponents("n_pairs_greedy")["root_n_noise"] > -0.42
    assert exponents("epsilon_greedy")["noise_without_epsilon"] > -0.4


def test_curvature_of_trajectories_needs_the_sum_over_steps(measured):
    found = measured("covariance", 4, 20, key=("covariance",))
    assert found["covariance"].max() <= 1 + 1e-9 < found["covariance_printed"].min()


def test_trajectories_that_cancel_by_the_hessian():
    """y and −.9y with γ and the curvature both ¼: (1 + .81)·‖y‖⁴/(.1²·‖y‖⁴)."""
    pair = TrajectoryPair(steps=2, feature_norm=1.0, radius=1e-9)
    at = float(covariance_printed(pair).ratio(iv.mpf(0.1)).mid)
    assert at == pytest.approx(1.81 / 0.1**2)
    assert decided(covariance_printed(pair)) > 1.1
    assert decided(covariance(pair)) <= 1 + 1e-9


def test_a_replaced_stage_reaches_the_measurement(with_and_without):
    plain, other = with_and_without("n_pairs_greedy", "labels", "fair_coins", "greedy")
    assert plain != pytest.approx(other, rel=0.01)


def test_who_knows_the_truth_makes_no_error(of_the_truth):
    assert of_the_truth("n_pairs_greedy", "greedy") == pytest.approx(np.zeros(5), abs=1e-15)


def test_the_worst_policy_turns_the_verdict(turned):
    def wrong(right, self, theta):
        return right(self, -theta)

    found = turned("n_pairs_greedy", LinearMDP, "greedy_gap", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")
