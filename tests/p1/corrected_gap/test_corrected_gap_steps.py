"""Random cases of the corrected Theorem 4.2 against brute force, and the range they cover."""

import math

import numpy as np
import pytest
from scipy import stats

from repro.labels.preferences.label_information import inverse_information
from repro.p1.corrected_gap import steps as step


@pytest.mark.parametrize(("true", "other"), [(1.0, 0.2), (0.2, 1.0), (-1.5, 1.5)])
def test_the_chance_of_a_mistake_by_enumeration(true, other):
    rewards = step.TwoRewards(2.0, 1.0, true, other)
    p, q = (1 / (1 + math.e) + math.tanh(0.5) / (1 + math.exp(-x)) for x in (true, other))
    wins = np.arange(10)
    gain = wins * math.log(q / p) + (9 - wins) * math.log((1 - q) / (1 - p))
    expected = stats.binom.pmf(wins, 9, p)[gain >= -1e-9].sum()
    assert step.ChoiceOfTwo(rewards, 9).mistake_prob == pytest.approx(expected, rel=1e-9)


def test_the_error_of_the_table_by_hand():
    """One label without privacy: the estimate is B or −B."""
    case = step.TableState(2.0, math.inf, 0.5, 1)
    win = 1 / (1 + math.exp(-0.5))
    assert case.mean_squared_error == pytest.approx(win * 1.5**2 + (1 - win) * 2.5**2)


@pytest.mark.parametrize(
    ("draw", "right", "wrong", "grid"),
    [
        (step.two_rewards, step.hellinger, (step.hellinger_ten_percent,), (0.5, 4, 12)),
        (step.choice_case, step.in_sample, (step.in_sample_ten_percent,), (0.5, 4, 12)),
    ],
)
def test_the_search_finds_planted_faults_alone(draw, right, wrong, grid):
    rng = np.random.default_rng(0)
    cases = [draw(value, rng) for value in grid for _ in range(200)]
    assert max(right(case) for case in cases) <= 1 + 1e-9
    assert all(max(one(case) for case in cases) > 1 for one in wrong)


def test_the_squared_distance_is_in_units_of_the_worst_variance():
    case = step.TwoRewards(2.0, 1.0, 2.0, 1.0)
    assert case.squared == pytest.approx(1 / inverse_information(2.0, 1.0))
