"""What a curator's release claims, and what Algorithm 1 of P3 asks of it."""

import pytest

from repro.labels.privacy.mechanism import Guarantee
from repro.p3.objective_perturbation.curator_release import CuratorRelease, within_algorithm_1


def test_the_whole_budget_is_claimed_and_each_of_two_releases_has_half():
    world = CuratorRelease(epsilon=0.6, dp_delta=0.02)
    assert (world.claimed, world.half) == (Guarantee(0.6, 0.02), (0.3, 0.01))


@pytest.mark.parametrize(
    ("epsilon", "dp_delta", "holds", "most"),
    [
        (1.0, 0.25, (True, True), 2),
        (1.0001, 0.01, (False, True), 10),
        (0.5, 0.26, (True, False), 1),
    ],
)
def test_algorithm_1_asks_for_a_small_epsilon_and_an_n_of_two(epsilon, dp_delta, holds, most):
    small, enough = within_algorithm_1(CuratorRelease(epsilon=epsilon, dp_delta=dp_delta))
    assert (small[1], enough[1]) == holds
    assert (small[2], enough[2]) == (f"ε = {epsilon:g}", f"n up to {most}")
