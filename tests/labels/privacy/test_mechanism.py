"""The search for the exact ε, on functions whose answer is known, and its limits."""

import math

import pytest

from repro.labels.privacy.mechanism import Mechanism, bisect_epsilon, worst


@pytest.mark.parametrize("root", [0.3, 1.0, 1.5, 150.0, 512.0, 650.0, 700.0])
def test_the_smallest_epsilon_at_which_delta_vanishes(root):
    """δ stays 0 beyond the root: the smallest such ε is sought, not any."""
    found = bisect_epsilon(lambda epsilon: max(0.0, root - epsilon), 0.0)
    assert found == pytest.approx(root, rel=1e-12)


def test_no_finite_guarantee_is_sought_beyond_700():
    assert bisect_epsilon(lambda epsilon: max(0.0, 700.1 - epsilon), 0.0) == math.inf
    assert bisect_epsilon(lambda epsilon: 0.2, 0.1) == math.inf


def test_a_delta_that_is_enough_at_zero_needs_no_epsilon():
    assert bisect_epsilon(lambda epsilon: 0.3, 0.3) == 0.0
    assert bisect_epsilon(lambda epsilon: 0.2, 0.3) == 0.0


def test_the_unknown_stays_unknown():
    assert math.isnan(bisect_epsilon(lambda epsilon: math.nan, 0.1))


class Falling(Mechanism):
    """δ falls in a line from a height, by a slope."""

    def __init__(self, height, slope):
        self.height, self.slope = height, slope

    def exact_delta(self, epsilon):
        return max(0.0, self.height - self.slope * epsilon)

    def scores(self, rng, neighbour, count):
        raise AssertionError("nothing is drawn")


def test_the_worst_neighbours_are_those_at_the_epsilon_that_is_claimed():
    steep, flat = Falling(0.5, 0.4), Falling(0.3, 0.1)
    assert [worst([steep, flat], epsilon) for epsilon in (0.0, 0.5, 1.0)] == [steep, steep, flat]
    assert worst([flat, steep], 0.0) is steep
    assert flat.exact_epsilon(0.1) == pytest.approx(2.0)
