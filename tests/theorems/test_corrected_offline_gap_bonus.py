"""Algorithm 1 with the repaired bonus, on one dataset where everything is known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.labels.preferences.label_information import inverse_information, printed_factor
from repro.p1.pessimism.datasets import BuiltLabels
from repro.worlds.instances.two_arms import hypercube_world
from theorems import corrected_offline_gap as bonus

WORLD = hypercube_world(1, 4.0, 2.0, 4.0, 0.0)
CONSTANTS = {"failure_prob": 0.05, "net_radius": 1e-20, "scale": 1.0}
LOG_TERM = math.log1p(4e20) + math.log(20)


def labels(n_pairs=10**9, **more):
    return BuiltLabels(truth=WORLD, n_pairs=n_pairs, epsilon=1.0, **(CONSTANTS | more))


@pytest.fixture
def problem():
    return labels().draw(np.random.default_rng(0), 50)


def test_the_proved_error_is_four_w_l_over_n(problem):
    expected = 4 * inverse_information(4.0, 1.0) * LOG_TERM / 1e9
    assert bonus.proved_error(problem) == pytest.approx(expected, rel=1e-6)


def test_the_bonus_is_the_root_of_d_squared_times_the_error(problem):
    """D² is C − 1 = 3 for the rare response and 1/(C−1) for the other."""
    found = float(bonus.repaired_bonus(problem, 0.04)[0])
    assert found == pytest.approx(0.2 * (math.sqrt(3) - math.sqrt(1 / 3)))


def test_shares_are_errors_over_bonuses(problem):
    error = (problem.fit(1.0) - WORLD.reward_diff).abs()[:, 0] * 0.75  # centred: (1 − 1/C)
    gamma = math.sqrt(3 * bonus.proved_error(problem))
    np.testing.assert_allclose(bonus.share_of_repaired(problem), error / gamma)
    printed = math.sqrt(3 * printed_factor(4.0, 1.0) * (LOG_TERM / 1e9 + 1e-20))
    np.testing.assert_allclose(bonus.share_of_printed(problem), error / printed)


def test_a_reversed_bonus_has_negative_shares(problem):
    reversed_one = replace(problem, source=labels(pessimism=-1.0))
    assert (bonus.share_of_repaired(reversed_one) < 0).all()


def test_the_normal_share_is_the_mean_of_the_measured_ones():
    many = labels().draw(np.random.default_rng(1), 20000)
    measured = float(bonus.share_of_repaired(many).mean())
    assert measured == pytest.approx(bonus.normal_share(many), rel=0.02)


def test_the_gap_is_the_predicted_one_and_below_its_bound(problem):
    gap = bonus.repaired(problem)
    assert float(gap.mean()) == pytest.approx(bonus.predicted_gap(problem), rel=0.05)
    assert float(gap.max()) < bonus.proved(problem)


@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
def test_the_quantile_is_that_of_a_shifted_normal_error(delta):
    """Against the measured ones, and against a normal error drawn here."""
    many = labels(10**12, failure_prob=delta).draw(np.random.default_rng(2), 40_000)
    found = bonus.gap_quantile(many)
    assert found == pytest.approx(np.quantile(bonus.repaired(many), 1 - delta), rel=0.01)
    spread = math.sqrt(inverse_information(float(WORLD.reward_diff[0]), 1.0) * 8 / 3 / 1e12)
    shift = float(bonus.repaired_bonus(many, bonus.proved_error(many))[0])
    error = spread * np.random.default_rng(3).standard_normal(400_000) - shift
    drawn = np.quantile(error**2, 1 - delta) / (8 * WORLD.kl_weight)
    assert found == pytest.approx(drawn, rel=0.005)


def test_the_in_sample_bounds():
    world = bonus.NearBound(
        n_pairs=10**9, epsilon=1.0, failure_prob=2 * math.exp(-3), num_states=1, coverage=4.0,
        reward_bound=4.0, room=0.5,
    )  # fmt: skip
    assert bonus.REPAIRED(world) == pytest.approx(24 * inverse_information(4.0, 1.0))
    ratios = [one(world) / (24 * printed_factor(4.0, 1.0)) for one in bonus.PRINTED_TIMES]
    assert ratios == pytest.approx([1, 10, 100])
