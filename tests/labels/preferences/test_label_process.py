"""Labels of an exact computation, stage by stage."""

import math

import numpy as np
import pytest

from repro.labels.preferences.label_information import one_less_affinity
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.labels.preferences.label_mixture import LabelMixture
from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from tests.at_each import at_each


@at_each("epsilon", [0.1, 1.0, 16.0, math.inf])
@at_each(("x", "y"), [(2.0, -1.0), (6.0, 5.9999), (0.0, 1e-6)])
def test_affinity_is_that_of_randomized_response(x, y, epsilon):
    expected = one_less_affinity(x, y, epsilon)
    assert AS_STATED.one_less_affinity(x, y, epsilon) == pytest.approx(expected, rel=1e-9)
    assert LabelProcess(labels=fair_coins).one_less_affinity(x, y, epsilon) == 0


def test_chances_of_a_mixture_add_up():
    process = LabelProcess(channel=LabelMixture(0.5, 0.1))
    for x in (-3.0, 0.0, 3.0):
        assert process.win_prob(x, 1.0) + process.lose_prob(x, 1.0) == pytest.approx(1)
        clean = np.array(1 / (1 + math.exp(-x)))
        assert process.released(clean, 1.0) == pytest.approx(process.win_prob(x, 1.0))
    assert process.step(1.0, 0.0, 1.0) == pytest.approx(
        process.win_prob(1.0, 1.0) - process.win_prob(0.0, 1.0)
    )


def test_what_is_taken_away_is_gone():
    assert LabelProcess(channel=no_randomizer).ends(0.1) == (0.0, 1.0)
    assert LabelProcess(labels=fair_coins).win_prob(3.0, 1.0) == pytest.approx(0.5)
    fitted, truth = np.zeros(3), np.array(2.0)
    assert LabelProcess(estimate=the_truth).returned(fitted, truth).tolist() == [2.0] * 3
    assert AS_STATED.returned(fitted, truth).tolist() == [0.0] * 3
