"""Noise for θ̃ and Σ̃ together against half of the budget for each."""

from repro.p3.curator.certified_budget import PrivateBudget
from tools.joint_release import JointBudget

NUMBERS, N = (0.5, 25.0, 0.05, 2.0, 0.25, 24.0), 1e6


def test_together_takes_less_noise_on_both():
    halves, both = PrivateBudget(*NUMBERS), JointBudget(*NUMBERS)
    assert halves.noise_std > 1.3 * both.noise_std
    assert halves.covariance_std(N) > 1.3 * both.covariance_std(N)
